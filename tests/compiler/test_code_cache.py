"""Where compiled code is cached, and that a service without a home can search."""

import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import porism as package
from porism.cli.main import porism
from porism.compiler import code_cache
from tests.collection.dumps import Row, write_table
from tests.other_user import (
    IS_ROOT,
    NOBODY,
    make_read_only,
    needs_rights,
    public_folder,
    run_porism,
)

SOURCE = Path(package.__file__).parent


@pytest.fixture(autouse=True)
def no_earlier_choice(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    code_cache.code_folder.cache_clear()
    code_cache._WARNED.clear()
    yield
    code_cache.code_folder.cache_clear()


def test_the_configured_folder_comes_first(tmp_path: Path) -> None:
    given = tmp_path / "given"
    assert code_cache.code_folder(tmp_path, str(given)) == given


def test_code_is_cached_beside_writable_source(tmp_path: Path) -> None:
    assert code_cache.code_folder(tmp_path, "") == tmp_path / "__pycache__"


def unwritable(folder: Path) -> Path:
    """A package beside which nothing can be written, not even by root."""
    folder.mkdir()
    (folder / "__pycache__").write_text("a file, and no folder")
    return folder


def test_otherwise_code_is_cached_in_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    chosen = code_cache.code_folder(unwritable(tmp_path / "package"), "")
    assert chosen == tmp_path / "home" / ".cache" / "porism"
    assert chosen.stat().st_mode & 0o777 == 0o700


def test_an_unwritable_configured_folder_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    given = tmp_path / "file"
    given.write_text("")
    chosen = code_cache.code_folder(unwritable(tmp_path / "package"), str(given / "below"))
    assert chosen == tmp_path / "caches" / "porism"


@pytest.mark.parametrize("home", ["relative", "", "/dev/null/none"])
def test_without_a_folder_a_warning_says_what_to_do(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    monkeypatch.setenv("HOME", "/dev/null/none")
    with caplog.at_level(logging.WARNING):
        for name in ("one", "two"):
            assert code_cache.code_folder(unwritable(tmp_path / name), "") is None
    (record,) = caplog.records
    assert "NUMBA_CACHE_DIR" in record.getMessage()


@pytest.mark.parametrize(("above", "own"), [(0o777, 0o700), (0o755, 0o777), (0o755, 0o770)])
def test_a_cache_that_others_can_write_to_is_not_used(
    above: int, own: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others could put code there, which would be run."""
    caches = tmp_path / "caches"
    (caches / "porism").mkdir(parents=True)
    (caches / "porism").chmod(own)
    caches.chmod(above)
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    assert code_cache.code_folder(unwritable(tmp_path / "package"), "") is None


@pytest.mark.skipif(not IS_ROOT, reason="only root can make a folder that belongs to another user")
def test_a_cache_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / ".cache").mkdir()
    os.chown(shared / ".cache", NOBODY, NOBODY)
    monkeypatch.setenv("HOME", str(shared))
    assert code_cache.code_folder(unwritable(tmp_path / "package"), "") is None


def small_index(folder: Path) -> Path:
    """The index of a question with an answer, for one system."""
    posts: list[Row] = [
        {"Id": 1, "PostTypeId": 1, "Title": "A prime", "Body": "<p>Is $p$ a prime?</p>"},
        {"Id": 2, "PostTypeId": 2, "ParentId": 1, "Body": "<p>It is a prime number.</p>"},
    ]
    write_table(folder / "dump", "Posts", posts)
    collection = folder / "collection"
    commands = (
        ("ingest", str(folder / "dump"), "-o", str(collection)),
        ("index", str(collection), "--systems", "bm25"),
    )
    for command in commands:
        done = CliRunner().invoke(porism, [*command, "--jobs", "1"])
        assert done.exit_code == 0, done.stderr
    return collection / "index"


@needs_rights
@pytest.mark.slow
def test_a_user_without_home_or_writable_package_can_search() -> None:
    """As a service runs: www-data, a container, a unit of systemd."""
    with public_folder() as folder:
        index = small_index(folder)
        source = folder / "source"
        unneeded = shutil.ignore_patterns("__pycache__", "static", "sample")
        shutil.copytree(SOURCE, source / "porism", ignore=unneeded)
        make_read_only(folder)
        command = ("search", str(index), "prime", "--system", "bm25")
        # Everything is compiled, for which the optimizer would take most of the time.
        done = run_porism(*command, source=source, folder=folder, NUMBA_OPT="1")
    assert done.returncode == 0, done.stderr
    assert "It is a «prime» number." in done.stdout
    (warning,) = done.stderr.splitlines()
    assert "NUMBA_CACHE_DIR" in warning
