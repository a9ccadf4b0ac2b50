"""The module that reads each kind of document, by the suffix of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from porism.errors import PorismError
from porism.formats.documents.archives import SUFFIXES as ARCHIVE_SUFFIXES
from porism.formats.documents.archives import read_archive
from porism.formats.documents.html_pages import read_html_page
from porism.formats.documents.json_lines import read_json_lines
from porism.formats.documents.latex.sections import read_latex
from porism.formats.documents.markdown.sections import read_markdown
from porism.formats.documents.notebooks import read_notebook
from porism.formats.documents.pdf_pages import read_pdf
from porism.formats.documents.plain_text import read_plain_text
from porism.formats.dumps.rows import FileNote, PostRow

DocumentReader = Callable[[Path, str, Path], Iterator[PostRow | FileNote]]
"""From a file, its name, and the folder from which it may include others, to its documents.

An archive may also have notes on what it has besides documents.
"""


def _without_includes(
    read: Callable[[Path, str], Iterator[PostRow | FileNote]],
) -> DocumentReader:
    """A reader of files that include no others."""
    return lambda path, name, folder: read(path, name)


READERS: dict[str, DocumentReader] = {
    ".md": _without_includes(read_markdown),
    ".markdown": _without_includes(read_markdown),
    ".tex": read_latex,
    ".html": _without_includes(read_html_page),
    ".htm": _without_includes(read_html_page),
    ".xhtml": _without_includes(read_html_page),
    ".ipynb": _without_includes(read_notebook),
    ".txt": _without_includes(read_plain_text),
    ".jsonl": _without_includes(read_json_lines),
    ".jsonl.gz": _without_includes(read_json_lines),
    ".pdf": _without_includes(read_pdf),
    **dict.fromkeys(ARCHIVE_SUFFIXES, _without_includes(read_archive)),
}
"""The reader of each suffix; case is ignored."""

STREAMED = (".jsonl", ".jsonl.gz")
"""Suffixes of files that may be too large for memory."""


BINARY = (".pdf", *ARCHIVE_SUFFIXES)
"""Suffixes of files that are not text, whose encoding cannot be guessed."""


def read_document_file(
    path: Path, name: str, folder: Path | None = None
) -> Iterator[PostRow | FileNote]:
    """The documents of one file; LaTeX may include files of ``folder``, by default its own."""
    reader = document_reader(path)
    if reader is None:
        raise PorismError(f"{path} is not a document; {suffixes_message()}")
    return reader(path, name, folder or path.parent)


def document_reader(path: Path) -> DocumentReader | None:
    """The reader of a file; None if it is not a document."""
    name = path.name.lower()
    # The longest suffix counts, in case there are others that end in .gz.
    suffixes = [suffix for suffix in READERS if name.endswith(suffix)]
    return READERS[max(suffixes, key=len)] if suffixes else None


def suffixes_message() -> str:
    """The suffixes of documents, for error messages."""
    return "the suffixes of documents are " + " ".join(READERS)
