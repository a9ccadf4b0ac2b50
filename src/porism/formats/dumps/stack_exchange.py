"""The tables of a Stack Exchange dump, and of ARQMath, which has the same form, as rows.

Attributes that a file leaves out are None; only an id or a reference to a post is required. Each
reader takes a ``DumpTable`` or the path of one XML file, streams it, and reports to ``consumed``
how much of the file has been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.errors import FormatError
from porism.formats.byte_streams import Consumed
from porism.formats.dumps.rows import (
    CommentRow,
    LinkRow,
    PostRow,
    TagRow,
    UserRow,
    VoteRow,
)
from porism.formats.dumps.tables import DumpTable, table_at
from porism.formats.dumps.xml_rows import XmlRow, read_rows
from porism.model import PostKind

MAX_DIGITS = 18
"""Numbers with more digits would not fit into the integers of a database."""

_NEGATIVE = re.compile(rf"-[0-9]{{1,{MAX_DIGITS}}}")
_KINDS = {"1": PostKind.QUESTION, "2": PostKind.ANSWER}


def read_posts(source: DumpTable | Path, consumed: Consumed | None = None) -> Iterator[PostRow]:
    """The questions and answers, in the order of the file; tag wikis and the like are skipped.

    A post without ``Body`` has body None.
    """
    table = _table(source, "Posts")
    for row in read_rows(table, consumed):
        text = row.attributes.get
        kind = _KINDS.get(text("PostTypeId", ""))
        if kind is None:
            _required(row, "PostTypeId", table)
            continue
        yield PostRow(
            _required(row, "Id", table),
            kind,
            text("Title"),
            text("Body"),
            _optional(row, "ParentId", table),
            tag_names(text("Tags", "")),
            text("CreationDate"),
            _optional(row, "Score", table),
            _optional(row, "ViewCount", table),
            _optional(row, "OwnerUserId", table),
            _optional(row, "AcceptedAnswerId", table),
            _optional(row, "AnswerCount", table),
            _optional(row, "CommentCount", table),
            "",
            "",
            row.line,
        )


def read_comments(
    source: DumpTable | Path, consumed: Consumed | None = None
) -> Iterator[CommentRow]:
    """The comments, in the order of the file; a missing text is empty."""
    table = _table(source, "Comments")
    for row in read_rows(table, consumed):
        text = row.attributes.get
        yield CommentRow(
            _required(row, "Id", table),
            _required(row, "PostId", table),
            text("Text", ""),
            text("CreationDate"),
            _optional(row, "Score", table),
            _optional(row, "UserId", table),
            row.line,
        )


def read_links(source: DumpTable | Path, consumed: Consumed | None = None) -> Iterator[LinkRow]:
    """The links between posts; their kind is called LinkTypeId, or PostLinkTypeId in some dumps."""
    table = _table(source, "PostLinks")
    for row in read_rows(table, consumed):
        kind = "LinkTypeId" if "LinkTypeId" in row.attributes else "PostLinkTypeId"
        yield LinkRow(
            _required(row, "PostId", table),
            _required(row, "RelatedPostId", table),
            _required(row, kind, table),
            _optional(row, "Id", table),
            row.attributes.get("CreationDate"),
            row.line,
        )


def read_tags(source: DumpTable | Path, consumed: Consumed | None = None) -> Iterator[TagRow]:
    """The tags, in the order of the file."""
    table = _table(source, "Tags")
    for row in read_rows(table, consumed):
        name = row.attributes.get("TagName", "")
        if not name:
            raise _missing(row, "TagName", table)
        yield TagRow(name, _optional(row, "Count", table), _optional(row, "Id", table), row.line)


def read_users(source: DumpTable | Path, consumed: Consumed | None = None) -> Iterator[UserRow]:
    """The users, in the order of the file."""
    table = _table(source, "Users")
    for row in read_rows(table, consumed):
        yield UserRow(
            _required(row, "Id", table),
            row.attributes.get("DisplayName"),
            _optional(row, "Reputation", table),
            row.attributes.get("CreationDate"),
            row.line,
        )


def read_votes(source: DumpTable | Path, consumed: Consumed | None = None) -> Iterator[VoteRow]:
    """The votes, in the order of the file."""
    table = _table(source, "Votes")
    for row in read_rows(table, consumed):
        yield VoteRow(
            _required(row, "Id", table),
            _required(row, "PostId", table),
            _required(row, "VoteTypeId", table),
            row.attributes.get("CreationDate"),
            row.line,
        )


def tag_names(text: str) -> tuple[str, ...]:
    """The tags of a post, in either of the two notations of dumps.

    >>> tag_names("<limits><real-analysis>") == tag_names("|limits|real-analysis|")
    True
    """
    if not text:
        return ()
    separated = text.strip("|").split("|") if text[0] == "|" else text.strip("<>").split("><")
    return tuple(filter(None, separated))


def _table(source: DumpTable | Path, name: str) -> DumpTable:
    return table_at(source, name) if isinstance(source, Path) else source


def _required(row: XmlRow, name: str, table: DumpTable) -> int:
    number = _optional(row, name, table)
    if number is None:
        raise _missing(row, name, table)
    return number


def _optional(row: XmlRow, name: str, table: DumpTable) -> int | None:
    text = row.attributes.get(name)
    if not text:
        return None
    if len(text) <= MAX_DIGITS and text.isdigit() and text.isascii():
        return int(text)
    if _NEGATIVE.fullmatch(text) is not None:
        return int(text)
    excerpt = text if len(text) <= 40 else text[:40] + "..."
    raise FormatError(str(table), row.line, f"found {name}={excerpt!r}: expected a whole number")


def _missing(row: XmlRow, name: str, table: DumpTable) -> FormatError:
    names = ", ".join(row.attributes)[:200] or "no attributes"
    return FormatError(
        str(table), row.line, f"found a row without {name} ({names}): expected every row to have it"
    )
