r"""Bare LaTeX, with what people mix into it: ``sin x``, ``x^(n+1)``, ``\int_0^oo``, ``<=``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porism.query.undelimited.lexer import Element, Slot
from porism.query.undelimited.math_names import APPLIED, FRACTIONS, FUNCTIONS, NAMES, ROOTS, SIGNS
from porism.query.undelimited.plain_math import plain_latex


def formula_latex(elements: Sequence[Element]) -> str:
    r"""The LaTeX of a formula: as it was typed, if that is LaTeX, else translated."""
    return (repaired_latex(elements) if is_latex(elements) else plain_latex(elements)).strip()


def is_latex(elements: Sequence[Element]) -> bool:
    """Whether any of the elements is a command."""
    return any("\\" in element.text for element in _flat(elements))


def _flat(elements: Sequence[Element]) -> Iterator[Element]:
    for element in elements:
        yield element
        yield from _flat(element.children)


def repaired_latex(elements: Sequence[Element]) -> str:
    """LaTeX as it was typed, except for what is not LaTeX."""
    pieces: list[str] = []
    at = 0
    while at < len(elements):
        element = elements[at]
        following = elements[at + 1] if at + 1 < len(elements) else None
        if element.slot is Slot.GROUP:
            half = len(element.text) // 2
            is_power = element.text == "()" and at > 0 and elements[at - 1].slot is Slot.SCRIPT
            opener = "{" if is_power else element.text[:half]
            closer = "}" if is_power else element.text[half:]
            pieces += (opener, repaired_latex(element.children), closer)
        elif element.text in ROOTS and following is not None:
            pieces.append(plain_latex(elements[at : at + 2]))
            at += 1
        elif element.text in FRACTIONS:
            pieces.append(plain_latex([element]))
        else:
            pieces.append(_repaired(element))
        at += 1
    return "".join(pieces)


def _repaired(element: Element) -> str:
    text = element.text
    if element.slot is Slot.FUNCTION:
        is_known = text in APPLIED or text in ("lim", "max", "min", "sup", "inf", "gcd", "det")
        return FUNCTIONS.get(text, text) + " " * (text == "sqrt") if is_known else text
    if element.slot is Slot.OPERAND and len(text) > 2 and text in NAMES:
        return NAMES[text] + " "
    if text == "oo":
        return r"\infty "
    if element.slot in (Slot.BINARY, Slot.SCRIPT) and text in SIGNS and len(text) > 1:
        return SIGNS[text] + " "
    return "^" if text == "**" else text
