"""Where compiled code is kept, and that a service without a home can search."""

import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import porism as package
from porism.cli.main import porism
from porism.index import code_cache
from tests.collection.dumps import write_table

SOURCE = Path(package.__file__).parent
NOBODY = 65534

# Reading everything is allowed, because the interpreter may lie in a folder of root's own.
AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"),
)
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

needs_rights = pytest.mark.skipif(
    IS_ROOT and shutil.which("setpriv") is None, reason="root can write everywhere: needs setpriv"
)


@pytest.fixture(autouse=True)
def no_earlier_choice(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    code_cache.code_folder.cache_clear()
    code_cache._warn_once.cache_clear()
    yield
    code_cache.code_folder.cache_clear()


def test_the_folder_that_is_named_comes_first(tmp_path: Path) -> None:
    given = tmp_path / "given"
    assert code_cache.code_folder(tmp_path, str(given)) == given


def test_code_is_kept_beside_the_source_where_that_can_be_written(tmp_path: Path) -> None:
    assert code_cache.code_folder(tmp_path, "") == tmp_path / "__pycache__"


def unwritable(folder: Path) -> Path:
    """A package beside which nothing can be written, not even by root."""
    folder.mkdir()
    (folder / "__pycache__").write_text("a file, and no folder")
    return folder


def test_else_code_is_kept_among_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    chosen = code_cache.code_folder(unwritable(tmp_path / "package"), "")
    assert chosen == tmp_path / "home" / ".cache" / "porism"
    assert chosen.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_named_but_unwritable_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    given = tmp_path / "file"
    given.write_text("")
    chosen = code_cache.code_folder(unwritable(tmp_path / "package"), str(given / "below"))
    assert chosen == tmp_path / "caches" / "porism"


@pytest.mark.parametrize("home", ["relative", "", "/dev/null/none"])
def test_without_any_folder_one_line_says_what_to_do(
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
    posts = [
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


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that everybody can read: that of pytest is for its user alone."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    for each in filter(Path.is_dir, folder.rglob("*")):
        each.chmod(0o755)
    shutil.rmtree(folder)


@needs_rights
@pytest.mark.slow
def test_a_user_without_home_who_may_not_write_to_the_package_can_search(
    public_folder: Path,
) -> None:
    """As a service runs: www-data, a container, a unit of systemd."""
    index = small_index(public_folder)
    copy = public_folder / "source" / "porism"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "static", "sample"))
    for path in (public_folder, *public_folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    hidden = ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    homeless = {} if IS_ROOT else {"HOME": "/dev/null/none"}  # else the user's own is found
    command = [sys.executable, "-m", "porism", "search", str(index), "prime", "--system", "bm25"]
    done = subprocess.run(
        [*(AS_NOBODY if IS_ROOT else ()), *command],
        # Everything is compiled, for which the optimizer would take most of the time.
        env={**environment, **homeless, "PYTHONPATH": str(copy.parent), "NUMBA_OPT": "0"},
        cwd=public_folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "It is a «prime» number." in done.stdout
    (told,) = done.stderr.splitlines()
    assert "NUMBA_CACHE_DIR" in told
