r"""Archives of LaTeX sources, such as those of arXiv: the documents of their main files.

Only LaTeX is unpacked, into a temporary folder, and only regular files with plain relative names.
What is refused is named; an archive that is too large is refused as a whole.
"""

from __future__ import annotations

import gzip
import posixpath
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, cast

from porism.errors import FormatError, PorismError
from porism.formats.documents.anchors import slug
from porism.formats.documents.latex.inputs import joined_file
from porism.formats.documents.latex.sections import read_latex
from porism.formats.documents.source_text import MAX_BYTES
from porism.formats.dumps.rows import FileNote, PostRow

MAX_MEMBERS = 5_000
MAX_UNPACKED = 512 * 1024 * 1024
"""Bytes of an archive, unpacked, with the figures that are read over."""

SUFFIXES = (".tar.gz", ".tgz", ".tar", ".gz")
MAIN_SUFFIXES = frozenset((".tex", ".ltx"))
LATEX_SUFFIXES = MAIN_SUFFIXES | {".def", ".inc", ".tikz", ""}


def read_archive(path: Path, name: str) -> Iterator[PostRow | FileNote]:
    r"""The documents of the main files, named ``name/main.tex#1-introduction``.

    A main file has a ``\documentclass`` or a ``\begin{document}`` and is included by no other one.
    """
    with TemporaryDirectory(prefix="porism-") as temporary:
        folder = Path(temporary).resolve()
        for member, reason in _unpacked(path, folder):
            yield FileNote(f"{name}/{member}", 0, f"skipped: {reason}", is_skipped=True)
        mains = _main_files(folder)
        if not mains:
            raise FormatError(str(path), 0, "no LaTeX document in this archive")
        for main in mains:
            inside = main.relative_to(folder).as_posix()
            yield from read_latex(main, f"{name}/{inside}", folder)


def _unpacked(path: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Unpack the LaTeX files of an archive, and yield the name and reason of each refusal."""
    try:
        with path.open("rb") as file:
            stream = _LimitedStream(_decompressed(file), path)
            if stream.start.startswith(b"%PDF"):
                raise FormatError(str(path), 0, "a compressed PDF; unpack it")
            if _is_tar(stream.start):
                yield from _unpacked_tar(stream, folder)
            elif path.name.lower().endswith((".tar", ".tgz", ".tar.gz")):
                raise FormatError(str(path), 0, "not a tar archive")
            else:
                _write(stream.read(MAX_BYTES + 1), folder / f"{slug(path.stem) or 'main'}.tex")
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(str(path), 0, f"a damaged archive ({error})") from error
    except OSError as error:
        raise PorismError(f"{path} cannot be read: {error.strerror or error}") from error


BLOCK = 512
"""The block size of tar."""


def _decompressed(file: IO[bytes]) -> IO[bytes]:
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return cast(IO[bytes], gzip.open(file)) if is_gzip else file  # a GzipFile, which reads bytes


def _is_tar(start: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


class _LimitedStream:
    """A stream of at most ``MAX_UNPACKED`` bytes; ``start`` is its beginning."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream = stream
        self._path = path
        self._size = 0
        self._ahead = b""
        self.start = self.read(BLOCK)
        self._ahead = self.start

    def read(self, size: int) -> bytes:
        """Up to this many bytes; fewer only at the end."""
        data = self._ahead[:size]
        self._ahead = self._ahead[size:]
        data += self._stream.read(size - len(data))
        self._size += len(data)
        if self._size > MAX_UNPACKED:
            why = f"more than {MAX_UNPACKED // 1024 // 1024} MB unpacked; unpack it into a folder"
            raise FormatError(str(self._path), 0, why)
        return data


def _unpacked_tar(stream: _LimitedStream, folder: Path) -> Iterator[tuple[str, str]]:
    names: set[str] = set()
    # The stream is only read, in order, which is all that this mode needs.
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as archive:
        for count, member in enumerate(archive, start=1):
            if count > MAX_MEMBERS:
                yield "", f"more than {MAX_MEMBERS:,} files; the others were not read"
                return
            if member.isdir():
                continue
            name = posixpath.normpath(member.name)
            reason = _refusal(member, name)
            if reason is None and PurePosixPath(name).suffix.lower() in LATEX_SUFFIXES:
                reason = _unpacked_member(archive, member, folder / name, name in names)
                names.add(name)
            if reason is not None:
                yield member.name[:MAX_NAME], reason


MAX_NAME = 200


def _refusal(member: tarfile.TarInfo, name: str) -> str | None:
    """Why a member of an archive is not safe, if it is not."""
    if member.issym() or member.islnk():
        return "a link in an archive"
    if not member.isreg():
        return "neither a file nor a folder"
    if name.startswith("/") or name.split("/")[0] == ".." or re.match(r"[A-Za-z]:|.*[\\\0]", name):
        return "a path out of the archive"
    if len(name) > MAX_NAME:
        return "a path that is too long"
    return None


def _unpacked_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path, is_known: bool
) -> str | None:
    """Write a member to a file; why not, if it cannot be written."""
    if is_known:
        return "a path that occurred before"
    if member.size > MAX_BYTES:
        return f"larger than {MAX_BYTES // 1024 // 1024} MB"
    data = archive.extractfile(member)
    assert data is not None, member  # a regular file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(data.read(), path)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return "a path through another file"
    return None


def _write(data: bytes, path: Path) -> None:
    with path.open("xb") as out:
        out.write(data)


def _main_files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in MAIN_SUFFIXES)
    joined = {path: joined_file(path, folder) for path in files if path.is_file()}
    included = frozenset[Path]().union(*(each.files for each in joined.values()))
    return [
        path
        for path, source in joined.items()
        if path not in included and _MAIN.search(source.text)
    ]


_MAIN = re.compile(r"\\documentclass|\\documentstyle|\\begin\s*\{document\}")
