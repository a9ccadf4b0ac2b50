r"""Text as elements: words of prose, and whatever can be a part of a formula.

One regular expression makes the tokens; every character belongs to one. Addresses, file names,
dates, ordinals and code are prose, whatever signs they have. Pairs of brackets around mathematics
are one element, which has those inside. Nothing here decides what is a formula.
"""

from __future__ import annotations

import re
from enum import IntEnum, auto
from functools import lru_cache
from typing import NamedTuple

from porism.formula.latex.constructs import CONSTRUCTS
from porism.formula.latex.leaves import FENCE_LEAVES, LEAVES
from porism.formula.latex.spacing import ignore
from porism.formula.symbols import BIG, LETTERS, OPERATORS, SUBSCRIPTS, SUPERSCRIPTS
from porism.query.undelimited.math_names import (
    ACCENTS,
    APPLIED,
    BIG_OPERATORS,
    DIFFERENTIALS,
    FUNCTIONS,
    NAMES,
    OPERAND_SIGNS,
    PREFIXES,
    SMALL_WORDS,
    SPOKEN_OPERATORS,
    SPOKEN_POWERS,
    STRUCTURES,
    WORD_OPERATORS,
    is_math_sign,
    is_styled_letter,
)


class Slot(IntEnum):
    """What an element can be in a formula."""

    SPACE = auto()
    PROSE = auto()  # a word
    STOP = auto()  # a sign that no formula has
    LETTER = auto()
    NUMBER = auto()
    OPERAND = auto()  # any other
    PRODUCT = auto()  # a few letters: a product beside signs, else a word
    DIFFERENTIAL = auto()
    FUNCTION = auto()  # applied to what follows
    PREFIX = auto()  # a sign or command before an operand, such as ∑, \frac or ∀
    BINARY = auto()  # an operator or relation between operands
    WORD_OPERATOR = auto()  # the same, typed as a word
    SPOKEN_POWER = auto()
    SCRIPT = auto()
    POSTFIX = auto()
    COMMA = auto()
    BAR = auto()
    GLUE = auto()  # of LaTeX: spaces, fences, sizes
    OPEN = auto()
    CLOSE = auto()
    GROUP = auto()  # brackets around mathematics


class Element(NamedTuple):
    """A token, or a group with the elements inside its brackets.

    ``is_strong`` says that it is mathematics by itself, and ``children`` are those of a group.
    """

    slot: Slot
    text: str
    start: int
    end: int
    is_strong: bool = False
    children: tuple[Element, ...] = ()


