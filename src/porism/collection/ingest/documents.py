"""Ingest of documents: of a folder, only the files that are new or have changed are read.

The files that have been read are recorded with their fingerprints, in the transactions that write
their documents. So an ingest can be killed, and the next one continues with the files that are not
yet recorded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from porism.collection.ingest.draft import DraftCollection
from porism.collection.ingest.posts import IngestRules, ingest_rows, remove_vanished
from porism.collection.ingest.sources import SourcePart
from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import DATABASE, connect_to_read, storable, transaction
from porism.formats.documents import DocumentFile, read_file
from porism.formats.dumps.rows import FileNote, FileRead, PostRow


def known_files(folder: Path) -> dict[str, FileRead]:
    """The files of documents that the finished collection in ``folder`` has, by name."""
    if not (folder / DATABASE).exists():
        return {}
    with closing(connect_to_read(folder / DATABASE)) as connection:
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'files'"
        if connection.execute(query).fetchone() is None:  # made before they were recorded
            return {}
        rows = connection.execute("SELECT name, fingerprint, includes FROM files").fetchall()
    return {
        name: FileRead(name, fingerprint, tuple(includes.split("\n")) if includes else ())
        for name, fingerprint, includes in rows
    }


def ingest_documents(
    draft: DraftCollection,
    part: SourcePart[PostRow | FileNote | FileRead],
    rules: IngestRules,
    watch: Watch,
) -> None:
    """Ingest the new and changed files of a folder, or a single file."""
    connection = draft.connection
    recorded = dict(connection.execute("SELECT name, fingerprint FROM files"))
    is_known = {
        file: bool(file.fingerprint) and recorded.get(file.name) == file.fingerprint
        for file in part.files
    }
    unchanged = [file for file in part.files if is_known[file]]
    changed = [file for file in part.files if not is_known[file]]
    pass_number = draft.begin_documents(part, {file.name for file in unchanged})
    with transaction(connection):
        connection.executemany(
            "UPDATE posts SET seen = ?1 WHERE name = ?2 OR (name > ?2 || '#' AND name < ?2 || '$') "
            "OR (name > ?2 || '/' AND name < ?2 || '0')",  # in an archive
            ((pass_number, file.name) for file in unchanged),
        )
    size = sum(_size(file) for file in changed)
    rows = _rows(part, changed, size, watch)
    ingest_rows(draft, part, pass_number, rows, rules, size)
    with transaction(connection):
        remove_vanished(connection, part.name, pass_number)
        _forget_vanished(connection, part)
        draft.finish_part(part)


def _rows(
    part: SourcePart[PostRow | FileNote | FileRead],
    files: Iterable[DocumentFile],
    size: int,
    watch: Watch,
) -> Iterator[PostRow | FileNote | FileRead]:
    yield from part.left_out
    done = count = 0
    for file in files:
        for row in read_file(file, part.path):
            count += 1
            yield row
        done += _size(file)
        watch(StepProgress("posts", done, size, count))


def _size(file: DocumentFile) -> int:
    try:
        return file.path.stat().st_size
    except OSError:  # it is reported when it is read
        return 0


def _forget_vanished(
    connection: sqlite3.Connection, part: SourcePart[PostRow | FileNote | FileRead]
) -> None:
    """Forget the files of this folder that are no longer there."""
    present = {storable(file.name) for file in part.files}
    names = connection.execute("SELECT name FROM files WHERE part = ?", (part.name,)).fetchall()
    vanished = [(name,) for (name,) in names if name not in present]
    connection.executemany("DELETE FROM files WHERE name = ?", vanished)
