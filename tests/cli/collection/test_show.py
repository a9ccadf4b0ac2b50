"""``porism show``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.collection.ingest.pipeline import IngestOptions, ingest
from tests.collection.small_site import ingested_site, write_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingested_site(tmp_path_factory.mktemp("site"))


def show(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, ["show", *map(str, arguments)])


def test_a_post_has_its_metadata_text_and_formulas(site: Path) -> None:
    result = show(site, "post", "1")
    assert result.exit_code == 0, result.stderr
    first, second, *_ = result.stdout.splitlines()
    assert first == "Question 1, score 7, 1,234 views, user 5, 2011-03-04T05:06:07.000"
    assert second == "Tags: algebra, real-numbers"
    assert "\nIs $x^2$ positive?\n" in result.stdout
    assert "I know that $x^2 \\ge 0$.\n" in result.stdout
    assert "\nFormulas\n" in result.stdout
    assert "  11                x^2 \\ge 0\n" in result.stdout


def test_a_post_as_json_has_its_content_in_reading_order(site: Path) -> None:
    post = json.loads(show(site, "post", "2", "--json").stdout)
    assert (post["id"], post["kind"], post["parent_id"]) == ("2", "answer", "1")
    before, formula, *_ = post["body"]
    assert before == "Since "
    assert formula["latex"] == "a < b"


def test_a_thread_has_all_its_posts_in_order(site: Path) -> None:
    text = show(site, "thread", "2").stdout
    places = [text.index(piece) for piece in ("Question 1", "Answer 3", "Answer 2", "Comment 21")]
    assert places == sorted(places)
    assert "Accepted answer\nAnswer 3" in text
    assert "  4 (duplicate) What is $x^2$?\n" in text
    assert "  99 (related)\n" in text


def test_a_thread_as_json(site: Path) -> None:
    thread = json.loads(show(site, "thread", "1", "--json").stdout)
    assert [answer["id"] for answer in thread["answers"]] == ["3", "2"]
    assert thread["comments"]["2"][0]["text"][0] == "Why is "
    assert thread["related"][0]["kind"] == "duplicate"


def test_a_thread_as_a_page(site: Path, tmp_path: Path) -> None:
    page = show(site, "thread", "1", "--html").stdout
    assert page.startswith("<!doctype html>")
    assert show(site, "thread", "1", "--html", "-o", tmp_path / "page.html").stdout == ""
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page


def test_a_formula_has_its_place_and_trees(site: Path) -> None:
    text = show(site, "formula", "12").stdout
    assert "Formula 12\n  occurs in                body of post 2\n" in text
    assert "source                   \\frac{1}{2}\n" in text
    assert "Layout tree\n  ─ O!divide\n" in text
    assert "the lab's" not in text


def test_a_formula_as_json(site: Path) -> None:
    formula = json.loads(show(site, "formula", "11", "--json").stdout)
    assert formula["place"] == "body"
    assert formula["formula"]["slt"] == "[V!x[≥[N!0]],a[N!2]]"


def test_two_formulas_of_a_collection_are_compared(site: Path) -> None:
    assert show(site, "formula", "11", "11").stdout == "matches x^{2}\\geq0\n"
    assert json.loads(show(site, "formula", "11", "12", "--json").stdout)["result"] == "12"
    assert "OTHER is for formulas" in show(site, "post", "1", "2").stderr


def test_refused_formula_is_shown_without_trees(tmp_path: Path) -> None:
    deep = "{" * 300 + "x" + "}" * 300
    body = f'<p><span class="math-container" id="5">{deep}</span></p>'
    site = write_site(tmp_path / "site", [{"Id": 1, "PostTypeId": 1, "Body": body}])
    ingest(site, tmp_path / "collection", IngestOptions(jobs=1))
    text = show(tmp_path / "collection", "formula", "5").stdout
    assert "refused: " in text
    assert deep in text
    assert "Layout tree" not in text


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    body = "<p>&#27;[31mred\x9b</p>"
    site = write_site(tmp_path / "site", [{"Id": 1, "PostTypeId": 1, "Body": body}])
    ingest(site, tmp_path / "collection", IngestOptions(jobs=1))
    text = show(tmp_path / "collection", "post", "1").stdout
    assert "red" in text
    assert not {"\x1b", "\x9b"} & set(text)


@pytest.mark.parametrize("what", ["post", "thread", "formula"])
@pytest.mark.parametrize("name", ["77", "no/such.md", "-1", "9" * 40])
def test_missing_item_is_an_error(site: Path, what: str, name: str) -> None:
    result = show(site, what, "--", name)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert name in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [["post", "1", "--html"], ["thread", "1", "--html", "--json"], ["nothing", "1"], ["post"]],
)
def test_misuse_exits_with_2(site: Path, arguments: list[str]) -> None:
    assert show(site, *arguments).exit_code == 2


def test_damaged_database_is_an_error(tmp_path: Path) -> None:
    collection = ingested_site(tmp_path)
    database = collection / "collection.sqlite"
    whole = database.read_bytes()
    tables = 4 * 4096  # the first pages say which tables there are
    database.write_bytes(whole[:tables] + b"\xff" * (len(whole) - tables))
    result = show(collection, "post", "1")
    assert result.exit_code == 1
    assert "database is damaged" in result.stderr
