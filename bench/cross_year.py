"""Constants of ``porism`` chosen on one year and scored on the other, and an ablation."""

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
    all_visual_formulas,
    answer_parts,
    formula_parts,
    shipped_answers,
    shipped_formulas,
    shipped_query_builder,
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
from porism.inverted import Clause
from porism.model import Ranking, Task, Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import IndexRanker
from porism.rank.ranker import Ranker
from porism.rank.systems.l8 import L8
from porism.rank.systems.porism_answers import WordsAndTuples
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


def answers_grid(library: SearchIndex) -> Grid[AnswerPoint]:
    """For Task 1: the weights of title, tuples and formula similarity."""
    system = shipped_answers(library)
    constants = shipped_query_builder(library)
    return Grid(
        task=Task.ANSWERS,
        targets=((0.795, 0.55), (0.72, 0.54)),
        points=[
            AnswerPoint(*each)
            for each in product((1, 2, 3), (0.08, 0.1, 0.12, 0.15, 0.18), (0.05, 0.065, 0.08, 0.1))
        ],
        shipped=AnswerPoint(constants.title, constants.tuples, system.combine.weight),
        parts=partial(answer_parts, library, all_answers(library)),
        describe=lambda point: (
            f"title {point.title:g}, tuples {point.tuples:g}, similarity {point.similarity:g}"
        ),
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


@dataclass(frozen=True, slots=True)
class OneLength:
    """The query of ``WordsAndTuples`` on the field of ``l8``, where both share a length."""

    query_builder: WordsAndTuples

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        return tuple(replace(clause, field=L8.name) for clause in self.query_builder(topic))


def answers_without(library: SearchIndex) -> dict[str, Ranker]:
    """The system for answers without each of its parts, with its other constants."""
    system, first, scorer, _ = shipped_answers(library)
    query_builder = shipped_query_builder(library)
    one_length = IndexRanker(library.answers, OneLength(query_builder))
    even = IndexRanker(library.answers, replace(query_builder, title=1.0))
    return {
        "without similarity": first,
        "one length for words and tuples": replace(system, first=one_length),
        "one length, without similarity": one_length,
        "title weighs as much as body": replace(
            system, first=even, scorer=replace(scorer, title=1.0)
        ),
    }


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
    """Print for both tasks the choice of each year, and the loss without each part."""
    shared = shared_folder()
    with mini_index(shared) as library:
        _report(shared, library, answers_grid(library), answers_without(library))
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
