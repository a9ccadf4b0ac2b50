"""Text files: lines read with their numbers, files written atomically.

Files may be gzip-compressed, have CRLF line breaks and begin with a byte order mark. The meaning of
a line is left to the format modules.
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
"""The most bytes of a line and characters of a cell, which bounds memory.

A longer line is not text, and a longer cell has an unclosed quotation mark.
"""


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """The lines that are not blank, without line breaks, each with its number, from 1.

    ``encoding`` must be an extension of ASCII.
    """
    for number, line in enumerate(_whole_lines(path, encoding), start=1):
        if not line.isspace():
            yield number, line.rstrip("\r\n")


def read_csv_rows(
    path: Path, delimiter: str, encoding: str = "utf-8", consumed: Consumed | None = None
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with quoted cells, each with the number of its first line.

    A quoted cell may span several lines. Empty lines are skipped.
    """
    # The csv module has one limit for the whole process, which is too low for large MathML. It is
    # only ever raised, so that no other code's files become unreadable.
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
            f"found a row that cannot be split into cells ({error}): expected cells with"
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
    """The columns of a line, separated by tabs if it has any, else by blanks."""
    if "\t" not in line:
        return [column for column in line.split(" ") if column]
    if " " not in line:
        return line.split("\t")
    return [column.strip(" ") for column in line.split("\t")]


def finite_number(text: str) -> float:
    """The number in ``text``; raises ValueError if it is not a number, NaN or infinite."""
    number = float(text)
    if not math.isfinite(number) or "_" in text:
        raise ValueError(f"{text!r} is not a finite number")
    return number


def is_number(text: str) -> bool:
    """Whether ``finite_number`` accepts the text."""
    try:
        finite_number(text)
    except ValueError:
        return False
    return True


def file_stem(path: Path) -> str:
    """The name of a file without the suffixes of run and table formats."""
    name = path.name.removesuffix(".gz")
    for suffix in (".tsv", ".csv", ".txt", ".run", ".res"):
        name = name.removesuffix(suffix)
    return name or path.name


@contextmanager
def open_atomic(path: Path) -> Iterator[TextIO]:
    """A UTF-8 text file that gets its name when everything has been written.

    If writing fails, nothing is left behind and an existing file stays unchanged. A name that ends
    in ``.gz`` is compressed, into the same bytes each time.
    """
    try:
        with replaced_file(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
            try:
                yield text
            finally:
                text.detach()  # flushes, and leaves the stream open
    except UnicodeEncodeError as error:
        surrogate = f"U+{ord(error.object[error.start]):04X}"
        raise PorismError(
            f"{path}: UTF-8 cannot encode the lone surrogate {surrogate}; remove it first"
        ) from None


def check_ids(path: Path, ids: Iterable[str]) -> None:
    """Raise a PorismError for ids that would not read back equal from a tab-separated column."""
    for text in ids:
        if not _VALID_ID.fullmatch(text):
            raise PorismError(
                f"{path}: the id {text!r} cannot be written to a column of this file: expected at"
                " least one character, no tab or line break, and no leading or trailing blank"
            )


_VALID_ID = re.compile(r"[^\s\ufeff](?:[^\t\n\r\ufeff]*[^\s\ufeff])?")
