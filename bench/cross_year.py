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
from porism.index import Clause
from porism.model import Ranking, Task, Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import IndexRanker
from porism.rank.ranker import Ranker
from porism.rank.systems.l8 import L8
from porism.rank.systems.porism_answers import WordsAndTuples
from porism.searchindex.index_folder import SearchIndex

Point = TypeVar("Point", bound=Hashable)
GridPoint = TypeVar("GridPoint", contravariant=True)


class Parts(Protocol[GridPoint]):
    """What is known of the documents for a topic, whatever the constants."""

    def rank(self, point: GridPoint) -> Ranking:
        """The ranking with these constants."""
        ...


@dataclass(frozen=True)
class Grid(Generic[Point]):
    """Constants to choose from, and what is asked of nDCG' and MAP on both years."""

    task: Task
    targets: tuple[tuple[float, float], tuple[float, float]]
    points: Sequence[Point]
    shipped: Point
    parts: Callable[[Topic], Parts[Point]]
    told: Callable[[Point], str]

    def measured(self, shared: Path) -> dict[Point, SystemQuality]:
        """What each point is worth."""
        found: dict[Point, list[Scores]] = {point: [] for point in (*self.points, self.shipped)}
        for year in YEARS:
            topics = judged_topics(shared, self.task, year)
            parts = {topic.id: self.parts(topic) for topic in topics}
            for point, scores in found.items():
                rankings = {topic: each.rank(point) for topic, each in parts.items()}
                scores.append(scored(shared, self.task, year, rankings))
        return {point: SystemQuality(tuple(scores), 0.0) for point, scores in found.items()}

    def meets(self, found: SystemQuality) -> bool:
        """Whether all that is asked is reached."""
        return all(
            value >= target
            for scores, targets in zip(found.years, self.targets, strict=True)
            for value, target in zip(scores.means()[:2], targets, strict=True)
        )


def answers_grid(library: SearchIndex) -> Grid[AnswerPoint]:
    """For Task 1: how much title, tuples and likeness weigh."""
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
        told=lambda point: (
            f"title {point.title:g}, tuples {point.tuples:g}, likeness {point.likeness:g}"
        ),
    )


EQUAL = (1 / 3, 1 / 3, 1 / 3)


def formulas_grid(library: SearchIndex) -> Grid[FormulaPoint]:
    """For Task 2: how much each view, size and context weigh."""
    system = shipped_formulas(library)
    views = (EQUAL, (0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5))
    return Grid(
        task=Task.FORMULAS,
        targets=((0.91, 0.60), (0.885, 0.60)),
        points=[
            FormulaPoint(*each) for each in product(views, (0.1, 0.2, 0.3), (0.04, 0.08, 0.12))
        ],
        shipped=FormulaPoint(EQUAL, system.scorer.larger, system.scorer.context),
        parts=partial(formula_parts, library, all_visual_formulas(library)),
        told=lambda point: (
            f"views {' '.join(f'{view:.2g}' for view in point.views)}, "
            f"larger {point.larger:g}, context {point.context:g}"
        ),
    )


@dataclass(frozen=True, slots=True)
class OneLength:
    """What ``WordsAndTuples`` asks, of the field of ``l8``, in which both share a length."""

    query_builder: WordsAndTuples

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        return tuple(replace(clause, field=L8.name) for clause in self.query_builder(topic))


def answers_without(library: SearchIndex) -> dict[str, Ranker]:
    """The system for answers without each of its parts, other constants as they are."""
    system, first, scorer, _ = shipped_answers(library)
    asking = shipped_query_builder(library)
    one_length = IndexRanker(library.answers, OneLength(asking))
    even = IndexRanker(library.answers, replace(asking, title=1.0))
    return {
        "without likeness": first,
        "one length for words and tuples": replace(system, first=one_length),
        "one length, without likeness": one_length,
        "title weighs as much as body": replace(
            system, first=even, scorer=replace(scorer, title=1.0)
        ),
    }


def formulas_without(library: SearchIndex) -> dict[str, Ranker]:
    """The system for formulas without each of its parts, other constants as they are."""
    system, first, scorer = shipped_formulas(library)
    nowhere = replace(scorer.post_context, depth=0)
    looks: dict[str, Ranker] = {
        "first search alone": first.first,
        "without context": replace(
            system,
            first=replace(first, post_context=nowhere),
            scorer=replace(scorer, post_context=nowhere),
        ),
        "without size": replace(system, scorer=replace(scorer, larger=0.0)),
    }
    return {name: FirstOccurrences(library, each) for name, each in looks.items()}


def report() -> None:
    """Print for both tasks what each year chooses, and what is lost without each part."""
    shared = shared_folder()
    with mini_index(shared) as library:
        _report(shared, library, answers_grid(library), answers_without(library))
        _report(shared, library, formulas_grid(library), formulas_without(library))


class Row(NamedTuple):
    """A line of a table: what was measured, how it came about, and by which constants."""

    name: str
    told: str
    found: SystemQuality


def _report(
    shared: Path, library: SearchIndex, grid: Grid[Point], without: dict[str, Ranker]
) -> None:
    yardstick = system_quality(shared, grid.task, ranker(YARDSTICK, grid.task, library))
    system = system_quality(shared, grid.task, ranker("porism", grid.task, library))
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
    rows += (
        Row(name, "", system_quality(shared, grid.task, each)) for name, each in without.items()
    )
    for line in _table("without its parts", rows, yardstick):
        print(line, flush=True)


def _chosen(grid: Grid[Point], points: dict[Point, SystemQuality]) -> Iterator[Row]:
    """What each year chooses by the mean of nDCG' and MAP, and what both do."""
    for name, places in (*((f"{year}", [i]) for i, year in enumerate(YEARS)), ("both", [0, 1])):
        point = max(
            grid.points,
            key=lambda each: fmean(
                value for place in places for value in points[each].years[place].means()[:2]
            ),
        )
        yield Row(name, grid.told(point), points[point])


def _table(title: str, rows: Sequence[Row], yardstick: SystemQuality) -> Iterator[str]:
    yield f"| {title} | nDCG' | MAP | p of nDCG' | p of MAP |"
    yield "|---|---|---|---|---|"
    for row in rows:
        name = f"{row.name}: {row.told}" if row.told else row.name
        cells = [name, *means(row.found.years)[:2], *chances(row.found, yardstick)]
        yield f"| {' | '.join(cells)} |"


def _spread(grid: Grid[Point], points: dict[Point, SystemQuality]) -> str:
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
