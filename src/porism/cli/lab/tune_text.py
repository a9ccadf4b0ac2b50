"""Output of ``porism tune``; a fitted score is always beside the held-out one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from porism.cli.tables import OutputTable, text_lines

if TYPE_CHECKING:
    from porism.evaluation.comparison import Comparison
    from porism.lab.parameters import ParameterValue
    from porism.lab.tuning import ParameterSetting, TuningResult


@dataclass(frozen=True, slots=True)
class TuningOutput:
    """A tuning, the comparison of its held-out scores with the unchanged system, and its inputs.

    ``sets`` has the comparison for each file of topics, by name; ``objective`` says whether
    settings were chosen by the mean over these or over all topics. ``unjudged`` is the number of
    topics left out because they have no judgments.
    """

    tuning: TuningResult
    comparison: Comparison
    sets: Mapping[str, Comparison]
    objective: str
    systems: tuple[str, ...]
    task: int
    unjudged: int


def parameters_table(values: Mapping[str, ParameterValue]) -> OutputTable:
    """Every parameter with its value."""
    return OutputTable(
        ("parameter", "value"), tuple((path, _value_text(own)) for path, own in values.items())
    )


def _value_text(value: ParameterValue) -> str:
    """A value as it is typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def tuning_lines(output: TuningOutput) -> list[str]:
    """The report for people."""
    tuning, comparison = output.tuning, output.comparison
    tried = "the whole grid" if tuning.is_whole_grid else "one parameter after another"
    topics = f"{len(tuning.held_out):,} topics"
    if output.unjudged:
        topics += f" ({output.unjudged:,} more have no judgments and are left out)"
    p = f"p {comparison.randomization.p:.3f} by randomization"
    fitted = tuning.fitted_mean
    return [
        f"{' + '.join(output.systems)}, Task {output.task}, {comparison.measure} over {topics}",
        f"{len(tuning.trials):,} settings tried ({tried})",
        "",
        *text_lines(_folds_table(tuning)),
        "",
        *_set_lines(output),
        f"held out   {comparison.mean:.4f}  each topic by values chosen without it",
        f"unchanged  {comparison.baseline_mean:.4f}  the unchanged system",
        f"difference {comparison.difference:+.4f}  {comparison.wins} topics better, "
        f"{comparison.losses} worse, {comparison.ties} equal; {p}",
        "",
        f"All topics together choose {_setting_text(tuning.fitted)}; {tuning.agreeing} of "
        f"{len(tuning.folds)} folds chose the same.",
        f"It scores {fitted:.4f} on the topics it is fitted to; on others expect the held-out "
        f"{tuning.mean(tuning.held_out):.4f}.",
    ]


def _set_lines(output: TuningOutput) -> list[str]:
    """The scores of each set, if there are several, and an empty line."""
    if len(output.sets) < 2:
        return []
    held_out, unchanged = _means_of_sets(output)
    table = OutputTable(
        ("set", "topics", "held out", "unchanged", "difference", "p"),
        tuple(
            (
                name,
                each.topics,
                each.mean,
                each.baseline_mean,
                each.difference,
                each.randomization.p,
            )
            for name, each in output.sets.items()
        ),
        footer=("mean of sets", None, held_out, unchanged, held_out - unchanged, None),
    )
    return [*text_lines(table), ""]


def _means_of_sets(output: TuningOutput) -> tuple[float, float]:
    """The means over sets of the held-out and of the unchanged scores."""
    return (
        fmean(each.mean for each in output.sets.values()),
        fmean(each.baseline_mean for each in output.sets.values()),
    )


def _folds_table(tuning: TuningResult) -> OutputTable:
    """The values chosen without each fold."""
    return OutputTable(
        ("fold", "topics", *dict(tuning.own), "training", "held out", "unchanged"),
        tuple(
            (
                fold.name,
                len(fold.topics),
                *(_value_text(value) for _, value in fold.setting),
                fold.training,
                fold.held_out,
                fold.unchanged,
            )
            for fold in tuning.folds
        ),
    )


def _setting_text(setting: ParameterSetting) -> str:
    return ", ".join(f"{path}={_value_text(value)}" for path, value in setting)


def trials_table(output: TuningOutput) -> OutputTable:
    """Every setting that was tried, with the mean by which it was chosen."""
    tuning = output.tuning
    return OutputTable(
        (*dict(tuning.own), output.comparison.measure, "is_own", "is_fitted"),
        tuple(
            (
                *(_value_text(value) for _, value in setting),
                tuning.mean(scores),
                str(setting == tuning.own).lower(),
                str(setting == tuning.fitted).lower(),
            )
            for setting, scores in tuning.trials.items()
        ),
    )


def tuning_json(output: TuningOutput) -> dict[str, object]:
    """Everything, for JSON."""
    tuning, comparison = output.tuning, output.comparison
    return {
        "systems": list(output.systems),
        "task": output.task,
        "measure": comparison.measure,
        "topics": len(tuning.held_out),
        "unjudged_topics": output.unjudged,
        "is_whole_grid": tuning.is_whole_grid,
        "held_out": {"mean": comparison.mean, "by_topic": dict(tuning.held_out)},
        "unchanged": {
            "setting": dict(tuning.own),
            "mean": comparison.baseline_mean,
            "by_topic": dict(tuning.unchanged),
        },
        "difference": _difference_json(comparison),
        "objective": output.objective,
        "sets": [
            {
                "name": name,
                "topics": each.topics,
                "held_out_mean": each.mean,
                "unchanged_mean": each.baseline_mean,
                "difference": _difference_json(each),
            }
            for name, each in output.sets.items()
        ],
        "mean_of_sets": dict(zip(("held_out", "unchanged"), _means_of_sets(output), strict=True)),
        "fitted": {
            "setting": dict(tuning.fitted),
            "fitted_mean": tuning.fitted_mean,
            "held_out_mean": tuning.mean(tuning.held_out),
            "folds_agreeing": tuning.agreeing,
        },
        "folds": [
            {
                "name": fold.name,
                "topics": list(fold.topics),
                "setting": dict(fold.setting),
                "training_mean": fold.training,
                "held_out_mean": fold.held_out,
                "unchanged_mean": fold.unchanged,
            }
            for fold in tuning.folds
        ],
        "trials": [
            {
                "setting": dict(setting),
                "mean": tuning.mean(scores),
                "by_topic": dict(scores),
            }
            for setting, scores in tuning.trials.items()
        ],
    }


def _difference_json(comparison: Comparison) -> dict[str, object]:
    return {
        "mean": comparison.difference,
        "interval": comparison.interval,
        "better": comparison.wins,
        "worse": comparison.losses,
        "alike": comparison.ties,
        "p": comparison.randomization.p,
    }
