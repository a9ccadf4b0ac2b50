"""What the papers of the lab print: numbers as they stand there, and which public runs they are of.

The papers are S1, the overview of ARQMath 2020 (its P@10 counts unjudged answers as not relevant);
S3, the overview of ARQMath-3; and S4, the MathDowsers' report of 2021. They print different numbers
for the same run here and there, so a number is never without its paper.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypedDict, Unpack

REPRINT = "reprint"
"""Note of a P'@10 of S3 that is the P@10 of S1, printed again under the other name."""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A number of a table, as text, so that it is known how many digits it was rounded to.

    ``year`` is that of the topics and ``topics`` their number. Baselines are of the team
    ``Baselines``. Where a table has two runs of one name, the second has in brackets what tells
    it apart there: ``[P]`` a primary run, ``[T]`` one that uses text alone. ``group`` is the
    category of topics where the number is of some of them only, such as ``dependency:Text``.
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
        """How many digits it has behind the point.

        >>> PublishedScore("S1", "A1", 1, 2020, 77, "PSU", "PSU1", "MAP'", "0.082").digits
        3
        """
        return len(self.value.partition(".")[2])


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run that anybody can get, and what a paper calls it.

    ``file`` is its name without ``.tsv`` and ``.gz``; of Task 3 it is the run's name in the lab's
    map of the teams' answers. ``qrels`` is the file of judgments that the paper scored it by. A
    run of several papers is here several times. ``excused`` are the measures that do not come out
    as printed: higher where ``>`` follows, and as printed over the topics that the run has where
    ``=`` does; ``note`` says why.
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
    """By what published numbers are looked for; what is left out may be anything."""

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
    """All runs that are public and have a published score."""
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


def published_scores(**wanted: Unpack[ScoreCriteria]) -> tuple[PublishedScore, ...]:
    """The numbers that agree with all that is asked for, in the order of the papers.

    >>> [number.value for number in published_scores(paper="S4", year=2021, run="primary", measure="nDCG'")]
    ['0.434']
    """
    return tuple(
        number
        for number in read_published()
        if all(getattr(number, field) == value for field, value in wanted.items())
    )


def scores_of_run(run: KnownRun) -> tuple[PublishedScore, ...]:
    """What the paper of a known run prints for it, over all topics."""
    return published_scores(
        paper=run.paper, task=run.task, year=run.year, team=run.team, run=run.run, group=""
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = resources.files("porism.lab").joinpath(name).read_text(encoding="utf-8")
    # No cell has a tab or a line end in it, so a quotation mark is nothing but itself.
    yield from csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
