"""Rows written as the tables of a Stack Exchange dump, in the format of the ARQMath distribution.

None and empty values are left out, so that rows read back equal. Line breaks and tabs are written
as character references. Characters that XML cannot hold raise an error and are never dropped
silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import islice, pairwise
from pathlib import Path
from typing import TypeVar

from porism.errors import PorismError
from porism.formats.byte_streams import replaced_file
from porism.formats.dumps.rows import CommentRow, LinkRow, PostRow, TagRow, UserRow
from porism.formats.dumps.tables import ROOTS, DumpTable
from porism.formats.dumps.xml_rows import read_rows
from porism.model import PostKind

Row = TypeVar("Row")
Values = dict[str, str | int | None]

POST_ATTRIBUTES = (
    "Id",
    "PostTypeId",
    "CreationDate",
    "ViewCount",
    "Score",
    "CommentCount",
    "OwnerUserId",
    "Title",
    "Body",
    "AnswerCount",
    "AcceptedAnswerId",
    "ParentId",
    "Tags",
)
"""The attributes of a post in the order of the lab's own files."""

ATTRIBUTES = {
    "Posts": POST_ATTRIBUTES,
    "Comments": ("Id", "PostId", "Text", "Score", "CreationDate", "UserId"),
    "PostLinks": ("Id", "CreationDate", "PostId", "RelatedPostId", "LinkTypeId"),
    "Tags": ("Id", "TagName", "Count"),
    "Users": ("Id", "Reputation", "CreationDate", "DisplayName"),
}
"""The attributes that are written for each table, in order."""

_TYPE_IDS = {PostKind.QUESTION: 1, PostKind.ANSWER: 2}
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile('[&<>"\t\n\r]')
_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}


def write_posts(
    path: Path, rows: Iterable[PostRow], order: Sequence[str] = POST_ATTRIBUTES
) -> None:
    """Write questions and answers; documents, which have no number, raise an error."""

    def values(row: PostRow) -> Values:
        if row.kind not in _TYPE_IDS:
            raise PorismError(
                f"{path}: {row.name or row.id!r} is a {row.kind}: expected questions and answers, "
                "the only kinds of a table of posts"
            )
        if not all(row.tags) or any(char in tag for tag in row.tags for char in "<>"):
            raise PorismError(f"{path}: post {row.id} has a tag that cannot be written: {row.tags}")
        return {
            "Id": row.id,
            "PostTypeId": _TYPE_IDS[row.kind],
            "CreationDate": row.created,
            "ViewCount": row.views,
            "Score": row.score,
            "CommentCount": row.comment_count,
            "OwnerUserId": row.owner_id,
            "Title": row.title,
            "Body": row.body,
            "AnswerCount": row.answer_count,
            "AcceptedAnswerId": row.accepted_id,
            "ParentId": row.parent_id,
            "Tags": "".join(f"<{tag}>" for tag in row.tags) or None,
        }

    _write(path, "Posts", order, rows, values)


def write_comments(
    path: Path, rows: Iterable[CommentRow], order: Sequence[str] = ATTRIBUTES["Comments"]
) -> None:
    """Write comments."""

    def values(row: CommentRow) -> Values:
        return {
            "Id": row.id,
            "PostId": row.post_id,
            "Text": row.text,
            "Score": row.score,
            "CreationDate": row.created,
            "UserId": row.user_id,
        }

    _write(path, "Comments", order, rows, values)


def write_links(
    path: Path, rows: Iterable[LinkRow], order: Sequence[str] = ATTRIBUTES["PostLinks"]
) -> None:
    """Write links between posts, their kind as LinkTypeId."""

    def values(row: LinkRow) -> Values:
        return {
            "Id": row.id,
            "CreationDate": row.created,
            "PostId": row.post_id,
            "RelatedPostId": row.related_id,
            "LinkTypeId": row.kind,
        }

    _write(path, "PostLinks", order, rows, values)


def write_tags(
    path: Path, rows: Iterable[TagRow], order: Sequence[str] = ATTRIBUTES["Tags"]
) -> None:
    """Write tags."""

    def values(row: TagRow) -> Values:
        return {"Id": row.id, "TagName": row.name, "Count": row.posts}

    _write(path, "Tags", order, rows, values)


def write_users(
    path: Path, rows: Iterable[UserRow], order: Sequence[str] = ATTRIBUTES["Users"]
) -> None:
    """Write users."""

    def values(row: UserRow) -> Values:
        return {
            "Id": row.id,
            "Reputation": row.reputation,
            "CreationDate": row.created,
            "DisplayName": row.name,
        }

    _write(path, "Users", order, rows, values)


def attribute_order(table: DumpTable, rows: int | None = None) -> tuple[str, ...]:
    """The order of the attributes in the rows of a file, of those that a writer writes.

    Written in this order, a file in the lab's format is reproduced byte for byte. The order is that
    of the first ``rows``, or of all, because an attribute may first occur in the last row. It is
    empty if rows disagree.
    """
    known = ATTRIBUTES.get(table.name, ())
    sample = islice(read_rows(table), rows)
    orders = {tuple(filter(known.__contains__, row.attributes)) for row in sample}
    before: dict[str, set[str]] = {name: set() for order in orders for name in order}
    for order in orders:
        for earlier, later in pairwise(order):
            before[later].add(earlier)
    sorter = TopologicalSorter(before)
    try:
        sorter.prepare()
    except CycleError:
        return ()
    ordered: list[str] = []
    ready: list[str] = []
    while sorter:
        ready = sorted([*ready, *sorter.get_ready()], key=known.index)
        ordered.append(ready.pop(0))
        sorter.done(ordered[-1])
    return tuple(ordered)


def _write(
    path: Path,
    name: str,
    order: Sequence[str],
    rows: Iterable[Row],
    values: Callable[[Row], Values],
) -> None:
    names = _complete_order(name, order)
    root = ROOTS[name]
    with replaced_file(path) as stream:
        stream.write(f'<?xml version="1.0" ?>\n<{root}>\n'.encode())
        for row in rows:
            of_row = values(row)
            attributes = "".join(
                f' {name}="{_text(value, name, of_row, path)}"'
                for name in names
                if (value := of_row[name]) is not None
            )
            stream.write(f"   <row{attributes}/>\n".encode())
        stream.write(f"</{root}>\n".encode())


def _complete_order(name: str, order: Sequence[str]) -> tuple[str, ...]:
    """The given order, followed by all attributes that it leaves out."""
    known = ATTRIBUTES[name]
    if unknown := set(order).difference(known):
        raise PorismError(
            f"{name} are written without {', '.join(sorted(unknown))}: expected an order of "
            f"{', '.join(known)}"
        )
    return tuple(dict.fromkeys([*order, *known]))


def _text(value: str | int, name: str, values: Values, path: Path) -> str:
    if isinstance(value, int):
        return str(value)
    if (bad := _FORBIDDEN.search(value)) is not None:
        raise PorismError(
            f"{path}: {name} of {values.get('Id') or 'a row'} has the character "
            f"U+{ord(bad[0]):04X}, which XML cannot hold; remove it first"
        )
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], value)
