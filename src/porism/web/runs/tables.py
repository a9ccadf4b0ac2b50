"""Tables of scores: means, values of one topic, and all topics."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from porism.model import TopicId
from porism.web.runs.scores import ExplorerJudgments, ExplorerRun

GRADE_WORDS = {0: "not relevant", 1: "low", 2: "medium", 3: "high"}
"""The lab's names of its grades."""

ORDERS = {"number": "by number", "hardest": "hardest first", "apart": "widest apart first"}


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The values of a run by measure; ``answered`` is the number of its topics."""

    run: ExplorerRun
    values: tuple[float, ...]
    is_best: tuple[bool, ...]
    answered: int
    is_trial: bool


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Runs by measures; ``ceilings`` are the highest values that any run could reach."""

    measures: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    ceilings: tuple[float | None, ...]
    topics: int


def score_table(
    judgments: ExplorerJudgments,
    runs: Sequence[ExplorerRun],
    trial_keys: Collection[str],
    topic: TopicId | None = None,
) -> ScoreTable:
    """The means of runs over all topics, or their values for one, with the best marked."""
    measures = judgments.measures
    values = [
        tuple(
            run.scores.mean(measure) if topic is None else run.scores.by_topic[measure][topic]
            for measure in measures
        )
        for run in runs
    ]
    best = [max(column) for column in zip(*values, strict=True)]
    several = len(runs) > 1
    rows = tuple(
        ScoreRow(
            run,
            of_run,
            tuple(several and 0 < value == top for value, top in zip(of_run, best, strict=True)),
            len(run.scores.answered),
            run.key in trial_keys,
        )
        for run, of_run in zip(runs, values, strict=True)
    )
    ceilings = tuple(judgments.ceilings.get(measure) for measure in measures)
    return ScoreTable(measures, rows, ceilings, len(judgments.topics))


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A topic: the number of relevant documents, and the value of each run."""

    topic: TopicId
    relevant: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HeatTable:
    """The values of one measure by topic and run."""

    runs: tuple[ExplorerRun, ...]
    rows: tuple[HeatRow, ...]


def heat_table(
    judgments: ExplorerJudgments, runs: Sequence[ExplorerRun], measure: str, order: str
) -> HeatTable:
    """The values of runs on each topic, in one of ``ORDERS``."""
    rows = [
        HeatRow(
            topic,
            sum(grade > 0 for grade in judgments.grades[topic].values()),
            tuple(run.scores.by_topic[measure][topic] for run in runs),
        )
        for topic in judgments.topics
    ]
    if order == "hardest":
        rows.sort(key=lambda row: sum(row.values))
    elif order == "apart":
        rows.sort(key=lambda row: min(row.values, default=0) - max(row.values, default=0))
    return HeatTable(tuple(runs), tuple(rows))
