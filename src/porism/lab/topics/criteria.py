"""Which questions could be topics: the lab's criteria, and how many questions each leaves.

S1 section 4.1 and S3 section 4.1. Strict ones: a question has text and a formula, was asked in
given years, has a known duplicate or related question in the collection that will be searched, and
is none of the topics of earlier years. Soft ones are ranges of what can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from porism.collection.questions import QuestionStats, has_question
from porism.collection.store import Collection
from porism.lab.topics.similar_titles import TitleSet
from porism.model import Content, DocId, Formula, LinkKind, Topic
from porism.text import tokens
from porism.text.reading_ease import reading_ease

FORMULA_PLACEHOLDER = "□"
"""In place of a formula when sentences are told apart; it is no word."""


class QuestionStatistic(StrEnum):
    """What is counted of a question."""

    SCORE = "score"
    ANSWERS = "answers"
    VIEWS = "views"
    COMMENTS = "comments"
    REPUTATION = "reputation"
    WORDS = "words"
    FORMULAS = "formulas"
    READING_EASE = "reading ease"


class RequiredLinks(StrEnum):
    """Which links a topic needs: to a duplicate or related question, to a duplicate, or none."""

    ANY = "any"
    DUPLICATES = "duplicates"
    UNNEEDED = "unneeded"


@dataclass(frozen=True, slots=True)
class ValueRange:
    """From ``least`` to ``most``, both included; None where there is no bound."""

    least: float | None = None
    most: float | None = None

    def __contains__(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (
            self.most is None or value <= self.most
        )

    def __str__(self) -> str:
        return ":".join("" if bound is None else f"{bound:g}" for bound in (self.least, self.most))

    @property
    def told(self) -> str:
        """The range in words.

        >>> [ValueRange(*ends).told for ends in ((1, None), (None, 5.5), (1, 9))]
        ['1 or more', 'up to 5.5', '1 to 9']
        """
        if self.least is None:
            return f"up to {self.most:g}" if self.most is not None else "any"
        return (
            f"{self.least:g} or more" if self.most is None else f"{self.least:g} to {self.most:g}"
        )


@dataclass(frozen=True, slots=True)
class TopicCriteria:
    """What a question must be to become a topic. No ``years`` means any year.

    ``earlier`` are topics that shall not come again, nor questions with nearly their titles.
    """

    years: frozenset[int] = frozenset()
    links: RequiredLinks = RequiredLinks.ANY
    ranges: Mapping[QuestionStatistic, ValueRange] = field(default_factory=dict)
    earlier: tuple[Topic, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicCandidate:
    """A question that could be a topic, and what was counted of it.

    ``duplicates`` and ``related`` are only those that are in the collection to be searched. What is
    not known has no value.
    """

    id: DocId
    year: int | None
    tags: tuple[str, ...]
    duplicates: tuple[DocId, ...]
    related: tuple[DocId, ...]
    values: Mapping[QuestionStatistic, float]


@dataclass(frozen=True, slots=True)
class CriterionTally:
    """How many questions a criterion removed; of ``unknown`` ones it could not be said."""

    criterion: str
    removed: int
    unknown: int
    left: int


class QuestionFilter:
    """Questions that satisfy all criteria, with a tally of those that do not.

    A question counts for the first criterion that it fails. Its text is read only if it has passed
    what is known without.
    """

    def __init__(
        self, collection: Collection, criteria: TopicCriteria, searched: Collection
    ) -> None:
        self._collection = collection
        self._searched = searched
        self._criteria = criteria
        self._steps: dict[str, _Step] = {
            name: step for name, step in _steps(criteria) if step is not None
        }
        self._failed = dict.fromkeys(self._steps, 0)
        self._unknown = dict.fromkeys(self._steps, 0)
        self._seen = 0

    @property
    def seen(self) -> int:
        """How many questions were looked at."""
        return self._seen

    @property
    def removed(self) -> tuple[CriterionTally, ...]:
        """What each criterion removed so far, in the order in which they are asked."""
        found: list[CriterionTally] = []
        left = self._seen
        for name, failed in self._failed.items():
            left -= failed
            found.append(CriterionTally(name, failed, self._unknown[name], left))
        return tuple(found)

    def passing(self, questions: Iterable[QuestionStats]) -> Iterator[TopicCandidate]:
        """Those questions that could be topics, in their order."""
        for figures in questions:
            self._seen += 1
            asked = _Asked(figures, self._collection, self._searched)
            for name, step in self._steps.items():
                verdict = step(asked)
                if verdict is not True:
                    self._failed[name] += 1
                    self._unknown[name] += verdict is None
                    break
            else:
                yield TopicCandidate(
                    figures.id,
                    figures.year,
                    figures.tags,
                    asked.linked(LinkKind.DUPLICATE),
                    asked.linked(LinkKind.RELATED),
                    asked.values(),
                )


class _Asked:
    """A question while it is looked at; what costs time is read when it is first asked for."""

    def __init__(
        self, figures: QuestionStats, collection: Collection, searched: Collection
    ) -> None:
        self.figures = figures
        self._collection = collection
        self._searched = searched
        self._linked: dict[LinkKind, tuple[DocId, ...]] | None = None
        self._text: tuple[Content, Content] | None = None
        self._values: dict[QuestionStatistic, float] | None = None

    def linked(self, kind: LinkKind) -> tuple[DocId, ...]:
        if self._linked is None:
            links = self._collection.links(self.figures.id)
            here = [each for each in links if has_question(self._searched, each.related_id)]
            self._linked = {
                each: tuple(link.related_id for link in here if link.kind is each)
                for each in LinkKind
            }
        return self._linked[kind]

    @property
    def text(self) -> tuple[Content, Content]:
        """Title and body."""
        if self._text is None:
            post = self._collection.post(self.figures.id)
            self._text = post.title, post.body
        return self._text

    def known(self, measured: QuestionStatistic) -> float | None:
        """The value, if it is one that the site counted."""
        values = {
            QuestionStatistic.SCORE: self.figures.score,
            QuestionStatistic.ANSWERS: self.figures.answers,
            QuestionStatistic.VIEWS: self.figures.views,
            QuestionStatistic.COMMENTS: self.figures.comments,
            QuestionStatistic.REPUTATION: self.figures.reputation,
        }
        return values[measured] if measured in values else self.values().get(measured)

    def values(self) -> dict[QuestionStatistic, float]:
        if self._values is None:
            self._values = text_values(*self.text)
            for measured in _COUNTED_BY_THE_SITE:
                if (value := self.known(measured)) is not None:
                    self._values[measured] = value
            self._values = {
                each: self._values[each] for each in QuestionStatistic if each in self._values
            }
        return self._values


_COUNTED_BY_THE_SITE = (
    QuestionStatistic.SCORE,
    QuestionStatistic.ANSWERS,
    QuestionStatistic.VIEWS,
    QuestionStatistic.COMMENTS,
    QuestionStatistic.REPUTATION,
)


def text_values(title: Content, body: Content) -> dict[QuestionStatistic, float]:
    """Words of the prose, formulas, and reading ease of title and body together.

    >>> text_values(("Is ", Formula("1", "x^2"), " even?"), ("I think so.",))
    ... # doctest: +NORMALIZE_WHITESPACE
    {<Measured.WORDS: 'words'>: 5, <Measured.FORMULAS: 'formulas'>: 1,
     <Measured.READING_EASE: 'reading ease'>: 102.778}
    """
    parts = (*title, "\n\n", *body)
    prose = "".join(FORMULA_PLACEHOLDER if isinstance(p, Formula) else p for p in parts)
    values: dict[QuestionStatistic, float] = {
        QuestionStatistic.WORDS: sum(len(tokens(part)) for part in parts if isinstance(part, str)),
        QuestionStatistic.FORMULAS: sum(isinstance(part, Formula) for part in parts),
    }
    if (ease := reading_ease(prose)) is not None:
        values[QuestionStatistic.READING_EASE] = ease
    return values


_Step = Callable[[_Asked], bool | None]
"""Whether a question satisfies a criterion; None if that cannot be said."""


def _steps(criteria: TopicCriteria) -> Iterator[tuple[str, _Step | None]]:
    """The criteria with their names, those first that need no text."""
    yield _years_told(criteria.years), _in_years(criteria.years) if criteria.years else None
    for measured in _COUNTED_BY_THE_SITE:
        yield _range_step(measured, criteria)
    yield _LINKS_TOLD[criteria.links], _LINK_STEPS[criteria.links]
    yield "a formula in title or body", lambda asked: asked.values()[QuestionStatistic.FORMULAS] > 0
    yield "text", lambda asked: asked.values()[QuestionStatistic.WORDS] > 0
    for measured in (
        QuestionStatistic.WORDS,
        QuestionStatistic.FORMULAS,
        QuestionStatistic.READING_EASE,
    ):
        yield _range_step(measured, criteria)
    if criteria.earlier:
        titles = TitleSet()
        for topic in criteria.earlier:
            titles.add(topic.title)
        yield "no title of an earlier topic", lambda asked: not titles.has_similar(asked.text[0])


def _years_told(years: frozenset[int]) -> str:
    return f"asked in {', '.join(map(str, sorted(years)))}"


def _in_years(years: frozenset[int]) -> _Step:
    return lambda asked: None if asked.figures.year is None else asked.figures.year in years


def _range_step(measured: QuestionStatistic, criteria: TopicCriteria) -> tuple[str, _Step | None]:
    wanted = criteria.ranges.get(measured)
    if wanted is None:
        return measured, None

    def step(asked: _Asked) -> bool | None:
        value = asked.known(measured)
        return None if value is None else value in wanted

    return f"{measured} {wanted.told}", step


_LINKS_TOLD = {
    RequiredLinks.ANY: "a duplicate or related question",
    RequiredLinks.DUPLICATES: "a duplicate question",
    RequiredLinks.UNNEEDED: "",
}
_LINK_STEPS: dict[RequiredLinks, _Step | None] = {
    RequiredLinks.ANY: lambda asked: any(asked.linked(kind) for kind in LinkKind),
    RequiredLinks.DUPLICATES: lambda asked: bool(asked.linked(LinkKind.DUPLICATE)),
    RequiredLinks.UNNEEDED: None,
}
