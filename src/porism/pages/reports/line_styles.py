"""The colours of runs, the same in every plot of a report and beside every name."""

from __future__ import annotations

from dataclasses import dataclass

from porism.pages.reports.inline_svg import INK


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How a run is drawn; ``dashes`` are lengths as SVG has them, empty for a whole line."""

    colour: str
    dashes: str = ""


# The colours that Okabe and Ito chose so that colour-blind people tell them apart, but for yellow,
# which cannot be seen on white; the page's own ink stands for their black.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)

LINE_STYLES = (
    *(LineStyle(colour) for colour in _COLOURS),
    *(LineStyle(each, "5 2") for each in _COLOURS[:3]),
)
"""Those that can be told apart, for the first runs."""

GREY = LineStyle("#8c8c8c")
"""For all other runs."""


def swatch(look: LineStyle) -> str:
    """A short line of that look, to stand before a run's name on the page."""
    colour = look.colour.replace(INK, "currentColor")
    dashes = f' stroke-dasharray="{look.dashes}"' if look.dashes else ""
    return (
        '<svg class="swatch" viewBox="0 0 22 8" aria-hidden="true">'
        f'<path d="M 0 4 H 22" stroke="{colour}" stroke-width="4"{dashes}/></svg>'
    )
