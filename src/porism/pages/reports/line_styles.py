"""The line styles of runs: the same in every plot of a report and next to every name."""

from __future__ import annotations

from dataclasses import dataclass

from porism.pages.reports.inline_svg import INK


@dataclass(frozen=True, slots=True)
class LineStyle:
    """The colour and dashes of a run; ``dashes`` are SVG lengths, empty for a solid line."""

    colour: str
    dashes: str = ""


# The colour-blind safe palette of Okabe and Ito, without yellow, which is invisible on white; the
# text colour of the page replaces black.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)

LINE_STYLES = (
    *(LineStyle(colour) for colour in _COLOURS),
    *(LineStyle(each, "5 2") for each in _COLOURS[:3]),
)
"""Distinguishable styles, for the first runs."""

GREY = LineStyle("#8c8c8c")
"""For all other runs."""


def swatch(style: LineStyle) -> str:
    """A short line in that style, to precede a run's name on the page."""
    colour = style.colour.replace(INK, "currentColor")
    dashes = f' stroke-dasharray="{style.dashes}"' if style.dashes else ""
    return (
        '<svg class="swatch" viewBox="0 0 22 8" aria-hidden="true">'
        f'<path d="M 0 4 H 22" stroke="{colour}" stroke-width="4"{dashes}/></svg>'
    )
