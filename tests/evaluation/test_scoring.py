"""Scores of Tasks 1 and 2, checked by hand, by definition and against trec_eval."""

import math
import shutil
from pathlib import Path

import ir_measures
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from porism.errors import PorismError, UnknownName
from porism.evaluation.measures import DEFAULT_MEASURES, UNPRIMED_MEASURES
from porism.evaluation.scoring import RunScorer, evaluate, topic_span
from porism.model import TopicId
from tests.evaluation.slow_measures import values

EVERY = (*DEFAULT_MEASURES, *UNPRIMED_MEASURES, "nDCG'@3", "P'@3")

# Few documents and few scores, so that ties, unjudged documents and missing topics are common.
# Some scores differ as 64-bit numbers and not as those of 32 bits that trec_eval compares.
DOCUMENTS = st.sampled_from([f"d{number}" for number in range(14)] + ["é", "Z"])
SCORES = st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 2.0, -1.0, 1e-30, 0.1, 16777217.0, 16777216.0])
TOPICS = st.sampled_from([TopicId(f"A.{number}") for number in range(1, 5)])
RUNS = st.dictionaries(TOPICS, st.dictionaries(DOCUMENTS, SCORES, max_size=14), min_size=1)
QRELS = st.dictionaries(
    TOPICS, st.dictionaries(DOCUMENTS, st.integers(0, 3), min_size=1), min_size=1
)


@given(RUNS, QRELS)
def test_every_measure_equals_its_definition(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]
) -> None:
    assume(any(run.values()))
    shared = run.keys() & qrels.keys()
    # Others are refused, which is tested below.
    assume(shared and len(shared) * 2 >= min(len(run), len(qrels)))
    (scores,) = evaluate([run], qrels, EVERY).runs
    for topic, grades in qrels.items():
        expected = values(run.get(topic, {}), grades)
        for measure in EVERY:
            value = scores.by_topic[measure][TopicId(topic)]
            assert math.isclose(value, expected[measure], abs_tol=1e-9), (measure, topic)
    for measure in EVERY:
        mean = sum(values(run.get(t, {}), of)[measure] for t, of in qrels.items()) / len(qrels)
        assert math.isclose(scores.mean(measure), mean, abs_tol=1e-9)


def test_worked_example_by_hand() -> None:
    # Grades down the ranking: 3, unjudged, 0, 1, 2.
    run = {"A.1": {"a": 9.0, "u": 8.0, "b": 7.0, "c": 6.0, "d": 5.0}}
    qrels = {"A.1": {"a": 3, "b": 0, "c": 1, "d": 2}}
    (scores,) = evaluate([run], qrels, EVERY).runs
    best = 3 / 1 + 2 / math.log2(3) + 1 / 2
    expected = {
        "nDCG'": (3 + 1 / 2 + 2 / math.log2(5)) / best,
        "nDCG": (3 + 1 / math.log2(5) + 2 / math.log2(6)) / best,
        "MAP'": (1 / 1 + 2 / 4) / 2,
        "MAP": (1 / 1 + 2 / 5) / 2,
        "P'@10": 0.2,
        "P@10": 0.2,
        # Two are relevant (a, d) and two are not (b, c); both of these rank above d.
        "bpref": (1 + (1 - 2 / 2)) / 2,
    }
    assert {m: scores.mean(m) for m in expected} == pytest.approx(expected)


def test_topic_303_of_trec_evals_own_test() -> None:
    # Its expected output says: 10 relevant, of 84 documents retrieved those at 3, 4, 5, 7, 13 and
    # 18 are, 61 are judged not to be, and all unjudged ones are below rank 20.
    relevant, judged = {3, 4, 5, 7, 13, 18}, 67
    ranks = range(1, 85)
    grades = {f"d{rank}": int(rank in relevant) for rank in ranks if rank <= judged}
    grades |= {f"missed{number}": 1 for number in range(4)}
    run = {"303": {f"d{rank}": float(100 - rank) for rank in ranks}}
    golden = {
        "AP(rel=1)": 0.2723,
        "Rprec(rel=1)": 0.4000,
        "Bpref(rel=1)": 0.3300,
        "RR(rel=1)": 0.3333,
        "P(rel=1)@5": 0.6000,
        "P(rel=1)@10": 0.4000,
        "P(rel=1)@30": 0.2000,
        "R(rel=1)@15": 0.5000,
        "infAP(rel=1)": 0.2723,
        "nDCG@1000": 0.4730,
        "nDCG@10": 0.3633,
        "AP(rel=1)@10": 0.2005,
        "Success(rel=1)@1": 0.0,
        "Success(rel=1)@5": 1.0,
        "IPrec(rel=1)@0.4": 0.5714,
        "SetP(rel=1)": 0.0714,
        "SetR(rel=1)": 0.6000,
    }
    (scores,) = evaluate([run], {"303": grades}, list(golden)).runs
    assert {name: round(scores.mean(name), 4) for name in golden} == golden


