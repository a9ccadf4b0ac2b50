"""Training rounds: the same small pool for all assessors, and what they made of it.

S3 section 4.5: a round had four topics of an earlier year, each with five or six answers whose
grades, by the qrels of that year, differed. After it assessors met and talked about what they had
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
"""What is shown of a document of the qrels; of a formula, where it stands and how it looks."""


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """How large a round is, and the seed by which it is drawn.

    ``lacking`` says how many of the four grades a topic may lack.
    """

    topics: int = 4
    candidates: int = 6
    seed: int = 0
    lacking: int = 0


def answer_candidate(topic_id: TopicId, doc_id: DocId) -> Candidate:
    """A document that is an answer, with nothing to say beyond its id."""
    return Candidate(topic_id, doc_id)


@dataclass(frozen=True, slots=True)
class AvailableJudgments:
    """The judgments of documents that can be shown, and how many of how many cannot."""

    qrels: Qrels
    absent: int
    judged: int


def available_judgments(
    topics: Iterable[Topic], qrels: Qrels, has: Callable[[DocId], bool]
) -> AvailableJudgments:
    """The judgments of the topics, of those documents that ``has`` knows; none is an error."""
    of_topics = {topic.id: qrels.grades.get(topic.id, {}) for topic in topics}
    judged = {doc_id for grades in of_topics.values() for doc_id in grades}
    there = {doc_id for doc_id in judged if has(doc_id)}
    if judged and not there:
        raise PorismError(
            f"the collection has none of the {len(judged):,} judged documents, such as "
            f"{min(judged)}: expected judgments by answer or by formula id (not by visual id) of "
            "the same collection"
        )
    kept = {
        topic_id: {doc_id: grade for doc_id, grade in grades.items() if doc_id in there}
        for topic_id, grades in of_topics.items()
    }
    return AvailableJudgments(Qrels(kept), len(judged) - len(there), len(judged))


def training_round(
    topics: Sequence[Topic],
    qrels: Qrels,
    form: RoundSettings,
    used: Collection[TopicId] = (),
    candidate_of: CandidateMaker = answer_candidate,
) -> Pool:
    """A pool of a few topics with a few candidates of each grade, the grades not told.

    Topics that were ``used``, in an earlier round, are left out. The same seed draws the same
    round. Candidates stand in the order of chance that all pools have, which knows no grades. Task
    2 is told by topics that have a formula.
    """
    if form.topics < 1 or form.candidates < 1:
        raise PorismError(
            f"a training round has at least one topic with one candidate: found {form.topics} "
            f"with {form.candidates}"
        )
    random = Random(form.seed)
    suited = [topic for topic in topics if topic.id not in used and _suits(topic, qrels, form)]
    if len(suited) < form.topics:
        raise PorismError(_too_few(len(suited), form))
    chosen = {topic.id for topic in random.sample(suited, form.topics)}
    drawn = tuple(topic for topic in topics if topic.id in chosen)
    candidates = []
    for topic in drawn:
        documents = _documents(_by_grade(qrels.grades[topic.id]), form.candidates, random)
        candidates += [candidate_of(topic.id, doc_id) for doc_id in documents]
    return Pool(
        task=Task.FORMULAS if all(topic.focus is not None for topic in drawn) else Task.ANSWERS,
        topics=drawn,
        candidates=display_order(candidates, drawn, form.seed),
        seed=form.seed,
        settings={"drawn": "training round", "candidates a topic": str(form.candidates)},
    )


def _suits(topic: Topic, qrels: Qrels, form: RoundSettings) -> bool:
    by_grade = _by_grade(qrels.grades.get(topic.id, {}))
    has_enough = sum(map(len, by_grade.values())) >= form.candidates
    return has_enough and len(by_grade) >= HIGHEST_GRADE + 1 - form.lacking


def _too_few(found: int, form: RoundSettings) -> str:
    lacking = f" but {form.lacking}" if form.lacking else ""
    return (
        f"topics that were not used and have {form.candidates} judged candidates (or more) and all "
        f"grades{lacking}: found {found}, expected at least {form.topics}; ask for fewer topics or "
        "candidates, or let topics lack more grades"
    )


def _by_grade(grades: Mapping[DocId, int]) -> dict[int, list[DocId]]:
    """The documents of each grade, highest first; those with codes are left out."""
    by_grade: dict[int, list[DocId]] = {}
    for doc_id, grade in sorted(grades.items(), key=lambda each: (-each[1], each[0])):
        if 0 <= grade <= HIGHEST_GRADE:
            by_grade.setdefault(grade, []).append(doc_id)
    return by_grade


def _documents(by_grade: Mapping[int, list[DocId]], count: int, random: Random) -> list[DocId]:
    """So many documents, of every grade one before of any grade two, and so on."""
    left = {
        grade: random.sample(documents, len(documents)) for grade, documents in by_grade.items()
    }
    taken: list[DocId] = []
    while len(taken) < count:
        grades = [grade for grade, documents in left.items() if documents]
        for grade in random.sample(grades, min(len(grades), count - len(taken))):
            taken.append(left[grade].pop())
    return taken


@dataclass(frozen=True, slots=True)
class RoundResult:
    """How far assessors agreed in a round, on what they did not, and the grades there were before.

    ``grades`` are those of the qrels that a round was drawn from, for the candidates that are
    disputed.
    """

    batch: str
    agreement: Agreement
    disagreements: tuple[Disagreement, ...]
    grades: Mapping[tuple[TopicId, DocId], int]


def round_results(
    judgments: Iterable[Judgment], earlier: Mapping[str, Qrels] | None = None
) -> tuple[RoundResult, ...]:
    """What came of each round, a batch of judgments each, in the order in which they began.

    ``earlier`` are the grades that the candidates of a round had before, by its name.
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
