"""Exported assessments can be read back for scoring."""

import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest

from porism.assess.choice_definitions import VISUAL_MATCH_RULES
from porism.assess.judgments.final_grades import DisputeRule
from porism.assess.pools.active_order import ActiveOrderSettings, with_active_order
from porism.assess.records import (
    Annotation,
    Candidate,
    Choice,
    Instructions,
    Judgment,
    Pool,
    PoolContribution,
    PooledRun,
    RunKind,
    VisualMatchRule,
)
from porism.errors import PorismError
from porism.evaluation.short_answers.manual_measures import read_annotations
from porism.formats.qrels import read_answer_ids, read_qrels
from porism.model import DocId, Qrels, Topic, TopicId
from porism.pages.assessed_batch import AssessedBatch, AssessmentExportSettings
from porism.pages.assessment_export import (
    FILE_DESCRIPTIONS,
    export_file_names,
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
        Candidate(A1, DocId("short"), text="Two.", contributions=(PoolContribution("talker", 1),)),
        Candidate(A1, DocId("7"), contributions=(PoolContribution("finder", 1),)),
        Candidate(A1, DocId("9"), contributions=(PoolContribution("finder", 2),)),
    ),
    RUNS,
)


def judgment(number: int, name: str, doc: str, choice: str) -> Judgment:
    at = "2026-03-02T12:00:00.000+00:00"
    return Judgment(number, "main", name, A1, DocId(doc), Choice(choice), at, 30.0)


ALL = (
    replace(judgment(1, "Zoe", "short", "high"), is_machine_made=True, is_unrelated=False),
    judgment(2, "Zoe", "7", "medium"),
    judgment(3, "Ben", "7", "high"),
)
ASSESSED = AssessedBatch("main", POOL, ALL)


def written(name: str, folder: Path, assessed: AssessedBatch = ASSESSED) -> Path:
    write_export_file(name, folder / name, assessed)
    return folder / name


def test_qrels_follow_the_dispute_rule(tmp_path: Path) -> None:
    first = AssessedBatch("main", POOL, ALL, settings=AssessmentExportSettings(fewest_relevant=1))
    assert read_qrels(written("qrels.tsv", tmp_path, first)).grades == {A1: {"7": 2}}
    highest = AssessedBatch(
        "main", POOL, ALL, settings=AssessmentExportSettings(DisputeRule.MAXIMUM, fewest_relevant=1)
    )
    assert read_qrels(written("qrels.tsv", tmp_path, highest)).grades == {A1: {"7": 3}}


def test_short_answers_have_qrels_of_their_own(tmp_path: Path) -> None:
    assessed = AssessedBatch("main", POOL, ALL)
    assert assessed.dropped == (A1,)  # only one post is relevant; short answers do not count
    grades = read_qrels(written("qrels_short_answers.tsv", tmp_path, assessed)).grades
    assert grades == {A1: {"short": 3}}
    alone = AssessedBatch("main", replace(POOL, candidates=POOL.candidates[:1]), ALL[:1])
    assert "qrels.tsv" not in export_file_names(alone)
    without = AssessedBatch("main", replace(POOL, candidates=POOL.candidates[1:]), ALL[1:])
    assert "qrels_short_answers.tsv" not in export_file_names(without)


def test_a_formula_without_a_visual_id_is_only_in_qrels_by_instance(tmp_path: Path) -> None:
    formulas = (Candidate(A1, DocId("9"), visual_id="7"), Candidate(A1, DocId("7")))
    pool = replace(POOL, task=2, candidates=formulas)
    acts = (judgment(1, "Zoe", "9", "low"), judgment(2, "Zoe", "7", "high"))
    assessed = AssessedBatch(
        "main", pool, acts, settings=AssessmentExportSettings(fewest_relevant=0)
    )
    for name, grades in (("qrels.tsv", {"7": 3, "9": 1}), ("qrels_visual.tsv", {"7": 1})):
        write_export_file(name, tmp_path / name, assessed)
        assert read_qrels(tmp_path / name).grades == {A1: grades}


def test_evaluate_reads_annotations_and_answers(tmp_path: Path) -> None:
    annotations = read_annotations(written("annotations.tsv", tmp_path))
    assert list(annotations) == [(A1, "short")]
    assert list(read_answer_ids(written("answers.tsv", tmp_path))) == [("talker", A1, "short")]


def test_all_judgments_are_exported(tmp_path: Path) -> None:
    lines = written("judgments.jsonl", tmp_path).read_bytes().splitlines()
    assert tuple(Judgment(**json.loads(line)) for line in lines) == ALL


