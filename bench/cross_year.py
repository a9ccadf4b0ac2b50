"""Constants of ``porism`` chosen on one year and shown on the other, and what its parts give."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Generic, NamedTuple, Protocol, TypeVar

from bench.mini_scores import YEARS, Scores
from bench.porism_parts import (
    AnswerPoint,
    FormulaPoint,
    all_answers,
    all_looks,
    answer_parts,
    formula_parts,
    shipped_answers,
    shipped_asking,
    shipped_formulas,
)
from bench.quality import (
    YARDSTICK,
    Measured,
    chances,
    heading,
    judged_topics,
    means,
    measured,
    mini_library,
    scored,
)
from bench.shared import shared_folder
from porism.catalog import ranker
from porism.index import Clause
from porism.indexing.library import Library
from porism.model import Ranking, Topic
from porism.rank.asking import Search
from porism.rank.l8 import L8
from porism.rank.occurrences import FirstOccurrences
from porism.rank.porism_answers import WordsAndTuples
from porism.rank.ranker import Ranker

Point = TypeVar("Point", bound=Hashable)
Asked = TypeVar("Asked", contravariant=True)


class Parts(Protocol[Asked]):
    """What is known of the documents for a topic, whatever the constants."""

    def rank(self, point: Asked) -> Ranking:
        """The ranking with these constants."""
        ...


@dataclass(frozen=True)
class Grid(Generic[Point]):
    """Constants to choose from, and what is asked of nDCG' and MAP on both years."""

    task: int
    targets: tuple[tuple[float, float], tuple[float, float]]
    points: Sequence[Point]
    shipped: Point
    parts: Callable[[Topic], Parts[Point]]
    told: Callable[[Point], str]

    def measured(self, shared: Path) -> dict[Point, Measured]:
        """What each point is worth."""
        found: dict[Point, list[Scores]] = {point: [] for point in (*self.points, self.shipped)}
        for year in YEARS:
            topics = judged_topics(shared, self.task, year)
            parts = {topic.id: self.parts(topic) for topic in topics}
            for point, scores in found.items():
                rankings = {str(topic): each.rank(point) for topic, each in parts.items()}
                scores.append(scored(shared, self.task, year, rankings))
        return {point: Measured(tuple(scores), 0.0) for point, scores in found.items()}

    def meets(self, found: Measured) -> bool:
        """Whether all that is asked is reached."""
        return all(
            value >= target
            for scores, targets in zip(found.years, self.targets, strict=True)
            for value, target in zip(scores.means()[:2], targets, strict=True)
        )


def answers_grid(library: Library) -> Grid[AnswerPoint]:
    """For Task 1: how much title, tuples and likeness weigh."""
    system = shipped_answers(library)
    constants = shipped_asking(library)
    return Grid(
        task=1,
        targets=((0.795, 0.55), (0.72, 0.54)),
        points=[
            AnswerPoint(*each)
            for each in product((1, 2, 3), (0.08, 0.1, 0.12, 0.15, 0.18), (0.05, 0.065, 0.08, 0.1))
        ],
        shipped=AnswerPoint(constants.title, constants.tuples, system.weight),
        parts=partial(answer_parts, library, all_answers(library)),
        told=lambda point: (
            f"title {point.title:g}, tuples {point.tuples:g}, likeness {point.likeness:g}"
        ),
    )


EQUAL = (1 / 3, 1 / 3, 1 / 3)


def formulas_grid(library: Library) -> Grid[FormulaPoint]:
    """For Task 2: how much each view, size and context weigh."""
    system = shipped_formulas(library)
    views = (EQUAL, (0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5))
    return Grid(
        task=2,
        targets=((0.91, 0.60), (0.885, 0.60)),
        points=[
            FormulaPoint(*each) for each in product(views, (0.1, 0.2, 0.3), (0.04, 0.08, 0.12))
        ],
        shipped=FormulaPoint(EQUAL, system.larger, system.context),
        parts=partial(formula_parts, library, all_looks(library)),
        told=lambda point: (
            f"views {' '.join(f'{view:.2g}' for view in point.views)}, "
            f"larger {point.larger:g}, context {point.context:g}"
        ),
    )


