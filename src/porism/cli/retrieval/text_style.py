"""How results are written for a person: colours, the width of lines, and readable formulas."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

import click

from porism.cli.terminal import WIDTH, harmless
from porism.formula.unicode_text import unicode_formula
from porism.model import Content, Formula, plain_text

_SHORT = 40
"""Characters of a formula up to which it stays on one line."""

_NO_BREAK = "\ue002"
"""A space at which no line ends; private, so that no text has it."""


@dataclass(frozen=True, slots=True)
class TextStyle:
    """What the output can show: colours, lines of ``width``, and the characters of formulas.

    ``can_show`` says whether a formula in Unicode can be printed; one that cannot, or that no line
    of text can show, is printed as LaTeX between dollars.
    """

    is_coloured: bool = False
    width: int = WIDTH
    can_show: Callable[[str], bool] = lambda text: True

    def title(self, text: str) -> str:
        return click.style(text, bold=True) if self.is_coloured else text

    def faint(self, text: str) -> str:
        return click.style(text, dim=True) if self.is_coloured else text

    @property
    def match_ends(self) -> tuple[str, str]:
        """What is printed before and after a match."""
        if not self.is_coloured:
            return "«", "»"
        begin, end = click.style("\0", fg="green", bold=True).split("\0")
        return begin, end

    def text(self, content: Content) -> str:
        """Content as harmless text for ``lines``, with readable formulas."""
        return "".join(map(self._piece, content))

    def lines(self, text: str) -> list[str]:
        """The lines of a text, indented by four columns; short formulas are not broken."""
        wrapped = textwrap.wrap(
            text.strip(), self.width - 4, break_long_words=False, break_on_hyphens=False
        )
        return [line.replace(_NO_BREAK, " ") for line in wrapped]

    def latex(self, latex: str) -> str:
        """A formula without macros and dollars."""
        return self._unicode(latex) or harmless(latex)

    def _piece(self, piece: str | Formula) -> str:
        if isinstance(piece, str):
            return harmless(piece)
        text = self._unicode(piece.latex, piece.macros)
        if text is None:
            return harmless(plain_text((piece,)))
        return text.replace(" ", _NO_BREAK) if len(text) <= _SHORT else text

    def _unicode(self, latex: str, macros: str = "") -> str | None:
        text = unicode_formula(latex, macros)
        return harmless(text) if text is not None and self.can_show(text) else None


def style_of_output(is_coloured: bool, is_latex: bool = False) -> TextStyle:
    """The style for standard output; lines are as wide as its terminal, up to a limit."""
    width = WIDTH
    if sys.stdout.isatty():
        width = max(40, min(WIDTH, shutil.get_terminal_size().columns))
    return TextStyle(is_coloured, width, _shows_nothing if is_latex else _is_encodable)


def _shows_nothing(text: str) -> bool:
    return False


def _is_encodable(text: str) -> bool:
    """Whether standard output has all characters of a text."""
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True
