"""Where formulas begin and end among words that nothing separates from them.

A run is a sequence of elements that reads as an expression: operands, operators between them, and
products without a sign where people write these. It is a formula only with evidence, such as a
relation, a power or a sign that prose does not have: ``a`` or ``n - k`` may be words, ``n - 1`` is
a formula. Each element is looked at a bounded number of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from porism.query.lexer import Element, Slot
from porism.query.math_names import (
    APPLIED,
    BIG_OPERATORS,
    RELATIONS,
    SMALL_WORDS,
    SPOKEN_OPERATORS,
    STRUCTURES,
)


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

ARTICLES = frozenset("aAI")
_ATOMS = frozenset(
    (Slot.LETTER, Slot.NUMBER, Slot.OPERAND, Slot.DIFFERENTIAL, Slot.GROUP, Slot.PREFIX)
)
_PREFIXES = frozenset((Slot.FUNCTION, Slot.PREFIX))
_SIGNED = frozenset("+-−±∓")
_NO_ELEMENT = Element(Slot.STOP, "", 0, 0)
_WORDS = frozenset((Slot.PROSE, Slot.PRODUCT, Slot.WORD_OPERATOR, Slot.FUNCTION))
_NOT_QUOTIENTS = frozenset(
    "n/a N/A w/o W/O c/o C/O i/o I/O a/c A/C y/n Y/N p/e P/E A/B b/c B/c R/W r/w s/t".split()
)
_TWO_ARGUMENTS = frozenset(("\\frac", "\\dfrac", "\\tfrac", "\\binom", "\\dbinom", "\\tbinom"))
_AFTER_FORMULAS = frozenset(
    """
    then is and or if for where when with has have holds implies in such but exists does are as mod
    so iff by on over from
    """.split()
)
"""Words by which a sentence goes on after a formula."""

_NOT_A_DIFFERENCE = frozenset(("plane", "axis", "axes", "coordinate", "coordinates", "direction"))


class _Growth:
    """A run as far as it has grown; ``end`` is after its last operand."""

    def __init__(self, elements: Sequence[Element], start: int, is_inside: bool) -> None:
        self.elements = elements
        self.start = self.at = self.end = start
        self.is_inside = is_inside
        self.has_operand = False
        self.has_evidence = False
        self.wants = False  # the last operand is applied to the next
        self.is_latex = False
        self.is_quantified = False
        self.fences = 0  # \\left without \\right
        self.left = _NO_ELEMENT
        self.prefixes = self.powers = 0  # in a row
        self.pending = False  # evidence of an operator whose right operand is still to come

    def grow(self) -> None:
        """Take elements until one does not continue the run."""
        while True:
            at, is_glued = self.next(self.at)
            element = self.get(at)
            if element is _NO_ELEMENT:
                return
            if self.has_operand:
                if not self.continues(at, element, is_glued):
                    return
            elif not self.begins(at, element):
                return

    # Elements -----------------------------------------------------------------------------------

    def get(self, at: int) -> Element:
        return self.elements[at] if 0 <= at < len(self.elements) else _NO_ELEMENT

    def next(self, at: int) -> tuple[int, bool]:
        """The next element that is not a space, and whether no space is before it."""
        if self.get(at).slot is Slot.SPACE:
            return at + 1, False
        return at, True

    def is_operand(self, at: int) -> bool:
        """Whether an element can be an operand where it is."""
        slot = self.get(at).slot
        if slot in _PREFIXES and self.prefixes >= MAX_CHAIN:
            return False
        return (
            slot in _ATOMS
            or (slot is Slot.FUNCTION and self.is_applied(at))
            or (slot is Slot.PRODUCT and self.is_product(at))
        )

    def is_applied(self, at: int) -> bool:
        """Whether the name of a function is applied to something, not a word."""
        name = self.get(at)
        following = self.get(at + 1)
        if following.slot in (Slot.GROUP, Slot.OPEN):
            return True
        if following.slot is Slot.SCRIPT or (
            following.slot is Slot.POSTFIX and following.is_strong
        ):
            return name.text not in STRUCTURES
        if (name.text in BIG_OPERATORS and not self.is_inside) or (
            name.text in STRUCTURES and name.text != "sqrt"
        ):
            return False
        argument, _ = self.next(at + 1)
        slot = self.get(argument).slot
        if name.text in APPLIED or name.is_strong:
            if slot in _ATOMS:
                return not self.is_article(argument)
            return slot in (Slot.FUNCTION, Slot.PRODUCT)
        return slot in (Slot.LETTER, Slot.GROUP) and self.is_before_sign(argument)

    def is_product(self, at: int) -> bool:
        """Whether a few letters are a product: they touch a sign, or a relation is beside them."""
        if self.get(at).text in SMALL_WORDS:  # as in e^(it)
            return self.is_inside and len(self.elements) < 3
        function = self.get(at - 2).text
        if self.is_inside or function in _TWO_ARGUMENTS or function in APPLIED:
            return True
        before, after = self.get(at - 1), self.get(at + 1)
        for side in (before, after):
            if side.slot in (Slot.SCRIPT, Slot.NUMBER, Slot.GROUP) or (
                side.slot is Slot.BINARY and side.text not in ("-", "/", ":", "~")
            ):
                return True
        is_scripted = after.slot is Slot.POSTFIX and (after.is_strong or self.is_prime(at + 1))
        if is_scripted or (before.text == "/" and self.get(at).text[-1].isupper()):
            return True
        if after.text == "/" and self.get(at + 2).slot is Slot.GROUP:
            return True
        for side in (self.get(at - 2), self.get(at + 2)):
            if side.slot is Slot.BINARY and side.text in ("=", "+", "*", "<", ">"):
                return True
        return False

    def is_article(self, at: int) -> bool:
        """Whether a letter is an English word: ``a``, ``A`` or ``I`` before another word."""
        letter = self.get(at)
        if letter.text not in ARTICLES or self.is_inside:
            return False
        following = self.get(at + 2)
        is_word = following.slot in _WORDS and following.slot is not Slot.WORD_OPERATOR
        if self.get(at + 1).slot is not Slot.SPACE or not is_word:
            return False
        is_after_sign = Slot.BINARY in (self.get(at - 1).slot, self.get(at - 2).slot)
        return not is_after_sign or (letter.text == "a" and following.text not in _AFTER_FORMULAS)

    def is_before_sign(self, at: int) -> bool:
        """Whether the element before which a space may be is followed by more of a formula."""
        following = self.get(at + 1)
        if following.slot in (Slot.SCRIPT, Slot.GROUP):
            return True
        if following.slot is Slot.POSTFIX:
            return following.is_strong
        sign, _ = self.next(at + 1)
        element = self.get(sign)
        if element.slot is Slot.DIFFERENTIAL or (self.is_latex and element.text[:1] == "\\"):
            return True
        if element.slot is not Slot.BINARY or element.text == ":":
            return False
        right, _ = self.next(sign + 1)
        return self.is_operand(right) and not self.is_article(right)

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
            if self.end > self.start and self.is_article(at):
                return False
            self.take(at, element, element.slot in (Slot.FUNCTION, Slot.PREFIX))
            self.is_quantified |= element.text in ("∀", "∃", "\\forall", "\\exists")
            return True
        if element.text in _SIGNED and self.is_operand(at + 1):
            self.at = at + 1
            return True
        if element.slot is Slot.BINARY and self.is_inside and self.end > self.start:
            if self.get(at + 1).slot in (Slot.COMMA, Slot.STOP):  # as in a group (G, +)
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
        if element.text == "mod" and self.is_inside and self.is_operand(self.next(at + 1)[0]):
            self.pending = True
            self.at = at + 1
            return True
        return False

    def continues(self, at: int, element: Element, is_glued: bool) -> bool:
        """Take what may follow an operand; false if the run ends before it."""
        match element.slot:
            case Slot.SCRIPT:
                return self.takes_script(at, element)
            case Slot.POSTFIX:
                return is_glued and self.takes_postfix(at, element)
            case Slot.BINARY:
                return self.takes_operator(at, element, is_glued)
            case Slot.WORD_OPERATOR:
                return self.takes_word_operator(at, element)
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
        elif not self.is_inside and not self.is_spaced_factor(at, element):
            return False
        if left.text in APPLIED:
            self.pending = True
        if element.slot is Slot.DIFFERENTIAL:
            self.pending = True
        if element.slot is Slot.FUNCTION and (element.text in APPLIED or element.is_strong):
            self.pending |= self.has_evidence
        still_wants = self.wants and left.text in _TWO_ARGUMENTS
        self.take(at, element, element.slot in (Slot.FUNCTION, Slot.PREFIX) or still_wants)
        return True

    def is_spaced_factor(self, at: int, element: Element) -> bool:
        """Whether an operand after a space is a factor, not the beginning of something else."""
        if self.is_article(at):
            return False
        left = self.left
        if self.wants or element.slot is Slot.DIFFERENTIAL:
            return True
        if element.slot in (Slot.FUNCTION, Slot.PREFIX):
            return left.text not in ARTICLES or self.has_evidence
        if element.text.startswith("\\begin{"):
            return self.has_evidence
        if element.is_strong and element.slot is not Slot.GROUP:
            return self.has_evidence or left.slot in (Slot.NUMBER, Slot.LETTER)
        if left.slot is Slot.NUMBER and element.slot is not Slot.NUMBER:
            if element.text in ("pi", "\\pi"):
                self.pending = True
                return True
            return self.end - self.start > 1 or self.is_before_sign(at)
        if element.slot is Slot.NUMBER or left.text in ARTICLES:
            return False
        if element.slot is Slot.GROUP:
            if self.is_latex and self.is_before_sign(at):
                return True
            return element.is_strong and (self.has_evidence or left.slot is Slot.LETTER)
        if not self.has_evidence:
            return False
        if self.is_before_sign(at):
            return True
        return self.is_latex and self.get(self.next(at + 1)[0]).slot not in _WORDS

    # Scripts, operators and the like ------------------------------------------------------------

    def takes_script(self, at: int, element: Element) -> bool:
        right, is_glued = self.next(at + 1)
        powers = self.powers + 1
        if powers > MAX_CHAIN or (element.text == "_" and self.left.slot is Slot.NUMBER):
            return False
        script = self.get(right)
        if script.text in _SIGNED | {"*"} and is_glued:
            if self.is_operand(right + 1) and script.text != "*":
                right += 1
            script = self.get(right)
        elif script.text[:1] == "\\" and script.slot is not Slot.GLUE:
            self.is_latex = True
        elif not self.is_operand(right):
            if script.slot is not Slot.OPEN or not is_glued:
                return False
            self.has_operand = False  # half a formula
            self.pending = True
            self.at = right + 1
            return True
        wants, left = self.wants, self.left
        self.pending = True
        self.take(right, script)
        self.wants, self.left, self.powers = wants, left._replace(is_strong=True), powers
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
            elif not self.is_prime(at):
                return False
        wants = self.wants
        self.pending = True
        self.take(at, element)
        self.wants, self.left = wants, left._replace(is_strong=True)
        return True

    def is_prime(self, at: int) -> bool:
        """Whether a quotation mark or apostrophe after an operand is a prime."""
        before, after = self.get(at - 2), self.get(at + 1)
        if self.get(at - 1).slot is Slot.POSTFIX:
            return self.left.is_strong and after.slot not in _WORDS | {Slot.LETTER}
        return (
            self.get(at - 1).slot in (Slot.LETTER, Slot.PRODUCT)
            and before.text not in ("'", "’", "‘", '"')
            and after.slot not in _WORDS
            and after.slot is not Slot.LETTER
        )

    def takes_operator(self, at: int, element: Element, is_glued: bool) -> bool:
        right, right_glued = self.next(at + 1)
        sign = element.text
        following = self.get(right)
        if not self.is_operand(right) or self.is_article(right):
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
        elif sign == ":" and not self.is_inside and not self.fences:
            if not self.is_map(right):
                return False
        elif sign == "/" and is_glued and right_glued and self.is_no_quotient(at, right):
            return False
        self.pending = element.is_strong or self.is_evidence(at, right, is_glued, right_glued)
        self.has_operand = False
        self.wants = False
        self.is_latex |= sign[0] == "\\"
        self.at = at + 1
        return True

    def is_map(self, right: int) -> bool:
        """Whether a colon is that of ``f: X -> Y``."""
        if self.left.slot is not Slot.LETTER and not self.left.is_strong:
            return False
        for at in range(right, right + 12):
            if self.get(at).text in _ARROWS:
                return True
            if self.get(at).slot in (Slot.PROSE, Slot.STOP):
                return False
        return False

    def is_no_quotient(self, at: int, right: int) -> bool:
        if self.is_inside:
            return False
        left, following = self.left, self.get(right)
        if following.slot is Slot.GROUP:
            return False
        if f"{left.text}/{following.text}" in _NOT_QUOTIENTS and self.end - self.start == 1:
            return True
        return left.slot is Slot.PRODUCT and not self.has_evidence

    def is_evidence(self, at: int, right: int, is_glued: bool, right_glued: bool) -> bool:
        """Whether a sign between two operands shows that both are a formula."""
        sign = self.get(at).text
        left, following = self.left, self.get(right)
        slots = {left.slot, following.slot}
        if sign in RELATIONS or sign in ("+", "*", "+-", "+/-"):
            return True
        if sign == "/":
            if slots == {Slot.NUMBER}:
                return (
                    is_glued
                    and right_glued
                    and len(left.text) == len(following.text) == 1
                    and left.text < following.text
                    and self.get(right + 1).text not in ("/", "-")
                )
            return True
        if sign == "-":
            if is_glued and right_glued:
                return self.is_glued_difference(right)
            return not is_glued and not right_glued
        return sign == ":"

    def is_glued_difference(self, right: int) -> bool:
        left, following = self.left, self.get(right)
        if Slot.GROUP in (left.slot, following.slot) or left.is_strong or following.is_strong:
            return True
        if left.text.isupper() or following.text.isupper() or following.text == "d":
            return False
        if Slot.NUMBER in (left.slot, following.slot):
            return left.slot is not following.slot and self.get(right + 1).slot not in _WORDS
        return self.get(right + 2).text not in _NOT_A_DIFFERENCE and following.slot is Slot.LETTER

    def takes_word_operator(self, at: int, element: Element) -> bool:
        """Take an operator typed as a word, if it is between operands that no prose would have."""
        right, _ = self.next(at + 1)
        following = self.get(right)
        if not self.is_operand(right) or self.is_article(right):
            return False
        if not self.is_inside and not self.is_meant(element.text, following, right):
            return False
        self.pending = True
        self.has_operand = self.wants = False
        self.at = at + 1
        return True

    def is_meant(self, word: str, following: Element, right: int) -> bool:
        left = self.left
        is_variable = left.slot in (Slot.LETTER, Slot.GROUP) or left.is_strong
        if word == "in":
            is_set = following.text.isupper() or following.text[:1] in "[{\\" or following.is_strong
            return is_variable and left.text not in ARTICLES and is_set
        if word == "to":
            return is_variable and (following.text in _LIMITS or following.text == "0")
        if word == "over":
            return self.has_evidence or following.is_strong
        if word in SPOKEN_OPERATORS:
            return is_variable or left.slot is Slot.NUMBER
        if word in ("iff", "implies"):
            return is_variable and self.is_before_sign(right)
        if word in ("le", "ge", "ne", "subset", "cup", "cap", "approx"):
            return is_variable
        return True

    def takes_spoken_power(self, at: int, element: Element) -> bool:
        left = self.left
        if left.slot not in (Slot.LETTER, Slot.GROUP, Slot.OPERAND) and not left.is_strong:
            return False
        following, _ = self.next(at + 1)
        if left.text in ARTICLES and (
            element.text == "factorial" or self.get(following).slot in (Slot.PROSE, Slot.PRODUCT)
        ):
            return False
        self.pending = True
        self.take(at, element)
        self.left = left._replace(is_strong=True)
        return True

    def takes_comma(self, at: int, is_glued: bool) -> bool:
        right, right_glued = self.next(at + 1)
        following = self.get(right)
        is_more = self.is_operand(right) and not self.is_article(right)
        if not self.is_inside and not self.fences:
            is_list = self.left.text in DOTS or self.is_before_dots(right)
            is_list |= is_glued and right_glued and self.left.slot is not Slot.NUMBER
            if not (is_list or (self.is_quantified and (is_more and following.is_strong))):
                return False
        if not is_more and following.slot not in (Slot.GLUE, Slot.BINARY, Slot.BAR):
            return False
        self.pending |= self.is_inside
        self.has_operand = self.wants = False
        self.at = at + 1
        return True

    def is_before_dots(self, at: int) -> bool:
        """Whether dots follow within a few items of a list."""
        for each in range(at, at + 12):
            if self.get(each).text in DOTS:
                return True
            if self.get(each).slot in _WORDS | {Slot.STOP, Slot.BINARY}:
                return False
        return False

    def takes_bar(self, at: int, is_glued: bool) -> bool:
        right, right_glued = self.next(at + 1)
        if not self.is_operand(right) or is_glued != right_glued or self.is_article(right):
            return False
        self.pending = True
        self.has_operand = self.wants = False
        self.at = at + 1
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
        if not is_glued or not self.is_operand(self.next(at + 1)[0]):
            return False
        self.pending = True
        self.has_operand = self.wants = False
        self.at = at + 1
        return True


_OPENING = ("\\left", "\\{", "\\langle", "\\lfloor", "\\lceil", "\\lbrace", "\\big", "⟨", "⌊", "⌈")
_CLOSING = ("\\right", "\\}", "\\rangle", "\\rfloor", "\\rceil", "\\rbrace", "⟩", "⌋", "⌉")
_ARROWS = frozenset(("->", "-->", "→", "↦", "\\to", "\\rightarrow", "\\longrightarrow", "\\mapsto"))
DOTS = frozenset(("...", "…", "⋯", "\\ldots", "\\dots", "\\cdots"))
_LIMITS = frozenset(("oo", "infinity", "infty", "inf", "∞", "\\infty"))
