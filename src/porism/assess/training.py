"""Training rounds: the same small pool for all assessors, and its results.

S3 section 4.5: a round had four topics of an earlier year, each with five or six answers of
different grades in the qrels of that year. Afterwards assessors met and discussed what they had
judged differently.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from porism.assess.judgments.agreement import Agreement, Disagreement, agreement, disagreements
from porism.assess.pools.pooling import display_order
from porism.assess.records import HIGHEST_GRADE, Candidate, Judgment, Pool
from porism.errors import PorismError
from porism.model import DocId, Qrels, Task, Topic, TopicId

CandidateMaker = Callable[[TopicId, DocId], Candidate]
"""Makes the candidate for a document of the qrels; for a formula, with its post and visual id."""


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """The size and seed of a round.

    ``missing_grades`` is how many of the four grades a topic may lack.
    """

    topics: int = 4
    candidates: int = 6
    seed: int = 0
    missing_grades: int = 0


def answer_candidate(topic_id: TopicId, doc_id: DocId) -> Candidate:
    """An answer as a candidate."""
    return Candidate(topic_id, doc_id)


@dataclass(frozen=True, slots=True)
class AvailableJudgments:
    """The judgments of available documents, and how many judged documents are absent."""

    qrels: Qrels
    absent: int
    judged: int


def available_judgments(
    topics: Iterable[Topic], qrels: Qrels, has: Callable[[DocId], bool]
) -> AvailableJudgments:
    """The judgments of the topics for the documents that ``has`` accepts; none is an error."""
    of_topics = {topic.id: qrels.grades.get(topic.id, {}) for topic in topics}
    judged = {doc_id for grades in of_topics.values() for doc_id in grades}
    available = {doc_id for doc_id in judged if has(doc_id)}
    if judged and not available:
        raise PorismError(
            f"the collection has none of the {len(judged):,} judged documents, such as "
            f"{min(judged)}: expected judgments by answer or by formula id (not by visual id) of "
            "the same collection"
        )
    grades = {
        topic_id: {doc_id: grade for doc_id, grade in of_topic.items() if doc_id in available}
        for topic_id, of_topic in of_topics.items()
    }
    return AvailableJudgments(Qrels(grades), len(judged) - len(available), len(judged))


def training_round(
    topics: Sequence[Topic],
    qrels: Qrels,
    settings: RoundSettings,
    used: Collection[TopicId] = (),
    candidate_of: CandidateMaker = answer_candidate,
) -> Pool:
    """A pool of a few topics with a few candidates of each grade; grades are not revealed.

    Topics in ``used``, of earlier rounds, are left out. The same seed draws the same round.
    Candidates are in the random order of all pools, which is independent of grades. The round is of
    Task 2 if all topics have a formula.
    """
    if settings.topics < 1 or settings.candidates < 1:
        raise PorismError(
            f"found {settings.topics} topics with {settings.candidates} candidates: expected at "
            "least one topic with one candidate"
        )
    random = Random(settings.seed)
    suitable = [
        topic for topic in topics if topic.id not in used and _is_suitable(topic, qrels, settings)
    ]
    if len(suitable) < settings.topics:
        raise PorismError(_too_few(len(suitable), settings))
    chosen = {topic.id for topic in random.sample(suitable, settings.topics)}
    drawn = tuple(topic for topic in topics if topic.id in chosen)
    candidates = []
    for topic in drawn:
        documents = _documents(_by_grade(qrels.grades[topic.id]), settings.candidates, random)
        candidates += [candidate_of(topic.id, doc_id) for doc_id in documents]
    return Pool(
        task=Task.FORMULAS if all(topic.focus is not None for topic in drawn) else Task.ANSWERS,
        topics=drawn,
        candidates=display_order(candidates, drawn, settings.seed),
        seed=settings.seed,
        settings={"drawn": "training round", "candidates a topic": str(settings.candidates)},
    )


def _is_suitable(topic: Topic, qrels: Qrels, settings: RoundSettings) -> bool:
    by_grade = _by_grade(qrels.grades.get(topic.id, {}))
    has_enough = sum(map(len, by_grade.values())) >= settings.candidates
    return has_enough and len(by_grade) >= HIGHEST_GRADE + 1 - settings.missing_grades


def _too_few(count: int, settings: RoundSettings) -> str:
    missing = f" but {settings.missing_grades}" if settings.missing_grades else ""
    return (
        f"unused topics with at least {settings.candidates} judged candidates and all "
        f"grades{missing}: found {count}, expected at least {settings.topics}; draw fewer topics "
        "or candidates, or allow more missing grades"
    )


def _by_grade(grades: Mapping[DocId, int]) -> dict[int, list[DocId]]:
    """The documents of each grade, highest first; those with codes are left out."""
    by_grade: dict[int, list[DocId]] = {}
    for doc_id, grade in sorted(grades.items(), key=lambda each: (-each[1], each[0])):
        if 0 <= grade <= HIGHEST_GRADE:
            by_grade.setdefault(grade, []).append(doc_id)
    return by_grade


def _documents(by_grade: Mapping[int, list[DocId]], count: int, random: Random) -> list[DocId]:
    """``count`` documents, one of every grade before two of any grade, and so on."""
    left = {
        grade: random.sample(documents, len(documents)) for grade, documents in by_grade.items()
    }
    drawn: list[DocId] = []
    while len(drawn) < count:
        grades = [grade for grade, documents in left.items() if documents]
        for grade in random.sample(grades, min(len(grades), count - len(drawn))):
            drawn.append(left[grade].pop())
    return drawn


@dataclass(frozen=True, slots=True)
class RoundResult:
    """Agreement and disagreements of assessors in a round.

    ``grades`` are the grades of disputed candidates in the qrels that the round was drawn from.
    """

    batch: str
    agreement: Agreement
    disagreements: tuple[Disagreement, ...]
    grades: Mapping[tuple[TopicId, DocId], int]


def round_results(
    judgments: Iterable[Judgment], earlier: Mapping[str, Qrels] | None = None
) -> tuple[RoundResult, ...]:
    """The result of each round, one per batch, in the order in which they were started.

    ``earlier`` are the grades that the candidates of a round had before, by batch.
    """
    batches: dict[str, list[Judgment]] = {}
    for judgment in sorted(judgments, key=lambda each: each.number):
        batches.setdefault(judgment.batch, []).append(judgment)
    known = earlier or {}
    return tuple(_result(name, of_batch, known.get(name)) for name, of_batch in batches.items())


def _result(name: str, judgments: Sequence[Judgment], earlier: Qrels | None) -> RoundResult:
    disputed = disagreements(judgments)
    known = {} if earlier is None else earlier.grades
    grades = {
        (each.topic_id, each.doc_id): known[each.topic_id][each.doc_id]
        for each in disputed
        if each.doc_id in known.get(each.topic_id, {})
    }
    return RoundResult(name, agreement(judgments), disputed, grades)
