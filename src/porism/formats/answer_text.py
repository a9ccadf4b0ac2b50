"""The text of a Task 3 answer: prose with LaTeX between dollar signs, of bounded length.

This module locates the mathematics in such a text; the measures compare it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from porism.model import Content, Formula

MAX_ANSWER_LENGTH = 1200
"""The lab's limit in Unicode characters (S3 section 6)."""

DOLLARS: Mapping[str, str] = {"$": "$", "$$": "$$"}
"""The delimiters of mathematics in the lab's files: closing by opening."""

_ENVIRONMENTS = "align alignat displaymath eqnarray equation flalign gather math multline".split()

DELIMITERS: Mapping[str, str] = {
    **DOLLARS,
    r"\(": r"\)",
    r"\[": r"\]",
    **{
        rf"\begin{{{name}{star}}}": rf"\end{{{name}{star}}}"
        for name in _ENVIRONMENTS
        for star in ("", "*")
    },
}
"""All delimiters of LaTeX, since language models often write ``\\(`` and ``\\)``."""

_MARK = re.compile(r"\\(?:begin|end)\{[A-Za-z]+\*?\}|\\.|\$", re.DOTALL)


class AnswerPiece(NamedTuple):
    """A piece of a text without delimiters, and whether it is mathematics."""

    text: str
    is_math: bool


def math_pieces(text: str, delimiters: Mapping[str, str] = DELIMITERS) -> list[AnswerPiece]:
    r"""The text split where mathematics begins and ends; an unclosed delimiter is prose.

    As in LaTeX, a dollar sign after one backslash is no delimiter, after two it is.

    >>> [text for text, is_math in math_pieces(r"\(x\) costs \$5, $y$$z$ costs $6") if is_math]
    ['x', 'y', 'z']
    """
    marks = [(match.start(), match.end(), match.group()) for match in _MARK.finditer(text)]
    pieces = []
    unclosed: set[str] = set()  # closing delimiters that do not occur in the rest of the text
    done = at = 0
    while at < len(marks):
        start, end, opening = marks[at]
        if opening == "$" and _is_double(marks, at):
            end, opening = end + 1, "$$"
        after = at + len(opening) if opening == "$$" else at + 1
        closing = delimiters.get(opening)
        last = None
        if closing is not None and closing not in unclosed:
            last = _closing_mark(marks, after, closing)
        if closing is None or last is None:
            unclosed.update([closing] if closing is not None else [])
            at = after
            continue
        pieces += [
            AnswerPiece(text[done:start], False),
            AnswerPiece(text[end : marks[last][0]], True),
        ]
        done = marks[last][0] + len(closing)
        at = last + (2 if closing == "$$" else 1)
    pieces.append(AnswerPiece(text[done:], False))
    return [piece for piece in pieces if piece.text]


def _is_double(marks: list[tuple[int, int, str]], at: int) -> bool:
    """Whether the dollar sign at a position is the first of two in a row."""
    return at + 1 < len(marks) and marks[at + 1][2] == "$" and marks[at + 1][0] == marks[at][1]


def _closing_mark(marks: list[tuple[int, int, str]], at: int, closing: str) -> int | None:
    """The next closing mark; the first of two dollar signs also closes a single one."""
    for place in range(at, len(marks)):
        if closing == "$$":
            if marks[place][2] == "$" and _is_double(marks, place):
                return place
        elif marks[place][2] == closing:
            return place
    return None


def math_marked(text: str) -> str:
    """The text with ``[MATH]`` and ``[/MATH]`` around each formula, as MathBERTa was trained.

    As in the lab's scorer, only dollar signs are replaced, with a space on either side. The lab's
    scorer also loses the character before each dollar sign; here all are kept.

    >>> math_marked("so $x$ is")
    'so  [MATH] x [/MATH]  is'
    """
    return "".join(
        f" [MATH] {piece.text} [/MATH] " if piece.is_math else piece.text
        for piece in math_pieces(text, DOLLARS)
    )


def plain_text(content: Content) -> str:
    """The text of a post in the format of Task 3 answers: formulas between dollar signs.

    >>> plain_text(("As ", Formula("1", "x^2"), " grows,"))
    'As $x^2$ grows,'
    """
    return "".join(f"${part.latex}$" if isinstance(part, Formula) else part for part in content)


def within_limit(text: str) -> str:
    """The text cut at the lab's limit."""
    return text[:MAX_ANSWER_LENGTH]
