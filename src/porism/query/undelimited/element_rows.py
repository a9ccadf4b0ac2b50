"""What an element is beside its neighbours: an operand, a product, an article, a prime."""

from __future__ import annotations

from collections.abc import Sequence

from porism.query.undelimited.lexer import Element, Slot
from porism.query.undelimited.math_names import APPLIED, BIG_OPERATORS, SMALL_WORDS, STRUCTURES

ARTICLES = frozenset("aAI")
ATOMS = frozenset(
    (Slot.LETTER, Slot.NUMBER, Slot.OPERAND, Slot.DIFFERENTIAL, Slot.GROUP, Slot.PREFIX)
)
WORDS = frozenset((Slot.PROSE, Slot.PRODUCT, Slot.WORD_OPERATOR, Slot.FUNCTION))
DOTS = frozenset(
    (*("." * length for length in range(3, 7)), "…", "⋯", "\\ldots", "\\dots", "\\cdots")
)
TWO_ARGUMENTS = frozenset(("\\frac", "\\dfrac", "\\tfrac", "\\binom", "\\dbinom", "\\tbinom"))
NO_ELEMENT = Element(Slot.STOP, "", 0, 0)
"""Before the first element and after the last."""

_AFTER_FORMULAS = frozenset(
    """
    then is and or if for where when with has have holds implies in such but exists does are as mod
    so iff by on over from
    """.split()
)
"""Words by which a sentence goes on after a formula."""

_ARROWS = frozenset(("->", "-->", "→", "↦", "\\to", "\\rightarrow", "\\longrightarrow", "\\mapsto"))
_NOT_QUOTIENTS = frozenset(
    "n/a N/A w/o W/O c/o C/O i/o I/O a/c A/C y/n Y/N p/e P/E A/B b/c B/c R/W r/w s/t".split()
)
_AHEAD = 12
"""Elements that are looked at for dots or an arrow."""


