"""LaTeX put together from factors and operators, and conventions of writing it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from porism.formula.symbols import SUBSCRIPTS, SUPERSCRIPTS


class LatexPiece(NamedTuple):
    """LaTeX of a factor or an operator; ``bare`` is a factor without its brackets."""

    latex: str
    is_factor: bool
    is_spaced: bool
    bare: str = ""


def joined(pieces: Sequence[LatexPiece]) -> str:
    """The pieces with the spaces that they had, and those that LaTeX needs."""
    texts: list[str] = []
    for piece in pieces:
        if texts and (piece.is_spaced or needs_space(texts[-1], piece.latex)):
            texts.append(" ")
        texts.append(piece.latex)
    return "".join(texts)


def needs_space(left: str, right: str) -> bool:
    """Whether a command would go on in what follows it."""
    return right[:1].isalpha() and _ENDS_IN_COMMAND.search(left) is not None


_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+\Z")


def without_brackets(pieces: Sequence[LatexPiece]) -> str:
    """The pieces as the part of a fraction: a factor in brackets needs none there."""
    return pieces[0].bare if len(pieces) == 1 and pieces[0].bare else joined(pieces)


def braced(latex: str) -> str:
    """LaTeX as a script."""
    return latex if len(latex) == 1 else f"{{{latex}}}"


def postfix_latex(text: str) -> str:
    """The LaTeX of what follows an operand: small digits and letters, primes, degrees.

    >>> [postfix_latex(text) for text in ("²", "₁₀", "″", "!")]
    ['^2', '_{10}', "''", '!']
    """
    if text[0] in SUPERSCRIPTS:
        return "^" + braced("".join(SUPERSCRIPTS[char] for char in text))
    if text[0] in SUBSCRIPTS:
        return "_" + braced("".join(SUBSCRIPTS[char] for char in text))
    return {"’": "'", "′": "'", "″": "''", "‴": "'''", "°": r"^{\circ}"}.get(text, text)


def with_set_letters(latex: str, scripts: str) -> str:
    r"""A letter with the scripts by which it is the name of a set, in its style.

    >>> with_set_letters("Z", "_p"), with_set_letters("R", "^n"), with_set_letters("Z", "^2")
    ('\\mathbb{Z}', '\\mathbb{R}', 'Z')
    """
    is_set = (
        (latex == "Z" and _RESIDUES.match(scripts))
        or (latex == "F" and scripts in ("_p", "_q"))
        or (latex == "Q" and scripts == "_p")
        or (latex == "R" and _SPACES.match(scripts))
    )
    return rf"\mathbb{{{latex}}}" if is_set else latex


_RESIDUES = re.compile(r"_(?:[a-z0-9]|\{\d+\}|\{p\^.*\})\Z")
_SPACES = re.compile(r"\^[nmd3]\Z")


def structure_quotient(top: str, bottom: str) -> str:
    r"""A quotient of groups or rings, which is written with a slash; empty for other quotients.

    >>> structure_quotient("Z", "nZ"), structure_quotient("G", "H"), structure_quotient("a", "b")
    ('\\mathbb{Z}/n\\mathbb{Z}', 'G/H', '')
    """
    if not _STRUCTURE.fullmatch(top) or not _STRUCTURE_END.search(bottom):
        return ""
    if top == "Z" and bottom.endswith("Z"):
        return rf"\mathbb{{Z}}/{bottom[:-1]}\mathbb{{Z}}"
    return f"{top}/{bottom}"


_STRUCTURE = re.compile(r"[A-Z]|\\mathbb\{.\}|[A-Za-z]\[[A-Za-z, ]+\]")
_STRUCTURE_END = re.compile(r"(?:[A-Z]|\\mathbb\{.\}|\))\Z")
