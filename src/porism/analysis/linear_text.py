r"""Texts without notation: letters, digits and a few signs in reading order.

A title is the same text however its formulas are typed: ``\frac{\sin(x)}{2}``, ``sin x / 2`` in
Unicode or plain text, with or without dollars. So exact titles and equal formulas can be looked up,
and texts be compared by their characters. Grouping is lost: ``x^2`` equals ``x_2``. What compares
formulas as trees is better where that matters, and knows nothing of formulas that nobody marked.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

from porism.formula.symbols import (
    BIG,
    CANONICAL_SYMBOLS,
    LETTERS,
    LIMIT_NAMES,
    LIMIT_WORDS,
    OPERATORS,
    WORDS,
)


def linear_text(text: str) -> str:
    r"""Return the letters and digits of a text and the signs ``+-=<>!``, without white space.

    Accents and case are lost, and symbols become the names of their commands.

    >>> linear_text(r"Evaluate $\int_0^\infty \frac{\sin(x)}{x^2}\,\mathrm dx$!")
    'evaluateint0inftysinxx2dx!'
    >>> linear_text("Evaluate ∫_0^∞ sin x/x² dx!") == linear_text(r"evaluate \int_0^\infty"
    ...     r" \dfrac{\sin x}{x^2} dx!")
    True
    >>> linear_text("Weierstraß, Hölder: 2 ≤ π")
    'weierstrassholder2lepi'
    """
    named = _COMMAND.sub(_command_name, _ENVIRONMENT.sub(" ", text))
    named = _DIGRAPH.sub(lambda match: _DIGRAPHS[match[0]], named)
    plain = unicodedata.normalize("NFKD", named.translate(_NAMES)).casefold()
    words = _INFINITY.sub("infty", _LOGARITHM.sub("log", plain.translate(_NAMES)))
    return _DROPPED.sub("", words)


def text_characters(linear: str) -> str:
    """Return the letters and digits of a linear text, by which titles are equal.

    >>> text_characters(linear_text("Is x+y = 1?"))
    'isxy1'
    """
    return _SIGNS.sub("", linear)


_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|.|\Z)", re.DOTALL)
_LOGARITHM = re.compile(r"(?<![a-z])ln(?![a-z])")
_INFINITY = re.compile(r"(?<![a-z])oo(?![a-z])|infinity")
_DROPPED = re.compile(r"[^\w+\-=<>!]|_")
_SIGNS = re.compile(r"[^\w]")

_IGNORED = frozenset("·⋅×…⋯⋮⋱⋰∗⌢⟨⟩⌊⌋⌈⌉∥∣′")
"""Symbols that are often left out, or are grouping."""

_SYMBOLS = BIG | LETTERS | OPERATORS

_OTHER_NAMES = {"sqrt": " sqrt ", "pmod": " mod ", "bmod": " mod ", "mod": " mod ", "ln": " log "}


def _names() -> dict[str, str]:
    """Return the name of each symbol that is no ASCII character; empty if it is ignored."""
    names: dict[str, str] = {}
    for name, symbol in _SYMBOLS.items():
        if not symbol.isascii() and len(symbol) == 1:
            names.setdefault(symbol, f" {name} ")
    for symbol, canonical in CANONICAL_SYMBOLS.items():
        if len(symbol) == 1 and canonical in names:
            names[symbol] = names[canonical]
    # Letters with a variant have one name, and 𝑥 and ℝ are letters.
    for symbol in [*names]:
        decomposed = unicodedata.normalize("NFKD", symbol)
        if decomposed != symbol and decomposed in names:
            names[symbol] = names[decomposed]
        elif decomposed.isascii() and decomposed.isalpha():
            names[symbol] = decomposed
    names["−"] = "-"
    names["√"] = " sqrt "
    names["≡"] = "="
    names["⌀"] = names["∅"]
    return names | dict.fromkeys(_IGNORED, " ")


_NAME_OF = _names()
_NAMES = str.maketrans(_NAME_OF)

_COMMANDS: dict[str, str] = {
    **{name: f" {name} " for name in chain(WORDS, LIMIT_WORDS, LIMIT_NAMES)},
    **{name: _NAME_OF.get(symbol, symbol) for name, symbol in _SYMBOLS.items()},
    **_OTHER_NAMES,
}

_DIGRAPHS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→"}
_DIGRAPH = re.compile("|".join(map(re.escape, _DIGRAPHS)))


def _command_name(match: re.Match[str]) -> str:
    """Return what a command stands for; one for typesetting stands for nothing."""
    return _COMMANDS.get(match[1] or "", " ")
