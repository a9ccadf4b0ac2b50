"""Text files of lines: read with line numbers, written whole or not at all.

Files may be compressed by gzip, have CRLF line ends and begin with a byte order mark. What stands
in a line is left to the modules of the formats.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import Consumed, open_bytes, replaced_file, with_line

MAX_LINE = 1 << 24
"""Bytes of a line, and characters of a cell, that are the most; memory stays bounded so.

A longer line is no text, and in a longer cell a quotation mark was left open.
"""


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without line ends, each with its number, counted from 1.

    ``encoding`` is one that extends ASCII.
    """
    for number, line in enumerate(_whole_lines(path, encoding), start=1):
        if not line.isspace():
            yield number, line.rstrip("\r\n")


def read_csv_rows(
    path: Path, delimiter: str, encoding: str = "utf-8", consumed: Consumed | None = None
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with quoted cells, each with the number of its first line.

    A quoted cell may go over several lines. Empty lines are passed over.
    """
    # The csv module has one limit for the whole process, which is too low for large MathML. It is
    # only ever raised, so that nobody else's files become unreadable.
    csv.field_size_limit(max(MAX_LINE, csv.field_size_limit()))
    reader = csv.reader(_whole_lines(path, encoding, consumed), delimiter=delimiter, strict=True)
    number = 1
    try:
        for row in reader:
            if row:
                yield number, row
            number = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(
            str(path),
            number,
            f"found a row that cannot be taken apart ({error}): expected cells that hold"
            ' a quotation mark to be quoted, with the mark doubled, as in "say ""x"""',
        ) from None


def _whole_lines(path: Path, encoding: str, consumed: Consumed | None = None) -> Iterator[str]:
    number = 1
    with open_bytes(path, consumed) as stream:
        try:
            while line := stream.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    why = f"found a line of over {MAX_LINE:,} bytes: this is not text"
                    raise FormatError(str(path), number, why)
                if number == 1:
                    line = line.removeprefix(codecs.BOM_UTF8)
                yield line.decode(encoding)
                number += 1
        except UnicodeDecodeError as error:
            raise FormatError(
                str(path),
                number,
                f"found the byte 0x{line[error.start]:02x} at {error.start} of this line: "
                f"expected {encoding.upper()}; convert the file to UTF-8 first",
            ) from None
        except FormatError as error:
            raise with_line(error, number) from error


def columns(line: str) -> list[str]:
    """The columns of a line: between tabs where it has any, else between blanks."""
    if "\t" not in line:
        return [column for column in line.split(" ") if column]
    if " " not in line:
        return line.split("\t")
    return [column.strip(" ") for column in line.split("\t")]


def finite_number(text: str) -> float:
    """The number that ``text`` writes; ValueError if it writes none, NaN or infinity."""
    number = float(text)
    if not math.isfinite(number) or "_" in text:
        raise ValueError(f"{text!r} is no finite number")
    return number


def is_number(text: str) -> bool:
    """Whether ``finite_number`` reads it."""
    try:
        finite_number(text)
    except ValueError:
        return False
    return True


def file_stem(path: Path) -> str:
    """What a file is called without the endings that tell only its format."""
    name = path.name.removesuffix(".gz")
    for ending in (".tsv", ".csv", ".txt", ".run", ".res"):
        name = name.removesuffix(ending)
    return name or path.name


@contextmanager
def open_atomic(path: Path) -> Iterator[TextIO]:
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
        half = f"U+{ord(error.object[error.start]):04X}, half a character"
        raise PorismError(f"{path}: UTF-8 cannot hold {half}; remove it first") from None


def check_ids(path: Path, ids: Iterable[str]) -> None:
    """Refuse ids that would not be read back from a column between tabs as they are."""
    for text in ids:
        if not _FIT.fullmatch(text):
            raise PorismError(
                f"{path}: the id {text!r} cannot stand in a column of this file: expected at least"
                " one character, no tab or line end, and no blank at its ends"
            )


_FIT = re.compile(r"[^\s\ufeff](?:[^\t\n\r\ufeff]*[^\s\ufeff])?")
