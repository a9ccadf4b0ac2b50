"""Statistics of a collection: counts, years, tags, sizes and frequencies of formulas."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from porism.collection.schema import EFFECTIVE_VISUAL_ID
from porism.collection.store import Collection
from porism.model import PostKind

TOP = 20
"""The number of most frequent tags and formulas to report."""

SIZE_CLASSES = (0, 1, 2, 3, 5, 10, 20, 50, 100, 200)
"""The least number of symbols in each class of formulas; definitions of macros have none."""


@dataclass(frozen=True, slots=True)
class YearCounts:
    """Posts created in a year."""

    year: str
    questions: int
    answers: int
    documents: int


@dataclass(frozen=True, slots=True)
class SizeClass:
    """The number of distinct formulas with ``least`` to ``most`` symbols; None is no limit."""

    least: int
    most: int | None
    formulas: int


@dataclass(frozen=True, slots=True)
class FormulaSizes:
    """Numbers of symbols in the layout trees of the distinct formulas that could be parsed.

    ``ninetieth`` is the 90th percentile.
    """

    median: int
    ninetieth: int
    largest: int
    classes: tuple[SizeClass, ...]


@dataclass(frozen=True, slots=True)
class FrequentText:
    """A tag or the LaTeX of a formula, with its number of occurrences."""

    text: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class CollectionStats:
    """Statistics of a collection.

    ``tags`` counts tags of posts. ``instances`` are occurrences of formulas, of which ``formulas``
    are distinct in LaTeX and ``visual_formulas`` by visual id; the parser ``refused`` some.
    ``answered`` is the number of questions by number of answers. ``undated`` posts are in no year.
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
    visual_formulas: int
    refused: int
    undated: int
    years: tuple[YearCounts, ...]
    top_tags: tuple[FrequentText, ...]
    sizes: FormulaSizes
    top_formulas: tuple[FrequentText, ...]
    answered: Mapping[int, int]


def collection_stats(collection: Collection) -> CollectionStats:
    """Count the contents of a collection."""
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
        visual_formulas=_number(connection, _VISUAL_FORMULAS),
        refused=_number(connection, "SELECT count(*) FROM formulas WHERE problem LIKE 'refused:%'"),
        undated=_number(connection, "SELECT count(*) FROM posts WHERE created IS NULL"),
        years=years,
        top_tags=_frequent(tags.most_common(TOP)),
        sizes=formula_sizes(_counts(connection, _SIZES)),
        top_formulas=_frequent(connection.execute(_TOP_FORMULAS, (TOP,))),
        answered=_counts(connection, _ANSWERED),
    )


_VISUAL_FORMULAS = f"""
SELECT count(DISTINCT {EFFECTIVE_VISUAL_ID})
FROM instances JOIN formulas ON number = formula
"""

_SIZES = """
SELECT symbols, count(*)
FROM formulas WHERE coalesce(problem, '') NOT LIKE 'refused:%' GROUP BY symbols
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
    """The number of posts with each tag, by name."""
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
    """The sizes of formulas from the number of formulas of each size; zeros without formulas.

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
    """The least size that this many tenths of the formulas do not exceed."""
    total = sum(counts.values())
    cumulative = 0
    for size in sorted(counts):
        cumulative += counts[size]
        if 10 * cumulative >= tenths * total:
            return size
    return 0
