"""The HTML that document readers produce: formulas as spans, and prose that stays prose.

That HTML is later searched for formulas between dollar signs. A reader that already knows the
formulas therefore writes dollar signs in its prose as entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from porism.formats.documents.source_text import clean_text
from porism.formats.dumps.rows import FilePart, PostRow
from porism.formats.markup.html_syntax import escaped
from porism.model import PostKind


class HtmlFragment(NamedTuple):
    """A text as HTML, with its metadata as far as it has any."""

    body: str
    title: str = ""
    tags: tuple[str, ...] = ()
    created: str | None = None
    macros: str = ""


def fragment_documents(fragment: HtmlFragment, path: Path, name: str) -> Iterator[PostRow]:
    """One document, by default with the file's name as title; none if the fragment is empty."""
    if fragment.body:
        yield PostRow(
            0,
            PostKind.DOCUMENT,
            fragment.title or file_title(path),
            fragment.body,
            tags=fragment.tags,
            created=fragment.created,
            name=name,
            macros=fragment.macros,
            line=1,
            part=FilePart(name),
        )


def escaped_prose(text: str) -> str:
    """Text as HTML without formulas, although it may have dollar signs.

    >>> escaped_prose("$5 < $10")
    '&#36;5 &lt; &#36;10'
    """
    return _MATH_SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", escaped(text))


# Backticks are included because they delimit code in comments.
_MATH_SIGNS = re.compile(r"[$\\`]")


def file_title(path: Path) -> str:
    """The file's name without its suffix as HTML, for documents without a title."""
    return escaped_prose(" ".join(clean_text(path.stem).split()))


def formula_span(latex: str) -> str:
    """A formula as HTML; empty for a blank formula.

    >>> formula_span(" a < b ")
    '<span class="math-container">a &lt; b</span>'
    """
    latex = latex.strip()
    return f'<span class="math-container">{escaped(latex)}</span>' if latex else ""


def display_paragraph(latex: str) -> str:
    """A displayed formula as a paragraph; empty for a blank formula."""
    span = formula_span(latex)
    return f"<p>{span}</p>\n" if span else ""


DOCUMENT_SCHEME = "document:"
"""The scheme of links from one document to another, by its name, percent-encoded."""


def document_link_tag(name: str) -> str:
    """The opening tag of a link to another document.

    >>> document_link_tag("notes/a b.md#groups")
    '<a href="document:notes/a%20b.md%23groups">'
    """
    return f'<a href="{DOCUMENT_SCHEME}{quote(name)}">'


def code_block(code: str) -> str:
    """Code as HTML."""
    return f"<pre><code>{escaped(code)}</code></pre>\n"
