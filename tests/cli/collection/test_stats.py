"""``porism stats``."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.cli.plain_tables import bars
from tests.collection.dumps import write_table
from tests.collection.small_site import ingested_site


def stats(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, ["stats", *map(str, arguments)])


def test_statistics_are_printed_as_tables(tmp_path: Path) -> None:
    result = stats(ingested_site(tmp_path))
    assert result.exit_code == 0, result.stderr
    assert "  questions                   2\n" in result.stdout
    assert "\nPosts by year\n  2011  2  ████" in result.stdout
    assert "\nMost frequent tags\n  algebra       2\n  real-numbers  1\n" in result.stdout
    assert "(median 3, 90th percentile 6, largest 6)" in result.stdout
    assert "\nMost frequent formulas\n  x^2             3\n" in result.stdout


def test_json_has_all_statistics(tmp_path: Path) -> None:
    figures = json.loads(stats(ingested_site(tmp_path), "--json").stdout)
    assert figures["instances"] == 8
    assert figures["years"][0] == {"year": "2011", "questions": 1, "answers": 1, "documents": 0}
    assert figures["answered"] == {"0": 1, "2": 1}


def test_missing_collection_is_an_error(tmp_path: Path) -> None:
    result = stats(tmp_path)
    assert result.exit_code == 1
    assert "no collection" in result.stderr


def test_bar_lengths_are_proportional() -> None:
    assert bars([("a", 16), ("bc", 4), ("d", 0)]) == [
        "  a   16  " + "█" * 40,
        "  bc   4  " + "█" * 10,
        "  d    0",
    ]
    assert bars([("a", 0)]) == ["  a  0"]


def test_empty_collection_has_0_posts(tmp_path: Path) -> None:
    write_table(tmp_path / "dump", "Posts", [])
    ingest = ["ingest", str(tmp_path / "dump"), "-o", str(tmp_path / "collection")]
    assert "collection has\n  posts  0\n" in CliRunner().invoke(porism, ingest).stdout
    assert stats(tmp_path / "collection").stdout == f"{tmp_path / 'collection'}\n  posts  0\n"
