"""Scores of systems on sets of topics, as a table, and what papers printed for the same systems.

``our_scores.tsv`` has the scores on the mini collection, as ``porism reproduce systems -o`` wrote
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from porism.errors import FormatError
from porism.formats.tab_separated import read_tabbed, write_tabbed
from porism.lab.published import REPRINT, PublishedScore, published_scores

MEASURES = ("nDCG'", "MAP'", "P'@10", "MAP", "P@10")
"""What is computed; of judgments that name only relevant documents the last two."""

OUR_SCORES = "our_scores.tsv"


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The scores of a system on a set of topics: its measures by name, and the time per topic.

    ``documents`` are those of the index. ``p`` has the p values of the differences to the baseline.
    ``model`` names the neural models, ``trained`` says what was trained or learned from what, and
    ``notes`` what the system lacked.
    """

    system: str
    task: int
    topics: str
    count: int
    documents: int
    model: str
    trained: str
    measures: Mapping[str, float]
    p: Mapping[str, float]
    milliseconds: float
    notes: str = ""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """The figures of a run in a paper, over all topics of a year, by measure."""

    paper: str
    table: str
    task: int
    year: int
    topics: int
    team: str
    run: str
    values: Mapping[str, str]


def published_runs(
    runs: Iterable[tuple[str, str]], task: int | None = None, year: int | None = None
) -> tuple[PublishedRun, ...]:
    """What papers printed for runs, given as (team, run), in the order of the papers.

    >>> [(each.paper, each.values["nDCG'"]) for each in published_runs([("PSU", "PSU1")])]
    [('S1', '0.263')]
    """
    wanted = set(runs)
    found: dict[tuple[str, str, int, int, int, str, str], dict[str, str]] = {}
    for each in published_scores(group=""):
        if (
            (each.team, each.run) in wanted
            and task in (None, each.task)
            and year in (None, each.year)
        ):
            key = (
                *(each.paper, each.table, each.task, each.year, each.topics, each.team, each.run),
            )
            found.setdefault(key, {})[_measure(each)] = each.value
    return tuple(PublishedRun(*key, values) for key, values in found.items())


def _measure(each: PublishedScore) -> str:
    """The measure that a number is of: S3 reprints P@10 of S1 under another name."""
    return "P@10" if each.note == REPRINT else each.measure


def written_scores(path: Path, scores: Iterable[SystemScore]) -> None:
    """Write scores to a table; rows of other systems and sets that the file has stay.

    Rows are in the order in which they came first.
    """
    rows = {_key(each): each for each in (read_scores(path) if path.exists() else ())}
    rows |= {_key(each): each for each in scores}
    write_tabbed(path, _COLUMNS, map(_cells, rows.values()), line_end="\n")


def _key(score: SystemScore) -> tuple[str, int, str]:
    return score.system, score.task, score.topics


_MEASURED = ("p nDCG'", "p MAP'", "p MAP")
_COLUMNS = (
    *("system", "task", "topics", "count", "documents", "model", "trained"),
    *MEASURES,
    *_MEASURED,
    *("milliseconds", "notes"),
)


def _cells(score: SystemScore) -> tuple[str, ...]:
    return (
        *(score.system, str(score.task), score.topics, str(score.count), str(score.documents)),
        *(score.model, score.trained),
        *(_number(score.measures.get(name)) for name in MEASURES),
        *(_number(score.p.get(name.removeprefix("p "))) for name in _MEASURED),
        *(f"{score.milliseconds:.1f}", score.notes),
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def read_scores(path: Path) -> tuple[SystemScore, ...]:
    """The scores of a table that ``written_scores`` wrote."""
    rows = read_tabbed(path)
    header = next(rows).cells
    if tuple(header) != _COLUMNS:
        raise FormatError(
            str(path),
            1,
            f"found the columns {', '.join(header)[:200]}: expected a table that porism reproduce "
            "systems wrote",
        )
    scores: list[SystemScore] = []
    for cells, line in rows:
        row = dict(zip(header, cells, strict=True))
        try:
            scores.append(_score(row))
        except ValueError as error:
            raise FormatError(str(path), line, f"expected numbers: {error}") from None
    return tuple(scores)


def _score(row: Mapping[str, str]) -> SystemScore:
    return SystemScore(
        row["system"],
        int(row["task"]),
        row["topics"],
        int(row["count"]),
        int(row["documents"]),
        row["model"],
        row["trained"],
        {name: float(row[name]) for name in MEASURES if row[name]},
        {name.removeprefix("p "): float(row[name]) for name in _MEASURED if row[name]},
        float(row["milliseconds"]),
        row["notes"],
    )


@cache
def our_scores() -> tuple[SystemScore, ...]:
    """The scores of the systems on the mini collection, as they were last measured."""
    with resources.as_file(resources.files("porism.lab").joinpath(OUR_SCORES)) as path:
        return read_scores(path)
