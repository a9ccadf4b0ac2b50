"""Formulas in plain text and Unicode as LaTeX.

What is read: AsciiMath, the syntax of calculators, and signs and letters of Unicode. A quotient
``a/b`` is a fraction of the factors that touch the slash, except for quotients of structures such
as ``G/H``. Brackets around an exponent, a numerator or an argument of a root are not printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from porism.query.undelimited.latex_pieces import (
    LatexPiece,
    braced,
    joined,
    needs_space,
    postfix_latex,
    structure_quotient,
    with_set_letters,
    without_brackets,
)
from porism.query.undelimited.lexer import Element, Slot
from porism.query.undelimited.math_names import (
    ACCENTS,
    BIG_OPERATORS,
    FRACTIONS,
    FUNCTIONS,
    NAMES,
    ROOTS,
    SPOKEN_OPERATORS,
    SPOKEN_POWERS,
    STRUCTURES,
    WORD_OPERATORS,
    sign_latex,
)


def plain_latex(elements: Sequence[Element]) -> str:
    r"""The LaTeX of the elements of a formula without LaTeX."""
    return joined(_pieces(elements))


_SIGNS = frozenset(
    (
        Slot.BINARY, Slot.WORD_OPERATOR, Slot.COMMA, Slot.BAR, Slot.GLUE, Slot.OPEN, Slot.CLOSE,
        Slot.STOP, Slot.SCRIPT, Slot.POSTFIX,
    )
)  # fmt: skip
_BIG_SIGNS = frozenset("∑∏∐∫∬∭∮∯∰⋂⋃⨁⨂⨆⋁⋀∀∃∄¬")


def _pieces(elements: Sequence[Element]) -> list[LatexPiece]:
    pieces: list[LatexPiece] = []
    at, is_spaced = 0, False
    while at < len(elements):
        element = elements[at]
        if element.slot is Slot.SPACE:
            at, is_spaced = at + 1, True
            continue
        if element.text in ("/", "over", "∕", "⁄", "choose"):
            at = _add_quotient(pieces, elements, at, is_spaced)
        elif element.slot is Slot.SPOKEN_POWER and pieces:
            _add_spoken_power(pieces, element.text)
            at += 1
        elif element.text == "*" and pieces and at + 1 == len(elements):  # as in C*-algebra
            pieces[-1] = LatexPiece(pieces[-1].latex + "^*", True, pieces[-1].is_spaced)
            at += 1
        elif _is_sign(element):
            pieces.append(LatexPiece(_sign(element), False, is_spaced))
            at += 1
        else:
            latex, bare, end = _factor(elements, at)
            is_factor = not _is_big(element)
            pieces.append(LatexPiece(latex, is_factor, is_spaced, bare))
            at = end
        is_spaced = False
    return pieces


def _is_sign(element: Element) -> bool:
    return element.slot in _SIGNS


def _is_big(element: Element) -> bool:
    return element.text in _BIG_SIGNS or element.text in BIG_OPERATORS


def _sign(element: Element) -> str:
    text = element.text
    if element.slot is Slot.WORD_OPERATOR:
        return SPOKEN_OPERATORS.get(text) or WORD_OPERATORS[text]
    if element.slot is Slot.SCRIPT:
        return "^" if text == "**" else text
    if element.slot is Slot.POSTFIX:
        return postfix_latex(text)
    if text == "||":
        return r"\|"
    return r"\{" if text == "{" else r"\}" if text == "}" else sign_latex(text)


# Factors ----------------------------------------------------------------------------------------


def _factor(elements: Sequence[Element], at: int) -> tuple[str, str, int]:
    """A factor with its scripts and arguments, the same without brackets, and where it ends."""
    element = elements[at]
    if element.slot is Slot.FUNCTION and element.text in STRUCTURES:
        latex, at = _structure(elements, at)
        bare = ""
    elif element.text in ROOTS:
        argument, at = _argument(elements, at + 1)
        index = f"[{ROOTS[element.text]}]" if ROOTS[element.text] else ""
        latex, bare = rf"\sqrt{index}{{{argument}}}", ""
    else:
        latex, bare = _atom(element)
        at += 1
    scripts, at = _scripts(elements, at)
    if scripts:
        latex, bare = with_set_letters(latex, scripts) + scripts, ""
    if element.slot is Slot.FUNCTION and element.text not in STRUCTURES and not _is_big(element):
        argument, at = _application(elements, at)
        latex += argument
    return latex, bare, at


def _atom(element: Element) -> tuple[str, str]:
    """The LaTeX of one element, and, in round brackets or braces, what these have."""
    if element.slot is Slot.GROUP:
        return _group(element)
    return _leaf(element), ""


def _leaf(element: Element) -> str:
    text = element.text
    if element.slot is Slot.FUNCTION:
        return FUNCTIONS.get(text, text)
    if text in NAMES:
        return NAMES[text]
    if text[0] == ".":
        return r"\ldots" if len(text) > 2 and text[1] == "." else text
    if text in FRACTIONS:
        top, bottom = FRACTIONS[text].split("/")
        return rf"\frac{{{top}}}{{{bottom}}}"
    if element.slot is Slot.DIFFERENTIAL:
        return "d" + NAMES.get(text[1:], _letters(text[1:]))
    if len(text) == 2 and text[1] in ACCENTS:
        return f"{ACCENTS[text[1]]}{{{text[0]}}}"
    return _letters(text)


def _letters(text: str) -> str:
    return text if text.isascii() else _spaced(map(sign_latex, text))


def _spaced(latex: Iterable[str]) -> str:
    return joined([LatexPiece(each, True, False) for each in latex])


def _group(group: Element) -> tuple[str, str]:
    children = group.children
    if group.text == "()" and children and children[0].text == "mod":
        return rf"\pmod{{{plain_latex(children[1:]).strip()}}}", ""
    if group.text == "[]" and all(map(_is_row, _items(children))):
        rows = (child for child in children if child.slot is Slot.GROUP)
        cells = (" & ".join(map(plain_latex, _items(row.children))) for row in rows)
        return r"\begin{pmatrix}" + r" \\ ".join(cells) + r"\end{pmatrix}", ""
    inner = plain_latex(children).strip()
    if group.text == "()" and any(child.text == "choose" for child in children):
        return inner, ""
    half = len(group.text) // 2
    opener, closer = _FENCES.get(group.text, (group.text[:half], group.text[half:]))
    return f"{opener}{inner}{closer}", inner if group.text in ("()", "{}") else ""


def _is_row(item: Sequence[Element]) -> bool:
    """Whether an item of a list is a row of a matrix, as in ``[[1, 2], [3, 4]]``."""
    return len(item) == 1 and item[0].slot is Slot.GROUP and item[0].text == "[]"


_FENCES = {"{}": (r"\{", r"\}"), "||||": (r"\|", r"\|"), "‖‖": (r"\|", r"\|")}
_FENCES["∥∥"] = (r"\|", r"\|")


def _items(children: Sequence[Element]) -> list[list[Element]]:
    """The elements between commas."""
    items: list[list[Element]] = [[]]
    for child in children:
        if child.slot is Slot.COMMA:
            items.append([])
        elif child.slot is not Slot.SPACE or items[-1]:
            items[-1].append(child)
    return items


def _application(elements: Sequence[Element], at: int) -> tuple[str, int]:
    """What a function is applied to: brackets, or the factors after it that touch each other."""
    start = at
    if at < len(elements) and elements[at].slot is Slot.SPACE:
        at += 1
    if at >= len(elements) or _is_sign(elements[at]) or elements[at].slot is Slot.SPOKEN_POWER:
        return "", start
    if (quotient := _quotient_of_pi(elements, at)) is not None:
        return f" {quotient}", at + 3
    latex, _, at = _factor(elements, at)
    space = "" if latex[:1] in "([|{\\" and at - start == 1 else " "
    while (
        elements[at - 1].slot is not Slot.GROUP
        and at < len(elements)
        and elements[at].slot in (Slot.LETTER, Slot.OPERAND)
    ):
        more, _, at = _factor(elements, at)
        latex += (" " if needs_space(latex, more) else "") + more
    return space + latex, at


def _quotient_of_pi(elements: Sequence[Element], at: int) -> str | None:
    """The fraction of ``sin pi/4``, which is no quotient of a sine."""
    quotient = elements[at : at + 3]
    if len(quotient) < 3 or quotient[0].text not in ("pi", "π") or quotient[1].text != "/":
        return None
    number = quotient[2]
    return rf"\frac{{\pi}}{{{number.text}}}" if number.slot is Slot.NUMBER else None


def _argument(elements: Sequence[Element], at: int) -> tuple[str, int]:
    """The argument of a root or accent, without its brackets."""
    if at < len(elements) and elements[at].slot is Slot.SPACE:
        at += 1
    if at >= len(elements):
        return "", at
    element = elements[at]
    if element.slot is Slot.FUNCTION or element.text in ROOTS:
        latex, _, at = _factor(elements, at)
        return latex, at
    if _is_sign(element):
        return "", at
    latex, bare = _atom(element)
    return bare or latex, at + 1


def _structure(elements: Sequence[Element], at: int) -> tuple[str, int]:
    """A construct whose name is typed before its arguments, such as a root."""
    name = elements[at].text
    group = elements[at + 1] if at + 1 < len(elements) else None
    items = _items(group.children) if group is not None and group.slot is Slot.GROUP else []
    if name in ("binom", "binomial", "nCr") and len(items) == 2:
        top, bottom = map(plain_latex, items)
        return rf"\binom{{{top.strip()}}}{{{bottom.strip()}}}", at + 2
    if name in ("frac", "root", "binom"):
        first, at = _argument(elements, at + 1)
        second, at = _argument(elements, at)
        return _TWO_ARGUMENTS[name].format(first, second), at
    argument, at = _argument(elements, at + 1)
    return _ONE_ARGUMENT.get(name, rf"\{name}{{{{{{}}}}}}").format(argument), at


_TWO_ARGUMENTS = {"frac": r"\frac{{{}}}{{{}}}", "root": r"\sqrt[{}]{{{}}}"}
_TWO_ARGUMENTS["binom"] = r"\binom{{{}}}{{{}}}"
_ONE_ARGUMENT = {
    "sqrt": r"\sqrt{{{}}}", "cbrt": r"\sqrt[3]{{{}}}", "abs": "|{}|", "norm": r"\|{}\|",
    "floor": r"\lfloor {}\rfloor", "ceil": r"\lceil {}\rceil", "conj": r"\overline{{{}}}",
    "binomial": r"\binom{{{}}}{{}}", "nCr": r"\binom{{{}}}{{}}",
}  # fmt: skip


# Scripts ----------------------------------------------------------------------------------------


def _scripts(elements: Sequence[Element], at: int) -> tuple[str, int]:
    """The scripts and other signs after an atom, and where they end."""
    latex = ""
    while at < len(elements):
        element = elements[at]
        is_spaced = element.slot is Slot.SPACE
        if is_spaced and at + 1 < len(elements) and elements[at + 1].slot is Slot.SCRIPT:
            at, element = at + 1, elements[at + 1]
        if element.slot is Slot.SCRIPT:
            script, end = _script(elements, at + 1, element.text != "_")
            if end == at + 1:
                break
            if _has_factors(elements, at, end):
                latex += f"^{script[1]}" + script[2:-1]
                at = end
                break
            latex += ("_" if element.text == "_" else "^") + script
            at = end
        elif element.slot is Slot.POSTFIX:
            latex += postfix_latex(element.text)
            at += 1
        else:
            break
    return latex, at


def _has_factors(elements: Sequence[Element], at: int, end: int) -> bool:
    """Whether only the first letter of a word is the power, as in ``A^TA``; not in ``e^ix``."""
    return (
        end == at + 2
        and elements[at + 1].slot is Slot.PRODUCT
        and elements[at].text == "^"
        and elements[at - 1].text != "e"
    )


def _script(elements: Sequence[Element], at: int, is_power: bool) -> tuple[str, int]:
    """A script; powers of powers belong to it, as in ``2^2^n``."""
    while at < len(elements) and elements[at].slot is Slot.SPACE:
        at += 1
    sign = ""
    if at < len(elements) and elements[at].text in ("-", "+", "−", "±", "*"):
        sign = sign_latex(elements[at].text) if elements[at].text != "*" else "*"
        at += 1
        if sign == "*":
            return sign, at
    if at >= len(elements) or (_is_sign(elements[at]) and elements[at].slot is not Slot.OPEN):
        return (braced(sign), at) if sign else ("", at)
    element = elements[at]
    if element.slot is Slot.FUNCTION or element.text in ROOTS:
        latex, _, at = _factor(elements, at)
    else:
        latex, bare = _atom(element)
        latex, at = bare or latex, at + 1
    if is_power and at < len(elements) and elements[at].text in ("^", "**"):
        power, at = _script(elements, at + 1, is_power)
        latex += "^" + power
    return braced(sign + latex), at


# Quotients --------------------------------------------------------------------------------------


def _add_quotient(
    pieces: list[LatexPiece], elements: Sequence[Element], at: int, is_spaced: bool
) -> int:
    """Replace the numerator at the end of the pieces by the quotient; return where that ends."""
    first = len(pieces)
    while first and pieces[first - 1].is_factor:
        first -= 1
        if pieces[first].is_spaced and not is_spaced:
            break
    top = pieces[first:]
    bottom, end = _denominator(elements, at + 1)
    if not top or not bottom:
        sign = elements[at].text
        latex = {"choose": r"\choose", "over": "/"}.get(sign, "/")
        pieces.append(LatexPiece(latex, False, is_spaced))
        return at + 1
    del pieces[first:]
    spaced = top[0].is_spaced
    numerator = without_brackets([top[0]._replace(is_spaced=False), *top[1:]])
    denominator = without_brackets(bottom)
    if elements[at].text == "choose":
        latex = rf"\binom{{{numerator}}}{{{denominator}}}"
    elif (quotient := structure_quotient(joined(top).strip(), joined(bottom).strip())) != "":
        latex = quotient
    else:
        latex = rf"\frac{{{numerator}}}{{{denominator}}}"
    pieces.append(LatexPiece(latex, True, spaced))
    return end


def _denominator(elements: Sequence[Element], at: int) -> tuple[list[LatexPiece], int]:
    if at < len(elements) and elements[at].slot is Slot.SPACE:
        at += 1
    pieces: list[LatexPiece] = []
    while at < len(elements) and not _is_sign(elements[at]):
        element = elements[at]
        if element.slot in (Slot.SPACE, Slot.SPOKEN_POWER) or (
            pieces and (element.slot in (Slot.NUMBER, Slot.FUNCTION) or element.text in ROOTS)
        ):
            break
        is_call = element.slot is Slot.GROUP and elements[at - 1].slot in (
            Slot.LETTER, Slot.OPERAND, Slot.PRODUCT
        )  # fmt: skip
        if pieces and element.slot is Slot.GROUP and not is_call:
            break
        latex, bare, at = _factor(elements, at)
        pieces.append(LatexPiece(latex, True, False, bare))
        if element.slot is Slot.GROUP:
            break
    return pieces, at


def _add_spoken_power(pieces: list[LatexPiece], word: str) -> None:
    last = pieces[-1]
    latex = last.latex + ("!" if word == "factorial" else "^" + SPOKEN_POWERS[word])
    pieces[-1] = LatexPiece(latex, last.is_factor, last.is_spaced)
