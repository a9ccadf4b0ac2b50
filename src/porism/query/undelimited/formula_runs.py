"""Where formulas begin and end among words that nothing separates from them.

A run is a sequence of elements that reads as an expression: operands, operators between them, and
products without a sign where people write these. It is a formula only with evidence, such as a
relation, a power or a sign that prose does not have: ``a`` or ``n - k`` may be words, ``n - 1`` is
a formula. Each element is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from porism.query.undelimited.element_rows import (
    ARTICLES,
    DOTS,
    NO_ELEMENT,
    TWO_ARGUMENTS,
    WORDS,
    ElementRow,
)
from porism.query.undelimited.formula_evidence import is_evident, is_word_operator
from porism.query.undelimited.lexer import Element, Slot
from porism.query.undelimited.math_names import APPLIED


class FormulaRun(NamedTuple):
    """Elements from ``start`` to before ``end`` that read as an expression, if these differ."""

    start: int
    end: int
    is_formula: bool


def run_at(elements: Sequence[Element], start: int, is_inside: bool = False) -> FormulaRun:
    """The longest run that begins at an element; inside brackets, commas separate operands."""
    growth = _Growth(elements, start, is_inside)
    growth.grow()
    return FormulaRun(start, growth.end, growth.has_evidence)


MAX_CHAIN = 5
"""Powers of powers, and names or signs before one operand, that a run may have in a row: they
nest."""

_PREFIXES = frozenset((Slot.FUNCTION, Slot.PREFIX))
_SIGNED = frozenset((*"+-−±∓", "+-", "+/-"))
_OPENING = ("\\left", "\\{", "\\langle", "\\lfloor", "\\lceil", "\\lbrace", "\\big", "⟨", "⌊", "⌈")
_CLOSING = ("\\right", "\\}", "\\rangle", "\\rfloor", "\\rceil", "\\rbrace", "⟩", "⌋", "⌉")


class _Growth:
    """A run as far as it has grown; ``end`` is after its last operand."""

    def __init__(self, elements: Sequence[Element], start: int, is_inside: bool) -> None:
        self.row = ElementRow(elements, is_inside)
        self.start = self.at = self.end = start
        self.has_operand = False
        self.has_evidence = False
        self.wants = False  # the last operand is applied to the next
        self.is_latex = False
        self.is_quantified = False
        self.fences = 0  # \\left without \\right
        self.left = NO_ELEMENT
        self.prefixes = self.powers = 0  # in a row
        self.pending = False  # evidence of an operator whose right operand is still to come

    def grow(self) -> None:
        """Take elements until one does not continue the run."""
        while True:
            at, is_glued = self.row.next(self.at)
            element = self.row.get(at)
            if element is NO_ELEMENT:
                return
            if self.has_operand:
                if not self.continues(at, element, is_glued):
                    return
            elif not self.begins(at, element):
                return

    def is_operand(self, at: int) -> bool:
        """Whether an element can be the next operand."""
        if self.prefixes >= MAX_CHAIN and self.row.get(at).slot in _PREFIXES:
            return False
        return self.row.is_operand(at)

    def expects(self, at: int, is_evidence: bool) -> None:
        """Go on after an operator, which counts only if an operand follows."""
        self.pending = is_evidence
        self.has_operand = self.wants = False
        self.at = at

    def take_script(self, at: int, element: Element) -> None:
        """Add to the last operand what belongs to it."""
        wants, left = self.wants, self.left
        self.pending = True
        self.take(at, element)
        self.wants, self.left = wants, left._replace(is_strong=True)

    def take(self, at: int, element: Element, wants: bool = False) -> None:
        """Add an operand to the run."""
        self.has_operand = True
        self.has_evidence |= element.is_strong or self.pending
        self.pending = False
        self.wants = wants
        self.left = element
        self.prefixes = self.prefixes + 1 if element.slot in _PREFIXES else 0
        self.powers = 0
        self.is_latex |= element.text[:1] == "\\"
        self.at = self.end = at + 1

    # Operands -----------------------------------------------------------------------------------

    def begins(self, at: int, element: Element) -> bool:
        """Take what begins an operand; false if nothing does."""
        if self.is_operand(at):
            if element.text in DOTS and self.end == self.start and not self.row.is_inside:
                return False
            if self.end > self.start and self.row.is_article(at):
                return False
            self.take(at, element, element.slot in (Slot.FUNCTION, Slot.PREFIX))
            self.is_quantified |= element.text in ("∀", "∃", "\\forall", "\\exists")
            return True
        if element.text in _SIGNED and self.is_operand(at + 1):
            self.at = at + 1
            return True
        if element.slot is Slot.BINARY and self.row.is_inside and self.end > self.start:
            if self.row.get(at + 1).slot in (Slot.COMMA, Slot.STOP):  # as in a group (G, +)
                self.take(at, element)
                return True
            return False
        is_inner = self.is_latex or self.end > self.start or element.text.startswith(_OPENING)
        if element.slot is Slot.GLUE and (element.is_strong or is_inner):
            self.is_latex |= element.text[0] == "\\"
            self.pending |= element.is_strong
            self.fences += element.text.startswith(_OPENING)
            self.at = at + 1
            return True
        if element.slot is Slot.OPEN and self.end > self.start:  # half a formula
            self.at = at + 1
            return True
        if element.text == "mod" and self.row.is_inside:  # as in (mod p)
            right, _ = self.row.next(at + 1)
            self.expects(at + 1, is_evidence=True)
            return self.is_operand(right)
        return False

    def continues(self, at: int, element: Element, is_glued: bool) -> bool:
        """Take what may follow an operand; false if the run ends before it."""
        match element.slot:
            case Slot.SCRIPT:
                return self.takes_script(at, element.text)
            case Slot.POSTFIX:
                return is_glued and self.takes_postfix(at, element)
            case Slot.BINARY:
                return self.takes_operator(at, element, is_glued)
            case Slot.WORD_OPERATOR:
                return self.takes_word_operator(at)
            case Slot.SPOKEN_POWER:
                return self.takes_spoken_power(at, element)
            case Slot.COMMA:
                return self.takes_comma(at, is_glued)
            case Slot.BAR:
                return self.takes_bar(at, is_glued)
            case Slot.GLUE:
                return self.takes_glue(at, element, is_glued)
            case Slot.OPEN:
                return self.takes_open(at, is_glued)
            case Slot.SPACE | Slot.PROSE | Slot.STOP | Slot.CLOSE:
                return False
        return self.takes_factor(at, element, is_glued)

    def takes_factor(self, at: int, element: Element, is_glued: bool) -> bool:
        """Take a factor without a sign before it."""
        if not self.is_operand(at):
            return False
        left = self.left
        if is_glued:
            if left.slot in (Slot.LETTER, Slot.PRODUCT, Slot.FUNCTION, Slot.OPERAND):
                self.pending = element.slot is Slot.GROUP or left.text in APPLIED or left.is_strong
            self.pending |= left.slot is element.slot is Slot.GROUP
        elif not self.row.is_inside and not self.is_spaced_factor(at, element):
            return False
        if left.text in APPLIED:
            self.pending = True
        if element.slot is Slot.DIFFERENTIAL:
            self.pending = True
        if element.slot is Slot.FUNCTION and (element.text in APPLIED or element.is_strong):
            self.pending |= self.has_evidence
        still_wants = self.wants and left.text in TWO_ARGUMENTS
        self.take(at, element, element.slot in (Slot.FUNCTION, Slot.PREFIX) or still_wants)
        return True

    def is_spaced_factor(self, at: int, element: Element) -> bool:
        """Whether an operand after a space is a factor, not the beginning of something else."""
        if self.row.is_article(at):
            return False
        left = self.left
        if self.wants or element.slot is Slot.DIFFERENTIAL:
            return True
        if element.slot in (Slot.FUNCTION, Slot.PREFIX):
            return left.text not in ARTICLES or left.is_strong or self.has_evidence
        if element.text.startswith("\\begin{"):
            return self.has_evidence
        if element.is_strong and element.slot is not Slot.GROUP:
            return self.has_evidence or left.slot in (Slot.NUMBER, Slot.LETTER)
        if left.slot is Slot.NUMBER and element.slot is not Slot.NUMBER:
            if element.text in ("pi", "\\pi"):
                self.pending = True
                return True
            return self.end - self.start > 1 or self.row.is_before_sign(at, self.is_latex)
        if element.slot is Slot.NUMBER or (left.text in ARTICLES and not left.is_strong):
            return False
        if element.slot is Slot.GROUP:
            if self.is_latex and self.row.is_before_sign(at, self.is_latex):
                return True
            return element.is_strong and (self.has_evidence or left.slot is Slot.LETTER)
        if not self.has_evidence:
            return False
        following, _ = self.row.next(at + 1)
        is_last = self.row.get(following).slot not in WORDS
        return is_last or self.row.is_before_sign(at, self.is_latex)

    # Scripts, operators and the like ------------------------------------------------------------

    def takes_script(self, at: int, sign: str) -> bool:
        right, is_glued = self.row.next(at + 1)
        powers = self.powers + 1
        if powers > MAX_CHAIN or (sign == "_" and self.left.slot is Slot.NUMBER):
            return False
        script = self.row.get(right)
        if script.text in _SIGNED | {"*"} and is_glued:
            if self.is_operand(right + 1) and script.text != "*":
                right += 1
            script = self.row.get(right)
        elif script.text[:1] == "\\" and script.slot is not Slot.GLUE:
            self.is_latex = True
        elif not self.is_operand(right):
            if script.slot is not Slot.OPEN or not is_glued:
                return False
            self.expects(right + 1, is_evidence=True)  # half a formula
            return True
        self.take_script(right, script)
        self.powers = powers
        return True

    def takes_postfix(self, at: int, element: Element) -> bool:
        left = self.left
        if not element.is_strong:
            if element.text == "°":
                if left.slot is not Slot.NUMBER:
                    return False
            elif element.text == "!":
                if left.slot not in (Slot.LETTER, Slot.NUMBER, Slot.GROUP):
                    return False
            elif not self.row.is_prime(at):
                return False
        self.take_script(at, element)
        return True

    def takes_operator(self, at: int, element: Element, is_glued: bool) -> bool:
        right, _ = self.row.next(at + 1)
        sign = element.text
        following = self.row.get(right)
        if not self.is_operand(right) or self.row.is_article(right):
            if sign == "*" and is_glued and self.left.slot is Slot.LETTER and following.text == "-":
                self.pending = self.left.text.isupper()
                self.take(at, element._replace(slot=Slot.POSTFIX))
                return True
            is_more = (
                following.text in _SIGNED
                or following.slot is Slot.OPEN
                or (following.slot is Slot.GLUE and not following.text.isspace())
            )
            if not is_more or (following.text in _SIGNED and not self.is_operand(right + 1)):
                return False
        elif not self.is_allowed(at, sign, right):
            return False
        self.expects(at + 1, element.is_strong or is_evident(self.row, self.left, at))
        self.is_latex |= sign[0] == "\\"
        return True

    def is_allowed(self, at: int, sign: str, right: int) -> bool:
        """Whether a sign that is also punctuation is an operator."""
        if self.row.is_inside:
            return True
        if sign == ":" and not self.fences:
            is_name = self.left.slot in (Slot.LETTER, Slot.OPERAND) or self.left.is_strong
            return is_name and self.row.is_before_arrow(right)
        if sign != "/" or right > at + 1 or self.row.get(right).slot is Slot.GROUP:
            return True
        if self.end - self.start == 1 and self.row.is_abbreviation(at):
            return False
        return self.has_evidence or self.left.slot is not Slot.PRODUCT

    def takes_word_operator(self, at: int) -> bool:
        """Take an operator typed as a word, if it is between operands that no prose would have."""
        right, _ = self.row.next(at + 1)
        if not self.is_operand(right) or self.row.is_article(right):
            return False
        if not is_word_operator(self.row, self.left, at, self.has_evidence):
            return False
        self.expects(at + 1, is_evidence=True)
        return True

    def takes_spoken_power(self, at: int, element: Element) -> bool:
        left = self.left
        if left.slot not in (Slot.LETTER, Slot.GROUP, Slot.OPERAND) and not left.is_strong:
            return False
        following, _ = self.row.next(at + 1)
        is_adjective = self.row.get(following).slot in (Slot.PROSE, Slot.PRODUCT)
        if left.text in ARTICLES and (is_adjective or element.text == "factorial"):
            return False
        self.take_script(at, element)
        return True

    def takes_comma(self, at: int, is_glued: bool) -> bool:
        right, right_glued = self.row.next(at + 1)
        following = self.row.get(right)
        is_more = self.is_operand(right) and not self.row.is_article(right)
        if not self.row.is_inside and not self.fences:
            is_list = self.left.text in DOTS or self.row.is_before_dots(right)
            is_list |= is_glued and right_glued and self.left.slot is not Slot.NUMBER
            if not (is_list or (self.is_quantified and (is_more and following.is_strong))):
                return False
        if not is_more and following.slot not in (Slot.GLUE, Slot.BINARY, Slot.BAR):
            return False
        self.expects(at + 1, is_evidence=self.row.is_inside)
        return True

    def takes_bar(self, at: int, is_glued: bool) -> bool:
        right, right_glued = self.row.next(at + 1)
        if not self.is_operand(right) or is_glued != right_glued or self.row.is_article(right):
            return False
        self.expects(at + 1, is_evidence=True)
        return True

    def takes_glue(self, at: int, element: Element, is_glued: bool) -> bool:
        if not element.is_strong and not self.is_latex and not is_glued:
            return False
        self.is_latex |= element.text[0] == "\\"
        self.has_evidence |= element.is_strong
        is_closing = element.text.startswith(_CLOSING)
        self.fences += element.text.startswith(_OPENING) - is_closing
        self.at = at + 1
        if is_closing or element.text[0] != "\\":
            self.end = at + 1
        return True

    def takes_open(self, at: int, is_glued: bool) -> bool:
        """Take a bracket that is not closed, as while a formula is typed."""
        if not is_glued or not self.is_operand(self.row.next(at + 1)[0]):
            return False
        self.expects(at + 1, is_evidence=True)
        return True
