"""The tables of a Stack Exchange dump or of the ARQMath distribution: where they are, as streams.

A table is one XML file, such as all posts: plain, gzip-compressed, or an entry of a .7z archive.
``stack_exchange`` reads its rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import Consumed, open_bytes, with_line
from porism.formats.dumps.seven_zip import archive_entries, open_entry

ROOTS = {
    "Posts": "posts",
    "Comments": "comments",
    "PostLinks": "postlinks",
    "Tags": "tags",
    "Users": "users",
    "Votes": "votes",
}
"""The tables that can be read, with their root elements."""

Version = tuple[int, ...]

_BY_LOWER_NAME = {name.lower(): name for name in ROOTS}
_BY_ROOT = {root: name for name, root in ROOTS.items()}

# Posts.xml, stackoverflow.com-Posts.xml, Posts.V1.3.xml, Posts_V1_0.xml
_FILE_NAME = re.compile(
    rf"(?:.*-)?(?P<table>{'|'.join(ROOTS)})(?:[._-]v?(?P<version>\d+(?:[._]\d+)*))?\.xml(?:\.gz)?",
    re.IGNORECASE,
)
_ROOT_ELEMENT = re.compile(rb"<([A-Za-z_][\w.:-]*)")
_PROLOGUE = re.compile(rb"<\?.*?\?>|<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DumpTable:
    """One table: its file, and its entry if that is a .7z archive; ``size`` is that of the file."""

    name: str
    path: Path
    entry: str = ""
    size: int = 0

    def __str__(self) -> str:
        return f"{self.path}/{self.entry}" if self.entry else str(self.path)


def find_tables(source: Path) -> dict[str, tuple[DumpTable, ...]]:
    """The tables of a folder, an archive or a single file, by name; usually one for each name.

    Of several versions of a table in a folder the newest is used (``Posts.V1.3`` before
    ``Posts.V1.2``), and the plain file before gzip before an archive. Archives of two sites in one
    folder give two tables of each name. If a folder has no tables its subfolders are searched,
    since the lab's distribution keeps its tables in one. The result may be empty.
    """
    if source.is_dir():
        tables = _in_folder(source)
        for subfolder in () if tables else sorted(filter(Path.is_dir, source.iterdir())):
            tables = {**_in_folder(subfolder), **tables}
        return tables
    if not source.exists():
        raise PorismError(
            f"{source} does not exist: expected a folder, a .7z archive or an XML file"
        )
    if source.suffix.lower() == ".7z":
        return _by_name(_in_archive(source))
    if (table := _as_file(source)) is not None:
        return {table.name: (table,)}
    return {}


def table_at(path: Path, name: str) -> DumpTable:
    """The table ``name`` in the file ``path``, whatever the file's name."""
    return DumpTable(name, path, size=path.stat().st_size)


def version_of(path: Path) -> Version:
    """The version in a table's file name, such as (1, 3); empty if it has none."""
    match = _FILE_NAME.fullmatch(path.name)
    if match is None or match["version"] is None:
        return ()
    return tuple(int(part) for part in re.split("[._]", match["version"]))


def open_table(
    table: DumpTable, consumed: Consumed | None = None
) -> AbstractContextManager[BinaryIO]:
    """The table's XML as a stream; ``consumed`` is called with the bytes of its file read so far.

    Damage raises a FormatError while it is read, with line 0 (see ``byte_streams.with_line``).
    """
    if table.entry:
        return open_entry(table.path, table.entry, consumed)
    return open_bytes(table.path, consumed)


def _in_folder(folder: Path) -> dict[str, tuple[DumpTable, ...]]:
    files: dict[str, list[Path]] = {}
    archived: list[DumpTable] = []
    for path in sorted(filter(Path.is_file, folder.iterdir())):
        if path.suffix.lower() == ".7z":
            archived.extend(_in_archive(path))
        elif (name := _table_named(path.name)) is not None:
            files.setdefault(name, []).append(path)
    plain = {name: (table_at(_newest(paths), name),) for name, paths in files.items()}
    return {**_by_name(archived), **plain}


def _newest(paths: Iterable[Path]) -> Path:
    return max(paths, key=lambda path: (version_of(path), path.suffix.lower() != ".gz"))


def _in_archive(path: Path) -> Iterator[DumpTable]:
    size = path.stat().st_size
    for entry in archive_entries(path):
        name = _table_named(PurePosixPath(entry.replace("\\", "/")).name)
        if name is not None:
            yield DumpTable(name, path, entry, size)


def _by_name(tables: Iterable[DumpTable]) -> dict[str, tuple[DumpTable, ...]]:
    by_name: dict[str, tuple[DumpTable, ...]] = {}
    for table in tables:
        by_name[table.name] = (*by_name.get(table.name, ()), table)
    return by_name


def _table_named(file_name: str) -> str | None:
    match = _FILE_NAME.fullmatch(file_name)
    return None if match is None else _BY_LOWER_NAME[match["table"].lower()]


def _as_file(path: Path) -> DumpTable | None:
    """A single file as a table, by its name or else by its root element."""
    name = _table_named(path.name)
    if name is None and path.name.lower().endswith((".xml", ".xml.gz")):
        name = _BY_ROOT.get(_root(path))
    return None if name is None else table_at(path, name)


def _root(path: Path) -> str:
    try:
        with open_bytes(path) as stream:
            beginning = stream.read(1 << 12)
    except FormatError as error:
        raise with_line(error, 1) from error
    match = _ROOT_ELEMENT.search(_PROLOGUE.sub(b"", beginning))
    return "" if match is None else match[1].decode()
