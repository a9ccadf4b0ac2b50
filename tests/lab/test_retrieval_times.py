"""Retrieval times."""

import json
from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.lab.retrieval_times import PAPER, read_times, summarised
from porism.model import TopicId

TOLD = {"run": "mine", "milliseconds": {"topics": {"A.1": 30.0, "A.2": 10.0, "A.3": 20.0}}}


def written(folder: Path, record: object) -> Path:
    path = folder / "run.tsv.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def test_times_are_read_from_the_sidecar_of_a_run(tmp_path: Path) -> None:
    beside = written(tmp_path, TOLD)
    times = read_times(beside)
    assert times == read_times(tmp_path / "run.tsv")
    assert (times.system, times.source) == ("mine", "run.tsv.json")
    assert (times.minimum, times.minimum_topic) == (0.01, "A.2")
    assert (times.maximum, times.maximum_topic) == (0.03, "A.1")
    assert times.mean == pytest.approx(0.02)
    assert times.deviation == pytest.approx((2 * 0.01**2 / 3) ** 0.5)


@pytest.mark.parametrize(
    "record",
    [
        [],
        {"run": "mine"},
        {"run": "mine", "milliseconds": {"topics": {}}},
        {"run": "mine", "milliseconds": {"topics": {"A.1": "soon"}}},
        {"run": "mine", "milliseconds": {"topics": {"A.1": -1}}},
        {"run": "mine", "milliseconds": {"topics": 3}},
    ],
)
def test_a_file_without_times_is_refused(tmp_path: Path, record: object) -> None:
    with pytest.raises(FormatError, match=r"run\.tsv\.json:1: found no times.*expected RUN\.json"):
        read_times(written(tmp_path, record))


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"A.1\t\xff")
    with pytest.raises(FormatError, match="found no times"):
        read_times(tmp_path / "run.json")


def test_the_deviation_of_one_topic_is_0() -> None:
    assert summarised("a", "b", {TopicId("A.1"): 5.0}).deviation == 0


def test_means_of_the_papers_are_between_minimum_and_maximum() -> None:
    assert all(each.minimum < each.mean < each.maximum for each in PAPER)
