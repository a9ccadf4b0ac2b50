r"""LaTeX files as documents, one per chapter, section and theorem, with the definitions in force.

Text before the first section, such as an abstract, is a document of its own. The files that a
document includes are part of it. A theorem is a document with its number and, if one follows, its
proof; where it was, its section links to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from porism.formats.documents.html_fragments import HtmlFragment, escaped_prose, file_title
from porism.formats.documents.latex.definitions import (
    LatexDefinitions,
    brace_pairs,
    environment_expansions,
    latex_definitions,
)
from porism.formats.documents.latex.edits import Edit, edited_text
from porism.formats.documents.latex.inputs import joined_file, joined_text
from porism.formats.documents.latex.outline import OutlinePart, outline
from porism.formats.documents.latex.prose import line_html, prose_html
from porism.formats.documents.latex.references import reference_edits, theorem_edits
from porism.formats.documents.source_text import comma_separated, iso_date
from porism.formats.dumps.rows import FilePart, PostRow
from porism.formats.markup import content
from porism.model import PostKind, plain_text


def read_latex(path: Path, name: str, folder: Path) -> Iterator[PostRow]:
    r"""The sections and theorems of a file as documents; empty ones are left out.

    A section is named by its number in the document and its title, ``name#2-title``, a theorem by
    its label or else its number, ``name#theorem-2-1``. Files are included only from ``folder``.
    """
    joined = joined_file(path, folder)
    known = latex_definitions(joined.text)
    source = edited_text(joined.text, _definition_edits(joined.text, known))
    pairs = brace_pairs(source.text)
    metadata = _metadata(source.text, pairs)
    parts = outline(source.text, pairs, known, metadata.body)
    references = sorted(reference_edits(parts, name))
    edits = sorted([*theorem_edits(parts, source.text, references, name), *references])
    title = line_html(metadata.title, known)
    for part in parts.parts:
        pieces = (edited_text(source.text, edits, start, end).text for start, end in part.inside)
        body = prose_html("\n\n".join(pieces), known)
        if not body:
            continue
        note = edited_text(source.text, references, *part.note).text
        own_title = _title(part, note, known)
        origin = joined.origin(source.original(part.start))
        yield PostRow(
            0,
            PostKind.DOCUMENT,
            own_title or title or file_title(path),
            body,
            tags=metadata.keywords,
            created=metadata.created,
            name=f"{name}#{part.anchor}" if part.anchor else name,
            macros=known.source,
            line=origin.line if part.anchor else 1,
            part=FilePart(
                _file_name(name, path, origin.path, folder) if part.anchor else name,
                _texts((title, *(line_html(each, known) for each in part.headings), own_title)),
                part.anchor,
                part.name if part.is_theorem else "",
            ),
        )


def latex_html(text: str) -> HtmlFragment:
    r"""A piece of LaTeX as HTML, in which sections are headings.

    >>> latex_html(r"Let \emph{$x$} be~even. % why?").body
    '<p>Let <span class="math-container">x</span> be even.</p>\n'
    """
    joined = joined_text(text).text
    known = latex_definitions(joined)
    text = edited_text(joined, _definition_edits(joined, known)).text
    metadata = _metadata(text, brace_pairs(text))
    body = prose_html(text[metadata.body :], known)
    return HtmlFragment(
        body, line_html(metadata.title, known), metadata.keywords, metadata.created, known.source
    )


def _definition_edits(text: str, known: LatexDefinitions) -> list[Edit]:
    """Edits that remove the definitions, and expand macros for beginnings and ends."""
    removed = [Edit(start, end, "") for start, end in known.spans]
    return sorted([*removed, *environment_expansions(text, known.macros)])


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


def _title(part: OutlinePart, note: str, known: LatexDefinitions) -> str:
    """The title of a section, or the name and the note of a theorem, as HTML."""
    if not part.is_theorem:
        return line_html(part.title, known)
    note = line_html(note, known)
    return f"{escaped_prose(part.name)} ({note})" if note else escaped_prose(part.name)


def _texts(titles: Iterable[str]) -> tuple[str, ...]:
    """Titles as text, with formulas between dollars, without empty ones."""
    texts = (" ".join(plain_text(content(each)).split()) for each in titles)
    return tuple(filter(None, texts))


def _file_name(name: str, main: Path, file: Path | None, folder: Path) -> str:
    """The name of the file that a part is from: the main one, or one that it includes."""
    root = folder.resolve()
    if file is None or file == main.resolve() or not main.resolve().is_relative_to(root):
        return name
    inside = main.resolve().relative_to(root).as_posix()
    return name.removesuffix(inside) + file.relative_to(root).as_posix()
