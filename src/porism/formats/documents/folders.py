"""Files and folders of documents: which files are read, in which order, and under which names.

A scan finds the files without reading those that it knows, and a file that changes while it is read
is read again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple

from porism.errors import FormatError, PorismError, error_summary
from porism.formats.documents.latex.inputs import joined_file
from porism.formats.documents.readers import (
    BINARY,
    STREAMED,
    document_reader,
    read_document_file,
    suffixes_message,
)
from porism.formats.documents.source_text import guessed_encoding
from porism.formats.dumps.rows import FileNote, FileRead, PostRow

READERS_VERSION = 1
"""Increased when the readers make other documents of the same file, which is then read again."""

MAX_FILES = 200_000
"""Files in a folder and below it, by default; more are most likely not notes."""

MAX_READINGS = 3
"""How often a file is read that changes each time."""


class DocumentFile(NamedTuple):
    """A file of documents, or a folder that cannot be opened.

    ``fingerprint`` changes with the file and those it includes; it is empty if one of them cannot
    be read. If not ``is_complete``, the file would include others that are missing.
    """

    path: Path
    name: str
    fingerprint: str
    includes: tuple[Path, ...] = ()
    is_complete: bool = True


class FolderScan(NamedTuple):
    """The files of documents in the order of their names, and notes on the files left out."""

    files: tuple[DocumentFile, ...]
    left_out: tuple[FileNote, ...] = ()


def read_documents(source: Path) -> Iterator[PostRow | FileNote | FileRead]:
    """The documents of a file, or of all files in a folder and below it, in the order of names."""
    scan = scan_documents(source)
    yield from scan.left_out
    for file in scan.files:
        yield from read_file(file, source)


def document_files(source: Path) -> tuple[Path, ...]:
    """The files that ``read_documents`` reads, in its order; at least one."""
    return tuple(file.path for file in scan_documents(source).files)


def scan_documents(
    source: Path, known: Mapping[str, FileRead] | None = None, max_files: int = MAX_FILES
) -> FolderScan:
    """The files of documents of a source; at least one. ``known`` files are not opened.

    Left out and noted are files of other types, hidden files and folders, and links that lead out
    of the folder, to folders or nowhere. LaTeX files that another one includes are part of that
    document.
    """
    if not source.is_dir():
        if not source.exists():
            raise PorismError(f"{source} does not exist; expected a file or folder of documents")
        if document_reader(source) is None:
            raise PorismError(f"{source} is not a document; {suffixes_message()}")
        return FolderScan((_scanned(source, source, known or {}),))
    folder = _Folder(source, max_files)
    scanned = tuple(_scanned(path, source, known or {}) for path in folder.files())
    if not scanned:
        raise PorismError(f"{source} has no documents; {suffixes_message()}")
    return FolderScan(_without_included(scanned), tuple(sorted(folder.left_out)))


def read_file(file: DocumentFile, source: Path) -> Iterator[PostRow | FileNote | FileRead]:
    """The documents of a file, then a ``FileRead`` if there is no reason to read it again soon.

    A document is named by its path, starting with the folder's name, ``notes/algebra.md``, and its
    part of the file if it is not all of it: ``notes/book.tex#2-group-actions``. A file in a folder
    that cannot be read is reported and skipped; a single one raises.
    """
    if not source.is_dir():
        yield from _stable_documents(file, source.parent)
        return
    try:
        if file.path.is_dir():
            raise PorismError("the folder cannot be opened")
        yield from _stable_documents(file, source)
    except FormatError as error:
        yield FileNote(file.name, error.line, f"skipped: {error.why}", is_skipped=True)
    except PorismError as error:
        yield FileNote(file.name, 0, f"skipped: {error}", is_skipped=True)


def _stable_documents(file: DocumentFile, folder: Path) -> Iterator[PostRow | FileNote | FileRead]:
    """The documents of a file that did not change while it was read."""
    is_streamed = file.path.name.lower().endswith(STREAMED)
    is_binary = is_streamed or file.path.name.lower().endswith(BINARY)
    for reading in range(1, MAX_READINGS + 1):
        before = _fingerprint(file)
        rows = _rows(file, folder)
        if is_streamed:
            yield from rows
        else:
            documents = list(rows)
        is_stable = before == _fingerprint(file)
        if is_stable or is_streamed or reading == MAX_READINGS:
            break
    if not is_streamed:
        yield from documents
    if not is_stable:
        reason = "changed while it was read; ingest it again when it is finished"
        yield FileNote(file.name, 0, reason, is_skipped=False)
    elif not is_binary and (encoding := guessed_encoding(file.path)):
        reason = f"not UTF-8; read as {encoding}, which is a guess"
        yield FileNote(file.name, 1, reason, is_skipped=False)
    elif before and file.is_complete:
        root = folder.resolve()
        includes = tuple(str(path.relative_to(root)) for path in file.includes)
        yield FileRead(file.name, before, includes)


def _rows(file: DocumentFile, folder: Path) -> Iterator[PostRow | FileNote]:
    try:
        yield from read_document_file(file.path, file.name, folder)
    except PorismError:
        raise
    except Exception as error:  # one file must not stop the ingest of a folder
        raise PorismError(f"{file.path}: an error in Porism ({error_summary(error)})") from error


def _scanned(path: Path, source: Path, known: Mapping[str, FileRead]) -> DocumentFile:
    """A file with its fingerprint; LaTeX is read for what it includes unless it is known."""
    name = _document_name(path, source)
    file = DocumentFile(path, name, "")
    if path.suffix.lower() == ".tex" and path.is_file():
        folder = source if source.is_dir() else source.parent
        before = known.get(name)
        if before is not None:
            includes = tuple(folder.resolve() / each for each in before.includes)
            file = file._replace(includes=includes)
        if before is None or before.fingerprint != _fingerprint(file):
            try:
                joined = joined_file(path, folder)
                file = file._replace(
                    includes=tuple(sorted(joined.files)), is_complete=joined.is_complete
                )
            except PorismError:  # a file that cannot be read is reported in its turn
                file = file._replace(includes=(), is_complete=False)
    return file._replace(fingerprint=_fingerprint(file))


_BY_EFFECTIVE_IDS = os.access in os.supports_effective_ids


def _fingerprint(file: DocumentFile) -> str:
    """The identities, sizes and times of a file and of those it includes; empty if unreadable."""
    stats: list[str] = [str(READERS_VERSION)]
    for path in (file.path, *file.includes):
        try:
            stat = path.stat()
        except OSError:
            return ""
        # A file without permission is read once it is granted.
        if not os.access(path, os.R_OK, effective_ids=_BY_EFFECTIVE_IDS):
            return ""
        stats.append(f"{stat.st_ino}-{stat.st_size}-{stat.st_mtime_ns}")
    return " ".join(stats)


class _Folder:
    """A walk over a folder, which notes what it leaves out."""

    def __init__(self, folder: Path, max_files: int) -> None:
        self.folder = folder
        self.max_files = max_files
        self.left_out: list[FileNote] = []

    def files(self) -> list[Path]:
        """The documents in the order of their names, and folders that cannot be opened."""
        files: list[Path] = []
        links: list[Path] = []
        count = 0
        for parent, folders, names in os.walk(self.folder, onerror=self._unreadable(files)):
            self._without_hidden(Path(parent), folders)
            count += len(names)
            if count > self.max_files:
                raise PorismError(
                    f"{self.folder} has more than {self.max_files:,} files; name a folder in it "
                    "that has your notes, or allow more with --max-files"
                )
            for name in names:
                path = Path(parent, name)
                if name.startswith("."):
                    self._leave_out(path, "hidden file")
                elif document_reader(path) is None:
                    self._leave_out(path, f"not a document: {path.suffix or 'no suffix'}")
                elif path.is_symlink():
                    links.append(path)
                elif path.is_file():
                    files.append(path)
                else:  # such as a pipe, which would block
                    self._leave_out(path, "not a regular file")
        files += self._targets_of(sorted(links), {path.resolve() for path in files})
        return sorted(files, key=lambda path: path.relative_to(self.folder).parts)

    def _without_hidden(self, parent: Path, folders: list[str]) -> None:
        for name in folders:
            if name.startswith("."):
                self._leave_out(parent / name, "hidden folder")
            elif (parent / name).is_symlink():
                self._leave_out(parent / name, "link to a folder, which is not followed")
        folders[:] = [name for name in folders if not name.startswith(".")]

    def _targets_of(self, links: list[Path], read: set[Path]) -> Iterator[Path]:
        """The links that lead to files of the folder that are not read anyway."""
        root = self.folder.resolve()
        for path in links:
            try:
                target = path.resolve(strict=True)
            except (OSError, RuntimeError):
                self._leave_out(path, "link that leads nowhere or to itself")
                continue
            if not target.is_relative_to(root):
                self._leave_out(path, "link that leads out of the folder")
            elif target in read or not target.is_file():
                self._leave_out(path, "link to a file that is read anyway, or to no file")
            else:
                read.add(target)
                yield path

    def _leave_out(self, path: Path, reason: str) -> None:
        name = _document_name(path, self.folder)
        self.left_out.append(FileNote(name, 0, reason, is_skipped=True, is_document=False))

    def _unreadable(self, files: list[Path]) -> Callable[[OSError], None]:
        """An error handler that adds unreadable folders to the files, to be reported in turn."""

        def note(error: OSError) -> None:
            if Path(error.filename) == self.folder:
                raise PorismError(f"{error.filename} cannot be read: {error.strerror}") from error
            files.append(Path(error.filename))

        return note


def _without_included(files: tuple[DocumentFile, ...]) -> tuple[DocumentFile, ...]:
    """The files that no other file includes; of files that include each other, the first."""
    included = {
        file.path.resolve(): frozenset(file.includes)
        for file in files
        if file.path.suffix.lower() == ".tex"
    }
    parts = frozenset[Path]().union(*included.values())
    starts = [path for path in included if path not in parts]
    covered = frozenset[Path]().union(*(included[path] for path in starts))
    for path in sorted(included.keys() - covered - frozenset(starts)):
        if path not in covered:
            covered |= included[path]
    return tuple(file for file in files if file.path.resolve() not in covered)


def _document_name(path: Path, source: Path) -> str:
    """The path from the source's own name on, with slashes, without invalid characters."""
    name = path.name
    if path != source:
        name = PurePath(os.path.abspath(source)).name
        name = PurePath(name, path.relative_to(source)).as_posix()
    name = os.fsencode(name).decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda control: f"\\x{ord(control[0]):02x}", name)


_CONTROL = re.compile("[\0-\x1f\x7f]")
