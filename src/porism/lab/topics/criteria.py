"""The lab's criteria for topics, and how many questions satisfy each.

S1 section 4.1 and S3 section 4.1. Strict criteria: a question has text and a formula, was asked in
the given years, has a known duplicate or related question in the searched collection, and is not a
topic of earlier years. Soft criteria are ranges of statistics.
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
"""Replaces formulas when text is split into sentences; it is not a word."""


class QuestionStatistic(StrEnum):
    """The statistics of a question."""

    SCORE = "score"
    ANSWERS = "answers"
    VIEWS = "views"
    COMMENTS = "comments"
    REPUTATION = "reputation"
    WORDS = "words"
    FORMULAS = "formulas"
    READING_EASE = "reading ease"


class RequiredLinks(StrEnum):
    """The links that a topic needs: to a duplicate or related question, to a duplicate, or none."""

    ANY = "any"
    DUPLICATES = "duplicates"
    UNNEEDED = "unneeded"


@dataclass(frozen=True, slots=True)
class ValueRange:
    """From ``least`` to ``most``, inclusive; None for no bound."""

    least: float | None = None
    most: float | None = None

    def __contains__(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (
            self.most is None or value <= self.most
        )

    def __str__(self) -> str:
        return ":".join("" if bound is None else f"{bound:g}" for bound in (self.least, self.most))

    @property
    def description(self) -> str:
        """The range in words.

        >>> [ValueRange(*ends).description for ends in ((1, None), (None, 5.5), (1, 9))]
        ['1 or more', 'up to 5.5', '1 to 9']
        """
        if self.least is None:
            return f"up to {self.most:g}" if self.most is not None else "any"
        return (
            f"{self.least:g} or more" if self.most is None else f"{self.least:g} to {self.most:g}"
        )


@dataclass(frozen=True, slots=True)
class TopicCriteria:
    """What a question needs to become a topic. No ``years`` means any year.

    Questions with titles similar to those of ``earlier`` topics are excluded.
    """

    years: frozenset[int] = frozenset()
    links: RequiredLinks = RequiredLinks.ANY
    ranges: Mapping[QuestionStatistic, ValueRange] = field(default_factory=dict)
    earlier: tuple[Topic, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicCandidate:
    """A question that could be a topic, and its statistics.

    ``duplicates`` and ``related`` are those in the searched collection. Unknown statistics are
    missing from ``values``.
    """

    id: DocId
    year: int | None
    tags: tuple[str, ...]
    duplicates: tuple[DocId, ...]
    related: tuple[DocId, ...]
    values: Mapping[QuestionStatistic, float]


@dataclass(frozen=True, slots=True)
class CriterionTally:
    """The number of questions that a criterion removed; for ``unknown`` ones data is missing."""

    criterion: str
    removed: int
    unknown: int
    left: int


class QuestionFilter:
    """Selects questions that satisfy all criteria, and counts those that do not.

    A question counts for the first criterion that it fails. Its text is read only if it satisfies
    the criteria that need no text.
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
        """The number of questions checked."""
        return self._seen

    @property
    def removed(self) -> tuple[CriterionTally, ...]:
        """The number of questions removed by each criterion so far, in order of checking."""
        tallies: list[CriterionTally] = []
        left = self._seen
        for name, failed in self._failed.items():
            left -= failed
            tallies.append(CriterionTally(name, failed, self._unknown[name], left))
        return tuple(tallies)

    def passing(self, questions: Iterable[QuestionStats]) -> Iterator[TopicCandidate]:
        """The questions that could be topics, in the given order."""
        for stats in questions:
            self._seen += 1
            question = _Question(stats, self._collection, self._searched)
            for name, step in self._steps.items():
                verdict = step(question)
                if verdict is not True:
                    self._failed[name] += 1
                    self._unknown[name] += verdict is None
                    break
            else:
                yield TopicCandidate(
                    stats.id,
                    stats.year,
                    stats.tags,
                    question.linked(LinkKind.DUPLICATE),
                    question.linked(LinkKind.RELATED),
                    question.values(),
                )


