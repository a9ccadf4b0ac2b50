"""Whether operators between two operands show that both are mathematics, not prose."""

from __future__ import annotations

from porism.query.undelimited.element_rows import ARTICLES, WORDS, ElementRow
from porism.query.undelimited.lexer import Element, Slot
from porism.query.undelimited.math_names import RELATIONS, SPOKEN_OPERATORS

_ALWAYS = RELATIONS | {"+", "*", "+-", "+/-", ":"}
_NOT_A_DIFFERENCE = frozenset(("plane", "axis", "axes", "coordinate", "coordinates", "direction"))
_LIMITS = frozenset(("oo", "infinity", "infty", "inf", "∞", "\\infty", "0"))


def is_evident(row: ElementRow, left: Element, at: int) -> bool:
    """Whether the sign at a place shows that its operands, of which it has both, are a formula.

    Quotients of two numbers are dates and versions more often than fractions, unless both have one
    digit. A dash without spaces joins words, and letters as in "x-y plane".
    """
    sign = row.get(at).text
    if sign in _ALWAYS:
        return True
    right, right_glued = row.next(at + 1)
    is_glued = row.get(at - 1).slot is not Slot.SPACE
    following = row.get(right)
    if sign == "/":
        if not left.slot is following.slot is Slot.NUMBER:
            return True
        is_small = len(left.text) == len(following.text) == 1 and left.text < following.text
        is_chain = row.get(right + 1).text in ("/", "-")
        return is_glued and right_glued and is_small and not is_chain
    if sign != "-":
        return False
    if is_glued and right_glued:
        return _is_glued_difference(row, left, right)
    return not is_glued and not right_glued


def _is_glued_difference(row: ElementRow, left: Element, right: int) -> bool:
    following = row.get(right)
    if Slot.GROUP in (left.slot, following.slot) or left.is_strong or following.is_strong:
        return True
    if left.text.isupper() or following.text.isupper() or following.text == "d":
        return False
    if Slot.NUMBER in (left.slot, following.slot):
        return left.slot is not following.slot and row.get(right + 1).slot not in WORDS
    return row.get(right + 2).text not in _NOT_A_DIFFERENCE and following.slot is Slot.LETTER


def is_word_operator(row: ElementRow, left: Element, at: int, has_evidence: bool) -> bool:
    """Whether a word between two operands is an operator: ``in``, ``mod``, ``plus``."""
    word = row.get(at).text
    right, _ = row.next(at + 1)
    following = row.get(right)
    is_variable = left.slot in (Slot.LETTER, Slot.GROUP, Slot.OPERAND) or left.is_strong
    if row.is_inside:
        return True
    if word == "in":
        is_set = following.text.isupper() or following.text[:1] in "[{\\" or following.is_strong
        return is_variable and left.text not in ARTICLES and is_set
    if word == "to":
        return is_variable and following.text in _LIMITS
    if word == "over":
        return has_evidence or following.is_strong
    if word in SPOKEN_OPERATORS:
        return is_variable or left.slot is Slot.NUMBER
    if word in ("iff", "implies"):
        return has_evidence and row.is_before_sign(right)
    return is_variable or word not in ("le", "ge", "ne", "subset", "cup", "cap", "approx")
