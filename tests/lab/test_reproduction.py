"""Reproduced numbers of the papers."""

from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.formats.formula_ids import FormulaIds
from porism.lab.published import read_published
from porism.lab.reproduction import (
    AvailableFiles,
    ReproducedScore,
    Verdict,
    claims,
    files_in,
    reproduce,
)
from porism.model import DocId

JUDGMENTS = "A.1\t0\ta\t3\nA.1\t0\tb\t0\nA.2\t0\tc\t2\n"


def available(folder: Path) -> AvailableFiles:
    return AvailableFiles(files_in([folder]))


def computed(folder: Path) -> dict[tuple[str, str, str], ReproducedScore]:
    """The computed numbers, by paper, run and measure."""
    return {
        (each.published.paper, each.published.run, each.published.measure): each
        for each in reproduce(available(folder))
        if each.verdict is not Verdict.ABSENT
    }


def test_every_printed_number_is_listed_once(tmp_path: Path) -> None:
    results = list(reproduce(available(tmp_path)))
    assert [each.published for each in results] == list(read_published())
    assert {each.verdict for each in results} == {Verdict.ABSENT}


def test_a_run_is_identified_by_the_labs_file_names(tmp_path: Path) -> None:
    (tmp_path / "qrel_task1_2022_official.tsv").write_text(JUDGMENTS.replace("A.", "A.30"))
    run = "A.301\ta\t1\t2\tx\nA.301\tb\t2\t1\tx\nA.302\tu\t1\t2\tx\nA.302\tc\t2\t1\tx\n"
    (tmp_path / "approach0-task1-fusion_alpha05-manual-both-P.tsv").write_text(run)
    results = computed(tmp_path)
    assert results["S3", "fusion_alpha05", "nDCG'"].ours == 1.0
    assert results["S3", "fusion_alpha05", "nDCG'"].verdict is Verdict.DIFFERENT
    assert results["S3", "fusion_alpha05", "nDCG'"].difference == pytest.approx(1 - 0.508)
    # S3 Table 7 has the same run cut at rank 1; the first result of A.302 is not judged.
    assert results["S3", "fusion_alpha05", "AR"].ours == 3.0


def test_a_run_of_another_year_has_no_claims(tmp_path: Path) -> None:
    (tmp_path / "qrel_task1_2022_official.tsv").write_text(JUDGMENTS.replace("A.", "A.30"))
    (tmp_path / "approach0-task1-fusion_alpha05-manual-both-P.tsv").write_text("A.1\ta\t1\t2\tx\n")
    assert claims(available(tmp_path)) == []


def test_runs_of_formulas_need_visual_ids(tmp_path: Path) -> None:
    judgments = JUDGMENTS.replace("A.", "B.30").replace("\ta\t", "\tv\t")
    (tmp_path / "qrel_task2_2022_visual_id_v3.tsv").write_text(judgments)
    run = "B.301\t11\t1\t1\t2\tx\nB.302\t12\t1\t1\t2\tx\n"
    (tmp_path / "MathDowsers-task2-L8-auto-math-P.tsv").write_text(run)
    without = computed(tmp_path)["S3", "L8", "nDCG'"]
    assert (without.ours, without.verdict) == (None, Verdict.IMPOSSIBLE)
    formulas = [FormulaIds(DocId("11"), DocId("v")), FormulaIds(DocId("12"), DocId("c"))]
    informed = AvailableFiles(files_in([tmp_path]), lambda: formulas)
    values = {each.published.measure: each.ours for each in reproduce(informed) if each.ours}
    assert values["nDCG'"] == 1.0


def test_an_excuse_applies_to_one_measure(tmp_path: Path) -> None:
    (tmp_path / "qrel_task1_2020_official.tsv").write_text(JUDGMENTS)
    run = "A.1 Q0 a 1 2 x\nA.1 Q0 b 2 1 x\nA.2 Q0 c 1 1 x\n"
    (tmp_path / "prim_psu-task1-auto-both-P.tsv").write_text(run)
    results = computed(tmp_path)
    assert results["S1", "PSU2", "P@10"].verdict is Verdict.EXPLAINED
    assert results["S1", "PSU2", "nDCG'"].verdict is Verdict.DIFFERENT


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="is not a folder"):
        files_in([tmp_path / "absent"])


def test_all_available_published_runs_are_reproduced(shared: Path) -> None:
    results = [each for each in reproduce(available(shared / "data")) if each.ours is not None]
    verdicts = [each.verdict for each in results]
    assert (verdicts.count(Verdict.EXACT), verdicts.count(Verdict.EXPLAINED)) == (59, 8)
    assert verdicts.count(Verdict.DIFFERENT) == 0
    # All 14 runs of S3 Table 5, by both measures that need no texts.
    answers = [each for each in results if each.published.task == 3]
    assert len(answers) == 28
    assert all(each.verdict is Verdict.EXACT for each in answers)


def test_only_known_exceptions_occur(shared: Path) -> None:
    results = reproduce(available(shared / "data"))
    explained = {
        (each.published.paper, each.published.run, each.published.measure)
        for each in results
        if each.verdict is Verdict.EXPLAINED
    }
    assert explained == {
        ("S1", "Approach0", "nDCG'"),  # a mean over 76 of 77 topics
        ("S1", "Approach0", "P@10"),  # judged lines only, and so below
        ("S1", "alpha05noReRank", "P@10"),
        ("S3", "Tangent-S", "nDCG'"),  # 1,000 visually distinct formulas, not instances
        ("S3", "Tangent-S", "MAP'"),
        ("S4", "Tangent-S", "nDCG'"),
        ("S4", "Tangent-S", "MAP'"),
        ("S4", "Tangent-S", "bpref"),
    }
