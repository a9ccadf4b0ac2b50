"""The files of the ARQMath distribution besides its tables: formulas, titles and months.

A representation (LaTeX, Presentation MathML or Content MathML) is a folder of numbered
tab-separated files with a line for each formula of the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import Consumed
from porism.formats.dumps.rows import FormulaRow
from porism.formats.dumps.tables import find_tables, version_of
from porism.formats.tab_separated import column_index, read_tabbed, write_tabbed


class FormulaRepresentation(StrEnum):
    """The representation of formulas in a file, as in its folder's name."""

    LATEX = "latex"
    SLT = "slt"
    OPT = "opt"


FORMULA_COLUMNS = (
    "id",
    "post_id",
    "thread_id",
    "type",
    "comment_id",
    "old_visual_id",
    "visual_id",
    "issue",
    "formula",
)
"""The columns of the third version, the one that is written."""

TITLE_COLUMNS = ("post_id", "title")
MONTH_COLUMNS = ("question_id", "creation_month")

# For each field of FormulaRow, except its line, the names of its column in any version.
_REQUIRED = (
    ("id",),
    ("post_id", "topic_id"),
    ("thread_id",),
    ("type",),
    ("formula", "latex", "slt", "opt"),
)
_OPTIONAL = ("comment_id", "old_visual_id", "visual_id", "issue")

_REPRESENTATION_NAME = re.compile(
    r"(?P<form>latex|slt|opt)_representation(?:_?v(?P<version>\d+))?(?:\.tsv(?:\.gz)?)?",
    re.IGNORECASE,
)
_NUMBERED_FILE = re.compile(r"(?P<number>\d+)\.tsv(?:\.gz)?", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])", re.ASCII)


def representation_files(
    source: Path, representation: FormulaRepresentation | str
) -> tuple[Path, ...]:
    """The files of a representation in the order of their numbers; none if it does not exist.

    ``source`` is the collection's folder, that of the representation, or one TSV file, which has
    the given representation unless its name says otherwise. Of several versions the newest is
    used, and a plain file rather than a compressed one. As for tables, subfolders are searched if
    there is nothing in the folder itself.
    """
    wanted = FormulaRepresentation(representation)
    if source.is_file():
        return (source,) if _is_tabbed(source) and _may_hold(source, wanted) else ()
    if not source.exists():
        raise PorismError(f"{source} does not exist: expected a folder or a TSV file")
    if _holds(source, wanted):
        return _numbered_files(source)
    for folder in (source, *sorted(filter(Path.is_dir, source.iterdir()))):
        paths = [path for path in folder.iterdir() if _holds(path, wanted)]
        if paths:
            newest = max(paths, key=lambda path: (_version(path), path.is_dir(), path.name))
            return _numbered_files(newest) if newest.is_dir() else (newest,)
    return ()


def is_arqmath(source: Path) -> bool:
    """Whether a folder or file is part of the ARQMath distribution, by the names of its files.

    A folder has a formula representation or tables with versions (``Posts.V1.3.xml``); a single
    file is a TSV or such a table.
    """
    if any(
        representation_files(source, representation) for representation in FormulaRepresentation
    ):
        return True
    tables = find_tables(source)
    return any(version_of(table.path) for group in tables.values() for table in group)


def read_formulas(path: Path, consumed: Consumed | None = None) -> Iterator[FormulaRow]:
    """The formulas of one representation file, of a collection or of topics, of any version.

    Columns are identified by the header; those that a version does not have are empty.
    """
    rows = read_tabbed(path, consumed)
    header = next(rows).cells
    identity, post, thread, kind, formula = (
        column_index(header, names, path) for names in _REQUIRED
    )
    # An empty cell is appended to each row; columns that are missing point at it.
    comment, old_visual, visual, issue = (
        header.index(name) if name in header else len(header) for name in _OPTIONAL
    )
    for cells, line in rows:
        cells.append("")
        yield FormulaRow(
            cells[identity],
            cells[post],
            cells[thread],
            cells[kind],
            cells[formula],
            cells[comment],
            cells[old_visual],
            cells[visual],
            cells[issue],
            line,
        )


def read_linked_titles(path: Path) -> Iterator[tuple[int, str]]:
    """Ids and titles, as HTML, of questions that are linked to but not in the collection."""
    for post_id, title, _ in _numbered(path, TITLE_COLUMNS):
        yield post_id, title


def read_months(path: Path) -> Iterator[tuple[int, str]]:
    """The id of each question and the month in which it was asked, such as ``2010-07``."""
    for question_id, month, line in _numbered(path, MONTH_COLUMNS):
        if _MONTH.fullmatch(month) is None:
            raise FormatError(
                str(path), line, f"found the month {month[:40]!r}: expected one such as 2010-07"
            )
        yield question_id, month


def write_formulas(path: Path, rows: Iterable[FormulaRow]) -> None:
    """Write a representation file of the third version."""
    write_tabbed(
        path,
        FORMULA_COLUMNS,
        (
            (
                row.id,
                row.post_id,
                row.thread_id,
                row.type,
                row.comment_id,
                row.old_visual_id,
                row.visual_id,
                row.issue,
                row.representation,
            )
            for row in rows
        ),
    )


def write_linked_titles(path: Path, titles: Iterable[tuple[int, str]]) -> None:
    """Write titles by question id."""
    write_tabbed(path, TITLE_COLUMNS, ((str(post_id), title) for post_id, title in titles))


def write_months(path: Path, months: Iterable[tuple[int, str]]) -> None:
    """Write months by question id, with the LF line breaks of the lab's file."""
    rows = ((str(question_id), month) for question_id, month in months)
    write_tabbed(path, MONTH_COLUMNS, rows, line_end="\n")


def _numbered(path: Path, columns: tuple[str, str]) -> Iterator[tuple[int, str, int]]:
    """The number, text and line of each row of a file with these two columns."""
    rows = read_tabbed(path)
    header = next(rows).cells
    number, text = (column_index(header, (name,), path) for name in columns)
    for cells, line in rows:
        if _NUMBER.fullmatch(cells[number]) is None:
            raise FormatError(
                str(path),
                line,
                f"found {columns[0]} {cells[number][:40]!r}: expected a whole number",
            )
        yield int(cells[number]), cells[text], line


def _holds(path: Path, representation: FormulaRepresentation) -> bool:
    """Whether a folder or TSV file has the lab's name for this representation."""
    match = _REPRESENTATION_NAME.fullmatch(path.name)
    if match is None or match["form"].lower() != representation:
        return False
    return path.is_dir() or _is_tabbed(path)


def _may_hold(path: Path, representation: FormulaRepresentation) -> bool:
    named = set(re.split(r"[\W_]+", path.name.lower())).intersection(FormulaRepresentation)
    return not named or representation in named


def _is_tabbed(path: Path) -> bool:
    return path.name.lower().endswith((".tsv", ".tsv.gz"))


def _version(path: Path) -> int:
    match = _REPRESENTATION_NAME.fullmatch(path.name)
    return int(match["version"] or 1) if match is not None else 0


def _numbered_files(folder: Path) -> tuple[Path, ...]:
    files: dict[int, Path] = {}
    for path in sorted(folder.iterdir(), reverse=True):  # 1.tsv comes after 1.tsv.gz, and wins
        match = _NUMBERED_FILE.fullmatch(path.name)
        if match is not None and path.is_file():
            files[int(match["number"])] = path
    return tuple(files[number] for number in sorted(files))
