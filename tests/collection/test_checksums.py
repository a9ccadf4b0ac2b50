"""The recorded checksums are valid at every step of the replacement of a database."""

from pathlib import Path

import pytest

from porism.collection import checksums
from porism.collection.checksums import (
    file_checksum,
    recorded_checksums,
    replace_database,
    write_checksums,
)
from porism.collection.schema import DATABASE


class Ended(Exception):
    """The process is killed here."""


def replaced_until(folder: Path, at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the database, and end when checksums are written for the ``at``-th time."""
    (folder / "new.sqlite").write_bytes(b"new")
    calls = 0

    def write(*arguments: object) -> None:
        nonlocal calls
        calls += 1
        if calls == at:
            raise Ended
        write_checksums(*arguments)  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(checksums, "write_checksums", write)
    if at <= 2:
        with pytest.raises(Ended):
            replace_database(folder / "new.sqlite")
    else:
        replace_database(folder / "new.sqlite")


@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize(("at", "content"), [(1, b"old"), (2, b"new"), (3, b"new")])
def test_the_database_always_has_a_recorded_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, content: bytes, is_recorded: bool
) -> None:
    database = tmp_path / DATABASE
    database.write_bytes(b"old")
    if is_recorded:
        write_checksums(tmp_path, [file_checksum(database)])
    replaced_until(tmp_path, at, monkeypatch)
    assert database.read_bytes() == content
    recorded = recorded_checksums(tmp_path)
    assert recorded is None or file_checksum(database) in recorded
    assert (recorded is None) == (at == 1 and not is_recorded)


def test_the_old_database_is_valid_while_both_checksums_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / DATABASE
    database.write_bytes(b"old")
    before = file_checksum(database)
    replaced_until(tmp_path, 2, monkeypatch)
    recorded = recorded_checksums(tmp_path)
    assert recorded is not None
    assert before in recorded
