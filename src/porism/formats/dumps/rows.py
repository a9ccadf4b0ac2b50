"""The raw rows of Stack Exchange and ARQMath files.

Text is the file's markup, ids are numbers, and missing values are None. ``line`` is the first line
of the row in its file, for messages.
"""

from __future__ import annotations

from typing import NamedTuple

from porism.model import PostKind


class PostRow(NamedTuple):
    """A post. ``title`` and ``body`` are HTML; ``macros`` are definitions in force in all of it.

    A document has a name instead of a number: its ``id`` is 0. Its ``line`` is in the file that
    ``part`` names.
    """

    id: int
    kind: PostKind
    title: str | None = None
    body: str | None = None
    parent_id: int | None = None
    tags: tuple[str, ...] = ()
    created: str | None = None
    score: int | None = None
    views: int | None = None
    owner_id: int | None = None
    accepted_id: int | None = None
    answer_count: int | None = None
    comment_count: int | None = None
    name: str = ""
    macros: str = ""
    line: int = 0
    part: FilePart | None = None


class FilePart(NamedTuple):
    """The part of a file that a document is, as in ``model.Location``."""

    path: str
    headings: tuple[str, ...] = ()
    anchor: str = ""
    label: str = ""


class FileNote(NamedTuple):
    """A message about a file of documents.

    If ``is_skipped``, the file, or one line of it, could not be read; it is not even a document
    unless ``is_document``.
    """

    name: str
    line: int
    reason: str
    is_skipped: bool
    is_document: bool = True


class FileRead(NamedTuple):
    """The end of a file that need not be read again while it has this fingerprint.

    ``includes`` are the files that it includes, relative to its folder.
    """

    name: str
    fingerprint: str
    includes: tuple[str, ...] = ()


class CommentRow(NamedTuple):
    """A comment; ``text`` is HTML."""

    id: int
    post_id: int
    text: str
    created: str | None = None
    score: int | None = None
    user_id: int | None = None
    line: int = 0


class LinkRow(NamedTuple):
    """A link between two posts; ``kind`` is Stack Exchange's number, 1 related and 3 duplicate."""

    post_id: int
    related_id: int
    kind: int
    id: int | None = None
    created: str | None = None
    line: int = 0


class TagRow(NamedTuple):
    """A tag and the number of posts that have it."""

    name: str
    posts: int | None = None
    id: int | None = None
    line: int = 0


class UserRow(NamedTuple):
    """A user with name and reputation."""

    id: int
    name: str | None = None
    reputation: int | None = None
    created: str | None = None
    line: int = 0


class VoteRow(NamedTuple):
    """A vote; ``kind`` is Stack Exchange's number, 2 up and 3 down, 1 accepted."""

    id: int
    post_id: int
    kind: int
    created: str | None = None
    line: int = 0


class FormulaRow(NamedTuple):
    """A line of a representation file: an instance of a formula.

    ``representation`` is LaTeX, Presentation MathML or Content MathML, depending on the file. Topic
    files have ids such as ``q_12``, and topics in place of posts.
    """

    id: str
    post_id: str
    thread_id: str
    type: str
    representation: str
    comment_id: str = ""
    old_visual_id: str = ""
    visual_id: str = ""
    issue: str = ""
    line: int = 0
