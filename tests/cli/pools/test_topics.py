"""``porism topics draw``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.pools.topics import draw
from porism.collection.sample import sample_topics
from porism.errors import PorismError
from porism.formats.topics import read_topics


def drawn(sample_index: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(draw, [str(sample_index.parent), *map(str, arguments)])


def test_without_output_topics_are_only_printed(sample_index: Path) -> None:
    before = sorted(sample_index.parent.iterdir())
    result = drawn(sample_index, "--number", "5")
    assert result.exit_code == 0, result.exception
    lines = result.stdout.splitlines()
    assert lines[:2] == ["Questions left", "  all questions                    74"]
    assert "5 topics" in lines
    assert [line.split()[0] for line in lines[-5:]] == ["A.1", "A.2", "A.3", "A.4", "A.5"]
    assert "5 topics are in the searched collection themselves" in result.stderr
    assert sorted(sample_index.parent.iterdir()) == before


def test_topics_for_all_tasks_are_written(sample_index: Path, tmp_path: Path) -> None:
    result = drawn(sample_index, "--number", "4", "--first", "301", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.exception
    ids = {
        task: [topic.id for topic in read_topics(tmp_path / "out" / f"topics_task{task}.xml")]
        for task in (1, 2, 3)
    }
    assert ids[1] == ids[3] == ["A.301", "A.302", "A.303", "A.304"]
    assert ids[2] == ["B.301", "B.302", "B.303", "B.304"]
    assert "topics_task1.xml" in result.stderr


def test_json_has_the_settings_of_the_draw(sample_index: Path, tmp_path: Path) -> None:
    options = ("--json", "--number", "3", "--score", "5:", "--years", "2011-2016", "--seed", "7")
    result = drawn(sample_index, *options, "-o", tmp_path / "out")
    record = json.loads(result.stdout)
    assert record == json.loads((tmp_path / "out" / "draw.json").read_text())
    assert record["settings"]["ranges"] == {"score": "5:"}
    assert record["settings"]["seed"] == 7
    assert record["removed"][0]["criterion"] == "asked in 2011, 2012, 2013, 2014, 2015, 2016"
    assert all(each["score"] >= 5 and 2011 <= each["year"] <= 2016 for each in record["topics"])
    again = drawn(sample_index, *options)
    assert again.stdout == result.stdout


def test_earlier_topics_are_left_out(sample_index: Path) -> None:
    result = drawn(sample_index, "--json", "--exclude", sample_topics(1))
    record = json.loads(result.stdout)
    assert record["removed"][-1]["criterion"] == "no title of an earlier topic"
    assert record["settings"]["exclude"] == [str(sample_topics(1))]


def test_too_few_topics_are_noted(sample_index: Path) -> None:
    result = drawn(sample_index, "--number", "1000")
    assert result.exit_code == 0
    assert "of 1,000 topics: 65 questions satisfy the criteria" in result.stderr


def test_nothing_left_names_the_criterion(sample_index: Path) -> None:
    result = drawn(sample_index, "--views", "1000000000:")
    assert isinstance(result.exception, PorismError)
    assert "views 1e+09 or more: removed 74, left 0" in str(result.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--score", "many"),
        ("--score", "5:1"),
        ("--score", ":"),
        ("--score", "nan:"),
        ("--years", "21"),
        ("--years", "2021-2019"),
        ("--years", "2021-"),
        ("--strata", "colour"),
        ("--number", "0"),
        ("--allocation", "fair"),
    ],
)
def test_usage_errors_say_what_was_expected(sample_index: Path, arguments: tuple[str, str]) -> None:
    result = drawn(sample_index, *arguments)
    assert result.exit_code == 2
    assert arguments[0] in result.stderr


def test_existing_folders_are_not_overwritten(sample_index: Path, tmp_path: Path) -> None:
    result = drawn(sample_index, "-o", tmp_path)
    assert result.exit_code == 2
    assert "exists already" in result.stderr


def test_wrong_inputs_are_errors(sample_index: Path, tmp_path: Path) -> None:
    for arguments in (("--against", tmp_path), ("--exclude", __file__)):
        assert isinstance(drawn(sample_index, *arguments).exception, PorismError)
