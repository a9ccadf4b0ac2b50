"""Tab-separated files with a header line, as Python's csv module writes them.

Cells with a tab, a quotation mark or a line break are quoted. The meaning of the columns is left to
the format modules.
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
    """The cells of a row, as many as in the header, and its first line."""

    cells: list[str]
    line: int


def read_tabbed(path: Path, consumed: Consumed | None = None) -> Iterator[TabbedRow]:
    """The header and then the rows of a file, plain or gzip; empty lines are skipped.

    A missing header, a row with more or fewer cells, a NUL and bytes that are not UTF-8 raise a
    FormatError.
    """
    header: list[str] = []
    for line, cells in read_csv_rows(path, "\t", consumed=consumed):
        header = header or cells
        if len(cells) != len(header):
            raise _wrong_width(path, line, cells, header)
        if "\0" in "".join(cells):
            why = "found a NUL: expected text; is the file damaged?"
            raise FormatError(str(path), line, why)
        yield TabbedRow(cells, line)
    if not header:
        raise FormatError(str(path), 1, "the file is empty: expected a header line")


def column_index(header: Sequence[str], names: Iterable[str], path: Path) -> int:
    """The index of the column with one of ``names``; raises FormatError if there is none."""
    accepted = list(names)
    for index, name in enumerate(header):
        if name in accepted:
            return index
    raise FormatError(
        str(path),
        1,
        f"found the columns {', '.join(header)[:200]}: expected one named {' or '.join(accepted)}",
    )


def write_tabbed(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[str]], line_end: str = "\r\n"
) -> None:
    """Write a header and rows; a NUL or lone surrogate, which could not be read back, raises."""
    with open_atomic(path) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator=line_end)
        writer.writerow(header)
        for row in rows:
            if any("\0" in cell for cell in row):
                raise PorismError(f"{path}: the row of {row[0]!r} has a NUL; remove it first")
            writer.writerow(row)


def _wrong_width(path: Path, line: int, cells: Sequence[str], header: Sequence[str]) -> FormatError:
    return FormatError(
        str(path),
        line,
        f"found {len(cells)} cells: expected {len(header)} ({', '.join(header)[:200]}), "
        "separated by tabs",
    )
