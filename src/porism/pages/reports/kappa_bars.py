"""Bar charts of agreement as SVG, as in figures 3 to 5 of S1: grey for four-way, black for H+M.

Drawn without matplotlib, which the pages that show them do not otherwise need. Black is the text
colour of the page, so that bars are visible in light and dark mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor

GREY = "#8c8c8c"

_HEIGHT, _LEFT, _TOP, _BOTTOM = 240.0, 48.0, 12.0, 34.0
_BAR, _GAP = 22.0, 30.0
_MAX_NAME_LENGTH = 14  # characters; the tooltip has the full name


@dataclass(frozen=True, slots=True)
class KappaBar:
    """The two kappas of an assessor or a round; None draws nothing."""

    name: str
    four_way: float | None
    binary: float | None


_MIN_WIDTH = 320.0
"""Minimum width of a figure on the page, to which a narrower one would be scaled up."""


def kappa_bars(key: str, title: str, bars: Sequence[KappaBar]) -> str:
    """The chart as an HTML element; ``key`` prefixes its ids, ``title`` is its text alternative.

    The axis spans 0, 0.1 and all kappas.
    """
    values = [each for bar in bars for each in (bar.four_way, bar.binary) if each is not None]
    low = floor(min([0.0, *values]) * 10 + 1e-9) / 10
    high = max(ceil(max([0.1, *values]) * 10 - 1e-9), 1) / 10
    scale = (_HEIGHT - _TOP - _BOTTOM) / (high - low)

    def height_of(value: float) -> float:
        return _TOP + (high - value) * scale

    step = 2 * _BAR + _GAP
    width = max(_LEFT + len(bars) * step + 8, _MIN_WIDTH)
    parts = [_axis(low, high, height_of, width)]
    for place, bar in enumerate(bars):
        left = _LEFT + _GAP / 2 + place * step
        for offset, (name, value, colour) in enumerate(
            (("four-way", bar.four_way, GREY), ("H+M", bar.binary, "currentColor"))
        ):
            if value is not None:
                top, bottom = sorted((height_of(value), height_of(0.0)))
                parts.append(
                    f'<rect x="{left + offset * _BAR:.1f}" y="{top:.1f}" width="{_BAR - 2:.1f}" '
                    f'height="{max(bottom - top, 0.5):.1f}" fill="{colour}">'
                    f"<title>{_text(bar.name)}, {name}: {value:z.2f}</title></rect>"
                )
        parts.append(
            f'<text x="{left + _BAR:.1f}" y="{_HEIGHT - 14:.1f}" text-anchor="middle">'
            f"{_text(_shortened(bar.name))}</text>"
        )
    return (
        f'<svg viewBox="0 0 {width:.0f} {_HEIGHT:.0f}" role="img" '
        f'aria-labelledby="{escape(key)}-title" width="{width:.0f}" font-size="12">'
        f'<title id="{escape(key)}-title">{_text(title)}</title>{"".join(parts)}</svg>'
    )


def _axis(low: float, high: float, height_of: Callable[[float], float], width: float) -> str:
    """Grid lines at every tenth, or every fifth if there are many, with their labels."""
    tenths = range(round(low * 10), round(high * 10) + 1)
    labelled = [tenth for tenth in tenths if len(tenths) <= 6 or tenth % 2 == 0]
    lines = "".join(
        f'<path d="M {_LEFT:.0f} {height_of(tenth / 10):.1f} H {width:.0f}" stroke="currentColor" '
        f'stroke-opacity="{0.8 if tenth == 0 else 0.15}"/>'
        f'<text x="{_LEFT - 6:.0f}" y="{height_of(tenth / 10) + 4:.1f}" text-anchor="end">'
        f"{tenth / 10:.1f}</text>"
        for tenth in labelled
    )
    middle = _TOP + (_HEIGHT - _TOP - _BOTTOM) / 2
    return lines + (
        f'<text transform="rotate(-90 12 {middle:.0f})" x="12" y="{middle:.0f}" '
        'text-anchor="middle">kappa</text>'
    )


def _shortened(name: str) -> str:
    return name if len(name) <= _MAX_NAME_LENGTH else name[: _MAX_NAME_LENGTH - 1] + "…"


def _text(text: str) -> str:
    return escape(
        "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    )


def kappa_legend() -> str:
    """The legend of the two kinds of bars."""
    return (
        '<ul class="legend">\n'
        f"<li>{_square(GREY)} four-way</li>\n<li>{_square('currentColor')} H+M</li>\n</ul>"
    )


def _square(colour: str) -> str:
    return (
        '<svg class="square" viewBox="0 0 10 10" aria-hidden="true">'
        f'<rect width="10" height="10" fill="{colour}"/></svg>'
    )
