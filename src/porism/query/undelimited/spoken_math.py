r"""Formulas that are typed as people say them: "integral of x^2 from 0 to 1", "square root of 2".

A phrase becomes a formula only if its operands are mathematics, so "integral of a function" stays
words. A sum needs limits: the formula of "sum of 1/n" is ``1/n``. The words that name an operation
stay searchable beside the formula, see ``meaningful_words``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from porism.query.undelimited.element_rows import ARTICLES
from porism.query.undelimited.formula_runs import run_at
from porism.query.undelimited.latex_math import formula_latex, is_latex
from porism.query.undelimited.lexer import Element, Slot


class SpokenFormula(NamedTuple):
    """A formula up to before the element ``end``."""

    latex: str
    end: int


def spoken_formula(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    """The formula that is said from an element on, if any.

    Who writes LaTeX writes the whole formula in LaTeX, so words before it are words.
    """
    reader = _READERS.get(elements[at].text.lower())
    spoken = reader(elements, at) if reader is not None else None
    return None if spoken is None or is_latex(elements[at : spoken.end]) else spoken


def spoken_power(elements: Sequence[Element], start: int, end: int) -> SpokenFormula | None:
    """A formula that goes on after its first operand in words: "x to the power of n"."""
    ending = _power(elements, end)
    if ending is None:
        return None
    return SpokenFormula(formula_latex(elements[start:end]) + ending.latex, ending.end)


def _power(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    """What goes on after an operand, as LaTeX."""
    _, word = _word(elements, at)
    if word in ("approaches", "goes", "tends"):
        start = _after(elements, at, "approaches") or _after(elements, at, word, "to")
        limit = _atom(elements, start) if start is not None else None
        return limit and SpokenFormula(rf" \to {limit.latex}", limit.end)
    start = _after(elements, at, "raised", "to", "the") or _after(elements, at, "to", "the")
    if start is None:
        return None
    power = _after(elements, start, "power", "of") or _after(elements, start, "power")
    if power is not None:
        exponent = _expression(elements, power)
        return exponent and SpokenFormula(f"^{{{exponent.latex}}}", exponent.end)
    index, word = _word(elements, start)
    if word in _ORDINALS:
        stop = _after(elements, index + 1, "power") or index + 1
        return SpokenFormula(f"^{_ORDINALS[word]}", stop)
    return None


def meaningful_words(source: str) -> str:
    """The words of a spoken formula by which texts are found too, such as "integral".

    Not those that only join its parts: an answer to "integral of x from 0 to 1" need not have
    "from".

    >>> meaningful_words("the integral of x from 0 to infinity")
    'integral'
    """
    words = re.findall(r"[A-Za-z]+", source)
    return " ".join(word for word in words if word.lower() in _MEANINGFUL)


_MEANINGFUL = frozenset(
    """
    integral integrate sum summation series product limit root square cube absolute value log mod
    modulo
    """.split()
)
_ORDINALS = {
    "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7", "eighth": "8",
    "ninth": "9", "tenth": "{10}", "nth": "n",
}  # fmt: skip
_ROOTS = {"square": "", "cube": "3", "cubic": "3", **_ORDINALS}
_CLAUSES = frozenset("of from to as with wrt for over when between and where is".split())
_LONGEST = 120
"""Elements of one clause."""


# Words and clauses ------------------------------------------------------------------------------


def _word(elements: Sequence[Element], at: int) -> tuple[int, str]:
    """The place and the text of the next element that is not a space."""
    while at < len(elements) and elements[at].slot is Slot.SPACE:
        at += 1
    return (at, elements[at].text.lower()) if at < len(elements) else (at, "")


def _after(elements: Sequence[Element], at: int | None, *words: str) -> int | None:
    """The place after these words, if they come next."""
    if at is None:
        return None
    for expected in words:
        at, word = _word(elements, at)
        if word != expected:
            return None
        at += 1
    return at


def _expression(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    """The expression that comes next, before a word that begins a clause."""
    at, word = _word(elements, at)
    sign = ""
    if word in ("minus", "negative"):
        sign = "-"
        at, word = _word(elements, at + 1)
    stop = at
    last = min(len(elements), at + _LONGEST)
    while stop < last and elements[stop].text not in _CLAUSES:
        stop += 1
    clause = elements[at:stop]
    run = run_at(clause, 0)
    if run.end == 0:
        return None
    is_word = run.end < len(clause) and run.end == 1 and clause[0].text in ARTICLES
    if is_word or (clause[0].slot is Slot.FUNCTION and run.end == 1):
        return None
    return SpokenFormula(sign + formula_latex(clause[: run.end]), at + run.end)


def _atom(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    """One operand with its sign and scripts, as after an arrow."""
    at, word = _word(elements, at)
    start = at
    if word in ("-", "+", "−"):
        at += 1
    if word in ("minus", "negative"):
        start = at = _word(elements, at + 1)[0]
    if at >= len(elements) or elements[at].slot not in (
        Slot.LETTER, Slot.NUMBER, Slot.OPERAND, Slot.GROUP
    ):  # fmt: skip
        return None
    at += 1
    while at < len(elements) and elements[at].slot in (Slot.POSTFIX, Slot.SCRIPT):
        at += 2 if elements[at].slot is Slot.SCRIPT else 1
    latex = formula_latex(elements[start:at])
    return SpokenFormula(f"-{latex}" if word in ("minus", "negative") else latex, at)


def _scripts(lower: str, upper: str) -> str:
    return "".join(
        sign + (limit if len(limit) == 1 else f"{{{limit}}}")
        for sign, limit in (("_", lower), ("^", upper))
        if limit
    )


# Integrals, sums, limits ------------------------------------------------------------------------


def _limits(elements: Sequence[Element], at: int) -> tuple[SpokenFormula, SpokenFormula] | None:
    """Both ends of "from A to B" or "between A and B"."""
    for first, second in (("from", "to"), ("between", "and")):
        start = _after(elements, at, first)
        lower = _expression(elements, start) if start is not None else None
        middle = _after(elements, lower.end, second) if lower is not None else None
        upper = _expression(elements, middle) if middle is not None else None
        if lower is not None and upper is not None:
            return lower, upper
    return None


def _integral(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    body: SpokenFormula | None = None
    limits: tuple[SpokenFormula, SpokenFormula] | None = None
    variable = ""
    at += 1
    while True:
        if limits is None and (limits := _limits(elements, at)) is not None:
            at = limits[1].end
        elif body is None and (body := _body(elements, at)) is not None:
            at = body.end
        elif (stop := _after(elements, at, "with", "respect", "to")) or (
            stop := _after(elements, at, "wrt")
        ):
            letter = _atom(elements, stop)
            if letter is None:
                break
            variable, at = letter.latex, letter.end
        else:
            break
    if body is None or body.latex.startswith(_INTEGRALS):
        return None
    if limits is None and not variable and not _DIFFERENTIAL.search(body.latex):
        return _with_sign(body, None, "") if _is_compound(body.latex) else None
    return _with_sign(SpokenFormula(body.latex, at), limits, variable)


def _with_sign(
    body: SpokenFormula, limits: tuple[SpokenFormula, SpokenFormula] | None, variable: str
) -> SpokenFormula:
    scripts = _scripts(limits[0].latex, limits[1].latex) if limits is not None else ""
    latex = body.latex
    if not _DIFFERENTIAL.search(latex):
        variable = variable or _variable(latex)
        latex += f" d{variable}" if variable else ""
    return SpokenFormula(rf"\int{scripts} {latex}", body.end)


_INTEGRALS = (r"\int", r"\oint", r"\iint", "∫", "∬", "∮")
_DIFFERENTIAL = re.compile(r"(?<![A-Za-z\\])d(?:[a-z]|\\[a-z]+)(?![A-Za-z])")


def _is_compound(latex: str) -> bool:
    """Whether an expression is more than a letter or the name of a function."""
    return re.search(r"[\\^/0-9(]", latex) is not None and "dots" not in latex


def _variable(latex: str) -> str:
    """The variable of an expression: ``x`` or ``t`` if it has one of them, or its only letter."""
    letters = set(re.findall(r"(?<![A-Za-z\\{])[a-zA-Z](?![A-Za-z])", latex)) - {"e", "i", "f", "g"}
    letters |= {letter for letter in "xt" if re.search(rf"(?<![A-Za-z\\]){letter}", latex)}
    for letter in "xt":
        if letter in letters:
            return letter
    return letters.pop() if len(letters) == 1 else ""


def _body(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    start = _after(elements, at, "of", "the", "function") or _after(elements, at, "of")
    return _expression(elements, start if start is not None else at)


def _sum(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    sign = r"\prod" if elements[at].text.lower() == "product" else r"\sum"
    at += 1
    limits = _limits(elements, at)
    body = _body(elements, limits[1].end if limits is not None else at)
    if body is None:
        return None
    end = body.end
    if limits is None:
        start = _after(elements, end, "for")
        limits = _limits(elements, end)
        if start is not None and limits is None:
            limits = _index_limits(elements, start)
        if limits is None:
            return None
        end = limits[1].end
    return SpokenFormula(f"{sign}{_scripts(limits[0].latex, limits[1].latex)} {body.latex}", end)


def _index_limits(
    elements: Sequence[Element], at: int
) -> tuple[SpokenFormula, SpokenFormula] | None:
    """Both ends of "n from 1 to N" or "n = 1 to N", the first as an equation."""
    letter = _expression(elements, at)
    if letter is None:
        return None
    if (middle := _after(elements, letter.end, "to")) is not None and "=" in letter.latex:
        upper = _expression(elements, middle)
        return upper and (letter, upper)
    limits = _limits(elements, letter.end)
    if limits is None:
        return None
    return limits[0]._replace(latex=f"{letter.latex}={limits[0].latex}"), limits[1]


def _limit(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    at += 1
    approach = _approach(elements, at)
    if approach is not None:
        body = _body(elements, approach.end)
        end = body.end if body is not None else 0
    else:
        body = _body(elements, at)
        approach = _approach(elements, body.end) if body is not None else None
        end = approach.end if approach is not None else 0
    if body is None or approach is None:
        return None
    return SpokenFormula(rf"\lim_{{{approach.latex}}} {body.latex}", end)


def _approach(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    """The clause "as x approaches 0", or ``x -> 0``."""
    at = _after(elements, at, "as") or _after(elements, at, "when") or at
    at, word = _word(elements, at)
    if at >= len(elements) or elements[at].slot is not Slot.LETTER:
        return None
    variable = elements[at].text
    at, word = _word(elements, at + 1)
    if word in ("tends", "goes"):
        at, word = _word(elements, at + 1)
    if word not in ("->", "→", "-->", "=>", "to", "approaches", "approaching"):
        return None
    limit = _atom(elements, at + 1)
    return limit and SpokenFormula(rf"{variable} \to {limit.latex}", limit.end)


# Roots and the like -----------------------------------------------------------------------------


def _root(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    index = _ROOTS[elements[at].text.lower()]
    start = _after(elements, at + 1, "root", "of")
    radicand = _expression(elements, start) if start is not None else None
    if radicand is None:
        return None
    option = f"[{index}]" if index else ""
    return SpokenFormula(rf"\sqrt{option}{{{radicand.latex}}}", radicand.end)


def _absolute(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    start = _after(elements, at + 1, "value", "of")
    value = _expression(elements, start) if start is not None else None
    return value and SpokenFormula(f"|{value.latex}|", value.end)


def _logarithm(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    start = _after(elements, at + 1, "base")
    base = _atom(elements, start) if start is not None else None
    stop = _after(elements, base.end, "of") if base is not None else None
    value = _expression(elements, stop) if stop is not None else None
    if base is None or value is None:
        return None
    return SpokenFormula(rf"\log_{{{base.latex}}} {value.latex}", value.end)


def _modulus(elements: Sequence[Element], at: int) -> SpokenFormula | None:
    number = _atom(elements, at + 1)
    if number is None or elements[number.end - 1].text in ARTICLES:
        return None
    return SpokenFormula(rf"\bmod {number.latex}", number.end)


_READERS: dict[str, Callable[[Sequence[Element], int], SpokenFormula | None]] = {
    "integral": _integral, "integrate": _integral, "sum": _sum, "summation": _sum, "series": _sum,
    "product": _sum, "limit": _limit, "lim": _limit, "absolute": _absolute, "log": _logarithm,
    "logarithm": _logarithm, "mod": _modulus, **dict.fromkeys(_ROOTS, _root),
}  # fmt: skip
