"""Task 2: from formulas to visual ids."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import PorismError
from porism.evaluation.formulas import RunIds, by_visual_id, visual_qrels, visual_run
from porism.evaluation.inputs import ScoredRun, as_qrels, as_scored
from porism.evaluation.scoring import evaluate
from porism.formats.formula_ids import FormulaIds, read_formula_ids
from porism.formats.runs import RunForm
from porism.model import DocId, Hit, Qrels, Run, TopicId

B1 = TopicId("B.1")


def ids(*rows: str) -> list[FormulaIds]:
    """Rows of formula, visual id and, of some, the old visual id."""
    return [FormulaIds(*map(DocId, row.split())) for row in rows]


def scored(form: RunForm | None = RunForm.TASK2, **scores: float) -> ScoredRun:
    return ScoredRun("run", {B1: {DocId(doc): score for doc, score in scores.items()}}, form)


def qrels(**grades: int) -> Qrels:
    return Qrels({B1: {DocId(doc): grade for doc, grade in grades.items()}})


KNOWN = ids("f1 v1", "f2 v1", "f3 v2", "f4 v3")


def test_the_best_instance_of_a_visual_id_counts() -> None:
    result = by_visual_id([scored(f1=1.0, f2=3.0, f3=2.0)], qrels(v1=2, v2=0), KNOWN)
    assert result.runs[0].scores[B1] == {"v1": 3.0, "v2": 2.0}


def test_worked_example_from_formulas_to_scores() -> None:
    # By instance f1 and f2 are both there; by visual id v1 counts once, and v9 is not judged.
    known = ids("f1 v1", "f2 v1", "f3 v2", "f9 v9", "f4 v3")
    run = scored(f9=5.0, f1=4.0, f2=3.0, f3=2.0, f4=1.0)
    result = by_visual_id([run], qrels(v1=0, v2=3, v3=1), known)
    (scores,) = evaluate(result.runs, result.qrels, ["P'@1", "MAP'", "MAP", "P'@3"]).runs
    # Primed: v1 (0), v2 (3), v3 (1). Unprimed: v9, v1, v2, v3.
    assert {m: scores.mean(m) for m in scores.by_topic} == pytest.approx(
        {"P'@1": 0.0, "MAP'": 1 / 2, "MAP": 1 / 3, "P'@3": 1 / 3}
    )


def test_judgments_by_formula_become_judgments_by_visual_id() -> None:
    result = by_visual_id([scored(f1=1.0)], qrels(f1=1, f2=3, f3=0), KNOWN)
    assert result.qrels == qrels(v1=3, v2=0)
    assert "judged by formula" in result.notes[0]


def test_a_grade_overrides_a_code() -> None:
    visual_ids = {DocId("f1"): DocId("v"), DocId("f2"): DocId("v")}
    assert visual_qrels(qrels(f1=6, f2=0), visual_ids) == qrels(v=0)
    assert visual_qrels(qrels(f1=0, f2=5), visual_ids) == qrels(v=0)
    assert visual_qrels(qrels(f1=5), visual_ids) == qrels(v=5)


def test_a_formula_without_visual_id_is_unjudged() -> None:
    known = ids("f1 v1")
    result = by_visual_id([scored(f1=1.0, f7=2.0)], qrels(v1=2, f7=3), known)
    assert result.runs[0].scores[B1] == {"v1": 1.0, "formula f7": 2.0}


def test_visual_ids_have_the_version_of_the_judgments() -> None:
    known = ids("f1 new1 old1", "f2 new2 old2")
    run = scored(f1=2.0, f2=1.0)
    newer = by_visual_id([run], qrels(new1=1, new2=1), known)
    assert newer.runs[0].scores[B1] == {"new1": 2.0, "new2": 1.0}
    older = by_visual_id([run], qrels(old1=1, old2=1), known)
    assert older.runs[0].scores[B1] == {"old1": 2.0, "old2": 1.0}
    assert "second version" in older.notes[0]


def test_a_run_of_visual_ids_is_unchanged() -> None:
    run = scored(None, v1=2.0, v2=1.0)
    result = by_visual_id([run], qrels(v1=2, v2=0), KNOWN)
    assert result.runs == (run,)
    assert "assumed to name visual ids" in result.notes[0]


def test_a_trec_run_of_formulas_is_mapped() -> None:
    result = by_visual_id([scored(RunForm.TREC, f1=2.0, f3=1.0)], qrels(v1=2, v2=0), KNOWN)
    assert result.runs[0].scores[B1] == {"v1": 2.0, "v2": 1.0}


def test_the_given_kind_of_ids_overrides_detection() -> None:
    run = scored(v1=2.0)
    assert by_visual_id([run], qrels(v1=2), KNOWN, RunIds.VISUAL).runs == (run,)
    with pytest.raises(PorismError, match="0 of 1 formulas of run"):
        by_visual_id([run], qrels(v1=2), KNOWN, RunIds.FORMULA)


def test_a_run_with_hardly_any_known_formula_is_refused() -> None:
    many = {f"x{number}": 1.0 for number in range(100)}
    with pytest.raises(PorismError, match="1 of 101 formulas of run occur among the 4"):
        by_visual_id([scored(RunForm.TASK2, f1=1.0, **many)], qrels(v1=2), KNOWN)
    few = {f"x{number}": 1.0 for number in range(10)}
    notes = by_visual_id([scored(RunForm.TASK2, f1=1.0, **few)], qrels(v1=2), KNOWN).notes
    assert notes == ("1 of 11 formulas of run occur among the 4 formulas with known visual ids",)


def test_the_first_numbering_is_refused() -> None:
    first = Qrels({B1: {DocId(str(number)): 0 for number in range(1, 2001)}})
    table = [FormulaIds(DocId(f"f{n}"), DocId(str(n)), DocId(str(n))) for n in range(1, 9000)]
    with pytest.raises(PorismError, match="numbering of 2020"):
        by_visual_id([scored(f1=1.0)], first, table)
    of_map = [FormulaIds(DocId(f"f{n}"), DocId(str(n))) for n in range(1, 9000)]
    assert by_visual_id([scored(f1=1.0)], first, of_map).runs[0].scores[B1] == {"1": 1.0}


def test_judgments_by_unknown_visual_ids_are_refused() -> None:
    judged = Qrels({B1: {DocId(f"w{number}"): 1 for number in range(100)}})
    with pytest.raises(PorismError, match="0 of 100 visual ids of the judgments"):
        by_visual_id([scored(f1=1.0)], judged, KNOWN)


def test_a_formula_id_is_not_mistaken_for_a_visual_id() -> None:
    run = Run("r", {B1: (Hit(DocId("11"), 2.0),)})
    assert visual_run(run, {}).rankings[B1][0].doc_id == "formula 11"


def test_rankings_by_visual_id_keep_the_post_of_the_best_instance() -> None:
    hits = (Hit(DocId("f1"), 3.0, DocId("p1")), Hit(DocId("f2"), 3.0, DocId("p2")))
    visual_ids = {DocId("f1"): DocId("v"), DocId("f2"): DocId("v")}
    assert visual_run(Run("r", {B1: hits}), visual_ids).rankings[B1] == (
        Hit(DocId("v"), 3.0, DocId("p1")),
    )


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.floats(-5, 5), min_size=1),
    st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("xyz")),
)
def test_every_visual_id_has_the_score_of_its_best_instance(
    scores: dict[str, float], visual_ids: dict[str, str]
) -> None:
    known = [
        FormulaIds(DocId(formula), DocId(visual_id)) for formula, visual_id in visual_ids.items()
    ]
    run = ScoredRun("run", {B1: {DocId(doc): score for doc, score in scores.items()}})
    if not scores.keys() & visual_ids.keys():
        return
    result = by_visual_id([run], qrels(x=1, y=1, z=1), known, RunIds.FORMULA).runs[0].scores[B1]
    expected: dict[str, float] = {}
    for doc, score in scores.items():
        name = visual_ids.get(doc, f"formula {doc}")
        expected[name] = max(score, expected.get(name, score))
    assert result == expected


@pytest.mark.parametrize("generation", ["visual_id_v2", "visual_id_v3"])
def test_the_mini_collection_with_judgments_of_every_kind(
    shared: Path, tmp_path: Path, generation: str
) -> None:
    (judged,) = (shared / "data/qrels").glob(f"qrel_task2_2021_{generation}*.tsv")
    known = list(read_formula_ids(shared / "data/arqmath-mini"))
    path = tmp_path / "run.tsv"
    lines = (
        f"B.{topic}\t{row.formula_id}\t1\t{rank}\t{-rank}\trun\n"
        for topic in range(201, 301)
        for rank, row in enumerate(known[:1000], start=1)
    )
    path.write_text("".join(lines))
    result = by_visual_id([as_scored(path)], as_qrels(judged), known)
    visual_ids = {row.visual_id for row in known[:1000]}
    assert result.runs[0].scores[TopicId("B.201")].keys() == visual_ids
    assert result.notes == ()


def test_judgments_by_formula_need_most_of_their_formulas(shared: Path) -> None:
    judged = as_qrels(shared / "data/qrels/qrel_task2_2021_formula_id_all.tsv")
    known = read_formula_ids(shared / "data/arqmath-mini")
    with pytest.raises(PorismError, match="817 of 12,367 formulas of the judgments"):
        by_visual_id([], judged, known)
