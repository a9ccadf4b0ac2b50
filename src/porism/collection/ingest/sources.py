"""Sources of an ingest: Stack Exchange dumps, the ARQMath distribution, documents.

The rest of the ingest sees a source only as its parts, each with a reader and a fingerprint.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Generic, TypeVar

from porism.collection.schema import storable
from porism.errors import PorismError
from porism.formats.documents import MAX_FILES, DocumentFile, read_documents, scan_documents
from porism.formats.dumps import arqmath, stack_exchange
from porism.formats.dumps.rows import (
    CommentRow,
    FileNote,
    FileRead,
    FormulaRow,
    LinkRow,
    PostRow,
    TagRow,
    UserRow,
    VoteRow,
)
from porism.formats.dumps.stack_exchange_writer import attribute_order
from porism.formats.dumps.tables import DumpTable, find_tables

ROWS_TO_SEE_ORDER = 1_000
"""Rows of posts from which the order of their attributes is determined."""

Row_co = TypeVar("Row_co", covariant=True)

Consumed = Callable[[int], None]
"""Called from time to time with the number of bytes of the part read so far."""


class SourceFormat(StrEnum):
    """The formats of sources, normally detected from the files."""

    STACK_EXCHANGE = "stack-exchange"
    ARQMATH = "arqmath"
    DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class SourcePart(Generic[Row_co]):
    """One file of a source, or all its documents. ``fingerprint`` changes with the content.

    Documents have ``files``, of which an ingest reads only some, and notes on those ``left_out``.
    """

    name: str
    path: Path
    fingerprint: str
    size: int
    read: Callable[[Consumed], Iterator[Row_co]]
    files: tuple[DocumentFile, ...] = ()
    left_out: tuple[FileNote, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectionSource:
    """The parts of a source by type; most sources lack some."""

    format: SourceFormat
    posts: tuple[SourcePart[PostRow | FileNote | FileRead], ...] = ()
    comments: tuple[SourcePart[CommentRow], ...] = ()
    links: tuple[SourcePart[LinkRow], ...] = ()
    tags: tuple[SourcePart[TagRow], ...] = ()
    users: tuple[SourcePart[UserRow], ...] = ()
    votes: tuple[SourcePart[VoteRow], ...] = ()
    formulas: tuple[SourcePart[FormulaRow], ...] = ()
    linked_titles: tuple[SourcePart[tuple[int, str]], ...] = ()
    months: tuple[SourcePart[tuple[int, str]], ...] = ()
    attributes: tuple[str, ...] = ()
    """The order of attributes in the file of posts, for export."""
    site: str = ""
    """The host of the Stack Exchange site, if known."""

    @property
    def is_documents(self) -> bool:
        """Whether its posts are documents, which have names and form one part."""
        return self.format is SourceFormat.DOCUMENTS


def open_source(
    path: Path,
    form: SourceFormat | None = None,
    known: Mapping[str, FileRead] | None = None,
    max_files: int = MAX_FILES,
) -> CollectionSource:
    """The parts of the source at ``path``; its format is detected unless given.

    ``known`` files of documents are not opened unless they have changed; there may be up to
    ``max_files``.
    """
    if not path.exists():
        raise PorismError(f"{path}: there is no such file or folder")
    if form is SourceFormat.DOCUMENTS:
        return _documents(path, known, max_files)
    tables = find_tables(path)
    if len(tables.get("Posts", ())) > 1:
        raise PorismError(
            f"{path}: the posts of more than one site, whose ids would clash: "
            f"{', '.join(str(table.path) for table in tables['Posts'])}; name one of them"
        )
    if "Posts" in tables:
        return _tables(path, form, tables)
    if form is not None:
        raise PorismError(
            f"{path}: no Posts file, and a source of format {form} has one "
            "(Posts.xml, Posts.xml.gz, Posts.V1.3.xml, or a .7z with Posts.xml in it)"
        )
    if tables:
        raise PorismError(
            f"{path}: {', '.join(sorted(tables))} but no Posts; "
            "name the folder or archive that has them all"
        )
    return _documents(path, known, max_files)


def site_name(path: Path) -> str:
    """The host that the folder or archive of a dump is named after; empty if it is not.

    >>> site_name(Path("dumps/math.stackexchange.com.7z")), site_name(Path("dumps/posts"))
    ('math.stackexchange.com', '')
    """
    names = (_SITE.match(name) for name in reversed(path.resolve().parts))
    return next((name[0] for name in names if name), "")


_SITE = re.compile(r"(?:[a-z0-9-]+\.)*(?:stackexchange\.com|mathoverflow\.net)")


def _tables(
    path: Path, form: SourceFormat | None, tables: dict[str, tuple[DumpTable, ...]]
) -> CollectionSource:
    formulas = arqmath.representation_files(path, "latex") if path.is_dir() else ()
    is_lab = arqmath.is_arqmath(path)
    seen = SourceFormat.ARQMATH if is_lab else SourceFormat.STACK_EXCHANGE
    return CollectionSource(
        format=form or seen,
        site="math.stackexchange.com" if is_lab else site_name(path),
        posts=_table_parts(tables, "Posts", stack_exchange.read_posts),
        comments=_table_parts(tables, "Comments", stack_exchange.read_comments),
        links=_table_parts(tables, "PostLinks", stack_exchange.read_links),
        tags=_table_parts(tables, "Tags", stack_exchange.read_tags),
        users=_table_parts(tables, "Users", stack_exchange.read_users),
        votes=_table_parts(tables, "Votes", stack_exchange.read_votes),
        formulas=tuple(_file_part(file, path, arqmath.read_formulas) for file in formulas),
        linked_titles=_named_files(
            path, "linked_question_titles.tsv", _without_progress(arqmath.read_linked_titles)
        ),
        months=_named_files(path, "question_months.tsv", _without_progress(arqmath.read_months)),
        attributes=attribute_order(tables["Posts"][0], ROWS_TO_SEE_ORDER),
    )


TableReader = Callable[[DumpTable, Consumed], Iterator[Row_co]]
FileReader = Callable[[Path, Consumed], Iterator[Row_co]]


def _table_parts(
    tables: dict[str, tuple[DumpTable, ...]], name: str, read: TableReader[Row_co]
) -> tuple[SourcePart[Row_co], ...]:
    return tuple(
        SourcePart(
            name=storable(f"{table.path.name}/{table.entry}" if table.entry else table.path.name),
            path=table.path,
            fingerprint=_fingerprint(table.path.parent, (table.path,)),
            size=table.size,
            read=partial(read, table),
        )
        for table in tables.get(name, ())
    )


def _file_part(path: Path, source: Path, read: FileReader[Row_co]) -> SourcePart[Row_co]:
    return SourcePart(
        name=storable(path.relative_to(source).as_posix()),
        path=path,
        fingerprint=_fingerprint(path.parent, (path,)),
        size=path.stat().st_size,
        read=partial(read, path),
    )


def _named_files(
    source: Path, name: str, read: FileReader[Row_co]
) -> tuple[SourcePart[Row_co], ...]:
    """The file of that name, plain or gzipped, if the source is a folder that has it."""
    files = (source / name, source / f"{name}.gz")
    return tuple(_file_part(file, source, read) for file in files if file.is_file())[:1]


def _without_progress(read: Callable[[Path], Iterator[Row_co]]) -> FileReader[Row_co]:
    """A reader of a small file, which does not report how much of it is read."""
    return lambda path, consumed: read(path)


def _documents(
    path: Path, known: Mapping[str, FileRead] | None, max_files: int
) -> CollectionSource:
    scan = scan_documents(path, known, max_files)
    name = os.path.basename(os.path.abspath(path))  # as in the names of the documents
    digest = blake2b(digest_size=16)
    for file in scan.files:
        digest.update(f"{file.name}\0{file.fingerprint}\0".encode())
    for note in scan.left_out:
        digest.update(f"{note.name}\0".encode())
    part = SourcePart(
        name=storable(f"{name}/" if path.is_dir() else name),
        path=path,
        fingerprint=digest.hexdigest(),
        size=0,
        read=lambda consumed: read_documents(path),
        files=scan.files,
        left_out=scan.left_out,
    )
    return CollectionSource(format=SourceFormat.DOCUMENTS, posts=(part,))


def _fingerprint(folder: Path, files: Iterable[Path]) -> str:
    """A digest of the names, sizes and times of the files, without reading them."""
    digest = blake2b(digest_size=16)
    for file in files:
        stat = file.stat()
        digest.update(os.fsencode(file.relative_to(folder)))
        digest.update(f"\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return digest.hexdigest()