@dataclass(frozen=True, slots=True)
class OneLength:
    """What ``WordsAndTuples`` asks, of the field of ``l8``, in which both share a length."""

    asking: WordsAndTuples

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        return tuple(replace(clause, field=L8.name) for clause in self.asking(topic))


def answers_without(library: Library) -> dict[str, Ranker]:
    """The system for answers without each of its parts, other constants as they are."""
    system = shipped_answers(library)
    asking = shipped_asking(library)
    one_length = Search(library.answers, OneLength(asking))
    even = Search(library.answers, replace(asking, title=1.0))
    return {
        "without likeness": system.first,
        "one length for words and tuples": replace(system, first=one_length),
        "one length, without likeness": one_length,
        "title weighs as much as body": replace(system, first=even, title=1.0),
    }


def formulas_without(library: Library) -> dict[str, Ranker]:
    """The system for formulas without each of its parts, other constants as they are."""
    system = shipped_formulas(library)
    nowhere = replace(system.where_it_stands, depth=0)
    looks: dict[str, Ranker] = {
        "first search alone": system.first,
        "without context": replace(system, where_it_stands=nowhere),
        "without size": replace(system, larger=0.0),
    }
    return {name: FirstOccurrences(library, each) for name, each in looks.items()}


def report() -> None:
    """Print for both tasks what each year chooses, and what is lost without each part."""
    shared = shared_folder()
    with mini_library(shared) as library:
        _report(shared, library, answers_grid(library), answers_without(library))
        _report(shared, library, formulas_grid(library), formulas_without(library))


class Row(NamedTuple):
    """A line of a table: what was measured, how it came about, and by which constants."""

    name: str
    told: str
    found: Measured


def _report(shared: Path, library: Library, grid: Grid[Point], without: dict[str, Ranker]) -> None:
    yardstick = measured(shared, grid.task, ranker(YARDSTICK, grid.task, library))
    system = measured(shared, grid.task, ranker("porism", grid.task, library))
    points = grid.measured(shared)
    rows = [
        Row("the system itself", grid.told(grid.shipped), system),
        Row("the same, put together from its parts", "", points[grid.shipped]),
        *_chosen(grid, points),
    ]
    print(f"\n{heading(grid.task, yardstick)}\n")
    for line in _table("constants chosen on", rows, yardstick):
        print(line)
    print(f"\n{_spread(grid, points)}\n")
    rows = [Row("porism", "", system)]
    rows += (Row(name, "", measured(shared, grid.task, each)) for name, each in without.items())
    for line in _table("without its parts", rows, yardstick):
        print(line, flush=True)


def _chosen(grid: Grid[Point], points: dict[Point, Measured]) -> Iterator[Row]:
    """What each year chooses by the mean of nDCG' and MAP, and what both do."""
    for name, places in (*((f"{year}", [i]) for i, year in enumerate(YEARS)), ("both", [0, 1])):
        point = max(
            grid.points,
            key=lambda each: fmean(
                value for place in places for value in points[each].years[place].means()[:2]
            ),
        )
        yield Row(name, grid.told(point), points[point])


def _table(title: str, rows: Sequence[Row], yardstick: Measured) -> Iterator[str]:
    yield f"| {title} | nDCG' | MAP | p of nDCG' | p of MAP |"
    yield "|---|---|---|---|---|"
    for row in rows:
        name = f"{row.name}: {row.told}" if row.told else row.name
        cells = [name, *means(row.found.years)[:2], *chances(row.found, yardstick)]
        yield f"| {' | '.join(cells)} |"


def _spread(grid: Grid[Point], points: dict[Point, Measured]) -> str:
    """How many of the points reach what is asked, and the lowest that any has."""
    tried = [points[point] for point in grid.points]
    lowest = [
        " / ".join(
            f"{min(found.years[place].means()[measure] for found in tried):.3f}"
            for place in range(len(YEARS))
        )
        for measure in (0, 1)
    ]
    return (
        f"{sum(map(grid.meets, tried))} of {len(tried)} points of the grid meet all four targets; "
        f"the lowest nDCG' of any is {lowest[0]}, the lowest MAP {lowest[1]}"
    )


if __name__ == "__main__":
    report()
