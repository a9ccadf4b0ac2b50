"""Commands that take an INDEX also take a collection that contains one."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics


def output(*arguments: str | Path) -> str:
    done = CliRunner().invoke(porism, [*map(str, arguments)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_search_finds_the_same(sample_collection: Path, sample_index: Path) -> None:
    query = ("harmonic series", "--system", "l8", "--json")
    by_collection = json.loads(output("search", sample_collection, *query))
    by_index = json.loads(output("search", sample_index, *query))
    assert by_collection["results"] == by_index["results"]


def test_run_ranks_the_same(sample_collection: Path, sample_index: Path, tmp_path: Path) -> None:
    options = ("--system", "l8", "--task", "1", "--topics", sample_topics(1), "-k", "5")
    for folder in (sample_collection, sample_index):
        output("run", folder, *options, "-o", tmp_path / folder.name)
    index_run = (tmp_path / sample_index.name).read_bytes()
    assert (tmp_path / sample_collection.name).read_bytes() == index_run


def test_update_follows_the_collection(sample_collection: Path, tmp_path: Path) -> None:
    copy = tmp_path / "sample"
    shutil.copytree(sample_collection, copy)
    assert "up to date" in output("update", copy)


def test_tune_lists_parameters(sample_collection: Path) -> None:
    options = ("--system", "l8", "--task", "1", "--list")
    assert "alpha" in output("tune", sample_collection, *options)


def test_times_are_measured(sample_collection: Path) -> None:
    options = ("--task", "1", "--topics", sample_topics(1), "--systems", "l8", "--json")
    measured = json.loads(output("analyse", "times", "--index", sample_collection, *options))
    assert [each["system"] for each in measured["times"]] == ["l8"]


def test_proximity_is_analysed(sample_collection: Path) -> None:
    options = ("--topics", sample_topics(1), "--qrels", sample_qrels(1))
    assert "judged documents" in output("analyse", "proximity", sample_collection, *options)


def test_serve_starts(sample_collection: Path) -> None:
    command = [sys.executable, "-m", "porism", "serve", str(sample_collection), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert server.stdout is not None
        assert "http://127.0.0.1:" in server.stdout.readline()
    finally:
        server.terminate()
        server.communicate(timeout=30)
