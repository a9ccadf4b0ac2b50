r"""LaTeX files as documents, one per chapter or section, with the definitions in force there.

Text before the first section, such as an abstract, is a document of its own. The files that a
document includes are part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from porism.formats.documents.anchors import slug
from porism.formats.documents.html_fragments import HtmlFragment, file_title
from porism.formats.documents.latex.commands import LISTING
from porism.formats.documents.latex.definitions import (
    LatexDefinitions,
    brace_pairs,
    latex_definitions,
    without_spans,
)
from porism.formats.documents.latex.inputs import joined_file, joined_text
from porism.formats.documents.latex.prose import line_html, prose_html
from porism.formats.documents.source_text import comma_separated, iso_date
from porism.formats.dumps.rows import FilePart, PostRow
from porism.model import PostKind


def read_latex(path: Path, name: str, folder: Path) -> Iterator[PostRow]:
    r"""The sections of a file as documents, named ``name#2-title``; empty ones are left out.

    All chapters and sections of the document are numbered in order. Files are included only from
    ``folder``.
    """
    joined = joined_file(path, folder)
    text = joined.text
    pairs = brace_pairs(text)
    known = latex_definitions(text)
    metadata = _metadata(text, pairs)
    for section in _sections(text, pairs, known, metadata.body):
        anchor = _anchor(section)
        body = prose_html(_without_definitions(text, section.start, section.end, known), known)
        if body:
            yield PostRow(
                0,
                PostKind.DOCUMENT,
                line_html(section.title or metadata.title, known) or file_title(path),
                body,
                tags=metadata.keywords,
                created=metadata.created,
                name=f"{name}#{anchor}" if anchor else name,
                macros=known.source,
                line=joined.line(section.heading) if section.number else 1,
                part=FilePart(name, anchor=anchor),
            )


def latex_html(text: str) -> HtmlFragment:
    r"""A piece of LaTeX as HTML, in which sections are headings.

    >>> latex_html(r"Let \emph{$x$} be~even. % why?").body
    '<p>Let <span class="math-container">x</span> be even.</p>\n'
    """
    text = joined_text(text).text
    pairs = brace_pairs(text)
    known = latex_definitions(text)
    metadata = _metadata(text, pairs)
    body = prose_html(_without_definitions(text, metadata.body, len(text), known), known)
    return HtmlFragment(
        body, line_html(metadata.title, known), metadata.keywords, metadata.created, known.source
    )


class _Metadata(NamedTuple):
    """The metadata of a document, and where its body begins."""

    title: str
    keywords: tuple[str, ...]
    created: str | None
    body: int


def _metadata(text: str, pairs: dict[int, int]) -> _Metadata:
    beginning = _DOCUMENT.search(text)
    values: dict[str, str] = {}
    for command in _METADATA.finditer(text):
        if command.end() - 1 in pairs:
            values.setdefault(command[1], text[command.end() : pairs[command.end() - 1]])
    return _Metadata(
        values.get("title", ""),
        comma_separated(values.get("keywords", "")),
        iso_date(values.get("date", "")),
        beginning.end() if beginning else 0,
    )


_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
_METADATA = re.compile(r"\\(title|keywords|date)\s*(?:\[[^\[\]]{0,500}\])?\s*\{")


class _Section(NamedTuple):
    """The positions of a section's heading, and of the start and end of its text."""

    number: int
    title: str
    heading: int
    start: int
    end: int


def _sections(
    text: str, pairs: dict[int, int], known: LatexDefinitions, body: int
) -> Iterator[_Section]:
    current = _Section(0, "", body, body, len(text))
    at = body
    definitions_left = iter((*known.spans, (len(text), len(text))))
    start, end = next(definitions_left)
    for match in _SECTION.finditer(text, body):
        while end <= match.start():
            start, end = next(definitions_left, (len(text) + 1, len(text) + 1))
        opening = match.end() - 1
        if not match["heading"] or opening not in pairs or start <= match.start() or opening < at:
            continue
        yield current._replace(end=match.start())
        at = pairs[opening] + 1
        current = _Section(
            current.number + 1, text[opening + 1 : at - 1], match.start(), at, len(text)
        )
    yield current


_SECTION = re.compile(
    LISTING + r"|(?P<heading>\\(?:chapter|section)\*?\s*(?:\[[^\[\]]{0,500}\])?\s*\{)|\\(?s:.)"
)


def _without_definitions(text: str, start: int, end: int, known: LatexDefinitions) -> str:
    """A part of the text without the definitions in it."""
    inside = tuple(
        (max(start, first) - start, min(end, last) - start)
        for first, last in known.spans
        if first < end and last > start
    )
    return without_spans(text[start:end], inside)


def _anchor(section: _Section) -> str:
    r"""The anchor of a section: its number and its title, as in a URL.

    >>> _anchor(_Section(2, r"The $p$-adic \emph{Case}", 0, 0, 0))
    '2-the-p-adic-case'
    """
    if not section.number:
        return ""
    title = slug(section.title)
    return f"{section.number}-{title}" if title else str(section.number)
