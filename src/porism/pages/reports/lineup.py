"""The runs of a report, best first, each with its line style and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from porism.evaluation.records import ByTopic, Evaluation, RunScores
from porism.model import TopicId
from porism.pages.reports.line_styles import GREY, LINE_STYLES, LineStyle, swatch
from porism.pages.reports.plots import PlotFrame, RunSeries, axis_end


@dataclass(frozen=True, slots=True)
class RunLineup:
    """Runs by mean of ``measure``, the first of the evaluation; ties keep the given order."""

    evaluation: Evaluation
    measure: str
    runs: tuple[RunScores, ...]

    def line_style(self, place: int) -> LineStyle:
        """The style of the run at a place: a colour for the first ones, grey for the others."""
        return LINE_STYLES[place] if place < len(LINE_STYLES) else GREY

    def values(self, place: int, measure: str | None = None) -> ByTopic:
        """The values by topic of the run at a place, by default of the first measure."""
        return self.runs[place].by_topic.get(measure or self.measure, {})

    def mean(self, place: int, measure: str, topics: Iterable[TopicId]) -> float | None:
        """The mean over the topics with a value; None if there are none."""
        return self.runs[place].mean_of_known(measure, topics)

    def series(self) -> list[RunSeries]:
        """All runs with their values of the first measure."""
        return [
            RunSeries(
                run.run,
                self.line_style(place),
                {str(topic): value for topic, value in self.values(place).items()},
            )
            for place, run in enumerate(self.runs)
        ]

    def frame(self, key: str, title: str) -> PlotFrame:
        """The frame of a plot of the first measure, high enough for the values of all topics."""
        return PlotFrame(key, title, self.measure, axis_end(self._all_values()))

    def _all_values(self) -> Iterator[float]:
        for place in range(len(self.runs)):
            yield from self.values(place).values()

    def label(self, place: int) -> str:
        """Swatch and name of the run at a place, as an HTML link to its scores."""
        name = escape(self.runs[place].run)
        return f'<a class="run" href="#run-{place + 1}">{swatch(self.line_style(place))} {name}</a>'

    def legend(self) -> str:
        """The runs with a style of their own, and the grey of the others."""
        items = [self.label(place) for place in range(len(self.runs[: len(LINE_STYLES)]))]
        if len(self.runs) > len(LINE_STYLES):
            items.append(f"{swatch(GREY)} the other {len(self.runs) - len(LINE_STYLES)} runs")
        return '<ul class="legend">\n' + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"


def run_lineup(evaluation: Evaluation) -> RunLineup:
    """The runs of an evaluation, ordered by mean."""
    measure = evaluation.measures[0] if evaluation.measures else ""

    def first_mean(run: RunScores) -> float:
        return run.mean_of_known(measure) or 0.0

    ordered = sorted(evaluation.runs, key=first_mean, reverse=True)
    return RunLineup(evaluation, measure, tuple(ordered))
