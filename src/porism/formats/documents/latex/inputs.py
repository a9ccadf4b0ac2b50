r"""The files of a LaTeX document as one text: without comments, ``\input`` replaced by its file.

Files outside the folder of the document are not read, and none is read twice, so loops and bombs
of ``\input`` are harmless.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from porism.formats.documents.latex.commands import LISTING, VERBATIM
from porism.formats.documents.source_text import MAX_BYTES, file_text

log = logging.getLogger(__name__)


class TextOrigin(NamedTuple):
    """The start of a part of the text, and the file and line that it is from."""

    start: int
    path: Path | None
    line: int


class JoinedSource(NamedTuple):
    """The text without comments, the files that it includes, and the origins of its parts.

    It ``is_complete`` if all files were there.
    """

    text: str
    files: frozenset[Path]
    parts: list[TextOrigin]
    is_complete: bool = True

    def origin(self, position: int) -> TextOrigin:
        """The position in the text, with its file and line there."""
        part = self.parts[bisect_right(self.parts, position, key=lambda part: part.start) - 1]
        line = part.line + self.text.count("\n", part.start, position)
        return TextOrigin(position, part.path, line)


def joined_text(text: str) -> JoinedSource:
    r"""The text without its comments and without what ``\input`` includes."""
    return _joined(text, None)


def joined_file(path: Path, folder: Path) -> JoinedSource:
    """The text of a file and of those it includes from ``folder``."""
    return _joined(file_text(path), _Inputs(path, folder))


class _Inputs:
    """The files that a document has included so far."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.main = path.resolve()
        self.folder = folder.resolve()
        self.read = {self.main}
        self.remaining = MAX_BYTES
        self.are_complete = True

    def file(self, name: str, includer: Path, depth: int) -> tuple[Path, str] | None:
        """The file of an ``\\input`` and its text; None, with a warning, if it is not allowed."""
        path = self._path(name, includer)
        if path is None or depth > MAX_INPUT_DEPTH:
            log.warning("%s: \\input{%s} is not a file in the folder; skipped", includer, name)
            self.are_complete = False
            return None
        if path in self.read:
            return None
        self.read.add(path)
        text = file_text(path)
        self.remaining -= len(text)
        if self.remaining < 0:
            log.warning("%s: \\input{%s} makes the document too large", includer, name)
            return None
        return path, text

    def _path(self, name: str, includer: Path) -> Path | None:
        name = name.strip().strip('"')
        if not name or len(name) > MAX_NAME:
            return None
        for base in (self.main.parent, includer.parent):
            for file_name in (f"{name}.tex", name):
                try:
                    path = (base / file_name).resolve()
                    if path.is_relative_to(self.folder) and path.is_file():
                        return path
                except (OSError, RuntimeError) as error:  # circular links, names that are too long
                    log.warning("%s: \\input{%s}: %s", includer, name, error)
        return None


MAX_INPUT_DEPTH = 20
MAX_NAME = 200


class _Part(NamedTuple):
    """A piece of text without comments, or the name of a file to be inserted."""

    text: str
    start: int
    name: str = ""


def _joined(text: str, inputs: _Inputs | None) -> JoinedSource:
    pieces: list[str] = []
    parts: list[TextOrigin] = []
    size = 0
    main = inputs.main if inputs else None
    for origin, piece in _pieces(text, main, inputs, 0):
        parts.append(origin._replace(start=size))
        pieces.append(piece)
        size += len(piece)
    files = frozenset(inputs.read - {inputs.main}) if inputs else frozenset[Path]()
    return JoinedSource("".join(pieces), files, parts, inputs is None or inputs.are_complete)


def _pieces(
    text: str, path: Path | None, inputs: _Inputs | None, depth: int
) -> Iterator[tuple[TextOrigin, str]]:
    """The pieces of a file and of those that it includes, with their files and lines."""
    text = _without_unclosed(text)
    line = 1
    counted = 0
    for part in _parts(text):
        line += text.count("\n", counted, part.start)
        counted = part.start
        yield TextOrigin(0, path, line), part.text
        if part.name and inputs and path:
            included = inputs.file(part.name, path, depth + 1)
            if included is not None:
                yield from _pieces(included[1], included[0], inputs, depth + 1)


def _without_unclosed(text: str) -> str:
    """The text without beginnings of listings and comments after the last end of one.

    The search for the end of each would run to the end of the text, and there may be many.
    """
    for beginning, end in _ENDS.items():
        if beginning in text:
            last = max((match.start() for match in end.finditer(text)), default=0)
            text = text[:last] + text[last:].replace(beginning, "")
    return text


_ENDS = {
    **{
        f"\\begin{{{name}}}": re.compile(re.escape(f"\\end{{{name}}}"))
        for name in (*sorted(VERBATIM), "comment")
    },
    "\\iffalse": re.compile(r"\\fi\b"),
}


def _parts(text: str) -> Iterator[_Part]:
    at = 0
    for match in _SKIPPED.finditer(text):
        if match["kept"]:
            continue
        yield _Part(text[at : match.start()], at)
        at = match.end()
        if name := match["braced"] or match["bare"]:
            yield _Part("", match.start(), name)
        if match["stop"]:
            return
    yield _Part(text[at:], at)


_SKIPPED = re.compile(
    rf"(?P<kept>{LISTING}"
    r"|\\(?:url|href|path|PMlinkexternal)\s*\{[^{}\n]*\}(?:\{https?:[^{}\n]*\})?"
    r"|\\(?![A-Za-z]).)"
    r"|\\begin\{comment\}[^\\]*+(?:\\(?!end\{comment\})[^\\]*+){0,20000}+\\end\{comment\}"
    r"|\\iffalse\b[^\\]*+(?:\\(?!fi\b)[^\\]*+){0,20000}+\\fi\b"
    r"|\\(?:input|include|subfile)\s*\{(?P<braced>[^{}\n]+)\}"
    r"|\\input[ \t]+(?P<bare>[^\s\\{}%]+)"
    r"|(?P<stop>\\end\{document\}|\\endinput(?![A-Za-z]))"
    r"|%[^\n]*(?:\n(?![ \t]*\n)[ \t]*)?"
)
