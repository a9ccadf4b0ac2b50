"""The section of a report with recall-precision and gain curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from porism.evaluation.curves import DEPTH, RECALL_LEVELS, gain_curve, recall_precision_curve
from porism.model import Qrels, Run
from porism.pages.html_tables import collapsible, row, score_text, table
from porism.pages.reports import plots
from porism.pages.reports.lineup import RunLineup

_POINTS_PER_DECADE = 20


def curves_section(lineup: RunLineup, runs: Mapping[str, Run], qrels: Qrels) -> str:
    """Recall-precision and gain curves of the runs in ``runs``; empty if there are none."""
    places = [place for place, scores in enumerate(lineup.runs) if scores.run in runs]
    depth = min(DEPTH, max(map(len, qrels.grades.values()), default=0))
    if not places or not depth:
        return ""
    marked = [rank for rank in plots.RANKS if rank <= depth]
    ranks = _ranks(depth, marked)
    precisions, gains = {}, {}
    for place in places:
        name, style = lineup.runs[place].run, lineup.line_style(place)
        precision = recall_precision_curve(runs[name], qrels)
        gain = gain_curve(runs[name], qrels, depth)
        precisions[place] = plots.RunCurve(
            name, style, list(zip(RECALL_LEVELS, precision, strict=True))
        )
        gains[place] = plots.RunCurve(name, style, [(rank, gain[rank - 1]) for rank in ranks])
    recall_plot = plots.line_plot(
        plots.PlotFrame("recall", "Precision by recall, by run", "precision", _end(precisions)),
        "recall",
        list(precisions.values()),
    )
    gain_plot = plots.line_plot(
        plots.PlotFrame("gain", "nDCG' by rank, by run", "nDCG' up to the rank", _end(gains)),
        "rank",
        list(gains.values()),
    )
    return "\n".join(
        (
            "<p>Unjudged hits are removed. The first plot shows interpolated precision by recall "
            "of the documents of grade 2 or 3, the second nDCG up to each rank.</p>",
            lineup.legend(),
            '<div class="beside">',
            plots.figure(recall_plot),
            plots.figure(gain_plot),
            "</div>",
            _numbers("Precision by recall in numbers", lineup, precisions, RECALL_LEVELS),
            _numbers("nDCG' by rank in numbers", lineup, gains, marked),
        )
    )


def _end(curves: Mapping[int, plots.RunCurve]) -> float:
    return plots.axis_end(value for curve in curves.values() for _, value in curve.points)


def _ranks(depth: int, marked: Sequence[int]) -> list[int]:
    """Ranks evenly spaced on a logarithmic axis, including the marked ones and the last."""
    steps = range(3 * _POINTS_PER_DECADE + 1)
    spaced = {round(10 ** (step / _POINTS_PER_DECADE)) for step in steps}
    return sorted({rank for rank in spaced if rank <= depth} | {*marked, depth})


def _numbers(
    heading: str, lineup: RunLineup, curves: Mapping[int, plots.RunCurve], columns: Sequence[float]
) -> str:
    rows = []
    for place, curve in curves.items():
        values = dict(curve.points)
        rows.append(row(lineup.label(place), (score_text(values[column]) for column in columns)))
    heads = ["run", *(f"{column:g}" for column in columns)]
    return collapsible(heading, table(heading, heads, rows))
