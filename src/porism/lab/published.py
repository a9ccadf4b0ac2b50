"""The numbers in the papers of the lab, as printed, and the public runs that they belong to.

The papers are S1, the overview of ARQMath 2020 (its P@10 counts unjudged answers as not relevant);
S3, the overview of ARQMath-3; and S4, the MathDowsers' report of 2021. Some of their numbers for
the same run differ, so every number has its paper.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypedDict, Unpack

REPRINT = "reprint"
"""Note of a P'@10 in S3 that is the P@10 of S1, reprinted under the other name."""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A number of a table, as text, which preserves the digits it was rounded to.

    ``year`` is that of the topics and ``topics`` their number. The team of baselines is
    ``Baselines``. If a table has two runs of one name, the second has a suffix: ``[P]`` for a
    primary run, ``[T]`` for one that uses only text. ``group`` is the category of topics if the
    number is over some of them, such as ``dependency:Text``.
    """

    paper: str
    table: str
    task: int
    year: int
    topics: int
    team: str
    run: str
    measure: str
    value: str
    group: str = ""
    note: str = ""

    @property
    def digits(self) -> int:
        """The number of decimal digits.

        >>> PublishedScore("S1", "A1", 1, 2020, 77, "PSU", "PSU1", "MAP'", "0.082").digits
        3
        """
        return len(self.value.partition(".")[2])


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A public run, and its name in a paper.

    ``file`` is its file name without ``.tsv`` and ``.gz``; for Task 3, the run's name in the lab's
    map of the teams' answers. ``qrels`` is the file of judgments that the paper used. A run in
    several papers has several records. ``excused`` are the measures that are not reproduced: with
    ``>`` they come out higher, with ``=`` they are as printed over the topics that the run has;
    ``note`` gives the reason.
    """

    file: str
    task: int
    year: int
    qrels: str
    paper: str
    team: str
    run: str
    excused: tuple[str, ...] = ()
    note: str = ""


class ScoreCriteria(TypedDict, total=False):
    """Filters of published numbers; omitted ones match anything."""

    paper: str
    table: str
    task: int
    year: int
    team: str
    run: str
    measure: str
    group: str


@cache
def read_published() -> tuple[PublishedScore, ...]:
    """All numbers, in the order of the papers and their tables."""
    return tuple(
        PublishedScore(
            paper=row["paper"],
            table=row["table"],
            task=int(row["task"]),
            year=int(row["year"]),
            topics=int(row["topics"]),
            team=row["team"],
            run=row["run"],
            measure=row["measure"],
            value=row["value"],
            group=row["group"],
            note=row["note"],
        )
        for row in _rows("published.tsv")
    )


@cache
def read_known_runs() -> tuple[KnownRun, ...]:
    """All public runs with a published score."""
    return tuple(
        KnownRun(
            file=row["file"],
            task=int(row["task"]),
            year=int(row["year"]),
            qrels=row["qrels"],
            paper=row["paper"],
            team=row["team"],
            run=row["run"],
            excused=tuple(filter(None, row["excused"].split(","))),
            note=row["note"],
        )
        for row in _rows("known_runs.tsv")
    )


def published_scores(**criteria: Unpack[ScoreCriteria]) -> tuple[PublishedScore, ...]:
    """The numbers that match all criteria, in the order of the papers.

    >>> scores = published_scores(paper="S4", year=2021, run="primary", measure="nDCG'")
    >>> [score.value for score in scores]
    ['0.434']
    """
    return tuple(
        number
        for number in read_published()
        if all(getattr(number, field) == value for field, value in criteria.items())
    )


def scores_of_run(run: KnownRun) -> tuple[PublishedScore, ...]:
    """The numbers of a known run in its paper, over all topics."""
    return published_scores(
        paper=run.paper, task=run.task, year=run.year, team=run.team, run=run.run, group=""
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = resources.files("porism.lab").joinpath(name).read_text(encoding="utf-8")
    # No cell contains a tab or a line end, so quotation marks are literal.
    yield from csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
