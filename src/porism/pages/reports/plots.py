"""The plots of an evaluation report as SVG: bars, heat maps, curves and boxes.

Only the report imports this module, since it needs matplotlib. Legends are on the page, where names
may be long; plots identify a run by its ``LineStyle``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.style import context as style_context
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, StrMethodFormatter

from porism.pages.reports.inline_svg import INK, PlotTexts, inline_svg
from porism.pages.reports.line_styles import GREY, LINE_STYLES, LineStyle

_LEFT = 56.0  # pixels for the labels of an axis

HEAT_LEVELS = 10
"""The number of colours of a heat map."""


def figure(svg: str) -> str:
    """A plot in a box that scrolls instead of shrinking the plot too far."""
    return f"<figure>{svg}</figure>"


@dataclass(frozen=True, slots=True)
class PlotFrame:
    """The prefix of a plot's ids, its title, its measure, and where the measure's axis ends."""

    key: str
    title: str
    measure: str
    highest: float = 1.0


@dataclass(frozen=True, slots=True)
class RunSeries:
    """A run with its values by topic or by group."""

    name: str
    line_style: LineStyle
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RunCurve:
    """A run with the points of its curve, from left to right."""

    name: str
    line_style: LineStyle
    points: Sequence[tuple[float, float]]


RANKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The ticks of an axis of ranks."""


def axis_end(values: Iterable[float]) -> float:
    """The end of an axis from 0 that fits the values: the next tenth.

    >>> axis_end([0.25, 0.31]), axis_end([2.0]), axis_end([])
    (0.4, 2.0, 0.1)
    """
    return max(ceil(max(values, default=0.0) * 10 - 1e-9), 1) / 10


def level_colours() -> tuple[str, ...]:
    """The colours of a heat map, from dark and low to light and high.

    The darkest colours of the scale are omitted: on a dark page they would look like no value.
    """
    scale = mpl.colormaps["cividis"]
    return tuple(to_hex(scale(0.1 + 0.9 * step / (HEAT_LEVELS - 1))) for step in range(HEAT_LEVELS))


def topic_bars(frame: PlotFrame, series: Sequence[RunSeries], topics: Sequence[str]) -> str:
    """One row of bars per run, with the topics in the given order."""
    row, space = (150.0 if len(series) > 1 else 230.0), 26.0
    width, left = _topic_width(topics), _LEFT
    bottom = _label_height(topics)
    height = len(series) * (row + space) + bottom
    with _canvas(frame, width, height) as canvas:
        for place, one in enumerate(series):
            base = height - (place + 1) * (row + space)
            axes = _axes(canvas, (left, base, width - left - 6, row))
            for at, topic in enumerate(topics):
                if topic in one.values:
                    tip = f"{one.name}, {topic}: {one.values[topic]:.4f}"
                    _bar(axes, (at, 0.0, one.values[topic]), one.line_style, canvas.texts(tip))
            _topic_axis(axes, topics, canvas.texts if place == len(series) - 1 else None)
            _value_axis(axes, canvas)
            if len(series) > 1:
                axes.text(0, 1.03, canvas.texts(one.name), transform=axes.transAxes, fontsize=11)
        return canvas.svg()


def difference_bars(
    frame: PlotFrame, pair: tuple[RunSeries, RunSeries], topics: Sequence[str]
) -> str:
    """The difference of two runs by topic: above the line if the first is better, else below."""
    better, worse = pair
    width, left, bottom = _topic_width(topics), _LEFT, _label_height(topics)
    with _canvas(frame, width, 280 + bottom) as canvas:
        axes = _axes(canvas, (left, bottom, width - left - 6, 270))
        gains: list[float] = []
        for at, topic in enumerate(topics):
            if topic in better.values and topic in worse.values:
                gain = better.values[topic] - worse.values[topic]
                winner = better if gain > 0 else worse
                tip = canvas.texts(f"{topic}: {gain:+.4f}")
                gains.append(abs(gain))
                _bar(axes, (at, 0.0, gain), winner.line_style, tip)
        _topic_axis(axes, topics, canvas.texts)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.spines["bottom"].set_visible(False)
        axes.set_ylabel(canvas.texts(f"difference in {frame.measure}"))
        end = axis_end(gains)
        axes.set_ylim(-end, end)
        return canvas.svg()


