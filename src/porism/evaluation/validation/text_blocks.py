"""Files as blocks of lines; text that cannot be decoded gives findings instead of an exception."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from porism.errors import FormatError
from porism.evaluation.validation.finding import FindingKind, RunFinding, run_finding
from porism.formats.byte_streams import BUFFER, open_bytes
from porism.formats.text_lines import MAX_LINE


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Consecutive whole lines of a file; ``first`` is the number of the first.

    They are one string, separated by line feeds, because most checks are faster on all lines at
    once. A line that is not UTF-8 is empty here.
    """

    first: int
    text: str

    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """The lines that are not blank, with their numbers."""
        for number, line in enumerate(self.text.split("\n"), start=self.first):
            if line and not line.isspace():
                yield number, line


def text_blocks(path: Path) -> Iterator[TextBlock | RunFinding]:
    """A file, plain or gzip, as blocks of lines; reading ends at any finding but ENCODING."""
    number = 1
    with open_bytes(path) as stream:
        try:
            for block in _whole_lines(stream):
                content = block.removeprefix(codecs.BOM_UTF8) if number == 1 else block
                if fault := _not_text(number, content):
                    yield fault
                    return
                yield from _decoded(number, content)
                number += block.count(b"\n")
        except FormatError as error:
            yield run_finding(FindingKind.DAMAGED, number, error.why)


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Blocks that end at a line end; an over-long line is cut."""
    while block := stream.read(BUFFER):
        if not block.endswith(b"\n"):
            try:
                block += stream.readline(MAX_LINE)
            except FormatError:
                yield block  # the next read raises the same error
                raise
        yield block


def _not_text(first: int, block: bytes) -> RunFinding | None:
    if len(block) > MAX_LINE and block.rfind(b"\n", 0, -1) < len(block) - MAX_LINE:
        number = first + block.count(b"\n", 0, -1)
        why = f"found a line of over {MAX_LINE - BUFFER:,} bytes: expected a text file"
        return run_finding(FindingKind.NOT_TEXT, number, why)
    place = block.find(b"\0")
    if place < 0:
        return None
    number = first + block.count(b"\n", 0, place)
    before = block.rfind(b"\n", 0, place)
    why = (
        f"found byte 0x00 at offset {place - before - 1} of this line: "
        "expected UTF-8; this is a binary file or UTF-16"
    )
    return run_finding(FindingKind.NOT_TEXT, number, why)


def _decoded(first: int, block: bytes) -> Iterator[TextBlock | RunFinding]:
    try:
        text = block.decode()
    except UnicodeDecodeError:
        lines = block.split(b"\n")
        for place, line in enumerate(lines):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                yield run_finding(
                    FindingKind.ENCODING,
                    first + place,
                    f"found byte 0x{line[error.start]:02x} at offset {error.start} of this line: "
                    "expected UTF-8; convert the file to UTF-8 first",
                )
                lines[place] = b""
        text = b"\n".join(lines).decode()
    text = text.removesuffix("\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r") for line in text.split("\n"))
    yield TextBlock(first, text)
