r"""One text from the files of a LaTeX document: comments gone, ``\input`` replaced by its file.

Files outside the folder of the document are not read, and none is read twice, so neither loops
nor bombs of ``\input`` do harm.
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
    """Where a part of the text begins, and in which line of the first file it stood.

    All of an included file counts as standing in the line that includes it.
    """

    start: int
    line: int
    included: bool


class JoinedSource(NamedTuple):
    """The text without comments, the files that it includes, and where its parts stood."""

    text: str
    files: frozenset[Path]
    parts: list[TextOrigin]

    def line(self, place: int) -> int:
        """The line of the first file in which ``place`` of the text stood."""
        part = self.parts[bisect_right(self.parts, place, key=lambda part: part.start) - 1]
        return part.line + (0 if part.included else self.text.count("\n", part.start, place))


def joined_text(text: str) -> JoinedSource:
    r"""The text without its comments, in which ``\input`` brings nothing."""
    return _joined(text, None)


def joined_file(path: Path, folder: Path) -> JoinedSource:
    """The text of a file and of those it includes, as far as they are in ``folder``."""
    return _joined(file_text(path), _Inputs(path, folder))


class _Inputs:
    """The files that a document has included so far, none of them twice."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.main = path.resolve()
        self.folder = folder.resolve()
        self.read = {self.main}
        self.room = MAX_BYTES

    def text(self, name: str, includer: Path, depth: int) -> str:
        """The text that stands for an ``\\input``: nothing, with a word, where that may not be."""
        path = self._found(name, includer)
        if path is None or depth > MAX_INPUTS_DEEP:
            log.warning(
                "%s: \\input{%s} is no file in the folder, so it is left out", includer, name
            )
            return ""
        if path in self.read:
            return ""
        self.read.add(path)
        text = file_text(path)
        self.room -= len(text)
        if self.room < 0:
            log.warning("%s: \\input{%s} makes the document too large", includer, name)
            return ""
        return "".join(
            self.text(part.name, path, depth + 1) if part.name else part.text
            for part in _parts(_without_unclosed(text))
        )

    def _found(self, name: str, includer: Path) -> Path | None:
        name = name.strip().strip('"')
        if not name or len(name) > MAX_NAME:
            return None
        for base in (self.main.parent, includer.parent):
            for written in (f"{name}.tex", name):
                try:
                    path = (base / written).resolve()
                    if path.is_relative_to(self.folder) and path.is_file():
                        return path
                except (OSError, RuntimeError) as error:  # links in a circle, names too long
                    log.warning("%s: \\input{%s}: %s", includer, name, error)
        return None


MAX_INPUTS_DEEP = 20
MAX_NAME = 200


class _Part(NamedTuple):
    """A stretch of text without comments, or the name of a file that is put in after it."""

    text: str
    start: int
    name: str = ""


def _joined(text: str, inputs: _Inputs | None) -> JoinedSource:
    text = _without_unclosed(text)
    pieces: list[str] = []
    parts: list[TextOrigin] = []
    size = counted = 0
    line = 1
    for part in _parts(text):
        line += text.count("\n", counted, part.start)
        counted = part.start
        piece = part.text
        if part.name and inputs:
            piece = inputs.text(part.name, inputs.main, 1)
        parts.append(TextOrigin(size, line, bool(part.name)))
        pieces.append(piece)
        size += len(piece)
    files = frozenset(inputs.read - {inputs.main}) if inputs else frozenset[Path]()
    return JoinedSource("".join(pieces), files, parts)


def _without_unclosed(text: str) -> str:
    """The text without beginnings of listings and comments after the last end of such.

    Each of them would be looked for an end to the end of the text, and there may be many.
    """
    for beginning, end in _ENDS.items():
        if beginning in text:
            last = max((found.start() for found in end.finditer(text)), default=0)
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
    for found in _PASSED_OVER.finditer(text):
        if found["kept"]:
            continue
        yield _Part(text[at : found.start()], at)
        at = found.end()
        if name := found["braced"] or found["bare"]:
            yield _Part("", found.start(), name)
        if found["stop"]:
            return
    yield _Part(text[at:], at)


_PASSED_OVER = re.compile(
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