def heat_map(frame: PlotFrame, series: Sequence[RunSeries], topics: Sequence[str]) -> str:
    """Runs as rows, topics as columns; cells without a value are empty."""
    cell, left = 17.0, 190.0
    width, bottom = _topic_width(topics, left), _label_height(topics)
    height = cell * len(series) + bottom + 4
    with _canvas(frame, width, height) as canvas:
        axes = _axes(canvas, (left, bottom, width - left - 6, cell * len(series)))
        cells: dict[int, list[Path]] = {}
        for row, one in enumerate(series):
            for at, topic in enumerate(topics):
                if topic in one.values:
                    step = _level(one.values[topic], frame.highest)
                    cells.setdefault(step, []).append(
                        _box(at - 0.5, row - 0.5, at + 0.5, row + 0.5)
                    )
        colours = level_colours()
        for step, boxes in sorted(cells.items()):
            # One path per colour: one per cell would take three times the bytes.
            path = Path.make_compound_path(*boxes)
            axes.add_patch(PathPatch(path, facecolor=colours[step], linewidth=0))
        _run_axis(axes, series, canvas.texts)
        _topic_axis(axes, topics, canvas.texts)
        axes.grid(visible=False)
        _without_spines(axes)
        return canvas.svg()


def line_plot(frame: PlotFrame, x_name: str, curves: Sequence[RunCurve]) -> str:
    """One curve per run; an x axis that goes beyond 1 has ranks and is logarithmic."""
    places = [place for curve in curves for place, _ in curve.points]
    first, last = min(places, default=0.0), max(places, default=1.0)
    with _canvas(frame, 540, 400) as canvas:
        axes = _axes(canvas, (_LEFT, 42, 526 - _LEFT, 350))
        for curve in reversed(curves):  # the best run, in the clearest colour, is drawn on top
            _draw_curve(axes, curve, canvas.texts(curve.name))
        if last > 1:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(FixedLocator([rank for rank in RANKS if rank <= last]))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        axes.set_xlim(first, last if last > first else first + 1)
        axes.set_xlabel(canvas.texts(x_name))
        _value_axis(axes, canvas)
        return canvas.svg()


def _draw_curve(axes: Axes, curve: RunCurve, tip: str) -> None:
    is_grey = curve.line_style == GREY
    dashes = tuple(float(length) for length in curve.line_style.dashes.split())
    axes.plot(
        [place for place, _ in curve.points],
        [value for _, value in curve.points],
        color=curve.line_style.colour,
        linewidth=1.0 if is_grey else 1.8,
        linestyle=(0, dashes) if dashes else "-",
        alpha=0.6 if is_grey else 1.0,
        gid=tip,
    )


def box_plot(frame: PlotFrame, series: Sequence[RunSeries]) -> str:
    """The distribution over topics by run: quartiles, median, mean and all values."""
    row, left = (34.0 if len(series) <= len(LINE_STYLES) else 17.0), 190.0
    height = row * len(series) + 46
    with _canvas(frame, 900, height) as canvas:
        axes = _axes(canvas, (left, 42, 900 - left - 8, row * len(series)))
        for at, one in enumerate(series):
            if one.values:
                _draw_box(axes, at, one, frame.highest)
        _run_axis(axes, series, canvas.texts)
        axes.set_xlim(0, frame.highest)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(canvas.texts(frame.measure))
        return canvas.svg()


def grouped_bars(frame: PlotFrame, series: Sequence[RunSeries], groups: Sequence[str]) -> str:
    """One bar per run in each group; none for a run without a value there."""
    share = 0.84 / max(len(series), 1)
    width = min(max(120.0 + len(groups) * (len(series) * 16 + 24), 360.0), 1080.0)
    with _canvas(frame, width, 300) as canvas:
        axes = _axes(canvas, (_LEFT, 30, width - _LEFT - 6, 262))
        for place, one in enumerate(series):
            for at, group in enumerate(groups):
                if group in one.values:
                    middle = at - 0.42 + share * (place + 0.5)
                    tip = f"{one.name}, {group}: {one.values[group]:.4f}"
                    bar = (middle, 0.0, one.values[group])
                    _bar(axes, bar, one.line_style, canvas.texts(tip), share * 0.9)
        axes.set_xticks(
            range(len(groups)), labels=[canvas.texts(group) for group in groups], fontsize=11
        )
        axes.set_xlim(-0.5, len(groups) - 0.5)
        axes.grid(axis="x", visible=False)
        _value_axis(axes, canvas)
        return canvas.svg()


@dataclass(frozen=True, slots=True)
class _Canvas:
    frame: PlotFrame
    figure: Figure
    texts: PlotTexts

    def svg(self) -> str:
        return inline_svg(self.figure, self.frame.key, self.frame.title, self.texts)


@contextmanager
def _canvas(frame: PlotFrame, width: float, height: float) -> Iterator[_Canvas]:
    """A figure of the given size in pixels.

    The user's matplotlib settings are ignored, so that a report is the same everywhere.
    """
    with style_context(_SETTINGS | {"svg.hashsalt": frame.key}, after_reset=True):
        yield _Canvas(frame, Figure(figsize=(width / 72, height / 72), dpi=72), PlotTexts())


