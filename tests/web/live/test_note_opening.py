"""Notes that the page opens in the editor of the person who serves them."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from porism.web.app import create_app
from porism.web.settings import SearchAppSettings
from tests.web.serving import command, until

SCHEME = "vscode://file/{path}:{line}"
NOTE = "/open/notes/two%20fruits.md%23pears"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes with a collection and an index beside them."""
    folder = tmp_path_factory.mktemp("source") / "notes"
    folder.mkdir()
    (folder / "two fruits.md").write_text("# Apples\n\nAn apple.\n\n## Pears\n\nA pear.\n", "utf-8")
    command("ingest", str(folder), "-o", str(folder.parent / "made"))
    command("index", str(folder.parent / "made"), "--systems", "porism")
    return folder


def client(notes: Path, editor: str | None, address: str = "127.0.0.1") -> TestClient:
    settings = SearchAppSettings(notes.parent / "made" / "index", editor=editor)
    app = create_app(settings)
    return TestClient(app, base_url="http://localhost", client=(address, 50_000))


def test_a_scheme_of_addresses_is_a_link(notes: Path) -> None:
    with client(notes, SCHEME) as opened:
        assert f'href="{NOTE}"' in opened.get("/?q=pear").text
        response = opened.get(NOTE, follow_redirects=False)
        path = str(notes / "two fruits.md").replace(" ", "%20").removeprefix("/")
        assert response.headers["location"] == f"vscode://file/{path}:5"
        assert opened.post(NOTE).status_code == 404
        assert opened.get("/open/nothing", follow_redirects=False).status_code == 404


def test_a_command_runs_on_this_machine(notes: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\necho "$2:$1" >{tmp_path}/edited\n')
    editor.chmod(0o755)
    edited = tmp_path / "edited"
    with client(notes, f"{editor} {{line}} {{path}}") as opened:
        assert f'method="post" action="{NOTE}"' in opened.get("/?q=pear").text
        assert opened.get(NOTE).status_code == 404
        assert not edited.exists()
        other_site = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        assert opened.post(NOTE, headers=other_site).status_code == 403
        assert opened.post(NOTE).status_code == 204
        until(lambda: edited.exists() and edited.read_text() == f"{notes / 'two fruits.md'}:5\n")


def test_others_cannot_start_the_editor(notes: Path) -> None:
    with client(notes, "true", "192.0.2.1") as opened:
        response = opened.post(NOTE)
        assert response.status_code == 403
        assert "only for a browser on the server" in response.text


def test_an_editor_that_is_missing_is_reported(notes: Path) -> None:
    with client(notes, str(notes / "no editor").replace(" ", "\\ ")) as opened:
        response = opened.post(NOTE)
        assert response.status_code == 500
        assert "cannot be started" in response.text


def test_without_an_editor_there_is_no_link(notes: Path) -> None:
    with client(notes, None) as opened:
        assert "/open/" not in opened.get("/?q=pear").text
        assert opened.get(NOTE).status_code == 404
