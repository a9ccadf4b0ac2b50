"""Tables of scores of systems, and what papers printed for them."""

import re
from pathlib import Path

import pytest

from porism.catalog import SYSTEMS
from porism.errors import FormatError
from porism.lab.published import read_published
from porism.lab.system_scores import (
    SystemScore,
    our_scores,
    published_runs,
    read_scores,
    written_scores,
)

RUNS = {(each.team, each.run) for each in read_published()}

L8 = SystemScore("l8", 1, "2020", 58, 3395, "", "", {"nDCG'": 0.7634, "MAP": 0.4841}, {}, 5.3, "")
PSU = SystemScore(
    "psu", 1, "2020", 58, 3395, "minilm", "", {"nDCG'": 0.782}, {"nDCG'": 0.348}, 40.0, "a note"
)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_run_of_a_source_was_published(name: str) -> None:
    source = SYSTEMS[name].source
    assert source is not None, f"{name} has no source"
    assert source.text
    for run in source.runs:
        assert run in RUNS, f"{name}: {run} is not in published.tsv"
    published = published_runs(source.runs)
    assert not source.runs or {each.task for each in published} & set(SYSTEMS[name].tasks)


def test_published_figures_are_those_of_one_paper_and_year() -> None:
    (row,) = published_runs([("MathDowsers", "L8_a018")], task=1, year=2022)
    assert (row.paper, row.table, row.topics) == ("S3", "3", 78)
    assert row.values == {"nDCG'": "0.474", "MAP'": "0.164", "P'@10": "0.247"}


def test_a_reprinted_measure_has_its_own_name() -> None:
    rows = published_runs([("Baselines", "Linked MSE posts")], task=1, year=2020)
    assert {row.paper: row.values.get("P@10") for row in rows}["S3"] == "0.384"


def test_scores_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    written_scores(path, [L8, PSU])
    assert read_scores(path) == (L8, PSU)


def test_rows_of_other_systems_and_sets_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    written_scores(path, [L8, PSU])
    newer = SystemScore("l8", 1, "2020", 58, 3395, "", "", {"nDCG'": 0.5}, {}, 5.0)
    other = SystemScore("l8", 1, "2021", 66, 3395, "", "", {"nDCG'": 0.6}, {}, 5.0)
    written_scores(path, [newer])
    written_scores(path, [other])
    assert read_scores(path) == (newer, PSU, other)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("milliseconds", "ms", ":1: found the columns .* expected a table that porism reproduce"),
        ("58", "many", ":2: expected numbers"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "scores.tsv"
    written_scores(path, [L8])
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(FormatError, match=message):
        read_scores(path)
    with pytest.raises(FormatError, match=message):
        written_scores(path, [PSU])


def test_our_scores_are_of_systems_of_the_catalog() -> None:
    for score in our_scores():
        assert score.system in SYSTEMS
        assert score.task in SYSTEMS[score.system].tasks
        assert score.documents < 10_000
        assert not re.search(r"(^|[\s=])/", f"{score.notes} {score.model}"), "a path of a machine"