_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<opaque>
        `[^`\n]{{1,300}}`                                          # code
      | (?:[a-z]{{2,10}}://|www\.)\S{{1,500}}                      # addresses
      | [\w.+-]{{1,64}}@[\w-]{{1,64}}\.[\w.-]{{1,64}}
      | [A-Z]:(?:\\[\w.-]{{1,80}}){{2,20}}(?=\s|\Z)                # files
      | (?<![^\s("'])~?/[\w.-]{{2,80}}(?:/[\w.-]{{1,80}}){{0,20}}
      | \w{{2,80}}(?:/[\w.-]{{2,80}}){{2,20}}
      | [\w-]{{1,80}}\.(?:tex|pdf|txt|py|js|html?|csv|zip|gz|png|jpe?g|com|org|net|edu)\b
      | \d{{1,4}}(?P<dash>[-/.])\d{{1,2}}(?P=dash)\d{{1,4}}(?![\d/^*-])  # dates
      | \d{{1,2}}:\d\d\b
      | (?<![\w.])(?:[a-z]\.){{1,4}}[a-z]\b(?!\()                  # e.g, s.t
      | \d+(?:st|nd|rd|th)\b
      )
    | (?P<text>\\(?:text\w{{0,10}}|[mhf]box|operatorname\*?|math(?:rm|it|bf|sf|tt|bb|cal|frak|scr))
        \s*\{{[^{{}}\n]{{0,300}}\}})
    | (?P<fence>\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])
        \s*(?:\\[A-Za-z]+|\\.|[^\s\\A-Za-z0-9]))
    | (?P<command>\\[A-Za-z]+\*?|\\.)
    | (?P<number>\d+(?:\.\d+)?|\.\d+)
    | (?P<wildcard>(?<![^\s(\[{{+*/^_=<>|,-])\?[A-Za-z]\d?(?![A-Za-z]))
    | (?P<word>(?:[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]
        [\u0300-\u036f\u20d7]*)+
        (?:(?<=\w\w)['’](?:s|t|d|re|ll|ve)(?!\w)|(?<=\bI)['’](?:m|ll|ve|d)(?!\w))?)
    | (?P<greek>[\u0370-\u03ff\u1f00-\u1fff]+)
    | (?P<scripted>[{"".join(SUPERSCRIPTS)}]+|[{"".join(SUBSCRIPTS)}]+)
    | (?P<sign>\|\||<==>|<=>|<->|==>|===|=/=|\|->|-->|\+/-|\.{{3,6}}|=>|->|<=|>=|!=|~=|~~|==|:=|\*\*
        |\+-)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_SIGN_SLOTS = {
    **dict.fromkeys("+-*/=<>~:", Slot.BINARY),
    **dict.fromkeys("^_", Slot.SCRIPT),
    **dict.fromkeys("([{", Slot.OPEN),
    **dict.fromkeys(")]}", Slot.CLOSE),
    **dict.fromkeys(",;", Slot.COMMA),
    **dict.fromkeys("!'’", Slot.POSTFIX),
    **dict.fromkeys(("|", "||", "‖", "∥"), Slot.BAR),
    "**": Slot.SCRIPT,
    "&": Slot.GLUE,
}
_PAIRED = {"⟨": Slot.GLUE, "⟩": Slot.GLUE, "⌊": Slot.GLUE, "⌋": Slot.GLUE, "⌈": Slot.GLUE}
_PAIRED |= {"⌉": Slot.GLUE, "⟦": Slot.GLUE, "⟧": Slot.GLUE}
_PREFIX_COMMANDS = frozenset(
    "\\" + name for name in (*BIG, *"forall exists nexists neg lnot partial nabla".split())
)


def elements(text: str, start: int = 0, end: int | None = None) -> list[Element]:
    """The elements of a part of a text, in order, without groups.

    >>> [each.slot.name for each in elements("let x²<1?")]
    ['PROSE', 'SPACE', 'LETTER', 'POSTFIX', 'BINARY', 'NUMBER', 'STOP']
    """
    found: list[Element] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        token = match[0]
        slot, is_strong = _slot(match.lastgroup or "", token)
        if slot is Slot.PROSE and (split := _joined_function(token)):
            at = match.start()
            found.append(Element(Slot.FUNCTION, token[:split], at, at + split, True))
            found.append(Element(Slot.LETTER, token[split:], at + split, match.end()))
        elif slot is Slot.PROSE and _JOINED_DIFFERENTIALS.fullmatch(token):
            at = match.start()
            if len(token) % 2:
                found.append(Element(Slot.LETTER, token[0], at, at + 1))
            for first in range(at + len(token) % 2, match.end(), 2):
                text_of = text[first : first + 2]
                found.append(Element(Slot.DIFFERENTIAL, text_of, first, first + 2))
        else:
            found.append(Element(slot, token, match.start(), match.end(), is_strong))
    return _in_context(found)


def _in_context(row: list[Element]) -> list[Element]:
    """The elements with the ``x`` of ``3x3``, and ``Σ`` with limits, as signs.

    ``xx``, a product sign of AsciiMath, is two letters in the index of ``u_xx``.
    """
    for at in range(len(row) - 1):
        if row[at].text == "_" and row[at + 1].text == "xx":
            row[at + 1] = Element(Slot.PRODUCT, "xx", row[at + 1].start, row[at + 1].end)
        if row[at].text in _SUMS and row[at + 1].slot in (Slot.SCRIPT, Slot.POSTFIX):
            sign = _SUMS[row[at].text]
            row[at] = Element(Slot.PREFIX, sign, row[at].start, row[at].end, True)
        if row[at].text == "x" and at and row[at - 1].slot is row[at + 1].slot is Slot.NUMBER:
            following = row[at + 2].slot if at + 2 < len(row) else Slot.STOP
            if following in (Slot.SPACE, Slot.STOP, Slot.PROSE) or row[at + 2].text in "-x":
                row[at] = Element(Slot.BINARY, "×", row[at].start, row[at].end, True)
    return row


_SUMS = {"Σ": "∑", "Π": "∏"}


@lru_cache(1 << 14)
def _slot(name: str, token: str) -> tuple[Slot, bool]:
    if name == "word":
        return _word_slot(token)
    if name == "space":
        return (Slot.STOP if token.count("\n") > 1 else Slot.SPACE), False
    if name == "number":
        return Slot.NUMBER, False
    if name == "command":
        return _command_slot(token)
    if name == "text":
        return Slot.OPERAND, True
    if name == "fence":
        return Slot.GLUE, True
    if name == "wildcard":
        return Slot.LETTER, False
    if name == "greek":
        is_prose = len(token) > 2 or any(ord(char) < 0x391 or char in "άέήίόύώ" for char in token)
        return (Slot.PROSE, False) if is_prose else (Slot.OPERAND, True)
    if name == "scripted":
        return Slot.POSTFIX, True
    if name == "opaque":
        return Slot.PROSE, False
    return _sign_slot(token)


def _sign_slot(token: str) -> tuple[Slot, bool]:
    if token in _SIGN_SLOTS:
        return _SIGN_SLOTS[token], False
    if len(token) > 1:
        return (Slot.OPERAND if token[0] == "." else Slot.BINARY), False
    if token in "′″‴°":
        return Slot.POSTFIX, token != "°"
    if token == "…":
        return Slot.OPERAND, False
    if token in _PAIRED:
        return Slot.GLUE, True
    if token.isascii() or not is_math_sign(token):
        return (Slot.PROSE if token.isalnum() else Slot.STOP), False
    if token in PREFIXES:
        return Slot.PREFIX, True
    if token in OPERAND_SIGNS or token.isalnum():
        return (Slot.LETTER if is_styled_letter(token) else Slot.OPERAND), True
    return Slot.BINARY, True


def _word_slot(word: str) -> tuple[Slot, bool]:
    if len(word) == 1:
        return Slot.LETTER, False
    if not word.isascii():
        return (Slot.LETTER, True) if word[1] in ACCENTS and len(word) == 2 else (Slot.PROSE, False)
    if word in STRUCTURES or word in FUNCTIONS:
        return Slot.FUNCTION, False
    if word in NAMES:
        return Slot.OPERAND, False
    if word in DIFFERENTIALS:
        return Slot.DIFFERENTIAL, False
    if word in WORD_OPERATORS or word in SPOKEN_OPERATORS:
        return Slot.WORD_OPERATOR, False
    if word in SPOKEN_POWERS or word == "factorial":
        return Slot.SPOKEN_POWER, False
    is_small = word.lower() in SMALL_WORDS
    if word in _SMALL_PRODUCTS or (not is_small and (len(word) == 2 or _SEQUENCE.fullmatch(word))):
        return Slot.PRODUCT, False
    return Slot.PROSE, False


_SMALL_PRODUCTS = frozenset(("it", "is", "in", "iv", "na", "ma", "at", "as"))
"""Words that are also products, such as in ``e^(it)``."""

_SEQUENCE = re.compile(r"[a-d]{3,4}|[i-n]{3}|[p-t]{3}|[u-z]{3,4}|GL|P?[GS]L|[A-D]{3,4}|[PSG][LOU]")


_JOINED_DIFFERENTIALS = re.compile(r"(?!idx)[a-z]?(?:d[xyztuvr]){1,3}")


def _joined_function(word: str) -> int:
    """Where the argument begins that is joined to the name of a function, as in ``sinx``."""
    if word[-1] in "xtnzθ" and word[:-1] in APPLIED and len(word) < 9:
        return len(word) - 1
    return 0


@lru_cache(1 << 12)
def _command_slot(command: str) -> tuple[Slot, bool]:
    name = command.rstrip("*")
    if name == "\\not":
        return Slot.GLUE, True
    if CONSTRUCTS.get(name) is ignore or name in FENCE_LEAVES or name == "\\\\":
        return Slot.GLUE, name[1:].isalpha()
    if name in _PREFIX_COMMANDS:
        return Slot.PREFIX, True
    if name in LEAVES:
        if not name[1:].isalpha():
            return Slot.STOP, False
        if name[1:] in LETTERS:
            return Slot.OPERAND, True
        return (Slot.BINARY if name[1:] in OPERATORS else Slot.PREFIX), True
    return Slot.PREFIX, name in CONSTRUCTS and name[1:].isalpha()


def is_big_operator(element: Element) -> bool:
    """Whether an element is the name of an operator that needs limits."""
    return element.text in BIG_OPERATORS