def test_missing_topics_count_0_and_unjudged_topics_are_ignored() -> None:
    run = {"A.1": {"a": 1.0}, "A.9": {"a": 1.0}}
    scores = evaluate([run], {"A.1": {"a": 3}, "A.2": {"b": 3}})
    assert scores.topics == ("A.1", "A.2")
    assert scores.runs[0].by_topic["nDCG'"] == {"A.1": 1.0, "A.2": 0.0}
    assert scores.runs[0].mean("nDCG'") == 0.5
    assert scores.runs[0].answered == {"A.1"}


def test_the_codes_of_the_lab_are_not_judgments() -> None:
    run = {"A.1": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    coded = evaluate([run], {"A.1": {"a": 5, "b": 6, "c": -1, "d": 2}}, EVERY)
    plain = evaluate([run], {"A.1": {"d": 2}}, EVERY)
    assert coded.runs == plain.runs
    assert coded.runs[0].mean("nDCG'") == 1.0


def test_a_topic_with_only_codes_counts() -> None:
    scores = evaluate([{"A.1": {"a": 1.0}}], {"A.1": {"a": 3}, "A.2": {"a": 5}})
    assert scores.runs[0].mean("nDCG'") == 0.5


def test_equal_scores_go_by_descending_document_id() -> None:
    qrels = {"A.1": {"10": 3, "9": 0}}
    (scores,) = evaluate([{"A.1": {"10": 1.0, "9": 1.0}}], qrels, ["P'@1"]).runs
    assert scores.mean("P'@1") == 0.0  # "9" is above "10", as strings go


def test_scores_that_are_equal_as_32_bit_numbers_are_ties() -> None:
    qrels = {"A.1": {"a": 3, "b": 0}}
    (scores,) = evaluate([{"A.1": {"a": 1.0 + 1e-9, "b": 1.0}}], qrels, ["P'@1", "RR@1"]).runs
    assert scores.mean("P'@1") == 0.0
    assert scores.mean("RR@1") == 0.0  # computed by another part of ir-measures, same rule


def test_ceilings_are_the_scores_of_the_best_possible_run() -> None:
    qrels = {"A.1": {f"d{n}": 2 for n in range(4)}, "A.2": {"x": 1}}
    ceilings = evaluate([{"A.1": {"d0": 1.0}}], qrels, ["nDCG'", "MAP'", "P'@10"]).ceilings
    assert ceilings == pytest.approx({"nDCG'": 1.0, "MAP'": 0.5, "P'@10": 0.2})


@given(RUNS, QRELS)
def test_no_run_is_above_the_ceiling(
    run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]
) -> None:
    run = {topic: {"d0": 1.0, **run.get(topic, {})} for topic in qrels}
    scores = evaluate([run], qrels, EVERY)
    for measure in EVERY:
        assert scores.runs[0].mean(measure) <= scores.ceilings[measure] + 1e-9


def test_judgments_of_another_year_are_refused_with_both_ranges() -> None:
    run = {f"A.{number}": {"a": 1.0} for number in range(1, 101)}
    qrels = {f"A.{number}": {"a": 1} for number in range(201, 300)}
    with pytest.raises(PorismError, match=r"A\.1 to A\.100.*A\.201 to A\.299.*0 are in both"):
        evaluate([run], qrels)


def test_few_common_topics_are_refused_unless_one_side_has_few() -> None:
    qrels = {f"A.{number}": {"a": 1} for number in range(1, 11)}
    with pytest.raises(PorismError, match="4 are in both"):
        evaluate([{f"A.{number}": {"a": 1.0} for number in range(7, 17)}], qrels)
    assert evaluate([{"A.3": {"a": 1.0}}], qrels).runs[0].answered == {"A.3"}


@pytest.mark.parametrize(
    "run",
    [{}, {"A.1": {}}, {"A.1": {"a": math.nan}}, {"A.1": {"a": math.inf}}, {"A.1": {"a": "1"}}],
)
def test_an_empty_run_is_refused(run: dict[str, dict[str, float]]) -> None:
    with pytest.raises(PorismError):
        evaluate([run], {"A.1": {"a": 1}})