_SETTINGS: dict[str, object] = {
    "svg.fonttype": "none",
    "font.size": 11,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}


def _axes(canvas: _Canvas, pixels: tuple[float, float, float, float]) -> Axes:
    """Axes with left, bottom, width and height in pixels."""
    width, height = canvas.figure.get_size_inches() * 72
    left, bottom, wide, high = pixels
    return canvas.figure.add_axes((left / width, bottom / height, wide / width, high / height))


def _bar(
    axes: Axes, bar: tuple[float, float, float], style: LineStyle, tip: str, thickness: float = 0.8
) -> None:
    """Draw a bar at a place, from one value to another; dashed styles are paler with an edge."""
    at, low, high = bar
    patch = PathPatch(
        _box(at - thickness / 2, low, at + thickness / 2, high),
        facecolor=(style.colour, 0.35) if style.dashes else style.colour,
        edgecolor=style.colour if style.dashes else "none",
        linewidth=1 if style.dashes else 0,
        clip_on=False,
        gid=tip,
    )
    axes.add_patch(patch)


def _box(left: float, low: float, right: float, high: float) -> Path:
    corners = [(left, low), (right, low), (right, high), (left, high), (left, low)]
    return Path(corners, closed=True)


def _draw_box(axes: Axes, at: float, one: RunSeries, highest: float) -> None:
    values = list(one.values.values())
    lowest, low, middle, high, highest_value = quartiles(values)
    colour = one.line_style.colour
    half = 0.0015 * highest
    marks = [_box(each - half, at + 0.28, each + half, at + 0.42) for each in values]
    axes.add_patch(
        PathPatch(_box(low, at - 0.28, high, at + 0.22), facecolor=colour, alpha=0.4, linewidth=0)
    )
    axes.plot([middle, middle], [at - 0.28, at + 0.22], color=INK, linewidth=1.6)
    axes.plot([lowest, low], [at, at], color=colour, linewidth=1)
    axes.plot([high, highest_value], [at, at], color=colour, linewidth=1)
    mean = sum(values) / len(values)
    axes.plot([mean], [at - 0.03], marker="D", markersize=4, color=INK, linewidth=0)
    axes.add_patch(
        PathPatch(Path.make_compound_path(*marks), facecolor=colour, linewidth=0, clip_on=False)
    )


def quartiles(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """The minimum, the three quartiles and the maximum, with linear interpolation.

    >>> quartiles([1.0, 2.0, 3.0, 5.0])
    (1.0, 1.75, 2.5, 3.5, 5.0)
    """
    ordered = sorted(values)
    low, middle, high = (_quantile(ordered, share) for share in (0.25, 0.5, 0.75))
    return ordered[0], low, middle, high, ordered[-1]


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _level(value: float, highest: float) -> int:
    return min(max(int(value / highest * HEAT_LEVELS), 0), HEAT_LEVELS - 1)


def _topic_width(topics: Sequence[str], left: float = _LEFT) -> float:
    return min(max(left + 6 + len(topics) * 13.0, 420.0), 1080.0)


def _label_height(topics: Sequence[str]) -> float:
    """The height in pixels of vertical topic labels."""
    return 10 + 5.2 * max(map(len, topics), default=0)


def _topic_axis(axes: Axes, topics: Sequence[str], texts: PlotTexts | None) -> None:
    labels = [] if texts is None else [texts(topic) for topic in topics]
    column = axes.get_window_extent().width / max(len(topics), 1)
    axes.set_xticks(
        range(len(topics)) if labels else [],
        labels=labels,
        rotation=90,
        rotation_mode="anchor",
        ha="right",
        va="center",
        fontsize=min(8.5, 0.85 * column),
    )
    axes.set_xlim(-0.6, len(topics) - 0.4)
    axes.grid(axis="x", visible=False)


def _run_axis(axes: Axes, series: Sequence[RunSeries], texts: PlotTexts) -> None:
    labels = [texts(middle_elided(one.name, 30)) for one in series]
    axes.set_yticks(range(len(series)), labels=labels)
    axes.set_ylim(len(series) - 0.5, -0.5)


def _value_axis(axes: Axes, canvas: _Canvas) -> None:
    axes.set_ylabel(canvas.texts(canvas.frame.measure))
    axes.set_ylim(0, canvas.frame.highest)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))


def _without_spines(axes: Axes) -> None:
    for spine in axes.spines.values():
        spine.set_visible(False)


def middle_elided(name: str, length: int) -> str:
    """A name longer than ``length`` with its middle elided: either end may distinguish runs.

    >>> middle_elided("psu-task1-auto-both-A", 11)
    'psu-t…oth-A'
    """
    if len(name) <= length:
        return name
    head = length // 2
    return f"{name[:head]}…{name[head + 1 - length :]}"