class _Question:
    """A question while it is checked; links and text are read on first use."""

    def __init__(self, stats: QuestionStats, collection: Collection, searched: Collection) -> None:
        self.stats = stats
        self._collection = collection
        self._searched = searched
        self._linked: dict[LinkKind, tuple[DocId, ...]] | None = None
        self._text: tuple[Content, Content] | None = None
        self._values: dict[QuestionStatistic, float] | None = None

    def linked(self, kind: LinkKind) -> tuple[DocId, ...]:
        if self._linked is None:
            links = self._collection.links(self.stats.id)
            stored = [each for each in links if has_question(self._searched, each.related_id)]
            self._linked = {
                each: tuple(link.related_id for link in stored if link.kind is each)
                for each in LinkKind
            }
        return self._linked[kind]

    @property
    def text(self) -> tuple[Content, Content]:
        """Title and body."""
        if self._text is None:
            post = self._collection.post(self.stats.id)
            self._text = post.title, post.body
        return self._text

    def value(self, statistic: QuestionStatistic) -> float | None:
        """The value of a statistic, if known."""
        values = {
            QuestionStatistic.SCORE: self.stats.score,
            QuestionStatistic.ANSWERS: self.stats.answers,
            QuestionStatistic.VIEWS: self.stats.views,
            QuestionStatistic.COMMENTS: self.stats.comments,
            QuestionStatistic.REPUTATION: self.stats.reputation,
        }
        return values[statistic] if statistic in values else self.values().get(statistic)

    def values(self) -> dict[QuestionStatistic, float]:
        if self._values is None:
            self._values = text_values(*self.text)
            for statistic in _SITE_STATISTICS:
                if (value := self.value(statistic)) is not None:
                    self._values[statistic] = value
            self._values = {
                each: self._values[each] for each in QuestionStatistic if each in self._values
            }
        return self._values


_SITE_STATISTICS = (
    QuestionStatistic.SCORE,
    QuestionStatistic.ANSWERS,
    QuestionStatistic.VIEWS,
    QuestionStatistic.COMMENTS,
    QuestionStatistic.REPUTATION,
)


def text_values(title: Content, body: Content) -> dict[QuestionStatistic, float]:
    """The numbers of words and formulas, and the reading ease, of title and body together.

    >>> values = text_values(("Is ", Formula("1", "x^2"), " even?"), ("I think so.",))
    >>> {str(statistic): value for statistic, value in values.items()}
    {'words': 5, 'formulas': 1, 'reading ease': 102.778}
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


_Step = Callable[[_Question], bool | None]
"""Whether a question satisfies a criterion; None if the data is missing."""


def _steps(criteria: TopicCriteria) -> Iterator[tuple[str, _Step | None]]:
    """The criteria by name, starting with those that need no text."""
    yield _years_name(criteria.years), _in_years(criteria.years) if criteria.years else None
    for statistic in _SITE_STATISTICS:
        yield _range_step(statistic, criteria)
    yield _LINK_NAMES[criteria.links], _LINK_STEPS[criteria.links]
    yield "a formula in title or body", lambda each: each.values()[QuestionStatistic.FORMULAS] > 0
    yield "text", lambda each: each.values()[QuestionStatistic.WORDS] > 0
    for statistic in (
        QuestionStatistic.WORDS,
        QuestionStatistic.FORMULAS,
        QuestionStatistic.READING_EASE,
    ):
        yield _range_step(statistic, criteria)
    if criteria.earlier:
        titles = TitleSet()
        for topic in criteria.earlier:
            titles.add(topic.title)
        yield "no title of an earlier topic", lambda each: not titles.has_similar(each.text[0])


def _years_name(years: frozenset[int]) -> str:
    return f"asked in {', '.join(map(str, sorted(years)))}"


def _in_years(years: frozenset[int]) -> _Step:
    return lambda each: None if each.stats.year is None else each.stats.year in years


def _range_step(statistic: QuestionStatistic, criteria: TopicCriteria) -> tuple[str, _Step | None]:
    value_range = criteria.ranges.get(statistic)
    if value_range is None:
        return statistic, None

    def step(question: _Question) -> bool | None:
        value = question.value(statistic)
        return None if value is None else value in value_range

    return f"{statistic} {value_range.description}", step


_LINK_NAMES = {
    RequiredLinks.ANY: "a duplicate or related question",
    RequiredLinks.DUPLICATES: "a duplicate question",
    RequiredLinks.UNNEEDED: "",
}
_LINK_STEPS: dict[RequiredLinks, _Step | None] = {
    RequiredLinks.ANY: lambda each: any(each.linked(kind) for kind in LinkKind),
    RequiredLinks.DUPLICATES: lambda each: bool(each.linked(LinkKind.DUPLICATE)),
    RequiredLinks.UNNEEDED: None,
}
