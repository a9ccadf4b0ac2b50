"""Plain text as a document: paragraphs between blank lines, formulas still between dollars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.formats.documents.html_fragments import HtmlFragment, file_title
from porism.formats.documents.source_text import file_text
from porism.formats.dumps.rows import PostRow
from porism.formats.markup.html_syntax import escaped
from porism.model import PostKind


def read_plain_text(path: Path, name: str) -> Iterator[PostRow]:
    """The file as one document, or none if it is blank; its title is the file's name."""
    body = plain_text_html(file_text(path)).body
    if body:
        yield PostRow(0, PostKind.DOCUMENT, file_title(path), body, name=name, line=1)


def plain_text_html(text: str) -> HtmlFragment:
    """The text as HTML; what is a formula in it is left to whoever looks for delimiters.

    >>> plain_text_html("If $a < b$\\n\\nthen").body
    '<p>If $a &lt; b$</p>\\n<p>then</p>\\n'
    """
    paragraphs = (paragraph.strip() for paragraph in _BLANK_LINES.split(text))
    return HtmlFragment("".join(f"<p>{escaped(part)}</p>\n" for part in paragraphs if part))


_BLANK_LINES = re.compile(r"\n[ \t]*\n")
