"""Plain text files as documents: paragraphs between blank lines, formulas still between dollars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.formats.documents.html_fragments import HtmlFragment, fragment_documents
from porism.formats.documents.source_text import file_text
from porism.formats.dumps.rows import PostRow
from porism.formats.markup.html_syntax import escaped


def read_plain_text(path: Path, name: str) -> Iterator[PostRow]:
    """The file as one document, or none if it is blank; its title is the file's name."""
    yield from fragment_documents(plain_text_html(file_text(path)), path, name)


def plain_text_html(text: str) -> HtmlFragment:
    """The text as HTML, with formulas still between their delimiters.

    >>> plain_text_html("If $a < b$\\n\\nthen").body
    '<p>If $a &lt; b$</p>\\n<p>then</p>\\n'
    """
    paragraphs = (paragraph.strip() for paragraph in _BLANK_LINES.split(text))
    return HtmlFragment("".join(f"<p>{escaped(part)}</p>\n" for part in paragraphs if part))


_BLANK_LINES = re.compile(r"\n[ \t]*\n")
