"""Those who judge, as rows: their names, and the tokens by which they are known."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from porism.assess.judgments.database import AssessmentConflict, JudgmentDatabase, utc_now
from porism.assess.records import Assessor
from porism.errors import PorismError

MAX_NAME_LENGTH = 80


def add_assessor(database: JudgmentDatabase, name: str, is_admin: bool) -> str:
    """Somebody who may sign in, and the token to do it with, which is told only here.

    An assessor who is there already gets a new token, and the old one is no longer good.
    """
    check_name("an assessor", name)
    token = token_urlsafe(24)
    with database.writing() as connection:
        known = connection.execute(
            "SELECT is_admin FROM assessors WHERE name = ?", (name,)
        ).fetchone()
        if known is None:
            connection.execute(
                "INSERT INTO assessors VALUES (?, ?, ?)", (name, is_admin, utc_now())
            )
        elif bool(known[0]) != is_admin:
            raise AssessmentConflict(
                f"{database.path}: {name} is there already, and "
                + ("administers; name another" if known[0] else "does not administer")
            )
        connection.execute(
            "INSERT INTO tokens (assessor, digest, at) VALUES (?, ?, ?)",
            (name, _digest(token), utc_now()),
        )
    return token


def all_assessors(database: JudgmentDatabase) -> tuple[Assessor, ...]:
    """All who may sign in, in the order in which they were added."""
    rows = database.rows("SELECT name, is_admin FROM assessors ORDER BY rowid")
    return tuple(Assessor(name, bool(is_admin)) for name, is_admin in rows)


def assessor_of(database: JudgmentDatabase, token: str) -> Assessor | None:
    """Whose token it is. How long that takes says nothing about any token."""
    given = _digest(token)
    found: Assessor | None = None
    for name, is_admin, digest in database.rows(
        "SELECT name, is_admin, digest FROM tokens JOIN assessors ON name = assessor "
        "WHERE number IN (SELECT max(number) FROM tokens GROUP BY assessor)"
    ):
        if compare_digest(given, digest):
            found = Assessor(name, bool(is_admin))
    return found


def check_name(what: str, name: str) -> None:
    """Refuse names that could not be shown or written."""
    if not name.strip() or name != name.strip() or len(name) > MAX_NAME_LENGTH:
        raise PorismError(
            f"the name of {what} has 1 to {MAX_NAME_LENGTH} characters, without blanks around them"
        )
    if not name.isprintable():
        raise PorismError(f"the name of {what} has only characters that can be shown")


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