class ElementRow:
    """Elements beside each other, ``is_inside`` brackets or not. No method looks far."""

    def __init__(self, elements: Sequence[Element], is_inside: bool) -> None:
        self.elements = elements
        self.is_inside = is_inside

    def get(self, at: int) -> Element:
        """The element at a place, or ``NO_ELEMENT``."""
        return self.elements[at] if 0 <= at < len(self.elements) else NO_ELEMENT

    def next(self, at: int) -> tuple[int, bool]:
        """The next element that is not a space, and whether no space is before it."""
        if self.get(at).slot is Slot.SPACE:
            return at + 1, False
        return at, True

    def is_operand(self, at: int) -> bool:
        """Whether an element can be an operand where it is."""
        slot = self.get(at).slot
        return (
            slot in ATOMS
            or (slot is Slot.FUNCTION and self.is_applied(at))
            or (slot is Slot.PRODUCT and self.is_product(at))
        )

    def is_applied(self, at: int) -> bool:
        """Whether the name of a function is applied to something, not a word."""
        name = self.get(at)
        following = self.get(at + 1)
        if following.slot in (Slot.GROUP, Slot.OPEN):
            return True
        is_power = following.slot is Slot.POSTFIX and following.is_strong
        if is_power or following.slot is Slot.SCRIPT:
            return name.text not in STRUCTURES
        if name.text in BIG_OPERATORS and not self.is_inside:
            return name.text == "int" and self.is_before_differential(at)
        if name.text in STRUCTURES and name.text != "sqrt":
            return False
        argument, _ = self.next(at + 1)
        slot = self.get(argument).slot
        if name.text in APPLIED or name.is_strong:
            if slot in ATOMS:
                return not self.is_article(argument)
            return slot in (Slot.FUNCTION, Slot.PRODUCT)
        return slot in (Slot.LETTER, Slot.GROUP) and self.is_before_sign(argument)

    def is_before_differential(self, at: int) -> bool:
        """Whether a differential follows, before any word."""
        for element in self.elements[at + 1 : at + 40]:
            if element.slot is Slot.DIFFERENTIAL:
                return True
            if element.slot in (Slot.PROSE, Slot.STOP):
                return False
        return False

    def is_product(self, at: int) -> bool:
        """Whether a few letters are a product: they touch a sign, or a relation is beside them."""
        text, before, after = self.get(at).text, self.get(at - 1), self.get(at + 1)
        if text in SMALL_WORDS:  # as in e^(it) and na_n
            return after.slot is Slot.SCRIPT or (self.is_inside and len(self.elements) < 3)
        function = self.get(at - 2).text
        if self.is_inside or function in TWO_ARGUMENTS or function in APPLIED:
            return True
        if any(map(_is_beside_product, (before, after))):
            return True
        if after.slot is Slot.POSTFIX and (after.is_strong or self.is_prime(at + 1)):
            return True
        if before.text == "/" and text[-1].isupper():
            return True
        if after.text == "/" and self.get(at + 2).slot is Slot.GROUP:
            return True
        spaced = (self.get(at - 2).text, self.get(at + 2).text)
        return any(sign in ("=", "+", "*", "<", ">") for sign in spaced)

    def is_article(self, at: int) -> bool:
        """Whether a letter is an English word: ``a``, ``A`` or ``I`` before another word."""
        letter = self.get(at)
        if letter.text not in ARTICLES or self.is_inside:
            return False
        following = self.get(at + 2)
        is_word = following.slot in WORDS and following.slot is not Slot.WORD_OPERATOR
        if self.get(at + 1).slot is not Slot.SPACE or not is_word:
            return False
        is_after_sign = Slot.BINARY in (self.get(at - 1).slot, self.get(at - 2).slot)
        return not is_after_sign or (letter.text == "a" and following.text not in _AFTER_FORMULAS)

    def is_before_sign(self, at: int, is_latex: bool = False) -> bool:
        """Whether the element before which a space may be is followed by more of a formula."""
        following = self.get(at + 1)
        if following.slot in (Slot.SCRIPT, Slot.GROUP):
            return True
        if following.slot is Slot.POSTFIX:
            return following.is_strong
        sign, _ = self.next(at + 1)
        element = self.get(sign)
        if element.slot is Slot.DIFFERENTIAL or (is_latex and element.text[:1] == "\\"):
            return True
        if element.slot is not Slot.BINARY or element.text == ":":
            return False
        right, _ = self.next(sign + 1)
        slot = self.get(right).slot
        is_operand = slot in ATOMS or slot is Slot.FUNCTION
        is_operand |= slot is Slot.PRODUCT and self.is_product(right)
        return is_operand and not self.is_article(right)

    def is_prime(self, at: int) -> bool:
        """Whether a quotation mark or apostrophe is a prime."""
        base, before, after = self.get(at - 1), self.get(at - 2), self.get(at + 1)
        if after.slot in WORDS or after.slot is Slot.LETTER:
            return False
        if base.slot is Slot.POSTFIX:
            return True
        is_quoted = before.text in ("'", "’", "‘", '"')
        return base.slot in (Slot.LETTER, Slot.PRODUCT) and not is_quoted

    def is_before_dots(self, at: int) -> bool:
        """Whether dots follow within a few items of a list."""
        for each in range(at, at + _AHEAD):
            element = self.get(each)
            if element.text in DOTS:
                return True
            if element.slot in WORDS or element.slot in (Slot.STOP, Slot.BINARY):
                return False
        return False

    def is_before_arrow(self, at: int) -> bool:
        """Whether an arrow follows, as after the colon of ``f: X -> Y``."""
        for each in range(at, at + _AHEAD):
            element = self.get(each)
            if element.text in _ARROWS:
                return True
            if element.slot in (Slot.PROSE, Slot.STOP):
                return False
        return False

    def is_abbreviation(self, slash: int) -> bool:
        """Whether letters around a slash are an abbreviation, such as ``w/o``."""
        return f"{self.get(slash - 1).text}/{self.get(slash + 1).text}" in _NOT_QUOTIENTS


def _is_beside_product(side: Element) -> bool:
    return side.slot in (Slot.SCRIPT, Slot.NUMBER, Slot.GROUP) or (
        side.slot is Slot.BINARY and side.text not in ("-", "/", ":", "~")
    )
