"""The HTML that readers of documents write: formulas as spans, prose so that it stays prose.

Whoever reads that HTML later looks for formulas between dollar signs too. A reader that already
knows what is a formula and what is not therefore writes the signs of its prose as entities.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from porism.formats.documents.source_text import clean_text
from porism.formats.markup.html_syntax import escaped


class HtmlFragment(NamedTuple):
    """What a text became: its HTML, and what it says of itself where it does."""

    body: str
    title: str = ""
    tags: tuple[str, ...] = ()
    created: str | None = None
    macros: str = ""


def escaped_prose(text: str) -> str:
    """Text as HTML in which nothing is a formula, although it may hold dollar signs.

    >>> escaped_prose("$5 < $10")
    '&#36;5 &lt; &#36;10'
    """
    return _MATH_SIGNS.sub(lambda found: f"&#{ord(found[0])};", escaped(text))


# A backtick opens code in comments, so it too would be taken for more than it is.
_MATH_SIGNS = re.compile(r"[$\\`]")


def file_title(path: Path) -> str:
    """The file's name without its suffix as HTML, for documents that have no title of their own."""
    return escaped_prose(" ".join(clean_text(path.stem).split()))


def formula_span(latex: str) -> str:
    """A formula as HTML, or nothing if it is empty.

    >>> formula_span(" a < b ")
    '<span class="math-container">a &lt; b</span>'
    """
    latex = latex.strip()
    return f'<span class="math-container">{escaped(latex)}</span>' if latex else ""


def display_paragraph(latex: str) -> str:
    """A displayed formula as a paragraph of its own, or nothing if it is empty."""
    span = formula_span(latex)
    return f"<p>{span}</p>\n" if span else ""


def code_block(code: str) -> str:
    """Lines of a program as HTML."""
    return f"<pre><code>{escaped(code)}</code></pre>\n"
