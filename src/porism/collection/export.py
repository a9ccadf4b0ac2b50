"""Export of a collection in the format of the ARQMath distribution.

Values are written as they were read, so that ingesting an export gives the same collection.
``representations`` writes formulas as MathML.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from porism.collection.formulas.representations import (
    count_representation_rows,
    representation_rows,
)
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.formats.dumps.arqmath import (
    FormulaRepresentation,
    write_formulas,
    write_linked_titles,
    write_months,
)
from porism.formats.dumps.rows import CommentRow, FormulaRow, LinkRow, PostRow, TagRow, UserRow
from porism.formats.dumps.stack_exchange_writer import (
    POST_ATTRIBUTES,
    write_comments,
    write_links,
    write_posts,
    write_tags,
    write_users,
)
from porism.formats.partial_outputs import partial_folder
from porism.model import PostKind

Row = TypeVar("Row")

PROGRESS_ROWS = 1_000
"""Rows after which progress is reported."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Options of an export: compression, number of processes, formulas in a file."""

    gzip: bool = False
    jobs: int = 1
    lines_per_file: int = 300_000


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file, or a folder of numbered files, with its number of records."""

    name: str
    records: int


def export(
    collection: Collection,
    folder: Path,
    options: ExportOptions | None = None,
    watch: Watch = lambda progress: None,
) -> tuple[ExportedFile, ...]:
    """Write the collection as the lab's files into ``folder``, which must be empty or new.

    The folder appears when all files are written. Documents, which the lab's format lacks, become
    questions whose id is their number; macros that their files define outside of formulas are not
    written. A formula that the parser refused has LaTeX, but no MathML. Votes are not written,
    since only their sums are stored.
    """
    target = folder.resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise PorismError(f"{folder}: not an empty folder; choose an empty or a new one")
    target.parent.mkdir(parents=True, exist_ok=True)
    with partial_folder(target) as partial:
        written = tuple(_files(collection, partial, options or ExportOptions(), watch))
        if target.exists():
            target.rmdir()
        partial.rename(target)
    return written


def _files(
    collection: Collection, folder: Path, options: ExportOptions, watch: Watch
) -> Iterator[ExportedFile]:
    connection = collection._connection
    suffix = ".gz" if options.gzip else ""

    def write(
        name: str,
        sql: str,
        row: Callable[..., Row],
        write_rows: Callable[[Path, Iterable[Row]], object],
        is_optional: bool = False,
    ) -> Iterator[ExportedFile]:
        (total,) = connection.execute(f"SELECT count(*) FROM ({sql})").fetchone()
        if not total and is_optional:
            return
        rows = (row(*values) for values in connection.execute(sql))
        file = folder / f"{name}{suffix}"
        write_rows(file, with_progress(rows, file.name, total, watch))
        yield ExportedFile(file.name, total)

    order = tuple((collection.meta("attributes") or "").split()) or POST_ATTRIBUTES
    yield from write(
        "Posts.V1.3.xml", _POSTS, _post, lambda file, rows: write_posts(file, rows, order=order)
    )
    yield from write("Comments.V1.3.xml", _COMMENTS, CommentRow, write_comments)
    yield from write("PostLinks.V1.3.xml", _LINKS, LinkRow, write_links)
    yield from write("Tags.V1.3.xml", _TAGS, TagRow, write_tags, is_optional=True)
    yield from write("Users.V1.3.xml", _USERS, UserRow, write_users, is_optional=True)
    yield from write(
        "linked_question_titles.tsv", _TITLES, _pair, write_linked_titles, is_optional=True
    )
    yield from write("question_months.tsv", _MONTHS, _pair, write_months, is_optional=True)
    for representation in FormulaRepresentation:
        yield _formula_files(connection, folder, representation, options, watch)


# Ordered by id, as in every file of the lab; a table may have rows of several files.
_POSTS = (
    "SELECT id, kind, title, body, parent_id, tags, created, score, views, owner_id, accepted_id, "
    "answer_count, comment_count FROM posts ORDER BY id"
)
_COMMENTS = "SELECT id, post_id, text, created, score, user_id FROM comments ORDER BY id"
_LINKS = (
    "SELECT post_id, related_id, kind, id, created FROM links "
    "ORDER BY id, post_id, related_id, kind"
)
_TAGS = "SELECT name, posts, id FROM tags ORDER BY id, name"
_USERS = "SELECT id, name, reputation, created FROM users ORDER BY id"
_TITLES = "SELECT post_id, title FROM linked_titles ORDER BY post_id"
_MONTH_LENGTH = len("2010-07")
_MONTHS = f"SELECT id, created FROM posts WHERE length(created) = {_MONTH_LENGTH} ORDER BY id"


def _post(
    post_id: int,
    kind: str,
    title: str | None,
    body: str,
    parent_id: int | None,
    tags: str,
    created: str | None,
    *numbers: int | None,
) -> PostRow:
    """A row of the file of posts; a date that is only a month goes to another file."""
    score, views, owner_id, accepted_id, answer_count, comment_count = numbers
    return PostRow(
        id=post_id,
        kind=PostKind.ANSWER if kind == PostKind.ANSWER else PostKind.QUESTION,
        title=title,
        body=body,
        parent_id=parent_id,
        tags=tuple(tags.split("\n")) if tags else (),
        created=None if created is not None and len(created) == _MONTH_LENGTH else created,
        score=score,
        views=views,
        owner_id=owner_id,
        accepted_id=accepted_id,
        answer_count=answer_count,
        comment_count=comment_count,
    )


def _pair(post_id: int, text: str) -> tuple[int, str]:
    return post_id, text


def _formula_files(
    connection: sqlite3.Connection,
    folder: Path,
    representation: FormulaRepresentation,
    options: ExportOptions,
    watch: Watch,
) -> ExportedFile:
    """Write the numbered files of one representation, at least one."""
    name = f"{representation}_representation_v3"
    (folder / name).mkdir()
    total = count_representation_rows(connection, representation)
    rows = iter(
        with_progress(
            representation_rows(connection, representation, options.jobs), name, total, watch
        )
    )
    number = 1
    first: FormulaRow | None = next(rows, None)
    while first is not None or number == 1:
        head = () if first is None else (first,)
        file = folder / name / f"{number}.tsv{'.gz' if options.gzip else ''}"
        write_formulas(file, chain(head, islice(rows, options.lines_per_file - 1)))
        first = next(rows, None)
        number += 1
    return ExportedFile(f"{name}/", total)


def with_progress(rows: Iterable[Row], step: str, total: int, watch: Watch) -> Iterator[Row]:
    """The rows, reporting progress from time to time."""
    for number, row in enumerate(rows, start=1):
        if number % PROGRESS_ROWS == 0:
            watch(StepProgress(step, number, total, number))
        yield row
