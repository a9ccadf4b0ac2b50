"""PDF files as documents: the text of each page, which has no LaTeX, headings or formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from porism.errors import FormatError, PorismError
from porism.formats.documents.html_fragments import escaped_prose, file_title
from porism.formats.documents.source_text import clean_text
from porism.formats.dumps.rows import FilePart, PostRow
from porism.model import PostKind

MAX_PAGES = 10_000
MAX_PAGE_TEXT = 200_000
"""Characters of a page that are read; a printed page has a few thousand."""


def read_pdf(path: Path, name: str) -> Iterator[PostRow]:
    """The pages that have text as documents named ``name#page=7``, the address in a browser."""
    document = _opened(path)
    try:
        if len(document) > MAX_PAGES:
            why = f"{len(document):,} pages, more than {MAX_PAGES:,}; split the file"
            raise FormatError(str(path), 0, why)
        title = escaped_prose(clean_text(document.get_metadata_value("Title")).strip())
        title = title or file_title(path)
        heading = " ".join(clean_text(document.get_metadata_value("Title")).split()) or path.stem
        has_text = False
        for number in range(1, len(document) + 1):
            body = _page_html(_page_text(document, number))
            if not body:
                continue
            has_text = True
            yield PostRow(
                0,
                PostKind.DOCUMENT,
                f"{title}, page {number}",
                body,
                name=f"{name}#page={number}",
                line=number,
                part=FilePart(name, (heading,), f"page={number}", f"PDF page {number}"),
            )
        if not has_text:
            raise FormatError(str(path), 0, "a PDF without text, such as a scan")
    finally:
        document.close()


def _opened(path: Path) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            why = "an encrypted PDF; save it without a password"
        else:
            why = f"not a PDF that can be read ({error})"
        raise FormatError(str(path), 0, why) from error
    except OSError as error:
        raise PorismError(f"{path} cannot be read: {error.strerror}") from error


def _page_text(document: pypdfium2.PdfDocument, number: int) -> str:
    try:
        page = document[number - 1]
        text = page.get_textpage().get_text_range(count=-1, errors="replace")
    except pypdfium2.PdfiumError:  # a damaged page must not hide the others
        return ""
    return str(text)[:MAX_PAGE_TEXT]


def _page_html(text: str) -> str:
    """The text of a page as paragraphs; words divided at the end of a line are joined.

    >>> _page_html("An iso\\ufffe\\r\\nmorphism of\\r\\ngroups costs $5.")
    '<p>An isomorphism of\\ngroups costs &#36;5.</p>\\n'
    """
    text = clean_text(_DIVIDED.sub("", text))
    paragraphs = (part.strip() for part in _BLANK_LINES.split(text))
    return "".join(f"<p>{escaped_prose(part)}</p>\n" for part in paragraphs if part)


_DIVIDED = re.compile(r"[\x02\ufffe]\s*")
"""PDFium's mark of a hyphen that only divides a word, and the line break after it."""

_BLANK_LINES = re.compile(r"\n[ \t]*\n")
