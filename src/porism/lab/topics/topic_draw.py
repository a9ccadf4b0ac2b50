"""Draws topics from the questions of a collection, automating the lab's procedure.

Questions must satisfy the criteria of ``criteria``; the sample of these is balanced over tags or
other factors. The labels of topics (type, difficulty, dependency, multi-part) and the final
selection are left to people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from porism.collection.questions import QuestionStats, answer_ids
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.lab.topics.criteria import (
    CriterionTally,
    QuestionFilter,
    QuestionStatistic,
    TopicCandidate,
    TopicCriteria,
)
from porism.lab.topics.query_formulas import QueryFormula, chosen_formulas, query_formulas
from porism.lab.topics.similar_titles import TitleSet
from porism.lab.topics.strata import Allocation, Levels, Strata, bands, broad_tags
from porism.model import Content, DocId, Formula, LinkKind, Topic, TopicId


class BalanceFactor(StrEnum):
    """Factors over which a sample can be balanced; all but tags in thirds of the candidates.

    Candidates with an unknown value are a group of their own.
    """

    TAGS = "tags"
    FORMULAS = "formulas"
    READING_EASE = "reading-ease"
    WORDS = "words"


_STATISTICS = {
    BalanceFactor.FORMULAS: QuestionStatistic.FORMULAS,
    BalanceFactor.READING_EASE: QuestionStatistic.READING_EASE,
    BalanceFactor.WORDS: QuestionStatistic.WORDS,
}


@dataclass(frozen=True, slots=True)
class TopicSample:
    """The number of topics wanted, their balance, and the number of the first."""

    wanted: int = 100
    balance_factors: tuple[BalanceFactor, ...] = (BalanceFactor.TAGS,)
    allocation: Allocation = Allocation.EVEN
    seed: int = 0
    first_number: int = 1


@dataclass(frozen=True, slots=True)
class DrawnTopic:
    """A topic of Tasks 1 and 3, one of Task 2 if a formula is suitable, and their source.

    ``own_posts`` are the question and its answers in the searched collection, which must not count
    as results.
    """

    topic: Topic
    formula_topic: Topic | None
    candidate: TopicCandidate
    formula: QueryFormula | None
    own_posts: tuple[DocId, ...]


@dataclass(frozen=True, slots=True)
class TopicDraw:
    """The topics, and the numbers of other questions.

    ``similar`` questions were skipped, since a duplicate or one with a similar title was drawn.
    """

    questions: int
    removed: tuple[CriterionTally, ...]
    candidates: int
    similar: int
    topics: tuple[DrawnTopic, ...]


@dataclass(frozen=True, slots=True)
class TopicSource:
    """The collection that topics are drawn from, and the one to be searched; often the same."""

    collection: Collection
    searched: Collection


def draw_topics(
    source: TopicSource,
    questions: Iterable[QuestionStats],
    criteria: TopicCriteria,
    sample: TopicSample,
) -> TopicDraw:
    """Topics from ``questions``, the statistics of the source's questions, in the order drawn.

    There may be fewer than wanted. If no question satisfies the criteria, a PorismError says how
    many each criterion removed.
    """
    collection = source.collection
    selection = QuestionFilter(collection, criteria, source.searched)
    candidates = list(selection.passing(questions))
    if not candidates:
        raise PorismError(f"{collection.path}: {_no_candidates_message(selection)}")
    selected, similar = _sampled(candidates, sample, collection)
    chosen = chosen_formulas(
        {each.id: query_formulas(collection, each.id) for each in selected}, sample.seed
    )
    numbering = _Numbering()
    topics = []
    for number, candidate in enumerate(selected, start=sample.first_number):
        formula = chosen.get(candidate.id)
        topic, formula_topic = numbering.topics(collection, candidate, number, formula)
        own_posts = _own_posts(source.searched, candidate.id)
        topics.append(DrawnTopic(topic, formula_topic, candidate, formula, own_posts))
    return TopicDraw(selection.seen, selection.removed, len(candidates), similar, tuple(topics))


def _no_candidates_message(selection: QuestionFilter) -> str:
    if not selection.seen:
        return "there are no questions; topics are drawn from a collection of questions and answers"
    lines = [f"none of {selection.seen:,} questions satisfies all criteria"]
    for each in selection.removed:
        unknown = f" ({each.unknown:,} of them unknown)" if each.unknown else ""
        lines.append(f"  {each.criterion}: removed {each.removed:,}{unknown}, left {each.left:,}")
    return "\n".join([*lines, "drop or widen the criterion that removes too many"])


def _sampled(
    candidates: Sequence[TopicCandidate], sample: TopicSample, collection: Collection
) -> tuple[list[TopicCandidate], int]:
    strata: dict[Levels, list[TopicCandidate]] = {}
    columns = [_levels(candidates, factor) for factor in sample.balance_factors]
    for place, candidate in enumerate(candidates):
        strata.setdefault(tuple(column[place] for column in columns), []).append(candidate)
    titles = TitleSet()
    linked: set[DocId] = set()
    selected: list[TopicCandidate] = []
    similar = 0
    for candidate, take in Strata(strata, sample.allocation).draw(sample.seed):
        if len(selected) == sample.wanted:
            break
        title = collection.heading(candidate.id).title
        if candidate.id in linked or titles.has_similar(title):
            similar += 1
            continue
        take()
        selected.append(candidate)
        titles.add(title)
        linked.update(
            link.related_id
            for link in collection.links(candidate.id)
            if link.kind is LinkKind.DUPLICATE
        )
    return selected, similar


def _levels(candidates: Sequence[TopicCandidate], factor: BalanceFactor) -> list[str]:
    if factor is BalanceFactor.TAGS:
        return broad_tags([each.tags for each in candidates])
    return bands([each.values.get(_STATISTICS[factor]) for each in candidates])


def _own_posts(searched: Collection, question_id: DocId) -> tuple[DocId, ...]:
    if searched.find_number(question_id) is None:
        return ()
    return (question_id, *answer_ids(searched, question_id))


class _Numbering:
    """Gives topics the lab's ids, A.n and B.n, and numbers formulas over all topics: q_1, ..."""

    def __init__(self) -> None:
        self._formulas = 0

    def topics(
        self,
        collection: Collection,
        candidate: TopicCandidate,
        number: int,
        query: QueryFormula | None,
    ) -> tuple[Topic, Topic | None]:
        post = collection.post(candidate.id)
        formulas: dict[str, Formula] = {}
        topic = Topic(
            TopicId(f"A.{number}"),
            self._numbered(post.title, formulas),
            self._numbered(post.body, formulas),
            candidate.tags,
        )
        if query is None:
            return topic, None
        return topic, replace(topic, id=TopicId(f"B.{number}"), focus=formulas[query.id])

    def _numbered(self, content: Content, formulas: dict[str, Formula]) -> Content:
        parts: list[str | Formula] = []
        for part in content:
            if isinstance(part, Formula):
                self._formulas += 1
                formulas[part.id] = Formula(f"q_{self._formulas}", part.latex)
                parts.append(formulas[part.id])
            else:
                parts.append(part)
        return tuple(parts)
