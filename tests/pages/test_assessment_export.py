"""What an assessment is published as can be read again by those who score with it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from porism.assess.active_order import ActiveSettings, actively_ordered
from porism.assess.final_grades import Rule
from porism.assess.raw_judgments import read_judgments
from porism.assess.records import (
    Candidate,
    Choice,
    Contribution,
    Judgment,
    Pool,
    PooledRun,
    RunKind,
)
from porism.errors import PorismError
from porism.evaluate.short_answers.grading import read_annotations
from porism.formats.qrels import read_answer_ids, read_qrels
from porism.model import DocId, Topic, TopicId
from porism.pages.assessment_export import (
    TOLD,
    Assessed,
    ExportForm,
    file_names,
    write_export,
    write_export_file,
)

A1 = TopicId("A.1")
RUNS = (
    PooledRun("talker", "team", RunKind.PRIMARY, False, 3, 1),
    PooledRun("finder", "team", RunKind.PRIMARY, False, 1, 5),
)
POOL = Pool(
    1,
    (Topic(A1, ("One",), ("What?",)),),
    (
        Candidate(A1, DocId("short"), text="Two.", contributions=(Contribution("talker", 1),)),
        Candidate(A1, DocId("7"), contributions=(Contribution("finder", 1),)),
        Candidate(A1, DocId("9"), contributions=(Contribution("finder", 2),)),
    ),
    RUNS,
)


def said(number: int, name: str, doc: str, choice: str) -> Judgment:
    at = "2026-03-02T12:00:00.000+00:00"
    return Judgment(number, "main", name, A1, DocId(doc), Choice(choice), at, 30.0)


ALL = (
    replace(said(1, "Zoe", "short", "high"), is_machine_made=True, is_unrelated=False),
    said(2, "Zoe", "7", "medium"),
    said(3, "Ben", "7", "high"),
)
ASSESSED = Assessed("main", POOL, ALL)


def written(name: str, folder: Path, assessed: Assessed = ASSESSED) -> Path:
    write_export_file(name, folder / name, assessed)
    return folder / name


def test_qrels_are_read_again_and_the_rule_decides(tmp_path: Path) -> None:
    assert read_qrels(written("qrels.tsv", tmp_path)).grades == {A1: {"7": 2, "short": 3}}
    highest = Assessed("main", POOL, ALL, form=ExportForm(Rule.MAXIMUM))
    grades = read_qrels(written("qrels.tsv", tmp_path, highest)).grades
    assert grades == {A1: {"7": 3, "short": 3}}


def test_a_formula_without_a_visual_id_is_judged_by_instance_alone(tmp_path: Path) -> None:
    formulas = (Candidate(A1, DocId("9"), visual_id="7"), Candidate(A1, DocId("7")))
    pool = replace(POOL, task=2, candidates=formulas)
    acts = (said(1, "Zoe", "9", "low"), said(2, "Zoe", "7", "high"))
    assessed = Assessed("main", pool, acts, form=ExportForm(fewest_relevant=0))
    for name, grades in (("qrels.tsv", {"7": 3, "9": 1}), ("qrels_visual.tsv", {"7": 1})):
        write_export_file(name, tmp_path / name, assessed)
        assert read_qrels(tmp_path / name).grades == {A1: grades}


def test_annotations_and_answers_are_what_evaluate_reads(tmp_path: Path) -> None:
    annotations = read_annotations(written("annotations.tsv", tmp_path))
    assert list(annotations) == [(A1, "short")]
    assert list(read_answer_ids(written("answers.tsv", tmp_path))) == [("talker", A1, "short")]


def test_all_judgments_are_read_again(tmp_path: Path) -> None:
    assert tuple(read_judgments(written("judgments.jsonl", tmp_path))) == ALL


def test_numbers_stand_for_names_in_the_batch_and_in_training(tmp_path: Path) -> None:
    before = Judgment(0, "round", "Ben", A1, DocId("7"), Choice.LOW, ALL[0].at)
    assessed = Assessed("main", POOL, ALL, (before,), ExportForm(has_names=False))
    assert [each.assessor for each in assessed.told] == ["2", "2", "1"]
    assert [each.assessor for each in assessed.rounds] == ["1"]
    text = written("statistics.html", tmp_path, assessed).read_text()
    assert "Zoe" not in text
    assert "Ben" not in text


def test_a_biased_order_is_told(tmp_path: Path) -> None:
    plain = json.loads(written("export.json", tmp_path).read_text())
    assert (plain["bias"], plain["unjudged"], plain["disputed"]) == ("", 1, [["A.1", "7"]])
    active = Assessed("main", actively_ordered(POOL, ActiveSettings()), ALL)
    assert (
        "active learning"
        in json.loads(written("export.json", tmp_path, active).read_text())["bias"]
    )
    assert "active learning" in written("statistics.html", tmp_path, active).read_text()


def test_without_a_collection_there_are_no_tasks_for_turkle(tmp_path: Path) -> None:
    names = write_export(tmp_path / "export", ASSESSED)
    assert set(names) == {path.name for path in (tmp_path / "export").iterdir()}
    assert not any(name.startswith("turkle") for name in names)
    with pytest.raises(PorismError, match="collection is needed"):
        written("turkle_tasks.csv", tmp_path)


def test_every_file_is_described_and_others_are_refused(tmp_path: Path) -> None:
    assert set(file_names(ASSESSED)) < set(TOLD)
    with pytest.raises(PorismError, match="no file secrets"):
        written("secrets", tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="no folder"):
        write_export(tmp_path / "none" / "export", ASSESSED)
