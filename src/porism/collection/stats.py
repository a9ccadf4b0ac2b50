"""What a collection is like, in figures: how much of each thing, from when, how large and often."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from porism.collection.store import Collection
from porism.model import PostKind

TOP = 20
"""How many of the most frequent tags and formulas are told."""

SIZE_CLASSES = (0, 1, 2, 3, 5, 10, 20, 50, 100, 200)
"""The least number of symbols of each class of formulas; a definition of macros has none."""


@dataclass(frozen=True, slots=True)
class YearCounts:
    """What was created in a year."""

    year: str
    questions: int
    answers: int
    documents: int


@dataclass(frozen=True, slots=True)
class SizeClass:
    """How many distinct formulas have ``least`` symbols or more; ``most`` is None for any more."""

    least: int
    most: int | None
    formulas: int


@dataclass(frozen=True, slots=True)
class FormulaSizes:
    """Symbols in the layout trees of the distinct formulas, as far as they could be parsed.

    ``ninetieth`` is the size that nine of ten formulas do not exceed.
    """

    median: int
    ninetieth: int
    largest: int
    classes: tuple[SizeClass, ...]


@dataclass(frozen=True, slots=True)
class FrequentText:
    """A tag or the LaTeX of a formula, and how often it occurs."""

    text: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """The figures of a collection.

    ``tags`` are those that some question has, ``instances`` occurrences of formulas, of which
    ``formulas`` are distinct in LaTeX and ``looks`` by visual id; the parser ``refused`` some.
    ``answered`` tells for each number of answers how many questions have so many. ``undated`` posts
    are in no year.
    """

    questions: int
    answers: int
    documents: int
    comments: int
    links: int
    tags: int
    users: int
    votes: int
    instances: int
    formulas: int
    looks: int
    refused: int
    undated: int
    years: tuple[YearCounts, ...]
    top_tags: tuple[FrequentText, ...]
    sizes: FormulaSizes
    top_formulas: tuple[FrequentText, ...]
    answered: Mapping[int, int]


def collection_stats(collection: Collection) -> CollectionStats:
    """Count all that the collection holds."""
    connection = collection._connection
    kinds = _pairs(connection, "SELECT kind, count(*) FROM posts GROUP BY kind")
    tags = _tags(connection)
    years = _years(connection)
    return CollectionStats(
        questions=kinds.get(PostKind.QUESTION, 0),
        answers=kinds.get(PostKind.ANSWER, 0),
        documents=kinds.get(PostKind.DOCUMENT, 0),
        comments=_number(connection, "SELECT count(*) FROM comments"),
        links=_number(connection, "SELECT count(*) FROM links"),
        tags=len(tags),
        users=_number(connection, "SELECT count(*) FROM users"),
        votes=_number(connection, "SELECT total(votes) FROM votes"),
        instances=_number(connection, "SELECT count(*) FROM instances"),
        formulas=_number(connection, "SELECT count(*) FROM formulas"),
        looks=_number(connection, _LOOKS),
        refused=_number(connection, "SELECT count(*) FROM formulas WHERE problem LIKE 'refused:%'"),
        undated=_number(connection, "SELECT count(*) FROM posts WHERE created IS NULL"),
        years=years,
        top_tags=_frequent(tags.most_common(TOP)),
        sizes=formula_sizes(_counts(connection, _SIZES)),
        top_formulas=_frequent(connection.execute(_TOP_FORMULAS, (TOP,))),
        answered=_counts(connection, _ANSWERED),
    )


_LOOKS = """
SELECT count(DISTINCT coalesce(instances.visual_id, formulas.visual_id))
FROM instances JOIN formulas ON number = formula
"""

# In Tangent's notation every symbol opens one bracket; a bracket that is a symbol is named.
_SIZES = """
SELECT length(slt) - length(replace(slt, '[', '')) AS size, count(*)
FROM formulas WHERE coalesce(problem, '') NOT LIKE 'refused:%' GROUP BY size
"""

_TOP_FORMULAS = """
SELECT latex, occurrences
FROM (SELECT formula, count(*) AS occurrences FROM instances GROUP BY formula)
JOIN formulas ON number = formula
ORDER BY occurrences DESC, latex LIMIT ?
"""

_ANSWERED = """
SELECT answers, count(*) FROM (
    SELECT (SELECT count(*) FROM posts WHERE parent_id = question.id) AS answers
    FROM posts AS question WHERE kind = 'question'
) GROUP BY answers ORDER BY answers
"""


def _number(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


def _pairs(connection: sqlite3.Connection, sql: str) -> dict[str, int]:
    return dict(connection.execute(sql))


def _counts(connection: sqlite3.Connection, sql: str) -> dict[int, int]:
    return dict(connection.execute(sql))


def _frequent(counted: Iterable[tuple[str, int]]) -> tuple[FrequentText, ...]:
    return tuple(FrequentText(text, occurrences) for text, occurrences in counted)


def _tags(connection: sqlite3.Connection) -> Counter[str]:
    """How many posts have each tag; tags that as many have are in the order of their names."""
    counts: Counter[str] = Counter()
    for tags, posts in connection.execute(
        "SELECT tags, count(*) FROM posts WHERE tags <> '' GROUP BY tags"
    ):
        for tag in tags.split("\n"):
            counts[tag] += posts
    return Counter(dict(sorted(counts.items())))


def _years(connection: sqlite3.Connection) -> tuple[YearCounts, ...]:
    by_year: dict[str, Counter[str]] = {}
    for year, kind, posts in connection.execute(
        "SELECT substr(created, 1, 4) AS year, kind, count(*) FROM posts "
        "WHERE created IS NOT NULL GROUP BY year, kind ORDER BY year"
    ):
        by_year.setdefault(year, Counter())[kind] = posts
    return tuple(
        YearCounts(year, posts[PostKind.QUESTION], posts[PostKind.ANSWER], posts[PostKind.DOCUMENT])
        for year, posts in by_year.items()
    )


def formula_sizes(counts: Mapping[int, int]) -> FormulaSizes:
    """The sizes of formulas from how many there are of each; of none at all, zeros.

    >>> sizes = formula_sizes({1: 5, 3: 4, 40: 1})
    >>> sizes.median, sizes.ninetieth, sizes.largest
    (1, 3, 40)
    """
    bounds = zip(SIZE_CLASSES, (*(least - 1 for least in SIZE_CLASSES[1:]), None), strict=True)
    return FormulaSizes(
        median=_quantile(counts, 5),
        ninetieth=_quantile(counts, 9),
        largest=max(counts, default=0),
        classes=tuple(
            SizeClass(
                least,
                most,
                sum(
                    number
                    for size, number in counts.items()
                    if size >= least and (most is None or size <= most)
                ),
            )
            for least, most in bounds
        ),
    )


def _quantile(counts: Mapping[int, int], tenths: int) -> int:
    """The least size that so many tenths of the formulas do not exceed."""
    total = sum(counts.values())
    so_far = 0
    for size in sorted(counts):
        so_far += counts[size]
        if 10 * so_far >= tenths * total:
            return size
    return 0
