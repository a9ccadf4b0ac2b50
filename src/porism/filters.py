"""The table of filters: which posts a search may return, declared once.

From ``FILTERS`` are generated the labels of posts and formulas in an index (``fact_labels``), the
filter that an index applies (``rank.filters``), the options of ``porism search``
(``cli.options.filters``), the parameters of the REST interface and the controls of the search page
(``web.search.filter_parameters``). So a new filter is a new row here, and, if it needs a fact that
``PostFacts`` does not have, the code that reads the fact.

An index knows labels as tokens. It filters by groups of labels: a document must have one label of
each group. So a post has one label for its number of votes, and "at least 5 votes" is the group of
the labels for 5, 6, ... votes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Protocol

from porism.errors import PorismError


class PostFacts(Protocol):
    """The facts about a post, or about all posts with a formula, that filters use.

    An answer has the tags of its question. ``years`` are those in which the posts were written.
    ``users`` are the ids and the names, as far as known, of those who wrote them.
    """

    @property
    def tags(self) -> Collection[str]: ...
    @property
    def years(self) -> Collection[str]: ...
    @property
    def votes(self) -> int | None: ...
    @property
    def is_accepted(self) -> bool: ...
    @property
    def users(self) -> Collection[str]: ...


@dataclass(frozen=True, slots=True)
class Texts:
    """Takes up to ``most`` texts of up to ``longest`` characters; a post must have all of them.

    With ``ignores_case`` their labels are in lower case.
    """

    most: int
    longest: int
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """Takes a number from ``first`` to ``last``, the least that a post may have, or the largest.

    No post has a number above ``highest()``, which keeps the groups of labels short.
    """

    first: int
    last: int
    is_maximum: bool = False
    highest: Callable[[], int] | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """Takes yes or no; yes means that a post must have the label."""


FilterValue = tuple[str, ...] | int
"""What ``Texts``, ``Number`` and ``Flag`` take; a flag is True."""

FilterValues = Mapping[str, FilterValue]
"""The filters of one search by name, without those that are not used."""


@dataclass(frozen=True, slots=True)
class FilterSpec:
    """One filter.

    ``name`` is its parameter in addresses and, after two dashes, on the command line. ``facts``
    reads values from a post, each of which becomes a label after ``prefix``. ``kind`` is the name
    of these labels in the manifest of an index; filters of numbers with the same kind are bounds
    of one range. ``summary`` follows "only" in help texts, ``control`` is the label of the control
    on the page, and ``chip`` shows a value above the results. ``nothing`` is the message for a
    value that no post has, if there is one.
    """

    name: str
    kind: str
    prefix: str
    facts: Callable[[PostFacts], Iterable[object]]
    takes: Texts | Number | Flag
    summary: str
    control: str
    chip: str
    example: str | int | bool
    metavar: str | None = None
    nothing: str = ""

    def chip_text(self, value: object) -> str:
        """One value in words.

        >>> [spec.chip_text(1) for spec in FILTERS]
        ['tag 1', 'since 1', 'until 1', 'at least 1 vote', 'accepted', 'by 1']
        """
        return self.chip.format(value, s="" if value == 1 else "s")


IN_POST = "in:post"
"""The label of formulas that occur in a question or an answer, not only in comments."""

MAX_VOTES = 100
"""Posts with more votes have the label of this number."""

FIRST_YEAR, LAST_YEAR = 1000, 9999


def _next_year() -> int:
    return date.today().year + 1  # clocks differ


def _votes(post: PostFacts) -> tuple[int, ...]:
    """Posts without votes, or with more against than for, have no label."""
    return () if post.votes is None or post.votes < 0 else (min(post.votes, MAX_VOTES),)


FILTERS: tuple[FilterSpec, ...] = (
    FilterSpec(
        name="tag",
        kind="tag",
        prefix="tag:",
        facts=lambda post: post.tags,
        takes=Texts(most=10, longest=100),
        summary="posts that have this tag; repeatable",
        control="Only with tag",
        chip="tag {}",
        example="calculus",
        metavar="T",
        nothing="no post has the tag {}",
    ),
    FilterSpec(
        name="since",
        kind="year",
        prefix="year:",
        facts=lambda post: post.years,
        takes=Number(FIRST_YEAR, LAST_YEAR, highest=_next_year),
        summary="posts of that year or later",
        control="Since year",
        chip="since {}",
        example=2012,
        metavar="YEAR",
    ),
    FilterSpec(
        name="until",
        kind="year",
        prefix="year:",
        facts=lambda post: post.years,
        takes=Number(FIRST_YEAR, LAST_YEAR, is_maximum=True, highest=_next_year),
        summary="posts of that year or earlier",
        control="Until year",
        chip="until {}",
        example=2016,
        metavar="YEAR",
    ),
    FilterSpec(
        name="votes",
        kind="votes",
        prefix="votes:",
        facts=_votes,
        takes=Number(0, MAX_VOTES),
        summary="posts with at least this number of votes",
        control="Minimum votes",
        chip="at least {} vote{s}",
        example=5,
        metavar="N",
        nothing="no post has {} votes or more",
    ),
    FilterSpec(
        name="accepted",
        kind="acceptance",
        prefix="accepted",
        facts=lambda post: ("",) if post.is_accepted else (),
        takes=Flag(),
        summary="answers that the author of their question accepted",
        control="Accepted answers only",
        chip="accepted",
        example=True,
        nothing="no answer is marked as accepted",
    ),
    FilterSpec(
        name="user",
        kind="user",
        prefix="user:",
        facts=lambda post: (user.casefold() for user in post.users),
        takes=Texts(most=10, longest=100, ignores_case=True),
        summary="posts by this user, a name or an id",
        control="Only by user",
        chip="by {}",
        example="Ada",
        metavar="NAME",
        nothing="no post is by {}",
    ),
)


def label_kinds() -> tuple[str, ...]:
    """The kinds of labels that documents get, which the manifest of an index records."""
    return tuple(sorted({"kind", "title", *(spec.kind for spec in FILTERS)}))


@cache
def _labellers() -> tuple[tuple[str, Callable[[PostFacts], Iterable[object]]], ...]:
    """The prefix and the facts of each kind of labels, once."""
    by_kind = {spec.kind: (spec.prefix, spec.facts) for spec in FILTERS}
    return tuple(by_kind.values())


def fact_labels(post: PostFacts) -> tuple[str, ...]:
    """The labels of a post, or of all posts with a formula, each once."""
    labels = (f"{prefix}{value}" for prefix, facts in _labellers() for value in facts(post))
    return tuple(dict.fromkeys(labels))


def check_filter_values(values: FilterValues) -> None:
    """Raise ``PorismError`` for an unknown filter, a number out of range, or an empty range."""
    specs = {spec.name: spec for spec in FILTERS}
    for name, value in values.items():
        if name not in specs:
            raise PorismError(f"there is no filter {name!r}; the filters are {', '.join(specs)}")
        takes = specs[name].takes
        if isinstance(takes, Number) and not takes.first <= _number(value) <= takes.last:
            raise PorismError(f"{name} must be from {takes.first} to {takes.last}, not {value}")
    for kind, (low, high) in _ranges(values).items():
        if low > high:
            raise PorismError(f"the {kind} range from {low} to {high} is empty")


def label_groups(values: FilterValues) -> tuple[tuple[str, ...], ...]:
    """The groups of labels of which a document must have one each."""
    ranges = _ranges(values)
    groups: list[tuple[str, ...]] = []
    for spec in used_filters(values):
        if not isinstance(spec.takes, Number):
            groups += (labels for _, labels in value_labels(spec, values[spec.name]))
        elif spec.kind in ranges:
            groups.append(_number_labels(spec, spec.takes, *ranges.pop(spec.kind)))
    return tuple(groups)


def value_labels(spec: FilterSpec, value: FilterValue) -> Iterator[tuple[object, tuple[str, ...]]]:
    """Each value of a filter with the labels of which a post must have one."""
    if isinstance(value, tuple):
        is_folded = isinstance(spec.takes, Texts) and spec.takes.ignores_case
        for text in value:
            yield text, (f"{spec.prefix}{text.casefold() if is_folded else text}",)
    elif isinstance(spec.takes, Number):
        yield value, _number_labels(spec, spec.takes, *_range(spec.takes, value))
    else:
        yield value, (spec.prefix,)


def used_filters(values: FilterValues) -> list[FilterSpec]:
    """The filters that have values, in the order of the table."""
    return [spec for spec in FILTERS if spec.name in values]


def _ranges(values: FilterValues) -> dict[str, tuple[int, int]]:
    """The least and the largest number allowed by all filters of one kind together."""
    ranges: dict[str, tuple[int, int]] = {}
    for spec in used_filters(values):
        if isinstance(spec.takes, Number):
            low, high = _range(spec.takes, _number(values[spec.name]))
            before = ranges.get(spec.kind, (low, high))
            ranges[spec.kind] = max(low, before[0]), min(high, before[1])
    return ranges


def _range(takes: Number, value: int) -> tuple[int, int]:
    return (takes.first, value) if takes.is_maximum else (value, takes.last)


def _number_labels(spec: FilterSpec, takes: Number, low: int, high: int) -> tuple[str, ...]:
    highest = high if takes.highest is None else min(high, takes.highest())
    return tuple(f"{spec.prefix}{number}" for number in range(low, max(low, highest) + 1))


def _number(value: FilterValue) -> int:
    assert isinstance(value, int)
    return value
