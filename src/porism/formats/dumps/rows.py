"""What one row of a Stack Exchange or ARQMath file says, before anything is made of it.

Text is markup as the file has it, ids are numbers, and what a row does not tell is None. ``line``
is where the row begins in its file, for messages.
"""

from __future__ import annotations

from typing import NamedTuple

from porism.model import PostKind


class PostRow(NamedTuple):
    """A post. ``title`` and ``body`` are HTML; ``macros`` are definitions that hold in all of it.

    A document has no number of its own: its ``id`` is 0 and ``name`` says what it is called.
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


class FileNote(NamedTuple):
    """What is to be reported of a file of documents, beside the documents read from it.

    Where ``is_skipped`` the file, or one line of it, could not be read.
    """

    name: str
    line: int
    reason: str
    is_skipped: bool


class CommentRow(NamedTuple):
    """A comment; ``text`` is HTML as far as it has any markup."""

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
    """A tag and how many posts have it."""

    name: str
    posts: int | None = None
    id: int | None = None
    line: int = 0


class UserRow(NamedTuple):
    """A user as far as others judge by it."""

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
    """A line of a representation file: an instance of a formula and what the lab says of it.

    ``representation`` is LaTeX, Presentation MathML or Content MathML by the file it stands in.
    Topic files have ids such as ``q_12`` and topics where collections have posts.
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
