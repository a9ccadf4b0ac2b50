"""Assessors as rows of the database: names and tokens."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from porism.assess.judgments.database import AssessmentConflict, JudgmentDatabase, utc_now
from porism.assess.records import Assessor
from porism.errors import PorismError

MAX_NAME_LENGTH = 80


def add_assessor(database: JudgmentDatabase, name: str, is_admin: bool) -> str:
    """Add an assessor and return the token to sign in with, which cannot be read again.

    An existing assessor gets a new token, and the old one is revoked.
    """
    check_name("an assessor", name)
    token = token_urlsafe(24)
    with database.transaction() as connection:
        known = connection.execute(
            "SELECT is_admin FROM assessors WHERE name = ?", (name,)
        ).fetchone()
        if known is None:
            connection.execute(
                "INSERT INTO assessors VALUES (?, ?, ?)", (name, is_admin, utc_now())
            )
        elif bool(known[0]) != is_admin:
            raise AssessmentConflict(
                f"{database.path}: {name} exists already and "
                + (
                    "is an administrator; choose another name"
                    if known[0]
                    else "is no administrator"
                )
            )
        connection.execute(
            "INSERT INTO tokens (assessor, digest, at) VALUES (?, ?, ?)",
            (name, _digest(token), utc_now()),
        )
    return token


def all_assessors(database: JudgmentDatabase) -> tuple[Assessor, ...]:
    """All assessors, in the order in which they were added."""
    rows = database.rows("SELECT name, is_admin FROM assessors ORDER BY rowid")
    return tuple(Assessor(name, bool(is_admin)) for name, is_admin in rows)


def assessor_of(database: JudgmentDatabase, token: str) -> Assessor | None:
    """The assessor with this token; the time this takes reveals nothing about any token."""
    given = _digest(token)
    assessor: Assessor | None = None
    for name, is_admin, digest in database.rows(
        "SELECT name, is_admin, digest FROM tokens JOIN assessors ON name = assessor "
        "WHERE number IN (SELECT max(number) FROM tokens GROUP BY assessor)"
    ):
        if compare_digest(given, digest):
            assessor = Assessor(name, bool(is_admin))
    return assessor


def check_name(what: str, name: str) -> None:
    """Refuse names that could not be displayed or written."""
    if not name.strip() or name != name.strip() or len(name) > MAX_NAME_LENGTH:
        raise PorismError(
            f"the name of {what} must have 1 to {MAX_NAME_LENGTH} characters and no blanks around"
        )
    if not name.isprintable():
        raise PorismError(f"the name of {what} must have printable characters only")


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
