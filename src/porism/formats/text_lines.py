"""Text files of lines: read with line numbers, written whole or not at all.

Files may be compressed by gzip, have CRLF line ends and begin with a byte order mark. What stands
in a line is left to the modules of the formats.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import at_line, open_bytes, replaced_file

MAX_LINE = 1 << 24
"""Bytes in a line, beyond which a file is no text of lines: memory stays bounded on any input."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without line ends, each with its number, counted from 1.

    ``encoding`` is one that extends ASCII.
    """
    for number, line in enumerate(_whole_lines(path, encoding), start=1):
        if not line.isspace():
            yield number, line.rstrip("\r\n")


def read_csv_rows(
    path: Path, delimiter: str, encoding: str = "utf-8"
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with quoted cells, each with the number of its first line.

    A quoted cell may go over several lines. Blank rows are passed over.
    """
    reader = csv.reader(_whole_lines(path, encoding), delimiter=delimiter, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(
                str(path),
                number,
                f"this row cannot be taken apart ({error}): expected cells that hold"
                ' a quotation mark to be quoted, with the mark doubled, as in "say ""x"""',
            ) from None
        if any(cell and not cell.isspace() for cell in row):
            yield number, row


def _whole_lines(path: Path, encoding: str) -> Iterator[str]:
    with open_bytes(path) as stream:
        number = 0
        while True:
            number += 1
            line = _next_line(stream, path, number)
            if not line:
                return
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            try:
                text = line.decode(encoding)
            except UnicodeDecodeError as error:
                raise FormatError(
                    str(path),
                    number,
                    f"the byte 0x{line[error.start]:02x} at {error.start} of this line is not "
                    f"{encoding.upper()}: convert the file to UTF-8 first",
                ) from None
            yield text


def _next_line(stream: BinaryIO, path: Path, number: int) -> bytes:
    try:
        line = stream.readline(MAX_LINE + 1)
    except FormatError as error:
        raise at_line(error, number) from error
    if len(line) > MAX_LINE:
        raise FormatError(str(path), number, f"a line of more than {MAX_LINE:,} bytes: not text")
    return line


def columns(line: str) -> list[str]:
    """The columns of a line: between tabs where it has any, else between blanks."""
    if "\t" not in line:
        return [column for column in line.split(" ") if column]
    if " " not in line:
        return line.split("\t")
    return [column.strip(" ") for column in line.split("\t")]


def finite(text: str) -> float:
    """The number that ``text`` writes; ValueError if it writes none, NaN or infinity."""
    number = float(text)
    if not math.isfinite(number) or "_" in text:
        raise ValueError(f"{text!r} is no finite number")
    return number


def name_of(path: Path) -> str:
    """What a file is called without the endings that tell only its format."""
    name = path.name.removesuffix(".gz")
    for ending in (".tsv", ".csv", ".txt", ".run", ".res"):
        name = name.removesuffix(ending)
    return name or path.name


@contextmanager
def open_written(path: Path) -> Iterator[TextIO]:
    """A file to write UTF-8 text to, which gets its name when all has been written.

    Where the writing fails nothing is left behind, and a file of that name stays as it was. A name
    that ends in ``.gz`` is compressed, into the same bytes each time.
    """
    try:
        with replaced_file(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
            try:
                yield text
            finally:
                text.detach()  # which hands on what it holds and leaves the stream open
    except UnicodeEncodeError as error:
        raise PorismError(f"{path}: {error.object!r} cannot be written as UTF-8") from None


def check_ids(path: Path, ids: Iterable[str]) -> None:
    """Refuse ids that would not be read back from a column between tabs as they are."""
    for text in ids:
        if not _FIT.fullmatch(text):
            raise PorismError(
                f"{path}: the id {text!r} cannot stand in a column of this file: expected at least"
                " one character, no tab or line end, and no blank at its ends"
            )


_FIT = re.compile(r"[^\s\ufeff](?:[^\t\n\r\ufeff]*[^\s\ufeff])?")
