"""The tables of a collection's database, and opening it.

A distinct formula is stored once; an instance is one occurrence. The number of a formula is a hash
of its LaTeX and the macros it uses, so it needs no lookup and is the same in every collection.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path

from porism.errors import PorismError

DatabaseError = sqlite3.DatabaseError
"""What reading a damaged database raises."""

APPLICATION_ID = 0x506F7269  # "Pori"
SCHEMA_VERSION = 3

SOURCE_PATH = "place of "
"""Before the name of a folder or file of documents, the key under which its path is recorded."""

DATABASE = "collection.sqlite"

UNFINISHED = "collection.unfinished.sqlite"
"""The database that an ingest writes before it replaces the finished one."""

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What was ingested: a file, or a folder of documents, with its fingerprint at that time.
CREATE TABLE parts (
    name TEXT PRIMARY KEY,
    table_name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    rows_done INTEGER NOT NULL,
    is_finished INTEGER NOT NULL,
    pass INTEGER NOT NULL
) WITHOUT ROWID;

-- Text is HTML in which every formula is a math-container span with its id, as written by
-- formats.markup.with_formula_spans.
CREATE TABLE posts (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    parent_id INTEGER,
    title TEXT,
    tags TEXT NOT NULL,
    created TEXT,
    score INTEGER,
    views INTEGER,
    owner_id INTEGER,
    accepted_id INTEGER,
    answer_count INTEGER,
    comment_count INTEGER,
    name TEXT,
    digest INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    line INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE UNIQUE INDEX posts_by_name ON posts (name) WHERE name IS NOT NULL;
CREATE INDEX posts_by_parent ON posts (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE comments (
    id INTEGER PRIMARY KEY,
    post_id INTEGER NOT NULL,
    created TEXT,
    score INTEGER,
    user_id INTEGER,
    digest INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    line INTEGER NOT NULL,
    text TEXT NOT NULL
);

CREATE TABLE links (
    post_id INTEGER NOT NULL,
    related_id INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    id INTEGER,
    created TEXT,
    PRIMARY KEY (post_id, related_id, kind)
) WITHOUT ROWID;
CREATE INDEX links_by_related ON links (related_id);

CREATE TABLE tags (name TEXT PRIMARY KEY, posts INTEGER, id INTEGER) WITHOUT ROWID;
CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, reputation INTEGER, created TEXT);
CREATE TABLE votes (
    post_id INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    votes INTEGER NOT NULL,
    PRIMARY KEY (post_id, kind)
) WITHOUT ROWID;

-- Titles of linked questions that are not themselves in the collection; formulas are spans, which
-- have an id only if the source gives one.
CREATE TABLE linked_titles (post_id INTEGER PRIMARY KEY, title TEXT NOT NULL);

-- Distinct formulas; trees are made from the LaTeX when they are needed, which is faster than
-- reading them. symbols counts those of the layout tree. problem says what is wrong with a formula,
-- or why the parser refused it.
CREATE TABLE formulas (
    number INTEGER PRIMARY KEY,
    latex TEXT NOT NULL,
    macros TEXT NOT NULL,
    symbols INTEGER NOT NULL,
    visual_id INTEGER NOT NULL,
    problem TEXT
);
-- Formulas to be parsed, in the order in which they were found; some occur twice. Ordered by
-- number, which is a hash, every chunk would write to every page of the table.
CREATE TABLE pending (number INTEGER NOT NULL, latex TEXT NOT NULL, macros TEXT NOT NULL);

-- The visual ids here are the lab's, where it gave any; ours are in formulas.
CREATE TABLE instances (
    id INTEGER PRIMARY KEY,
    post_id INTEGER NOT NULL,
    comment_id INTEGER,
    place INTEGER NOT NULL,
    formula INTEGER NOT NULL,
    repairs INTEGER NOT NULL,
    visual_id INTEGER,
    old_visual_id INTEGER,
    issue TEXT
);

-- Lines of the lab's formula files, until they are joined with the instances.
CREATE TABLE annotations (
    id INTEGER PRIMARY KEY,
    post_id INTEGER NOT NULL,
    comment_id INTEGER,
    spelling INTEGER NOT NULL,
    visual_id INTEGER,
    old_visual_id INTEGER,
    issue TEXT,
    line INTEGER NOT NULL
);

-- What was left out or changed, and why; is_bad is a RejectSeverity.
CREATE TABLE rejects (
    part TEXT NOT NULL,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    what TEXT NOT NULL,
    reason TEXT NOT NULL,
    is_bad INTEGER NOT NULL,
    PRIMARY KEY (part, line, what)
) WITHOUT ROWID;
"""