def test_a_measure_without_an_installed_provider_is_refused() -> None:
    with pytest.raises(UnknownName, match="no installed package"):
        RunScorer({"A.1": {"a": 1}}, ["RBP(p=0.8)"])


def test_topic_spans_are_in_numeric_order() -> None:
    assert topic_span([TopicId("B.10"), TopicId("B.9")]) == "B.9 to B.10"
    assert topic_span([TopicId("one")]) == "one"


PUBLISHED = {
    # nDCG', MAP', P'@10, bpref of runs/README.md, which had them from trec_eval's code.
    "tf_idf_task1_final": (0.2035, 0.0489, 0.0740, 0.0426),
    "psu-task1-auto-both-A": (0.2625, 0.0822, 0.1156, 0.0716),
    "prim_MathDowsers-task1-alpha05noReRank-auto-both-A": (0.3446, 0.1393, 0.1623, 0.1261),
    "prim_Approach0": (0.2470, 0.0989, 0.1831, 0.1155),
    "mirmu-scm-repo_ensemble-task1": (0.3979, 0.1020, 0.1636, 0.0892),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_real_runs_have_the_scores_of_the_lab(shared: Path, name: str) -> None:
    scorer = RunScorer(shared / "data/qrels/qrel_task1_2020_official.tsv")
    scores = scorer.scores(shared / "data/runs/task1_2020" / f"{name}.tsv.gz")
    assert tuple(round(scores.mean(m), 4) for m in DEFAULT_MEASURES) == PUBLISHED[name]


def test_two_names_of_one_measure_have_the_same_values() -> None:
    names = ["nDCG'", "nDCG'@1000", "RR", "MRR", "P@10", "P(rel=2)@10"]
    (scores,) = evaluate([{"A.1": {"a": 2.0, "b": 1.0}}], {"A.1": {"a": 0, "b": 3}}, names).runs
    means = [scores.mean(name) for name in names]
    assert means[0::2] == means[1::2]
    assert all(means)


def test_measures_that_prefer_few_documents_have_no_ceiling() -> None:
    scores = evaluate([{"A.1": {"a": 1.0}}], {"A.1": {"a": 3, "b": 0}}, ["SetP", "P'@1"])
    assert scores.ceilings == {"P'@1": 1.0}


def test_a_run_without_judged_documents_is_noted() -> None:
    scores = evaluate([{"A.1": {"zz": 1.0}}], {"A.1": {"a": 3}})
    assert scores.runs[0].mean("nDCG'") == 0.0
    assert scores.notes == ("no document of run is judged: do run and judgments use the same ids?",)


def test_other_scales_keep_all_grades(shared: Path) -> None:
    # NTCIR-12 has grades up to 4; the values are those of runs/README.md.
    qrels = shared / "data/ntcir12/qrels.ntcir12-math-browsing-concrete.txt"
    scorer = RunScorer(qrels, ["Bpref(rel=1)", "Bpref(rel=3)"])
    scores = scorer.scores(shared / "data/runs/ntcir12/gcl_opt.gz")
    assert [round(scores.mean(name), 4) for name in scorer.names] == [0.7114, 0.5228]


def test_5_and_6_are_grades_on_a_scale_beyond_3() -> None:
    (scores,) = evaluate({"A.1": {"a": 1.0}}, {"A.1": {"a": 5, "b": 4}}, "P(rel=5)@1").runs
    assert scores.mean("P(rel=5)@1") == 1.0


def test_judgments_without_any_grade_are_refused() -> None:
    with pytest.raises(PorismError, match="no grades, only codes"):
        evaluate({"A.1": {"a": 1.0}}, {"A.1": {"a": 5}})


def test_a_huge_grade_is_refused() -> None:
    with pytest.raises(PorismError, match="expected a scale"):
        evaluate({"A.1": {"a": 1.0}}, {"A.1": {"a": 10**20}})


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a program in Perl")
def test_providers_with_numeric_topics_are_supported() -> None:
    (scores,) = evaluate({"A.1": {"a": 2.0, "b": 1.0}}, {"A.1": {"a": 0, "b": 3}}, "ERR@20").runs
    assert 0 < scores.mean("ERR@20") < 1


def test_one_run_and_one_measure_need_no_list(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_text("A.1\ta\t1\t2\tx\n")
    for run in (path, str(path), {"A.1": {"a": 2.0}}):
        scores = evaluate(run, {"A.1": {"a": 3}}, "P'@1")
        assert scores.runs[0].mean("P'@1") == 1.0
    assert evaluate(path, {"A.1": {"a": 3}}, [ir_measures.P @ 1]).measures == ("P(rel=1)@1",)
