"""All judgments as a file."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.assess.judgments.judgment_file import (
    assessor_numbers,
    read_judgments,
    with_assessor_names,
    write_acts,
)
from porism.assess.records import Annotation, Choice, Judgment
from porism.errors import FormatError
from porism.model import DocId, TopicId
from tests.assess.judgment_samples import AT, judged

WORDS = st.text(st.characters(codec="utf-8"), max_size=10)
NAMES = WORDS.filter(str.strip)
FLAGS = st.none() | st.booleans()
ACTS = st.builds(
    Judgment,
    number=st.integers(0, 2**60),
    batch=NAMES,
    assessor=NAMES,
    topic_id=NAMES.map(TopicId),
    doc_id=NAMES.map(DocId),
    choice=st.none() | st.sampled_from(Choice),
    at=st.just(AT),
    seconds=st.floats(0, 1e6),
    comment=WORDS,
    is_adjudication=st.booleans(),
    is_machine_made=FLAGS,
    is_unrelated=FLAGS,
    instructions=st.integers(0, 100),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ACTS, max_size=5, unique_by=lambda act: act.number))
def test_judgments_are_written_and_read_by_number(tmp_path: Path, acts: list[Judgment]) -> None:
    path = tmp_path / "judgments.jsonl"
    write_acts(path, acts)
    assert list(read_judgments(path)) == sorted(acts, key=lambda act: act.number)


def test_a_name_with_gz_is_compressed(tmp_path: Path) -> None:
    path = tmp_path / "judgments.jsonl.gz"
    write_acts(path, [judged(1, "ann", "1", "-")])
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert [act.choice for act in read_judgments(path)] == [None]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"choice": "great"}, "the choice is 'great', which is not one of high, medium"),
        ({"choice": 3}, "the choice is '3'"),
        ({"number": "1"}, "number is '1'"),
        ({"number": True}, "number is True"),
        ({"assessor": " "}, "assessor is ' ', which is not text"),
        ({"doc_id": 7}, "doc_id is '7', which is not text"),
        ({"comment": "\ud800"}, "it holds half a character"),
        ({"comment": None}, "comment is 'None', which is not text"),
        ({"seconds": -1}, "seconds is -1"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"seconds": 10**400}, "seconds is 1000"),
        ({"at": "noon"}, "at is 'noon', which is not a time"),
        ({"at": "2026-03-02T12:00+01:00"}, "which is not in UTC"),
        ({"is_adjudication": 1}, "is_adjudication is 1: use true or false"),
        ({"is_unrelated": "no"}, "is_unrelated is 'no': use true, false or null"),
        ({"mood": "good"}, "'mood' is unknown"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, change: dict[str, object], why: str) -> None:
    path = tmp_path / "judgments.jsonl"
    write_acts(path, [judged(1, "ann", "1", "H"), judged(2, "ann", "2", "H")])
    first, second = path.read_text(encoding="utf-8").splitlines()
    path.write_text(first + "\n" + json.dumps(json.loads(second) | change) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(why)) as caught:
        list(read_judgments(path))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("A.1 0 1 3", "which is not JSON"),
        ("[1]", "which is not an object"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "a number of too many digits"),
        ('{"number": 1}', "batch is missing, assessor is missing"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "judgments.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=why):
        list(read_judgments(path))


def test_numbers_must_increase(tmp_path: Path) -> None:
    path = tmp_path / "judgments.jsonl"
    write_acts(path, [judged(3, "ann", "1", "H")])
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(FormatError, match="judgment 3 follows judgment 3"):
        list(read_judgments(path))


def test_names_can_be_replaced_by_numbers() -> None:
    acts = [judged(1, "zoe", "1", "H"), judged(3, "ann", "1", "H"), judged(2, "zoe", "2", "H")]
    annotation = Annotation(1, "main", "eve", TopicId("A.1"), DocId("1"), True, None, AT)
    numbers = assessor_numbers(acts, [annotation])
    assert numbers == {"zoe": "1", "ann": "2", "eve": "3"}
    assert [act.assessor for act in with_assessor_names(acts, numbers)] == ["1", "2", "1"]
    assert with_assessor_names([annotation], numbers)[0].assessor == "3"


def test_annotations_are_written_too(tmp_path: Path) -> None:
    path = tmp_path / "annotations.jsonl"
    write_acts(path, [Annotation(1, "main", "eve", TopicId("A.1"), DocId("1"), True, None, AT)])
    record = json.loads(path.read_text(encoding="utf-8"))
    assert (record["is_machine_made"], record["is_unrelated"], record["doc_id"]) == (
        True,
        None,
        "1",
    )
