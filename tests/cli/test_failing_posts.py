"""A post on which Porism fails never stops a command: it is logged, counted and skipped."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fastapi.testclient import TestClient

from porism.analysis import formula_tokens
from porism.cli.main import porism
from porism.formats.markup import find_formulas, marked_content
from porism.formula.display import display_mathml
from porism.formula.latex import parse_latex
from porism.inverted.keys import KeyCache
from porism.rank.snippets import snippet
from porism.web.app import create_app
from porism.web.settings import SearchAppSettings
from tests.collection.dumps import Row, answer, comment, question, write_table

BROKEN_HTML = ('<math alttext="$x$">', """<img alt="" src="$a'><i>b$">""")
TRAP = "trapdoor"
"""The word that makes a part of Porism fail."""


def command(*arguments: object) -> Result:
    return CliRunner().invoke(porism, list(map(str, arguments)), catch_exceptions=False)


def posts_about(text: str) -> list[Row]:
    return [
        {**question(1, f"<p>What is a sum? {text}</p>"), "Title": f"On sums {text}"},
        answer(2, 1, f"<p>A sum $a+b$ of numbers. {text}</p>"),
        question(3, "<p>Another sum?</p>"),
        answer(4, 3, "<p>The sum $c+d$ of two numbers.</p>"),
    ]


def write_site(folder: Path, text: str) -> Path:
    write_table(folder, "Posts", posts_about(text))
    write_table(folder, "Comments", [comment(9, 1, f"Indeed {text}")])
    return folder


def failing(function: Callable[..., object]) -> Callable[..., object]:
    """The function, which fails if an argument contains the trap."""

    def failed(*arguments: object, **options: object) -> object:
        if any(TRAP in str(argument) for argument in arguments):
            raise ValueError("caught in the trap")
        return function(*arguments, **options)

    return failed


def assert_all_commands_work(collection: Path, posts: int) -> None:
    """Index, update, search, show and serve what was ingested."""
    index = collection / "index"
    assert command("index", collection, "--systems", "l8,bm25", "--jobs", 1).exit_code == 0
    assert command("update", index).exit_code == 0
    results = command("search", index, "sum of numbers $a+b$", "--json")
    assert results.exit_code == 0
    assert results.stdout.count('"post_id"') == posts
    for what in ("post", "thread"):
        for form in ((), ("--json",), *((("--html",),) if what == "thread" else ())):
            shown = command("show", collection, what, 1, *form)
            assert shown.exit_code == 0
            assert "What is a sum" in shown.stdout
    with TestClient(create_app(SearchAppSettings(index, requests_a_second=0))) as client:
        for address in ("/?q=sum+of+numbers", "/threads/1", "/threads/2", "/api/search?q=sum"):
            response = client.get(address)
            assert response.status_code == 200, address
            assert "sum" in response.text


@pytest.mark.parametrize("text", BROKEN_HTML)
def test_broken_html_in_every_field_is_ingested_indexed_and_shown(
    text: str, tmp_path: Path
) -> None:
    site = write_site(tmp_path / "site", text)
    done = command("ingest", site, "-o", tmp_path / "collection", "--jobs", 1)
    assert done.exit_code == 0
    assert "skipped" not in done.stdout
    assert_all_commands_work(tmp_path / "collection", posts=2)


def test_a_post_that_fails_in_the_ingest_is_skipped_with_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rows = posts_about("")
    rows[1] = answer(2, 1, f"<p>{TRAP}</p>")
    write_table(tmp_path / "site", "Posts", rows)
    monkeypatch.setattr(
        "porism.collection.ingest.instance_ids.find_formulas", failing(find_formulas)
    )
    done = command("ingest", tmp_path / "site", "-o", tmp_path / "collection", "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert (report["skipped"], report["left_out"], report["answers"]) == (1, 0, 1)
    rejects = (tmp_path / "collection" / "rejects.tsv").read_text()
    assert "post 2\tskipped because of an error in Porism" in rejects
    assert "post 2: skipped" in caplog.text
    again = command("ingest", tmp_path / "site", "-o", tmp_path / "collection")
    assert "files and posts skipped because of errors" in again.stdout


def test_a_formula_that_fails_in_the_ingest_is_kept_as_latex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(tmp_path / "site", f"$x_{{{TRAP}}}$")
    monkeypatch.setattr("porism.collection.ingest.formula_trees.parse_latex", failing(parse_latex))
    done = command("ingest", site, "-o", tmp_path / "collection", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["refused"] == 1


def test_unreadable_stored_text_is_shown_as_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    site = write_site(tmp_path / "site", TRAP)
    assert command("ingest", site, "-o", tmp_path / "collection", "--jobs", 1).exit_code == 0
    monkeypatch.setattr("porism.collection.post_text.marked_content", failing(marked_content))
    monkeypatch.setattr("porism.pages.safe_html.find_formulas", failing(find_formulas))
    assert_all_commands_work(tmp_path / "collection", posts=2)
    assert "post 1: read as plain text" in caplog.text
    assert "comment 9: shown as plain text" in caplog.text


@pytest.mark.parametrize("part", ["text", "formula"])
def test_a_post_that_fails_in_the_index_is_left_out_and_counted(
    part: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    collection = tmp_path / "collection"
    rows = posts_about("")
    rows[1] = answer(2, 1, f"<p>The sum ${TRAP}$ of {TRAP}s</p>")
    write_table(tmp_path / "site", "Posts", rows)
    assert command("ingest", tmp_path / "site", "-o", collection, "--jobs", 1).exit_code == 0
    if part == "text":
        monkeypatch.setattr(KeyCache, "keys_of", failing(KeyCache.keys_of))
    else:
        monkeypatch.setattr(
            "porism.searchindex.formula_table.formula_tokens", failing(formula_tokens)
        )
    done = command("index", collection, "--systems", "l8,bm25", "--jobs", 1)
    assert done.exit_code == 0
    assert "1 answers, notes or formulas skipped" in done.stdout
    assert "post 2: not indexed" in caplog.text if part == "text" else TRAP in caplog.text
    rows[1] = answer(2, 1, f"<p>The sum ${TRAP}$ of other {TRAP}s</p>")
    write_table(tmp_path / "site", "Posts", rows)
    assert command("ingest", tmp_path / "site", "-o", collection, "--jobs", 1).exit_code == 0
    done = command("update", collection / "index", "--json")
    assert json.loads(done.stdout)["skipped"] == (part == "text")
    if part == "text":
        monkeypatch.undo()
        done = command("index", collection, "--systems", "l8,bm25", "--jobs", 1, "--json")
        assert (json.loads(done.stdout)["skipped"], json.loads(done.stdout)["answers"]) == (0, 2)


def test_failing_snippet_is_the_beginning_of_the_post(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = write_site(tmp_path / "site", TRAP)
    assert command("ingest", site, "-o", tmp_path / "collection", "--jobs", 1).exit_code == 0
    monkeypatch.setattr("porism.rank.results.snippet", failing(snippet))
    monkeypatch.setattr("porism.pages.formula_html.display_mathml", failing(display_mathml))
    assert_all_commands_work(tmp_path / "collection", posts=2)
