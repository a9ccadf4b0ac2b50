"""Plots as inline SVG."""

import re
from collections.abc import Callable

import matplotlib as mpl
import pytest
from lxml import etree

from porism.pages.reports import plots
from porism.pages.reports.line_styles import GREY, LINE_STYLES, swatch
from porism.pages.reports.plots import PlotFrame, RunCurve, RunSeries

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "$x_1^$ <script>alert(1)</script> \"' & \x00\x1b 数 _"
TOPICS = ["A.1", "A.2", "A.3"]
VALUES = {"A.1": 0.5, "A.2": 0.25, "A.3": 0.75}


def frame(key: str = "k", title: str = "What it shows") -> PlotFrame:
    return PlotFrame(key, title, "nDCG'", 1.0)


def series(*names: str) -> list[RunSeries]:
    return [RunSeries(name, LINE_STYLES[place], VALUES) for place, name in enumerate(names)]


def curves(name: str) -> list[RunCurve]:
    return [
        RunCurve(name, LINE_STYLES[-1], [(1, 0.5), (10, 0.25)]),
        RunCurve("grey", GREY, [(1, 0.1)]),
    ]


PLOTS: dict[str, Callable[[PlotFrame, str], str]] = {
    "bars": lambda frame, name: plots.topic_bars(frame, series(name), TOPICS),
    "rows": lambda frame, name: plots.topic_bars(frame, series(name, "b", "c"), TOPICS),
    "differences": lambda frame, name: plots.difference_bars(
        frame,
        (RunSeries("a", LINE_STYLES[0], VALUES), RunSeries("b", LINE_STYLES[1], {"A.1": 0.1})),
        [name, "A.1"],
    ),
    "heat map": lambda frame, name: plots.heat_map(frame, series(name, "b"), TOPICS),
    "curves": lambda frame, name: plots.line_plot(frame, "rank", curves(name)),
    "boxes": lambda frame, name: plots.box_plot(frame, [*series(name), RunSeries("b", GREY, {})]),
    "groups": lambda frame, name: plots.grouped_bars(frame, series("a", "b"), [*TOPICS, name]),
}


@pytest.mark.parametrize("kind", PLOTS)
def test_a_plot_has_a_title(kind: str) -> None:
    root = etree.fromstring(PLOTS[kind](frame(title="a < b"), "run"))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    title = root[0]
    assert (title.tag, title.text) == (f"{SVG}title", "a < b")
    assert root.get("aria-labelledby") == title.get("id")


@pytest.mark.parametrize("kind", PLOTS)
def test_equal_plots_have_equal_bytes(kind: str) -> None:
    assert PLOTS[kind](frame(), "run") == PLOTS[kind](frame(), "run")


@pytest.mark.parametrize("kind", PLOTS)
def test_names_are_text_whatever_they_contain(kind: str) -> None:
    svg = PLOTS[kind](frame(title=HOSTILE), HOSTILE)
    root = etree.fromstring(svg)
    assert f"{SVG}script" not in {element.tag for element in root.iter()}
    assert "$x_1^$ <script>" in "".join(map(str, root.itertext()))
    assert "\x00" not in svg


@pytest.mark.parametrize("kind", PLOTS)
def test_ids_have_the_key_as_prefix_and_references_resolve(kind: str) -> None:
    svg = PLOTS[kind](frame("one"), "run")
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("one-") for name in ids)
    assert set(re.findall(r'(?:url\(|href=")#([^")]*)', svg)) <= set(ids)


@pytest.mark.parametrize("kind", PLOTS)
def test_a_plot_has_no_styles_or_fonts_of_its_own(kind: str) -> None:
    svg = PLOTS[kind](frame(), "run")
    assert "currentColor" in svg  # text is readable on light and dark
    assert not re.search(r"#010203|#000000|#ffffff|font-family|<style|<\?xml|DOCTYPE|<image", svg)
    assert re.findall(r'https?://[^"]*', svg) == ["http://www.w3.org/2000/svg"]


def test_matplotlib_settings_are_ignored_and_kept() -> None:
    usual = PLOTS["bars"](frame(), "run")
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 30, "svg.fonttype": "path"}):
        assert PLOTS["bars"](frame(), "run") == usual
        assert mpl.rcParams["font.size"] == 30


def test_bars_have_their_values_as_tooltips() -> None:
    svg = plots.topic_bars(frame(), series("a"), TOPICS)
    assert "<title>a, A.2: 0.2500</title>" in svg
    both = (
        RunSeries("a", LINE_STYLES[0], VALUES),
        RunSeries("b", LINE_STYLES[1], {"A.1": 0.75, "A.2": 0.0}),
    )
    svg = plots.difference_bars(frame(), both, TOPICS)
    assert "<title>A.1: -0.2500</title>" in svg
    assert "A.3: " not in svg  # only one run has a value


def test_a_topic_without_value_has_no_bar() -> None:
    svg = plots.topic_bars(frame(), [RunSeries("a", LINE_STYLES[0], {"A.1": 0.5})], TOPICS)
    assert "a, A.1: " in svg
    assert "a, A.2: " not in svg


def test_a_heat_map_has_one_path_per_colour() -> None:
    def colours(values: dict[str, float]) -> set[str]:
        svg = plots.heat_map(frame(), [RunSeries("a", LINE_STYLES[0], values)], TOPICS)
        return set(re.findall(r"fill: (#\w{6})", svg))

    lowest, *_, highest = plots.level_colours()
    assert colours({"A.1": 0.0, "A.2": 0.09, "A.3": 1.0}) == {lowest, highest}
    assert colours({"A.1": 0.0}) == {lowest}


def test_line_styles_are_distinct() -> None:
    assert len({swatch(style) for style in (*LINE_STYLES, GREY)}) == len(LINE_STYLES) + 1


def test_a_curve_of_one_point_is_drawn() -> None:
    assert "<svg" in plots.line_plot(frame(), "rank", [RunCurve("a", LINE_STYLES[0], [(1, 0.5)])])
