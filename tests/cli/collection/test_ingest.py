"""``porism ingest``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.collection.ingest import FORMATS, REPAIRS
from porism.cli.main import porism
from porism.collection.ingest.sources import SourceFormat
from porism.collection.store import open_collection
from porism.formats.markup import MarkupRepair
from tests.collection.small_site import POSTS, Row, write_site


def ingest(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, ["ingest", *map(str, arguments), "--jobs", "1"])


def test_a_site_is_ingested_and_reported(tmp_path: Path) -> None:
    result = ingest(write_site(tmp_path / "site"), "-o", tmp_path / "collection")
    assert result.exit_code == 0, result.stderr
    assert f"{tmp_path / 'collection'} has\n" in result.stdout
    assert "  questions              2\n" in result.stdout
    assert "  formulas in the texts  8\n" in result.stdout
    assert "6 new formulas parsed" in result.stdout
    assert "Problems" not in result.stdout


def test_json_has_the_whole_report(tmp_path: Path) -> None:
    result = ingest(write_site(tmp_path / "site"), "-o", tmp_path / "collection", "--json")
    report = json.loads(result.stdout)
    assert (report["questions"], report["answers"], report["instances"]) == (2, 2, 8)
    assert report["fresh"] == 6
    assert report["repairs"] == {}  # formulas between dollars are normal in a dump


def test_second_ingest_adds_nothing(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site")
    ingest(site, "-o", tmp_path / "collection")
    assert "0 new formulas parsed" in ingest(site, "-o", tmp_path / "collection").stdout


def test_posts_after_until_are_left_out(tmp_path: Path) -> None:
    site = write_site(tmp_path / "site")
    assert ingest(site, "-o", tmp_path / "collection", "--until", "2011").exit_code == 0
    with open_collection(tmp_path / "collection") as opened:
        assert [post.id for post in opened.posts()] == ["1", "2"]


def test_sample_is_the_packaged_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ingest("sample", "-o", "sample").exit_code == 0
    assert "0 new formulas" in ingest("sample", "-o", "sample").stdout  # not of itself
    Path("sample").rename("shipped")
    write_site(tmp_path / "sample")
    assert ingest("sample", "-o", "own").exit_code == 0
    with open_collection(Path("shipped")) as shipped, open_collection(Path("own")) as own:
        assert len(list(shipped.posts())) > 100
        assert len(list(own.posts())) == len(POSTS)


def test_bad_rows_fail_without_skip_bad(tmp_path: Path) -> None:
    stray: Row = {"Id": 9, "PostTypeId": 2, "ParentId": 77, "Body": "<p>To what?</p>"}
    site = write_site(tmp_path / "site", [*POSTS, stray])
    result = ingest(site, "-o", tmp_path / "collection")
    assert result.exit_code == 1
    assert "question 77 is missing" in result.stderr
    assert "--skip-bad" in result.stderr
    result = ingest(site, "-o", tmp_path / "collection", "--skip-bad")
    assert result.exit_code == 0
    assert "bad rows left out or changed" in result.stdout
    assert str(tmp_path / "collection" / "rejects.tsv") in result.stdout


def test_missing_item_is_an_error(tmp_path: Path) -> None:
    result = ingest(tmp_path / "nothing", "-o", tmp_path / "collection")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "nothing" in result.stderr


@pytest.mark.parametrize(
    "arguments", [["x"], ["x", "-o", "y", "--format", "z"], ["x", "-o", "y", "--until", "z"]]
)
def test_misuse_exits_with_2(arguments: list[str]) -> None:
    assert ingest(*arguments).exit_code == 2


def test_formats_and_repairs_are_those_of_the_library() -> None:
    assert list(FORMATS) == [form.value for form in SourceFormat]
    assert set(REPAIRS) == {*(repair.value for repair in MarkupRepair), "id-recovered"}