DOCUMENT_TABLES = """
-- Where documents are in their files; headings are lines.
CREATE TABLE IF NOT EXISTS locations (
    post_id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    headings TEXT NOT NULL,
    anchor TEXT NOT NULL,
    label TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS locations_by_path ON locations (path);

-- Files whose documents are all here; includes are lines.
CREATE TABLE IF NOT EXISTS files (
    name TEXT PRIMARY KEY,
    part TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    includes TEXT NOT NULL
) WITHOUT ROWID;
"""
"""Not among the tables above, because earlier collections of this version lack them until the next
ingest."""

INDEXES_BY_POST = (
    "CREATE INDEX IF NOT EXISTS comments_by_post ON comments (post_id)",
    "CREATE INDEX IF NOT EXISTS instances_by_post ON instances (post_id)",
)
"""Used to replace rows. A first ingest replaces none, and creates these when all rows are there."""

LATE_INDEXES = """
CREATE INDEX IF NOT EXISTS instances_by_formula ON instances (formula);
CREATE INDEX IF NOT EXISTS instances_by_visual_id ON instances (visual_id)
    WHERE visual_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS formulas_by_visual_id ON formulas (visual_id);
"""
"""Indexes on hashes, which are faster to create when all rows are there."""


EFFECTIVE_VISUAL_ID = "coalesce(instances.visual_id, formulas.visual_id)"
"""The lab's visual id of an instance or, where it gave none, ours."""


def instances_by_visual_id(condition: str = "= ?1") -> str:
    """A query for the instances whose effective visual id, ``effective_id``, meets a condition.

    It has two parts, each of which uses an index; with OR, SQLite would scan all instances.
    """
    return (
        "SELECT instances.*, visual_id AS effective_id FROM instances "
        f"WHERE visual_id {condition} UNION ALL "
        "SELECT instances.*, formulas.visual_id FROM formulas "
        "JOIN instances ON instances.formula = formulas.number "
        f"WHERE formulas.visual_id {condition} AND instances.visual_id IS NULL"
    )


class InstancePlace(IntEnum):
    """The part of a post that an instance is in."""

    TITLE = 0
    BODY = 1
    COMMENT = 2


class RejectSeverity(IntEnum):
    """What a rejected row means for the ingest."""

    SPURIOUS = 0  # the formula files list a formula that is in no post
    BAD = 1  # cannot be ingested; the ingest does not finish unless bad rows are skipped
    SKIPPED = 2  # left out: an unreadable file, or a post on which Porism fails
    GUESSED = 3  # ingested, but its encoding was guessed, or it changed while it was read
    OTHER = 4  # a file in a folder of documents that is not one


def is_number(text: str) -> bool:
    """Whether a text is a non-negative integer that SQLite can store.

    >>> is_number("17"), is_number(str(2**63)), is_number("1_7")
    (True, False, False)
    """
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63


def storable(text: str) -> str:
    """The text as SQLite can store it: file names may have bytes that are not characters."""
    return text.encode("utf-8", "backslashreplace").decode()


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Open the database at ``path`` for one process, and create it if needed."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=LOCK_SECONDS)
    try:
        _prepare_to_write(connection)
        check_version(connection, path)
        with transaction(connection):
            for statement in DOCUMENT_TABLES.split(";\n"):
                connection.execute(statement)
    except (sqlite3.DatabaseError, PorismError):
        connection.close()
        raise
    return connection


LOCK_SECONDS = 1.0
"""Lock timeout."""


def _prepare_to_write(connection: sqlite3.Connection) -> None:
    # The journal rolls back what a killed process left. Nothing is synced until the end, so a power
    # failure may damage the draft, which is checked before it is continued. A write-ahead log would
    # write nearly all rows twice, since they are appended.
    connection.execute("PRAGMA page_size = 8192")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = TRUNCATE")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -32768")
    if _user_version(connection) == 0:
        with transaction(connection):
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open the database at ``path`` for reading."""
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.OperationalError as error:
        raise PorismError(f"{path}: cannot be read ({error})") from error
    try:
        check_version(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise PorismError(f"{path}: not a collection's database ({error})") from error
    except PorismError:
        connection.close()
        raise
    return connection


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse other databases, and collections of another schema version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = _user_version(connection)
    if application != APPLICATION_ID:
        raise PorismError(f"{path}: a database, but not of a collection")
    if version != SCHEMA_VERSION:
        raise PorismError(
            f"{path}: a collection of version {version}, and this Porism reads version "
            f"{SCHEMA_VERSION}; remove it and make it again with porism ingest"
        )


def _user_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all changes within the context, or roll them back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # SQLite has already rolled back on its own after some failures, such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
