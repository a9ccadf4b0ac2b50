"""Tab-separated files with a header line, as Python's csv module writes them.

Cells that hold a tab, a quotation mark or a line end are quoted. What the columns mean is left to
the modules of the formats.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import Consumed
from porism.formats.text_lines import open_atomic, read_csv_rows


class TabbedRow(NamedTuple):
    """The cells of a row, as many as the header has, and the line in which it begins."""

    cells: list[str]
    line: int


def read_tabbed(path: Path, consumed: Consumed | None = None) -> Iterator[TabbedRow]:
    """The header and then the rows of a file, plain or gzip; empty lines are passed over.

    A file without header, a row with more or fewer cells than that, a NUL and bytes that are no
    UTF-8 are a FormatError.
    """
    header: list[str] = []
    for line, cells in read_csv_rows(path, "\t", consumed=consumed):
        header = header or cells
        if len(cells) != len(header):
            raise _uneven(path, line, cells, header)
        if "\0" in "".join(cells):
            why = "found a NUL: expected text; is the file damaged?"
            raise FormatError(str(path), line, why)
        yield TabbedRow(cells, line)
    if not header:
        raise FormatError(str(path), 1, "the file is empty: expected a header line")


def column_index(header: Sequence[str], names: Iterable[str], path: Path) -> int:
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
    with open_atomic(path) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator=line_end)
        writer.writerow(header)
        for row in rows:
            if any("\0" in cell for cell in row):
                raise PorismError(f"{path}: the row of {row[0]!r} holds a NUL; remove it first")
            writer.writerow(row)


def _uneven(path: Path, line: int, cells: Sequence[str], header: Sequence[str]) -> FormatError:
    return FormatError(
        str(path),
        line,
        f"found {len(cells)} cells: expected {len(header)} ({', '.join(header)[:200]}), "
        "separated by tabs",
    )
