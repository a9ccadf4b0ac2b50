"""The visual id of each formula, from the lab's formula files or from a map of two columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from porism.errors import FormatError, PorismError
from porism.formats.dumps.arqmath import FormulaRepresentation, representation_files
from porism.formats.tab_separated import column_index, read_tabbed
from porism.formats.text_lines import columns, read_lines
from porism.model import DocId


class FormulaIds(NamedTuple):
    """A formula and its visual ids; one that a file does not have is empty.

    ``visual_id`` is that of the third version, or the only one in the file; ``old_visual_id`` is
    that of the second.
    """

    formula_id: DocId
    visual_id: DocId
    old_visual_id: DocId = DocId("")


def read_formula_ids(path: Path) -> Iterator[FormulaIds]:
    """The ids of all formulas of a formula file of the lab, of a folder of these, or of a map.

    A map has two columns, formula and visual id, separated by tabs, blanks or commas; a header line
    is skipped.
    """
    if not path.exists():
        raise PorismError(f"{path} does not exist: expected formula files, or a map of two columns")
    if path.is_dir():
        files = next(
            filter(None, (representation_files(path, each) for each in FormulaRepresentation)), ()
        )
        if not files:
            raise PorismError(f"{path} has no formula files: expected latex_representation or such")
        for file in files:
            yield from _ids_of_table(file)
        return
    _, first = next(read_lines(path), (1, ""))
    if len(first.split("\t")) > 2:
        yield from _ids_of_table(path)
    else:
        yield from _ids_of_map(path)


def _ids_of_table(path: Path) -> Iterator[FormulaIds]:
    rows = read_tabbed(path)
    header = next(rows).cells
    identity, visual = (column_index(header, (name,), path) for name in ("id", "visual_id"))
    old = header.index("old_visual_id") if "old_visual_id" in header else visual
    for cells, _ in rows:
        yield FormulaIds(DocId(cells[identity]), DocId(cells[visual]), DocId(cells[old]))


def _ids_of_map(path: Path) -> Iterator[FormulaIds]:
    for number, line in read_lines(path):
        cells = columns(line.replace(",", "\t"))
        if len(cells) != 2 or not all(cells):
            why = f"found {line[:80]!r}: expected a formula's id and its visual id, and no more"
            raise FormatError(str(path), number, why)
        if number == 1 and not cells[0].isdecimal() and "id" in cells[0].lower():
            continue
        yield FormulaIds(DocId(cells[0]), DocId(cells[1]))
