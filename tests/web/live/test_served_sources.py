"""What can be served besides an index, and what is refused."""

import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.collection.dumps import Row, write_table
from tests.web.live.serving_sources import ServedSource, serving, started
from tests.web.serving import command, until

POSTS: tuple[Row, ...] = (
    {"Id": 1, "PostTypeId": 1, "Title": "An apple", "Body": "<p>apple $x^2$</p>"},
    {"Id": 2, "PostTypeId": 2, "ParentId": 1, "Body": "<p>An apple is a fruit.</p>"},
)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    write_table(tmp_path / "dump", "Posts", POSTS)
    return tmp_path / "dump"


def test_a_dump_is_served(dump: Path, tmp_path: Path) -> None:
    with serving(dump, tmp_path / "cache") as served:
        served.until_ready()
        assert served.found("fruit") == ["2"]


def test_a_collection_without_an_index_is_served_and_not_changed(
    dump: Path, tmp_path: Path
) -> None:
    collection = tmp_path / "collection"
    command("ingest", str(dump), "-o", str(collection))
    before = sorted(path.name for path in collection.iterdir())
    with serving(collection, tmp_path / "cache") as served:
        served.until_ready()
        assert served.found("fruit") == ["2"]
    assert sorted(path.name for path in collection.iterdir()) == before


def test_one_file_is_followed(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("An apple.", "utf-8")
    (tmp_path / "other.md").write_text("A pear.", "utf-8")
    with serving(note, tmp_path / "cache") as served:
        served.until_ready()
        note.write_text("A quince.", "utf-8")
        until(lambda: served.found("quince") == ["note.md"])
        assert served.found("pear") == []


def test_before_there_is_an_index_pages_say_so_and_programs_are_told_to_wait(
    tmp_path: Path,
) -> None:
    """Until the process that reads the sample has started, which takes a second."""
    with serving("sample", tmp_path / "cache") as served:
        with urlopen(served.address) as response:
            page = response.read().decode()
            assert "default-src 'none'" in response.headers["content-security-policy"]
        if served.health() == "starting":
            assert "<h1>Indexing " in page
            with pytest.raises(HTTPError) as raised:
                urlopen(f"{served.address}/api/search?q=x")
            with raised.value as problem:
                assert (problem.status, problem.headers["retry-after"]) == (503, "1")
            with pytest.raises(HTTPError) as raised:
                urlopen(Request(served.address, headers={"Host": "evil.example"}))
            with raised.value as problem:
                assert problem.status == 421
        served.until_ready()
        assert served.found("harmonic series")


def test_the_browser_gets_the_address(dump: Path, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >{tmp_path}/opened\n')
    browser.chmod(0o755)
    opened = tmp_path / "opened"
    with serving(dump, tmp_path / "cache", "--browser", BROWSER=str(browser)) as served:
        until(lambda: opened.exists() and opened.read_text() == f"{served.address}/\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "there is no such file or folder; expected an index, a collection, a dump"),
        ("empty", "has no documents; the suffixes of documents are .md"),
        ("photo.png", "is not a document"),
        ("Posts.xml", "Posts.xml"),
    ],
)
def test_what_cannot_be_served_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    (tmp_path / "Posts.xml").write_text("<posts><row")
    process = started(tmp_path / name, tmp_path / "cache")
    output, _ = process.communicate()
    assert process.returncode == 1, output
    assert message in output
    assert "Traceback" not in output


def test_without_a_cache_the_error_names_the_variable(dump: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = started(dump, tmp_path / "file")
    output, _ = process.communicate()
    assert process.returncode == 1
    assert "XDG_CACHE_HOME" in output


def test_a_process_ends_with_its_server(dump: Path, tmp_path: Path) -> None:
    with serving(dump, tmp_path / "cache") as served:
        served.process.terminate()
        assert served.process.wait() in (0, -15)


def test_the_demonstration_has_its_page_first_and_then_the_tour(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "porism", "demo", "-o", str(tmp_path / "demo")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as output:
        try:
            served = ServedSource(process, output.readline().split("is at ")[1].split("/ ")[0])
            served.until_ready()
            assert served.found("harmonic series")
            assert next(line for line in output if "sample has" in line)
        finally:
            process.terminate()
            process.wait()
