r"""What the text of a Task 3 answer is: prose with LaTeX between dollar signs, of bounded length.

Here is where the mathematics of such a text stands. What is compared of it is for the measures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from porism.model import Content, Formula

LONGEST_ANSWER = 1200
"""How many Unicode characters the lab allows an answer to have (S3 section 6)."""

DOLLARS: Mapping[str, str] = {"$": "$", "$$": "$$"}
"""Where mathematics begins in the lab's files, and where it then ends."""

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
"""All that LaTeX has, since language models often write parentheses after a backslash."""

_MARK = re.compile(r"\\(?:begin|end)\{[A-Za-z]+\*?\}|\\.|\$", re.DOTALL)


class AnswerPiece(NamedTuple):
    """A part of a text without its delimiters, and whether it is mathematics."""

    text: str
    is_math: bool


def math_pieces(text: str, delimiters: Mapping[str, str] = DELIMITERS) -> list[AnswerPiece]:
    r"""The text parted where mathematics begins and ends; an opening that nothing closes is prose.

    A dollar sign after a backslash is none, and one after two backslashes is one, as in LaTeX.

    >>> [text for text, is_math in math_pieces(r"\(x\) costs \$5, $y$$z$ costs $6") if is_math]
    ['x', 'y', 'z']
    """
    marks = [(found.start(), found.end(), found.group()) for found in _MARK.finditer(text)]
    pieces = []
    unclosed: set[str] = set()  # asked for once and not found: further on there is none either
    done = at = 0
    while at < len(marks):
        start, end, opening = marks[at]
        if opening == "$" and _is_double(marks, at):
            end, opening = end + 1, "$$"
        after = at + len(opening) if opening == "$$" else at + 1
        closing = delimiters.get(opening)
        last = None
        if closing is not None and closing not in unclosed:
            last = _place(marks, after, closing)
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
    """Whether the dollar sign at a place is the first of two in a row."""
    return at + 1 < len(marks) and marks[at + 1][2] == "$" and marks[at + 1][0] == marks[at][1]


def _place(marks: list[tuple[int, int, str]], at: int, closing: str) -> int | None:
    """The next mark that closes; where one dollar sign is asked for, the first of two will do."""
    for place in range(at, len(marks)):
        if closing == "$$":
            if marks[place][2] == "$" and _is_double(marks, place):
                return place
        elif marks[place][2] == closing:
            return place
    return None


def math_marked(text: str) -> str:
    """The text with ``[MATH]`` and ``[/MATH]`` around each formula, as MathBERTa learnt to read.

    As in the lab's scorer, only dollar signs are replaced, with a blank on either side. That one
    also loses the character before each of them, so the last of each formula; here all stay.

    >>> math_marked("so $x$ is")
    'so  [MATH] x [/MATH]  is'
    """
    return "".join(
        f" [MATH] {piece.text} [/MATH] " if piece.is_math else piece.text
        for piece in math_pieces(text, DOLLARS)
    )


def plain_text(content: Content) -> str:
    """What a post says, as an answer of Task 3 would say it: formulas between dollar signs.

    >>> plain_text(("As ", Formula("1", "x^2"), " grows,"))
    'As $x^2$ grows,'
    """
    return "".join(f"${part.latex}$" if isinstance(part, Formula) else part for part in content)


def within_limit(text: str) -> str:
    """The text up to the length that the lab allows."""
    return text[:LONGEST_ANSWER]
