"""``porism update``."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from porism.cli.main import porism
from tests.collection.small_site import POSTS, Row, write_site


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(porism, [*map(str, arguments)])
    assert result.exit_code == 0, result.stderr
    return result


def indexed(folder: Path, posts: list[Row]) -> Path:
    site = write_site(folder, posts)
    run("ingest", site, "-o", folder / "collection", "--jobs", "1")
    run("index", folder / "collection", "--systems", "l8", "--jobs", "1")
    return folder / "collection" / "index"


def follow(folder: Path, posts: list[Row]) -> None:
    """The site has changed, and the collection is up to date."""
    other = write_site(folder / "later", posts)
    (other / "Posts.xml").replace(folder / "Posts.xml")
    run("ingest", folder, "-o", folder / "collection", "--jobs", "1")


def searched(index: Path, text: str) -> list[str]:
    listed = json.loads(run("search", index, text, "--json", "--system", "l8").stdout)["results"]
    return [each["post_id"] for each in listed]


NEW: Row = {
    "Id": 6,
    "PostTypeId": 2,
    "ParentId": 4,
    "Body": "<p>The square of every real number: $y^7 + \\sqrt{z}$.</p>",
    "CreationDate": "2014-02-01T00:00:00.000",
}


def test_an_index_follows_its_collection(tmp_path: Path) -> None:
    index = indexed(tmp_path / "site", POSTS)
    assert run("update", index, "--jobs", "1").stdout == f"{index} is up to date\n"
    assert searched(index, "$y^7 + \\sqrt{z}$") == []
    follow(tmp_path / "site", [*POSTS, NEW])
    report = json.loads(run("update", index, "--jobs", "1", "--json").stdout)
    assert (report["added"], report["changed"], report["deleted"]) == (2, 0, 0)
    assert (report["answers"], report["formulas"]) == (3, 6)
    assert searched(index, "$y^7 + \\sqrt{z}$")[0] == "6"


def test_changes_are_reported(tmp_path: Path) -> None:
    index = indexed(tmp_path / "site", POSTS)
    follow(tmp_path / "site", [*POSTS, NEW])
    output = run("update", index, "--jobs", "1").stdout
    assert output.startswith(
        f"{index}: 2 added, 0 changed, 0 deleted; now 3 answers and notes, 2 questions and 6 "
    )


def test_folder_without_index_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(porism, ["update", str(tmp_path)])
    assert result.exit_code == 1
    assert "no index; make one with porism index" in result.stderr
