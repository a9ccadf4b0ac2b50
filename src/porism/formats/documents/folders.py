"""Files and folders of documents: which files are read, in which order, and under which names.

The suffix of a file decides which module reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePath

from porism.errors import FormatError, PorismError, error_summary
from porism.formats.documents.html_pages import read_html_page
from porism.formats.documents.json_lines import read_json_lines
from porism.formats.documents.latex.inputs import joined_file
from porism.formats.documents.latex.sections import read_latex
from porism.formats.documents.markdown.sections import read_markdown
from porism.formats.documents.notebooks import read_notebook
from porism.formats.documents.plain_text import read_plain_text
from porism.formats.documents.source_text import guessed_encoding
from porism.formats.dumps.rows import FileNote, PostRow

DocumentReader = Callable[[Path, str, Path], Iterator[PostRow]]
"""From a file, its name, and the folder from which it may include others, to its documents."""


def _without_includes(read: Callable[[Path, str], Iterator[PostRow]]) -> DocumentReader:
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
}
"""The reader of each suffix; case is ignored."""


def read_documents(source: Path) -> Iterator[PostRow | FileNote]:
    """The documents of a file, or of all files in a folder and below it, in the order of names.

    A document is named by its path, starting with the folder's name, ``notes/algebra.md``, and its
    part of the file if it is not all of it: ``notes/book.tex#2-group-actions``. A file in a folder
    that cannot be read is reported and skipped; a single one raises.
    """
    files = document_files(source)
    if not source.is_dir():
        yield from _documents_and_notes(source, _document_name(source, source), source.parent)
        return
    for path in files:
        name = _document_name(path, source)
        try:
            if path.is_dir():
                raise PorismError("the folder cannot be opened")
            yield from _documents_and_notes(path, name, source)
        except FormatError as error:
            yield FileNote(name, error.line, f"skipped: {error.why}", is_skipped=True)
        except PorismError as error:
            yield FileNote(name, 0, f"skipped: {error}", is_skipped=True)


def _documents_and_notes(path: Path, name: str, folder: Path) -> Iterator[PostRow | FileNote]:
    try:
        yield from read_document_file(path, name, folder)
    except PorismError:
        raise
    except Exception as error:  # one file must not stop the ingest of a folder
        raise PorismError(f"{path}: an error in Porism ({error_summary(error)})") from error
    if _is_text(path) and (encoding := guessed_encoding(path)):
        reason = f"not UTF-8; read as {encoding}, which is a guess"
        yield FileNote(name, 1, reason, is_skipped=False)


def _is_text(path: Path) -> bool:
    """Whether the encoding of a file may be guessed; JSON is in UTF-8 by definition."""
    return not path.name.lower().endswith((".jsonl", ".jsonl.gz"))


def read_document_file(path: Path, name: str, folder: Path | None = None) -> Iterator[PostRow]:
    """The documents of one file; LaTeX may include files of ``folder``, by default its own."""
    reader = _reader(path)
    if reader is None:
        raise PorismError(f"{path} is not a document; {_suffixes()}")
    return reader(path, name, folder or path.parent)


def document_files(source: Path) -> tuple[Path, ...]:
    """The files that ``read_documents`` reads, in its order; at least one.

    Skipped are hidden files and folders, links that lead out of the folder or to files that are
    read anyway, and LaTeX files that another one includes, since they are part of that document.
    """
    if not source.is_dir():
        if not source.exists():
            raise PorismError(f"{source} does not exist; expected a file or folder of documents")
        if _reader(source) is None:
            raise PorismError(f"{source} is not a document; {_suffixes()}")
        return (source,)
    files = _without_included(_readable_files(source), source)
    if not files:
        raise PorismError(f"{source} has no documents; {_suffixes()}")
    return files


def _reader(path: Path) -> DocumentReader | None:
    name = path.name.lower()
    # The longest suffix counts, in case there are others that end in .gz.
    suffixes = [suffix for suffix in READERS if name.endswith(suffix)]
    return READERS[max(suffixes, key=len)] if suffixes else None


def _suffixes() -> str:
    return "the suffixes of documents are " + " ".join(READERS)


def _readable_files(folder: Path) -> list[Path]:
    root = folder.resolve()
    files: list[Path] = []
    links: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=_unreadable(folder, files)):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(parent, name)
            if name.startswith(".") or not _reader(path):
                continue
            if path.is_symlink():
                links.append(path)
            elif path.is_file():  # not a pipe, which would block
                files.append(path)
    read = {path.resolve() for path in files}
    for path in sorted(links):
        target = _target(path)
        if target and target.is_relative_to(root) and target not in read:
            read.add(target)
            files.append(path)
    return sorted(files, key=lambda path: path.relative_to(folder).parts)


def _unreadable(folder: Path, files: list[Path]) -> Callable[[OSError], None]:
    """An error handler that adds unreadable folders to the files, to be reported in their turn."""

    def note(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise PorismError(f"{error.filename} cannot be read: {error.strerror}") from error
        files.append(Path(error.filename))

    return note


def _target(link: Path) -> Path | None:
    """The file that a link leads to; None if it is broken or circular."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    return target if target.is_file() else None


def _without_included(files: list[Path], folder: Path) -> tuple[Path, ...]:
    """The files that no other file includes; of files that include each other, the first."""
    included = {
        path.resolve(): _included(path, folder) for path in files if path.suffix.lower() == ".tex"
    }
    parts = frozenset[Path]().union(*included.values())
    starts = [path for path in included if path not in parts]
    covered = frozenset[Path]().union(*(included[path] for path in starts))
    for path in sorted(included.keys() - covered - frozenset(starts)):
        if path not in covered:
            covered |= included[path]
    return tuple(path for path in files if path.resolve() not in covered)


def _included(path: Path, folder: Path) -> frozenset[Path]:
    try:
        return joined_file(path, folder).files
    except PorismError:  # a file that cannot be read is reported in its turn
        return frozenset()


def _document_name(path: Path, source: Path) -> str:
    """The path from the source's own name on, with slashes, without invalid characters."""
    name = path.name
    if path != source:
        name = PurePath(os.path.abspath(source)).name
        name = PurePath(name, path.relative_to(source)).as_posix()
    name = os.fsencode(name).decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", name)


_CONTROL = re.compile("[\0-\x1f\x7f]")
