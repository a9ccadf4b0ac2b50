"""Constants of ``porism`` for formulas chosen on one year and scored on the other, and an ablation.

``held_out`` does the same for answers, whose weights are learned.
"""

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
    FormulaPoint,
    all_visual_formulas,
    formula_parts,
    shipped_formulas,
)
from bench.quality import (
    YARDSTICK,
    SystemQuality,
    chances,
    heading,
    judged_topics,
    means,
    mini_index,
    scored,
    system_quality,
)
from bench.shared_data import shared_folder
from porism.catalog import ranker
from porism.model import Ranking, Task, Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.rank.systems.porism_formulas import AlignmentScorer
from porism.searchindex.index_folder import SearchIndex

Point = TypeVar("Point", bound=Hashable)
GridPoint = TypeVar("GridPoint", contravariant=True)


class Parts(Protocol[GridPoint]):
    """The parts of the scores of a topic that do not depend on the constants."""

    def rank(self, point: GridPoint) -> Ranking:
        """The ranking with these constants."""
        ...


@dataclass(frozen=True)
class Grid(Generic[Point]):
    """Constants to choose from, and targets of nDCG' and MAP on both years."""

    task: Task
    targets: tuple[tuple[float, float], tuple[float, float]]
    points: Sequence[Point]
    shipped: Point
    parts: Callable[[Topic], Parts[Point]]
    describe: Callable[[Point], str]

    def measured(self, shared: Path) -> dict[Point, SystemQuality]:
        """The quality of each point."""
        by_point: dict[Point, list[Scores]] = {point: [] for point in (*self.points, self.shipped)}
        for year in YEARS:
            topics = judged_topics(shared, self.task, year)
            parts = {topic.id: self.parts(topic) for topic in topics}
            for point, scores in by_point.items():
                rankings = {topic: each.rank(point) for topic, each in parts.items()}
                scores.append(scored(shared, self.task, year, rankings))
        return {point: SystemQuality(tuple(scores), 0.0) for point, scores in by_point.items()}

    def meets(self, quality: SystemQuality) -> bool:
        """Whether all targets are reached."""
        return all(
            value >= target
            for scores, targets in zip(quality.years, self.targets, strict=True)
            for value, target in zip(scores.means()[:2], targets, strict=True)
        )


EQUAL = (1 / 3, 1 / 3, 1 / 3)


def formulas_grid(library: SearchIndex) -> Grid[FormulaPoint]:
    """For Task 2: the weights of each view, size and context."""
    system = shipped_formulas(library)
    views = (EQUAL, (0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5))
    return Grid(
        task=Task.FORMULAS,
        targets=((0.91, 0.60), (0.885, 0.60)),
        points=[
            FormulaPoint(*each) for each in product(views, (0.1, 0.15, 0.2), (0.04, 0.08, 0.12))
        ],
        shipped=FormulaPoint(EQUAL, system.scorer.larger, system.scorer.context),
        parts=partial(formula_parts, library, all_visual_formulas(library)),
        describe=lambda point: (
            f"views {' '.join(f'{view:.2g}' for view in point.views)}, "
            f"larger {point.larger:g}, context {point.context:g}"
        ),
    )


def formulas_without(library: SearchIndex) -> dict[str, Ranker]:
    """The system for formulas without each of its parts, with its other constants."""
    system, by_share, first, scorer = shipped_formulas(library)
    no_context = replace(scorer.post_context, depth=0)
    without_context = replace(
        by_share,
        first=replace(first, post_context=no_context),
        scorer=replace(scorer, post_context=no_context),
    )
    no_size = replace(scorer, larger=0.0)
    rankers: dict[str, Ranker] = {
        "first search alone": first.first,
        "without alignment": by_share,
        "without context": replace(system, first=without_context),
        "without size": replace(
            system,
            first=replace(by_share, scorer=no_size),
            scorer=AlignmentScorer(no_size, library),
        ),
    }
    return {name: FirstOccurrences(library, each) for name, each in rankers.items()}


def report() -> None:
    """Print for formulas the choice of each year, and the loss without each part."""
    shared = shared_folder()
    with mini_index(shared) as library:
        _report(shared, library, formulas_grid(library), formulas_without(library))


class Row(NamedTuple):
    """A line of a table: a name, the constants if any, and the quality."""

    name: str
    constants: str
    quality: SystemQuality


def _report(
    shared: Path, library: SearchIndex, grid: Grid[Point], without: dict[str, Ranker]
) -> None:
    yardstick = system_quality(shared, grid.task, ranker(YARDSTICK, grid.task, library))
    system = system_quality(shared, grid.task, ranker("porism", grid.task, library))
    points = grid.measured(shared)
    rows = [
        Row("the system itself", grid.describe(grid.shipped), system),
        Row("the same, composed of its parts", "", points[grid.shipped]),
        *_chosen(grid, points),
    ]
    print(f"\n{heading(grid.task, yardstick)}\n")
    for line in _table("constants chosen on", rows, yardstick):
        print(line)
    print(f"\n{_spread(grid, points)}\n")
    rows = [Row("porism", "", system)]
    rows += (
        Row(name, "", system_quality(shared, grid.task, each)) for name, each in without.items()
    )
    for line in _table("without its parts", rows, yardstick):
        print(line, flush=True)


def _chosen(grid: Grid[Point], points: dict[Point, SystemQuality]) -> Iterator[Row]:
    """The choice of each year, and of both, by the mean of nDCG' and MAP."""
    for name, places in (*((f"{year}", [i]) for i, year in enumerate(YEARS)), ("both", [0, 1])):
        point = max(
            grid.points,
            key=lambda each: fmean(
                value for place in places for value in points[each].years[place].means()[:2]
            ),
        )
        yield Row(name, grid.describe(point), points[point])


def _table(title: str, rows: Sequence[Row], yardstick: SystemQuality) -> Iterator[str]:
    yield f"| {title} | nDCG' | MAP | p of nDCG' | p of MAP |"
    yield "|---|---|---|---|---|"
    for row in rows:
        name = f"{row.name}: {row.constants}" if row.constants else row.name
        cells = [name, *means(row.quality.years)[:2], *chances(row.quality, yardstick)]
        yield f"| {' | '.join(cells)} |"


def _spread(grid: Grid[Point], points: dict[Point, SystemQuality]) -> str:
    """The number of points that meet the targets, and the lowest scores of any."""
    tried = [points[point] for point in grid.points]
    lowest = [
        " / ".join(
            f"{min(each.years[place].means()[measure] for each in tried):.3f}"
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
