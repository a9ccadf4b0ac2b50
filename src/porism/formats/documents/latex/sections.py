r"""LaTeX files as documents, one for each chapter or section, with the definitions that hold there.

What stands before the first section, such as an abstract, is a document of its own. The files
that a document includes are part of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
from porism.formats.dumps.rows import PostRow
from porism.model import PostKind


def read_latex(path: Path, name: str, folder: Path) -> Iterator[PostRow]:
    r"""The sections of a file as documents, named ``name#2-title``; none for those without text.

    Numbers count all chapters and sections of the document in order. Files are included from
    ``folder`` only.
    """
    joined = joined_file(path, folder)
    text = joined.text
    pairs = brace_pairs(text)
    known = latex_definitions(text)
    about = _about(text, pairs)
    for section in _sections(text, pairs, known, about.body):
        body = prose_html(_defined_out(text, section.start, section.end, known), known)
        if body:
            yield PostRow(
                0,
                PostKind.DOCUMENT,
                line_html(section.title or about.title, known) or file_title(path),
                body,
                tags=about.keywords,
                created=about.created,
                name=name + _anchor(section),
                macros=known.source,
                line=joined.line(section.place) if section.number else 1,
            )


def latex_html(text: str) -> HtmlFragment:
    r"""A piece of LaTeX as HTML, in which sections are headings.

    >>> latex_html(r"Let \emph{$x$} be~even. % why?").body
    '<p>Let <span class="math-container">x</span> be even.</p>\n'
    """
    text = joined_text(text).text
    pairs = brace_pairs(text)
    known = latex_definitions(text)
    about = _about(text, pairs)
    body = prose_html(_defined_out(text, about.body, len(text), known), known)
    return HtmlFragment(
        body, line_html(about.title, known), about.keywords, about.created, known.source
    )


class _About(NamedTuple):
    """What a document says of itself, and where its body begins."""

    title: str
    keywords: tuple[str, ...]
    created: str | None
    body: int


def _about(text: str, pairs: dict[int, int]) -> _About:
    begins = _DOCUMENT.search(text)
    values: dict[str, str] = {}
    for found in _SAID.finditer(text):
        if found.end() - 1 in pairs:
            values.setdefault(found[1], text[found.end() : pairs[found.end() - 1]])
    return _About(
        values.get("title", ""),
        comma_separated(values.get("keywords", "")),
        iso_date(values.get("date", "")),
        begins.end() if begins else 0,
    )


_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
_SAID = re.compile(r"\\(title|keywords|date)\s*(?:\[[^\[\]]{0,500}\])?\s*\{")


class _Section(NamedTuple):
    """A stretch of text: where its heading stands, where its text starts and ends."""

    number: int
    title: str
    place: int
    start: int
    end: int


def _sections(
    text: str, pairs: dict[int, int], known: LatexDefinitions, body: int
) -> Iterator[_Section]:
    current = _Section(0, "", body, body, len(text))
    at = body
    definitions_left = iter((*known.places, (len(text), len(text))))
    start, end = next(definitions_left)
    for found in _SECTION.finditer(text, body):
        while end <= found.start():
            start, end = next(definitions_left, (len(text) + 1, len(text) + 1))
        opening = found.end() - 1
        if not found["heading"] or opening not in pairs or start <= found.start() or opening < at:
            continue
        yield current._replace(end=found.start())
        at = pairs[opening] + 1
        current = _Section(
            current.number + 1, text[opening + 1 : at - 1], found.start(), at, len(text)
        )
    yield current


_SECTION = re.compile(
    LISTING + r"|(?P<heading>\\(?:chapter|section)\*?\s*(?:\[[^\[\]]{0,500}\])?\s*\{)|\\(?s:.)"
)


def _defined_out(text: str, start: int, end: int, known: LatexDefinitions) -> str:
    """A stretch of the text without the definitions in it."""
    inside = tuple(
        (max(start, first) - start, min(end, last) - start)
        for first, last in known.places
        if first < end and last > start
    )
    return without_spans(text[start:end], inside)


def _anchor(section: _Section) -> str:
    r"""What a section adds to the name of its file: its number and its title, as in an address.

    >>> _anchor(_Section(2, r"The $p$-adic \emph{Case}", 0, 0, 0))
    '#2-the-p-adic-case'
    """
    if not section.number:
        return ""
    words = re.sub(r"[\W_]+", " ", re.sub(r"\\[A-Za-z]+", " ", section.title)).split()
    title = unicodedata.normalize("NFC", "-".join(words).lower())[:MAX_SLUG].strip("-")
    return f"#{section.number}-{title}" if title else f"#{section.number}"


MAX_SLUG = 60
