"""Topics drawn from the questions of a collection, as the lab drew its own, but by program.

The criteria are those of ``topic_criteria``. Among the questions that satisfy them the sample is
balanced over tags or what else is wanted. What only people can say of a topic (its type, difficulty
and dependency, whether it has several parts) is left to them, and so is the last choice.
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
    """In what a sample can be balanced; all but tags in thirds of the questions that are left.

    Those of which it is not known stand apart.
    """

    TAGS = "tags"
    FORMULAS = "formulas"
    READING_EASE = "reading-ease"
    WORDS = "words"


_MEASURED = {
    BalanceFactor.FORMULAS: QuestionStatistic.FORMULAS,
    BalanceFactor.READING_EASE: QuestionStatistic.READING_EASE,
    BalanceFactor.WORDS: QuestionStatistic.WORDS,
}


@dataclass(frozen=True, slots=True)
class TopicSample:
    """How many topics, how balanced, numbered from where."""

    wanted: int = 100
    balance_factors: tuple[BalanceFactor, ...] = (BalanceFactor.TAGS,)
    allocation: Allocation = Allocation.EVEN
    seed: int = 0
    first_number: int = 1


@dataclass(frozen=True, slots=True)
class DrawnTopic:
    """A topic of Tasks 1 and 3, that of Task 2 if a formula of it is fit, and what it was made of.

    ``own_posts`` are the question and its answers as far as the searched collection has them: they
    would answer the topic by being the topic.
    """

    topic: Topic
    formula_topic: Topic | None
    candidate: TopicCandidate
    formula: QueryFormula | None
    own_posts: tuple[DocId, ...]


@dataclass(frozen=True, slots=True)
class TopicDraw:
    """The topics, and what happened to all other questions.

    ``alike`` questions were passed over since one with nearly the same title, or a duplicate, was
    drawn before.
    """

    questions: int
    removed: tuple[CriterionTally, ...]
    candidates: int
    similar: int
    topics: tuple[DrawnTopic, ...]


@dataclass(frozen=True, slots=True)
class TopicSource:
    """Where topics come from, and the collection that will be searched for them: often the same."""

    collection: Collection
    searched: Collection


def draw_topics(
    source: TopicSource,
    questions: Iterable[QuestionStats],
    criteria: TopicCriteria,
    sample: TopicSample,
) -> TopicDraw:
    """Topics from ``questions``, the figures of those of the source, in the order drawn.

    Fewer than wanted come if fewer there are; PorismError says which criterion removed how many if
    none is left.
    """
    collection = source.collection
    sieve = QuestionFilter(collection, criteria, source.searched)
    candidates = list(sieve.passing(questions))
    if not candidates:
        raise PorismError(f"{collection.path}: {_nothing_left(sieve)}")
    taken, alike = _sampled(candidates, sample, collection)
    chosen = chosen_formulas(
        {each.id: query_formulas(collection, each.id) for each in taken}, sample.seed
    )
    named = _Naming()
    topics = []
    for number, candidate in enumerate(taken, start=sample.first_number):
        formula = chosen.get(candidate.id)
        topic, asked = named.topic(collection, candidate, number, formula)
        topics.append(
            DrawnTopic(topic, asked, candidate, formula, _own_posts(source.searched, candidate.id))
        )
    return TopicDraw(sieve.seen, sieve.removed, len(candidates), alike, tuple(topics))


def _nothing_left(sieve: QuestionFilter) -> str:
    if not sieve.seen:
        return "there are no questions; topics are drawn from a collection of questions and answers"
    lines = [f"none of {sieve.seen:,} questions satisfies all criteria"]
    for each in sieve.removed:
        unknown = f" ({each.unknown:,} of them unknown)" if each.unknown else ""
        lines.append(f"  {each.criterion}: removed {each.removed:,}{unknown}, left {each.left:,}")
    return "\n".join([*lines, "leave out or widen the criterion that removes too many"])


def _sampled(
    candidates: Sequence[TopicCandidate], sample: TopicSample, collection: Collection
) -> tuple[list[TopicCandidate], int]:
    strata: dict[Levels, list[TopicCandidate]] = {}
    columns = [_levels(candidates, respect) for respect in sample.balance_factors]
    for place, candidate in enumerate(candidates):
        strata.setdefault(tuple(column[place] for column in columns), []).append(candidate)
    titles = TitleSet()
    linked: set[DocId] = set()
    taken: list[TopicCandidate] = []
    alike = 0
    for candidate, take in Strata(strata, sample.allocation).draw(sample.seed):
        if len(taken) == sample.wanted:
            break
        title = collection.heading(candidate.id).title
        if candidate.id in linked or titles.has_similar(title):
            alike += 1
            continue
        take()
        taken.append(candidate)
        titles.add(title)
        linked.update(
            link.related_id
            for link in collection.links(candidate.id)
            if link.kind is LinkKind.DUPLICATE
        )
    return taken, alike


def _levels(candidates: Sequence[TopicCandidate], respect: BalanceFactor) -> list[str]:
    if respect is BalanceFactor.TAGS:
        return broad_tags([each.tags for each in candidates])
    return bands([each.values.get(_MEASURED[respect]) for each in candidates])


def _own_posts(searched: Collection, question_id: DocId) -> tuple[DocId, ...]:
    if searched.find_number(question_id) is None:
        return ()
    return (question_id, *answer_ids(searched, question_id))


class _Naming:
    """Topics with the lab's ids: A.n and B.n, and q_1, q_2, ... for formulas over all topics."""

    def __init__(self) -> None:
        self._formulas = 0

    def topic(
        self,
        collection: Collection,
        candidate: TopicCandidate,
        number: int,
        query: QueryFormula | None,
    ) -> tuple[Topic, Topic | None]:
        post = collection.post(candidate.id)
        renamed: dict[str, Formula] = {}
        topic = Topic(
            TopicId(f"A.{number}"),
            self._renamed(post.title, renamed),
            self._renamed(post.body, renamed),
            candidate.tags,
        )
        if query is None:
            return topic, None
        return topic, replace(topic, id=TopicId(f"B.{number}"), focus=renamed[query.id])

    def _renamed(self, content: Content, renamed: dict[str, Formula]) -> Content:
        found: list[str | Formula] = []
        for part in content:
            if isinstance(part, Formula):
                self._formulas += 1
                new = Formula(f"q_{self._formulas}", part.latex)
                renamed[part.id] = new
                found.append(new)
            else:
                found.append(part)
        return tuple(found)