def test_numbers_replace_names_in_the_batch_and_in_training(tmp_path: Path) -> None:
    before = Judgment(0, "round", "Ben", A1, DocId("7"), Choice.LOW, ALL[0].at)
    annotation = Annotation(1, "main", "Eve", A1, DocId("7"), True, False, ALL[0].at)
    assessed = AssessedBatch(
        "main",
        POOL,
        ALL,
        annotations=(annotation,),
        training=(before,),
        settings=AssessmentExportSettings(has_names=False),
    )
    assert [each.assessor for each in assessed.published_judgments] == ["2", "2", "1"]
    assert [each.assessor for each in assessed.published_training] == ["1"]
    raw = written("annotations.jsonl", tmp_path, assessed).read_text()
    assert json.loads(raw)["assessor"] == "3"
    text = written("statistics.html", tmp_path, assessed).read_text()
    assert "Zoe" not in text
    assert "Ben" not in text


def test_a_biased_order_is_noted(tmp_path: Path) -> None:
    plain = json.loads(written("export.json", tmp_path).read_text())
    assert (plain["bias"], plain["unjudged"], plain["disputed"]) == ("", 1, [["A.1", "7"]])
    active = AssessedBatch("main", with_active_order(POOL, ActiveOrderSettings()), ALL)
    assert (
        "active learning"
        in json.loads(written("export.json", tmp_path, active).read_text())["bias"]
    )
    assert "active learning" in written("statistics.html", tmp_path, active).read_text()


def test_instructions_are_recorded(tmp_path: Path) -> None:
    formula = Candidate(A1, DocId("7"), DocId("1"), visual_id="v")
    formulas = replace(POOL, task=2, candidates=(formula,))
    given = (
        Instructions(),
        Instructions(1, VisualMatchRule.ALWAYS_HIGH, at="2026-03-02"),
        Instructions(2, VisualMatchRule.BY_CONTEXT, at="2026-03-03"),
    )
    acts = (
        judgment(1, "Zoe", "7", "high"),
        replace(judgment(2, "Ben", "7", "low"), instructions=2),
    )
    same = AssessedBatch("main", formulas, acts, instructions=given)
    record = json.loads(written("export.json", tmp_path, same).read_text())["instructions"]
    assert [(each["number"], each["judgments"]) for each in record] == [(0, 1), (2, 1)]
    changed = replace(same, judgments=(acts[0], replace(acts[1], instructions=1)))
    for name in ("statistics.html", "statistics.tex"):
        text = written(name, tmp_path, same).read_text()
        assert "visually identical formulas: by-context" in text
        assert "always-high" not in text  # no judgment of this batch was made under that rule
        text = written(name, tmp_path, changed).read_text()
        assert "visually identical formulas: by-context (judgments: 1)" in text
        assert "visually identical formulas: always-high (judgments: 1)" in text


def test_a_folder_has_the_export_of_one_batch(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    write_export(folder, ASSESSED)
    assert (folder / "qrels_short_answers.tsv").exists()
    with pytest.raises(PorismError, match="has the export of batch main; name another folder"):
        write_export(folder, replace(ASSESSED, batch="other"))
    without = replace(POOL, candidates=POOL.candidates[1:])
    names = write_export(folder, AssessedBatch("main", without, ALL[1:]))
    assert {path.name for path in folder.iterdir()} == set(names)


def test_turkle_tasks_follow_the_instructions(tmp_path: Path) -> None:
    short = replace(POOL, candidates=POOL.candidates[:1])
    annotated = (Instructions(asks_annotations=True),)
    with_questions = AssessedBatch("main", short, (), instructions=annotated)
    assert "machine_made_1" in written("turkle_template.html", tmp_path, with_questions).read_text()
    plain = written("turkle_template.html", tmp_path, AssessedBatch("main", short, ()))
    assert "machine_made_1" not in plain.read_text()
    formulas = replace(short, task=2)
    always = (Instructions(0, VisualMatchRule.ALWAYS_HIGH, asks_annotations=True),)
    with_rule = AssessedBatch("main", formulas, (), instructions=always)
    template = written("turkle_template.html", tmp_path, with_rule).read_text()
    assert VISUAL_MATCH_RULES[VisualMatchRule.ALWAYS_HIGH] in template
    assert "machine_made_1" not in template


def test_turkle_tasks_need_a_collection(tmp_path: Path) -> None:
    names = write_export(tmp_path / "export", ASSESSED)
    assert set(names) == {path.name for path in (tmp_path / "export").iterdir()}
    assert not any(name.startswith("turkle") for name in names)
    with pytest.raises(PorismError, match="needs the collection"):
        written("turkle_tasks.csv", tmp_path)


def test_every_file_is_described_and_others_are_refused(tmp_path: Path) -> None:
    assert set(export_file_names(ASSESSED)) < set(FILE_DESCRIPTIONS)
    with pytest.raises(PorismError, match="unknown export file secrets"):
        written("secrets", tmp_path)


def test_a_folder_without_a_parent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="no folder"):
        write_export(tmp_path / "none" / "export", ASSESSED)


def test_a_folder_is_created_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(PorismError, match="is a file; name a folder"):
        write_export(tmp_path / "file", ASSESSED)

    def full(path: Path, judgments: Qrels) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("porism.pages.assessment_export.write_qrels", full)
    with pytest.raises(OSError, match=r"No space .*qrels\.tsv"):
        write_export(tmp_path / "export", ASSESSED)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
