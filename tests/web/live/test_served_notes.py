"""A folder of notes, served and followed while its files change."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from porism.web.live.sources import served_source
from tests.web.browsing import needs_browser, watched
from tests.web.live.serving_sources import ServedSource, serving
from tests.web.serving import until


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "apple.md").write_text("# Apples\n\nAn apple has $x^2 + 1$ seeds.\n", "utf-8")
    (folder / "pear.md").write_text("# Pears\n\nA pear.\n", "utf-8")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def test_changes_of_notes_are_found(notes: Path, cache: Path) -> None:
    with serving(notes, cache) as served:
        served.until_ready()
        assert served.found("apple") == ["notes/apple.md"]
        (notes / "quince.md").write_text("# Quinces\n\nA quince.\n", "utf-8")
        until(lambda: served.found("quince") == ["notes/quince.md"])
        with (notes / "pear.md").open("a", encoding="utf-8") as file:
            file.write("It is related to the medlar.\n")
        until(lambda: served.found("medlar") == ["notes/pear.md"])
        (notes / "apple.md").unlink()
        until(lambda: served.found("apple") == [])
        (notes / "fruit").mkdir()
        (notes / "pear.md").rename(notes / "fruit" / "pear.md")
        until(lambda: served.found("medlar") == ["notes/fruit/pear.md"])
        # As editors save: a new file takes the place of the old one.
        (notes / "~new").write_text("# Quinces\n\nA cydonia.\n", "utf-8")
        (notes / "~new").replace(notes / "quince.md")
        until(lambda: served.found("cydonia") == ["notes/quince.md"])
        shutil.rmtree(notes / "fruit")
        until(lambda: served.found("medlar") == [])


def test_files_that_cannot_be_read_do_not_end_the_service(notes: Path, cache: Path) -> None:
    with serving(notes, cache) as served:
        served.until_ready()
        (notes / "broken.ipynb").write_text("{", "utf-8")
        (notes / "link.md").symlink_to(notes / "nothing.md")
        (notes / "plum.md").write_text("A plum.", "utf-8")
        until(lambda: served.found("plum") == ["notes/plum.md"])
        for path in notes.iterdir():
            path.unlink()  # a folder without notes is no source; its last state is served
        (notes / "cherry.md").write_text("A cherry.", "utf-8")
        until(lambda: served.found("cherry") == ["notes/cherry.md"] and not served.found("plum"))


def test_the_next_start_takes_only_what_has_changed(notes: Path, cache: Path) -> None:
    with serving(notes, cache) as served:
        served.until_ready()
        until(lambda: _is_idle(cache))
    database = next(cache.glob("porism/served/notes-*/collection/collection.sqlite"))
    before = database.stat().st_ino, database.stat().st_mtime_ns
    with serving(notes, cache) as served:
        served.until_ready()
        assert served.found("apple") == ["notes/apple.md"]
        until(lambda: _is_idle(cache))
    assert (database.stat().st_ino, database.stat().st_mtime_ns) == before
    (notes / "pear.md").write_text("# Medlars\n\nA medlar.\n", "utf-8")
    with serving(notes, cache) as served:
        served.until_ready()
        until(lambda: served.found("medlar") == ["notes/pear.md"])


def _is_idle(cache: Path) -> bool:
    """Whether there is an index and no update of it."""
    folders = list(cache.glob("porism/served/notes-*"))
    return any((each / "index" / "index.json").exists() for each in folders) and not any(
        (each / "unfinished").exists() for each in folders
    )


def test_an_index_that_may_be_older_than_its_collection_is_not_served(
    notes: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    source = served_source(notes)
    assert not source.is_finished
    with serving(notes, cache) as served:
        served.until_ready()
        until(lambda: _is_idle(cache))
    assert source.is_finished
    source.unfinished.touch()
    assert not source.is_finished


def test_a_killed_server_leaves_a_cache_that_the_next_one_finishes(
    notes: Path, cache: Path
) -> None:
    """It is killed while it indexes, wherever that happens to be."""
    for number in range(300):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nA cherry $x^{number}$.\n", "utf-8")
    for step in ("posts", "answers"):
        with serving(notes, cache) as served:
            _until_step(served, step)
            os.kill(served.process.pid, signal.SIGKILL)
    with serving(notes, cache) as served:
        served.until_ready()
        until(lambda: len(served.found("cherry")) == 100)
        assert served.found("pear") == ["notes/pear.md"]


def _until_step(served: ServedSource, step: str) -> None:
    """Wait until indexing has come to a step, or is done."""

    def has_come() -> bool:
        health = served.json("/api/health")
        return "answers" in health or str(health["message"]).startswith(step)

    until(has_come)


def test_a_damaged_cache_is_made_again(notes: Path, cache: Path) -> None:
    with serving(notes, cache) as served:
        served.until_ready()
        until(lambda: _is_idle(cache))
    database = next(cache.glob("porism/served/notes-*/collection/collection.sqlite"))
    database.write_bytes(b"no database")
    (notes / "plum.md").write_text("A plum.", "utf-8")
    with serving(notes, cache) as served:
        until(lambda: served.health() == "ok" and served.found("plum") == ["notes/plum.md"])


def test_two_servers_of_one_folder_serve_it(notes: Path, cache: Path) -> None:
    with serving(notes, cache) as one, serving(notes, cache) as other:
        one.until_ready()
        other.until_ready()
        (notes / "plum.md").write_text("A plum.", "utf-8")
        until(lambda: one.found("plum") == ["notes/plum.md"])
        until(lambda: other.found("plum") == ["notes/plum.md"])


@needs_browser
def test_the_page_shows_progress_and_turns_into_the_search(
    notes: Path, cache: Path, browser: Browser
) -> None:
    with serving(notes, cache) as served:
        context = browser.new_context(base_url=served.address)
        faults = watched(context, served.address)
        page = context.new_page()
        page.goto("/?q=apple")
        expect(page.locator("article")).to_have_count(1, timeout=180_000)
        expect(page.locator("article").first).to_contain_text("seeds")
        (notes / "quince.md").write_text("# Quinces\n\nA quince.\n", "utf-8")
        until(lambda: served.found("quince") == ["notes/quince.md"])
        page.wait_for_load_state("load")  # its scripts have run
        page.locator("#q").fill("quince")  # the page that is open searches the new state
        expect(page.locator("article").first).to_contain_text("A quince", timeout=180_000)
        context.close()
        assert faults == []
