"""``porism open``: a result of the last search, in a browser that is a script here."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from tests.collection.dumps import Row
from tests.web.serving import command, small_index, until

POSTS: tuple[Row, ...] = (
    {"Id": 1, "PostTypeId": 1, "Title": "An apple", "Body": "<p>apple $x^2$</p>"},
    {"Id": 2, "PostTypeId": 2, "ParentId": 1, "Body": "<p>An apple is a fruit.</p>"},
)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, list(map(str, arguments)))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for what this user did last."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "porism"


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which the browser writes its addresses."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >>{tmp_path}/opened\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    return tmp_path / "opened"


def test_the_numbered_result_is_opened(sample_index: Path, state: Path, opened: Path) -> None:
    """The sample is of no site, so its thread is made into a page."""
    found = json.loads(run("search", sample_index, "harmonic series", "--json").stdout)["results"]
    assert not state.exists()  # a program that searches opens nothing
    run("search", sample_index, "harmonic series")
    done = run("open", "3")
    assert done.exit_code == 0, done.stderr
    address = done.stdout.strip()
    until(opened.exists)
    until(lambda: opened.read_text() == f"{address}\n")
    page = Path(urlsplit(address).path).read_text("utf-8")
    assert found[2]["thread_id"] in page
    assert "<math" in page


def test_without_a_browser_the_address_is_printed(sample_index: Path) -> None:
    run("search", sample_index, "harmonic series")
    done = run("open", "1")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("file://")


def test_a_post_of_a_known_site_is_opened_there(tmp_path: Path) -> None:
    folder = tmp_path / "math.stackexchange.com"
    folder.mkdir()
    run("search", small_index(folder, POSTS), "fruit")
    assert run("open", "1").stdout == "https://math.stackexchange.com/a/2\n"


def test_only_its_user_can_read_the_last_search(sample_index: Path, state: Path) -> None:
    run("search", sample_index, "harmonic series")
    assert [path.stat().st_mode & 0o077 for path in (state, state / "last-search.json")] == [0, 0]


def test_a_search_works_where_nothing_can_be_remembered(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert run("search", sample_index, "harmonic series").exit_code == 0
    done = run("open", "1")
    assert done.exit_code == 1


@pytest.fixture
def notes_index(tmp_path: Path) -> Path:
    """An index of notes, of which one has two sections."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "two fruits.md").write_text("# Apples\n\nAn apple.\n\n## Pears\n\nA pear.\n", "utf-8")
    command("ingest", str(notes), "-o", str(tmp_path / "made"))
    command("index", str(tmp_path / "made"), "--systems", "porism")
    return tmp_path / "made"


def test_a_note_is_opened_in_the_editor_at_its_line(
    notes_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >{tmp_path}/edited\n')
    editor.chmod(0o755)
    run("search", notes_index, "pear")
    note = tmp_path / "notes" / "two fruits.md"
    done = run("open", "1", "--editor", f"{editor} --at {{line}} {{path}}")
    assert (done.exit_code, done.stdout) == (0, f"{note}:5\n")
    assert (tmp_path / "edited").read_text() == f"--at|5|{note}|"
    monkeypatch.setenv("EDITOR", str(editor))
    assert run("open", "1").exit_code == 0
    assert (tmp_path / "edited").read_text() == f"{note}|"


def test_without_an_editor_the_place_is_printed(
    notes_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    run("search", notes_index, "pear")
    done = run("open", "1")
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'notes' / 'two fruits.md'}:5\n")
    done = run("open", "1", "--editor", str(tmp_path / "none"))
    assert done.exit_code == 1
    assert "cannot be started" in done.stderr


@pytest.mark.parametrize("editor", ["", "vscode://file", "'"])
def test_an_editor_that_is_none_is_misuse(editor: str) -> None:
    done = run("open", "1", "--editor", editor)
    assert done.exit_code == 2
    assert "--editor" in done.stderr


@pytest.mark.parametrize("number", ["0", "-1", "x", ""])
def test_a_result_has_a_number(number: str) -> None:
    assert run("open", number).exit_code == 2


def test_errors_say_what_to_do(sample_index: Path, state: Path) -> None:
    done = run("open", "1")
    assert (done.exit_code, "search with porism search first" in done.stderr) == (1, True)
    run("search", sample_index, "harmonic series", "-k", "1")
    done = run("open", "2")
    assert done.exit_code == 1
    assert "the last search had 1 result; there is no result 2" in done.stderr
    (state / "last-search.json").write_text("[")
    done = run("open", "1")
    assert (done.exit_code, "search again" in done.stderr) == (1, True)
