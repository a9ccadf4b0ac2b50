"""``porism index``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.catalog import LARGE_COLLECTION, LARGE_SYSTEMS
from porism.cli.main import porism
from porism.cli.options.jobs import useful_jobs
from porism.cli.options.sizes import size_text
from tests.collection.small_site import ingested_site


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, list(map(str, arguments)))


def index(*arguments: str | Path) -> Result:
    return run("index", *arguments, "--jobs", "1")


def test_index_is_created_inside_the_collection(tmp_path: Path) -> None:
    collection = ingested_site(tmp_path)
    result = index(collection, "--systems", "l8")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[:4] == [
        f"{collection / 'index'} has",
        "  answers and notes           2",
        "  questions                   2",
        "  visually distinct formulas  5",
    ]
    assert lines[6] == "for l8"
    assert "B, " in lines[7]
    assert ", built in " in lines[7]


def test_index_inside_does_not_change_the_collection(sample_index: Path) -> None:
    collection = sample_index.parent
    again = run("ingest", "sample", "-o", collection, "--jobs", "1")
    assert "0 new formulas parsed" in again.stdout
    assert run("show", collection, "post", "101").exit_code == 0
    assert "is up to date" in run("update", sample_index, "--jobs", "1").stdout


def test_the_report_as_json(tmp_path: Path) -> None:
    collection = ingested_site(tmp_path)
    result = index(collection, "-o", tmp_path / "other", "--systems", "l8, bm25", "--json")
    report = json.loads(result.stdout)
    assert report["index"] == str(tmp_path / "other")
    assert report["systems"] == ["l8", "bm25"]
    assert (report["answers"], report["questions"], report["formulas"]) == (2, 2, 5)
    assert set(report["fields"]["answers"]) == {"l8", "latex-strings", "formulas", "labels"}
    assert report["fields"]["formulas"]["l8"]["documents"] == 5
    assert report["bytes"] > 1000
    assert not (collection / "index").exists()


def test_systems_are_repeated_or_listed(tmp_path: Path) -> None:
    collection = ingested_site(tmp_path)
    result = index(collection, "--systems", "l8,l8", "--systems", "tfidf", "--json")
    assert json.loads(result.stdout)["systems"] == ["l8", "tfidf"]


def test_a_large_collection_is_indexed_for_few_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porism.catalog.LARGE_COLLECTION", 1)
    result = index(ingested_site(tmp_path), "--json")
    assert json.loads(result.stdout)["systems"] == ["porism", "l8"]
    assert "2 answers and notes: indexed for porism and l8 only" in result.stderr


def test_help_has_the_defaults_of_the_catalog() -> None:
    text = " ".join(CliRunner().invoke(porism, ["index", "--help"]).output.split())
    assert f"all for up to {LARGE_COLLECTION:,} answers and notes" in text
    assert f"and {' and '.join(LARGE_SYSTEMS)} for more" in text


def test_unknown_system_suggests_similar_names(tmp_path: Path) -> None:
    collection = ingested_site(tmp_path)
    result = index(collection, "--systems", "tangentl")
    assert result.exit_code == 1
    assert "there is no system 'tangentl'; did you mean tangent-l" in result.stderr
    assert not (collection / "index").exists()


@pytest.mark.parametrize(
    ("size", "message"),
    [("much", "'much' is not a size: expected one such as 500M or 2G"), ("1M", "at least 64.0 MB")],
)
def test_memory_must_be_a_sufficient_size(tmp_path: Path, size: str, message: str) -> None:
    result = index(tmp_path, "--memory", size)
    assert result.exit_code == 2
    assert message in result.stderr


def test_sizes_are_parsed_and_printed(tmp_path: Path) -> None:
    assert index(ingested_site(tmp_path), "--systems", "l8", "--memory", "0.5gb").exit_code == 0
    assert [size_text(size) for size in (1, 2048, 5 << 30)] == ["1 bytes", "2.0 kB", "5.0 GB"]


def test_small_collections_use_one_process() -> None:
    assert useful_jobs(4, 194) == 1
    assert useful_jobs(4, 50_000) == 4


def test_folder_without_collection_is_an_error(tmp_path: Path) -> None:
    result = index(tmp_path)
    assert result.exit_code == 1
    assert "no collection; make one with porism ingest" in result.stderr


FULL = """
import resource, sys
from porism.cli.main import main
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
sys.argv = ["porism", *sys.argv[1:]]
main()
"""


def test_full_disk_is_an_error_and_keeps_the_old_index(tmp_path: Path, sample_index: Path) -> None:
    collection = sample_index.parent
    small = tmp_path / "index"
    assert index(ingested_site(tmp_path), "-o", small, "--systems", "l8").exit_code == 0
    before = run("search", small, "positive", "--json").stdout
    arguments = ["index", str(collection), "-o", str(small), "--systems", "l8", "--jobs", "1"]
    done = subprocess.run([sys.executable, "-c", FULL, *arguments], capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"{small}: the disk is full" in done.stderr
    assert "run the command again" in done.stderr
    after = run("search", small, "positive", "--json").stdout
    assert json.loads(after)["results"] == json.loads(before)["results"] != []
    assert run(*arguments).exit_code == 0
