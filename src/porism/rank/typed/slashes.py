r"""Quotients with a slash, rewritten as fractions, in time that is linear in the LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from porism.formula.symbols import BIG, LIMIT_NAMES, LIMIT_WORDS


def with_fractions(latex: str) -> str:
    r"""Return LaTeX in which ``a/b`` is ``\frac{a}{b}``.

    The numerator is the product before the slash, the denominator the factor after it, as on a
    calculator; brackets around either are left out. A slash between anything else stays.

    >>> with_fractions("n(n+1)/2 + x^2/(1+(a+b)^2)")
    '\\frac{n(n+1)}{2} + \\frac{x^2}{1+(a+b)^2}'
    >>> with_fractions(r"\left(a+1\right)/b, \mathbb{Z}/n, f/g(x), /2")
    '\\frac{a+1}{b}, \\frac{\\mathbb{Z}}{n}, f/g(x), /2'
    """
    if "/" not in latex:
        return latex
    tokens = _TOKEN.findall(_SIZES.sub("", latex))
    row = _Row(tokens, _partners(tokens))
    pieces: list[str] = []
    done = 0
    for at, token in enumerate(tokens):
        if token == "/" and at >= done:
            first, last = row.product_before(at, done), row.factor_after(at)
            if first < at and at + 1 < last:
                numerator, denominator = row.operand(first, at), row.operand(at + 1, last)
                pieces += (*tokens[done:first], rf"\frac{{{numerator}}}{{{denominator}}}")
                done = last
    return "".join((*pieces, *tokens[done:]))


_SIZES = re.compile(r"\\(?:left|right)\s*(?=[()])")
_TOKEN = re.compile(r"\\[A-Za-z]+ ?|\\.|[A-Za-z0-9]+|\s+|.", re.DOTALL)
_OPENING = {")": "(", "}": "{"}

_OPERATORS = frozenset(f"\\{name}" for name in (*BIG, *LIMIT_NAMES, *LIMIT_WORDS))
"""Sums, limits and others, which apply to a fraction and are no part of it."""


def _partners(tokens: Sequence[str]) -> dict[int, int]:
    """Return the place of the bracket that each bracket belongs to, in both directions."""
    partners: dict[int, int] = {}
    open_at: list[int] = []
    for at, token in enumerate(tokens):
        if token in ("(", "{"):
            open_at.append(at)
        elif token in _OPENING:
            if open_at and tokens[open_at[-1]] == _OPENING[token]:
                first = open_at.pop()
                partners |= {first: at, at: first}
            else:
                open_at.clear()
    return partners


@dataclass(frozen=True, slots=True)
class _Row:
    """Tokens of LaTeX with the partners of brackets."""

    tokens: Sequence[str]
    partners: dict[int, int]

    def operand(self, first: int, last: int) -> str:
        """Return an operand, without brackets if these are around all of it."""
        text = "".join(self.tokens[first:last]).strip()
        start = first + (self.tokens[first].isspace())
        end = last - (self.tokens[last - 1].isspace())
        is_bracketed = self.tokens[start] == "(" and self.partners.get(start) == end - 1
        return text[1:-1] if is_bracketed else text

    def product_before(self, at: int, least: int) -> int:
        """Return where the product that ends before a place begins; there if there is none."""
        start = at
        while start > least:
            before = start - 1
            if self.tokens[before].isspace() and start == at:
                before -= 1
            factor = self._factor_before(before + 1, least)
            if factor > before or self.tokens[factor].rstrip() in _OPERATORS:
                break
            start = factor
        return start

    def _factor_before(self, end: int, least: int) -> int:
        """Return where the factor that ends at a place begins, with its scripts."""
        start = self._unit_before(end, least)
        while least < start < end and self.tokens[start - 1] in ("_", "^"):
            unit = self._unit_before(start - 1, least)
            if unit == start - 1:  # a script without a base
                return end
            start = unit
        return start

    def _unit_before(self, end: int, least: int) -> int:
        """Return where the letters, command or bracket that ends at a place begins."""
        if end <= least:
            return end
        token = self.tokens[end - 1]
        if _is_word(token):
            return end - 1
        first = self.partners.get(end - 1, end)
        if token != "}":
            return first if token == ")" and first >= least else end
        while first > least and self.tokens[first - 1] == "}":  # arguments of one command
            first = self.partners.get(first - 1, -1)
        if first <= least:
            return end
        before = self.tokens[first - 1]
        return first - 1 if _is_command(before) else first if before in ("_", "^") else end

    def factor_after(self, at: int) -> int:
        """Return where the factor after a slash ends; after the slash if there is none."""
        place = at + 1
        if place < len(self.tokens) and self.tokens[place].isspace():
            place += 1
        end = self._unit_after(place)
        if end == place:
            return at + 1
        while end < len(self.tokens) and self.tokens[end] in ("_", "^"):
            script = self._unit_after(end + 1, is_script=True)
            if script == end + 1:
                return at + 1
            end = script
        is_applied = end < len(self.tokens) and self.tokens[end] == "("
        return at + 1 if is_applied else end

    def _unit_after(self, at: int, is_script: bool = False) -> int:
        if at >= len(self.tokens):
            return at
        token = self.tokens[at]
        if token == "(" or (is_script and token == "{"):
            return self.partners.get(at, at - 1) + 1
        if not _is_word(token):
            return at
        end = at + 1
        while _is_command(token) and self.tokens[end : end + 1] == ["{"] and end in self.partners:
            end = self.partners[end] + 1
        return end


def _is_command(token: str) -> bool:
    return token[0] == "\\" and token[1:2].isalpha()


def _is_word(token: str) -> bool:
    return (token.isascii() and token.isalnum()) or _is_command(token)
