"""An evaluation as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from porism.cli.tables import Absent, Cell, OutputTable

if TYPE_CHECKING:
    from porism.evaluation.categories import Groups
    from porism.evaluation.records import Evaluation, RunScores

HIGHEST = "highest reachable"
"""Name of the row of ceilings."""

NOT_JUDGED = Absent("not judged")
"""What stands for the grades of short answers that no assessor has read."""


def score_table(evaluation: Evaluation) -> OutputTable:
    """The means of all runs, and the highest reachable ones.

    Task 3 also has means over all topics, since its runs need not answer all.
    """
    from porism.evaluation.short_answers.manual_measures import ANNOTATED_MEASURES

    overall = _overall(evaluation)
    rows = [
        (
            run.run,
            len(run.answered),
            *(_judged(run.mean_of_known(m), m in overall) for m in evaluation.measures),
            *(_judged(mean, True) for mean in _means(run, overall, evaluation).values()),
        )
        for run in evaluation.runs
    ]
    ceilings: list[Cell] = [evaluation.ceilings.get(m) for m in evaluation.measures]
    ceilings += [evaluation.ceilings.get(measure) for measure in overall]
    columns = ("run", "topics", *evaluation.measures, *(f"{m} of all" for m in overall))
    best = frozenset(columns[2:]) - frozenset(ANNOTATED_MEASURES)
    footer = (HIGHEST, len(evaluation.topics), *ceilings)
    return OutputTable(columns, tuple(rows), footer=footer, best=best)


def _judged(value: float | None, is_by_grade: bool) -> Cell:
    return NOT_JUDGED if value is None and is_by_grade else value


def _overall(evaluation: Evaluation) -> list[str]:
    from porism.evaluation.short_answers.manual_measures import MANUAL_MEASURES

    return [m for m in evaluation.measures if evaluation.task == 3 and m in MANUAL_MEASURES]


def group_table(evaluation: Evaluation, category: str, groups: Groups) -> OutputTable:
    """The means over the topics of each group, and over all."""
    from porism.evaluation.categories import Category, breakdown

    rows: list[tuple[Cell, ...]] = []
    broken_down = breakdown(evaluation, Category(category), groups)
    for run in evaluation.runs:
        means = (run.mean_of_known(measure) for measure in evaluation.measures)
        rows.append((run.run, "all", _counted(run, evaluation), *means))
        rows += [
            (each.run, each.group, each.topics, *each.means.values())
            for each in broken_down
            if each.run == run.run
        ]
    return OutputTable(("run", category, "topics", *evaluation.measures), tuple(rows))


def _counted(run: RunScores, evaluation: Evaluation) -> int:
    """The number of topics that means are over."""
    return len(run.answered) if evaluation.task == 3 else len(evaluation.topics)


def topic_table(evaluation: Evaluation) -> OutputTable:
    """The value of every topic, run and measure."""
    overall = _overall(evaluation)
    rows = tuple(
        (
            run.run,
            topic,
            *(
                _judged(run.by_topic[m].get(topic), m in overall and topic in run.answered)
                for m in evaluation.measures
            ),
        )
        for run in evaluation.runs
        for topic in evaluation.topics
    )
    return OutputTable(("run", "topic", *evaluation.measures), rows)


def evaluation_json(evaluation: Evaluation, groups: Mapping[str, Groups]) -> dict[str, object]:
    """The whole evaluation, for JSON."""
    from porism.evaluation.categories import Category, breakdown

    overall = _overall(evaluation)
    return {
        "task": evaluation.task,
        "topics": list(evaluation.topics),
        "measures": list(evaluation.measures),
        "highest_reachable": dict(evaluation.ceilings),
        "notes": list(evaluation.notes),
        "runs": [
            {
                "run": run.run,
                "topics": len(run.answered),
                "means": {measure: run.mean_of_known(measure) for measure in evaluation.measures},
                **({"means_of_all": _means(run, overall, evaluation)} if overall else {}),
                "by_topic": {measure: dict(run.by_topic[measure]) for measure in run.by_topic},
            }
            for run in evaluation.runs
        ],
        "groups": [
            {**each._asdict(), "means": dict(each.means)}
            for category, of in groups.items()
            for each in breakdown(evaluation, Category(category), of)
        ],
    }


def _means(run: RunScores, measures: list[str], evaluation: Evaluation) -> dict[str, float | None]:
    """The means over all topics, None for a run without judgments."""
    return {
        measure: run.mean(measure, evaluation.topics) if run.by_topic[measure] else None
        for measure in measures
    }
