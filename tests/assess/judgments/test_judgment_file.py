"""All judgments as a file."""

import gzip
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.assess.judgments.judgment_file import (
    assessor_numbers,
    with_assessor_names,
    write_acts,
)
from porism.assess.records import Annotation, Choice, Judgment
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
def test_judgments_are_written_by_number(tmp_path: Path, acts: list[Judgment]) -> None:
    path = tmp_path / "judgments.jsonl"
    write_acts(path, acts)
    lines = path.read_bytes().splitlines()
    written = [Judgment(**json.loads(line)) for line in lines]
    assert written == sorted(acts, key=lambda act: act.number)


def test_a_name_with_gz_is_compressed(tmp_path: Path) -> None:
    path = tmp_path / "judgments.jsonl.gz"
    write_acts(path, [judged(1, "ann", "1", "-")])
    assert json.loads(gzip.decompress(path.read_bytes()))["choice"] is None


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
