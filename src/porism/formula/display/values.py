"""Lengths and colours of LaTeX, as far as MathML attributes can safely have them."""

from __future__ import annotations

import re

_UNITS = {
    "em": 1.0, "ex": 0.43, "mu": 1 / 18, "pt": 0.1, "pc": 1.2, "in": 7.227, "cm": 2.845,
    "mm": 0.2845, "bp": 0.10037, "px": 0.075, "sp": 0.0, "dd": 0.107, "cc": 1.284,
}  # fmt: skip
"""Units in em, of a text of ten points."""

LENGTH = re.compile(r"([+-]*)\s*(\d*\.?\d*)\s*(em|ex|mu|pt|pc|in|cm|mm|bp|px|sp|dd|cc)")

LONGEST = 40.0
"""The largest space in em; no formula is wider than a page."""

_NAMED = frozenset(
    """
    aqua beige black blue blueviolet brown chocolate coral crimson cyan darkblue darkcyan darkgray
    darkgreen darkmagenta darkorange darkred darkviolet deeppink deepskyblue dodgerblue firebrick
    forestgreen fuchsia gold goldenrod gray green grey hotpink indigo lightblue lightgray lightgreen
    lime limegreen magenta maroon mediumblue mediumseagreen midnightblue navy olive olivedrab orange
    orangered orchid pink plum purple red royalblue saddlebrown salmon seagreen sienna silver
    skyblue slateblue slategray springgreen steelblue tan teal tomato turquoise violet white yellow
    yellowgreen
    """.split()
)
"""Names that LaTeX and browsers share, in lower case."""

_OTHER_NAMES = {
    "cerulean": "#00a2e3", "bittersweet": "#c04f17", "emerald": "#00a99d", "rubinered": "#ed017d",
    "mahogany": "#a9341f", "brickred": "#b6321c", "processblue": "#00b0f0",
    "junglegreen": "#00a99a", "pinegreen": "#008b72", "royalpurple": "#613f99",
    "cornflowerblue": "#41b0e4",
    "mulberry": "#a93c93", "peach": "#f7965a", "periwinkle": "#7977b8", "rawsienna": "#974006",
    "redorange": "#f26035", "bluegreen": "#00b3b8", "wildstrawberry": "#ee2967",
    "darkorchid": "#a4538a", "tealblue": "#00aeb3", "violetred": "#ef58a0",
}  # fmt: skip

_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})")
_PARTS = {"rgb": 1.0, "RGB": 255.0}


def length_in_em(text: str) -> float | None:
    """A length such as ``-3mu`` in em, within bounds; None if it is none.

    >>> length_in_em("1.5 em"), length_in_em("-18mu"), length_in_em("wide")
    (1.5, -1.0, None)
    """
    match = LENGTH.search(text)
    if match is None or match[2] in ("", "."):
        return None
    sign = -1 if match[1].count("-") % 2 else 1
    return sign * min(LONGEST, float(match[2]) * _UNITS[match[3]])


def em(length: float) -> str:
    """A length as the value of an attribute.

    >>> em(0.5), em(2), em(-1 / 6)
    ('0.5em', '2em', '-0.167em')
    """
    return f"{length:.3f}".rstrip("0").rstrip(".") + "em"


def colour(name: str, model: str = "") -> str:
    """A colour of LaTeX as an attribute's value; empty if it is not known.

    >>> colour("Red"), colour("#FF8800"), colour("1,0.5,0", "rgb"), colour("url(x)")
    ('red', '#ff8800', '#ff8000', '')
    """
    name = name.strip()
    if model in _PARTS:
        return _mixed(name.split(","), _PARTS[model])
    if model == "gray":
        return _mixed([name] * 3, 1.0)
    lowered = name.lower().replace(" ", "")
    if lowered in _NAMED:
        return lowered
    if lowered in _OTHER_NAMES:
        return _OTHER_NAMES[lowered]
    match = _HEX.fullmatch(name)
    if match is not None and (name[0] == "#" or model == "HTML"):
        return f"#{match[1].lower()}"
    base, _, share = lowered.partition("!")
    return colour(base) if share and share.replace("!", "").isalnum() else ""


_NUMBER = re.compile(r"\s*(\d{1,3}(?:\.\d{0,9})?|\.\d{1,9})\s*")


def _mixed(parts: list[str], largest: float) -> str:
    numbers = [_NUMBER.fullmatch(part) for part in parts]
    if len(numbers) != 3:
        return ""
    values = [min(1.0, float(match[1]) / largest) for match in numbers if match is not None]
    return "#" + "".join(f"{round(255 * each):02x}" for each in values) if len(values) == 3 else ""
