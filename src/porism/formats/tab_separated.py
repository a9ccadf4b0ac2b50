"""Tab-separated files with a header line, as Python's csv module writes them.

Cells that hold a tab, a quotation mark or a line end are quoted. What the columns mean is left to
the modules of the formats.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import Consumed, at_line, open_bytes, replaced_file

MAX_CELL = 1 << 26
"""Bytes of a line, and characters of a cell, beyond which a quotation mark was left open."""


class TabbedRow(NamedTuple):
    """The cells of a row, as many as the header has, and the line in which it begins."""

    cells: list[str]
    line: int


def read_tabbed(path: Path, consumed: Consumed | None = None) -> Iterator[TabbedRow]:
    """The header and then the rows of a file, plain or gzip; blank lines are passed over.

    A file without header, a row with more or fewer cells than that, a NUL and bytes that are no
    UTF-8 are a FormatError.
    """
    # The csv module has one limit for the whole process, which is too low for large MathML. It is
    # only ever raised, so that nobody else's files become unreadable.
    csv.field_size_limit(max(MAX_CELL, csv.field_size_limit()))
    header: list[str] = []
    line = 1
    with open_bytes(path, consumed) as stream:
        reader = csv.reader(_lines(stream, path), delimiter="\t", strict=True)
        try:
            for cells in reader:
                header = header or cells
                if len(cells) == len(header) and cells:
                    yield TabbedRow(cells, line)
                elif cells:
                    raise _uneven(path, line, cells, header)
                line = reader.line_num + 1
        except csv.Error as error:
            raise FormatError(
                str(path),
                line,
                f"found a row that cannot be taken apart ({error}): expected cells that hold a "
                "quotation mark to be quoted, with the mark doubled",
            ) from error
    if not header:
        raise FormatError(str(path), 1, "the file is empty: expected a header line")


def column(header: Sequence[str], names: Iterable[str], path: Path) -> int:
    """Where the column is that has one of ``names``; a FormatError if there is none."""
    wanted = list(names)
    for place, name in enumerate(header):
        if name in wanted:
            return place
    raise FormatError(
        str(path),
        1,
        f"found the columns {', '.join(header)[:200]}: expected one named {' or '.join(wanted)}",
    )


def write_tabbed(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[str]], line_end: str = "\r\n"
) -> None:
    """Write a header and rows; NUL and lone surrogates, which nobody could read, are refused."""
    with replaced_file(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        try:
            writer = csv.writer(text, delimiter="\t", lineterminator=line_end)
            writer.writerow(header)
            for row in rows:
                if any("\0" in cell for cell in row):
                    raise PorismError(f"{path}: the row of {row[0]!r} holds a NUL; remove it first")
                writer.writerow(row)
            text.flush()
        except UnicodeEncodeError as error:
            raise PorismError(
                f"{path}: a row holds U+{ord(error.object[error.start]):04X}, half a character, "
                "which UTF-8 cannot hold; remove it first"
            ) from error
        finally:
            text.detach()


def _lines(stream: BinaryIO, path: Path) -> Iterator[str]:
    number = 1
    try:
        while line := stream.readline(MAX_CELL + 1):
            if len(line) > MAX_CELL:
                raise FormatError(str(path), number, f"found a line of over {MAX_CELL:,} bytes")
            if b"\0" in line:
                raise FormatError(
                    str(path), number, "found a NUL: expected text; is the file damaged?"
                )
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield line.decode()
            number += 1
    except UnicodeDecodeError as error:
        raise FormatError(
            str(path),
            number,
            f"found the byte 0x{line[error.start]:02x} at {error.start} of this line: expected "
            "UTF-8; convert the file first",
        ) from error
    except FormatError as error:
        raise at_line(error, number) from error


def _uneven(path: Path, line: int, cells: Sequence[str], header: Sequence[str]) -> FormatError:
    return FormatError(
        str(path),
        line,
        f"found {len(cells)} cells: expected {len(header)} ({', '.join(header)[:200]}), "
        "separated by tabs",
    )
