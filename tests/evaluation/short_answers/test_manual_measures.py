"""Task 3 by manual grades."""

from pathlib import Path

import pytest

from porism.errors import FormatError, PorismError
from porism.evaluation.short_answers.manual_measures import (
    AnswerAnnotation,
    evaluate_answers,
    evaluate_first_results,
    read_annotations,
)
from porism.formats.qrels import RunAnswerId, read_answer_ids
from porism.model import DocId, TopicId

QRELS = {"A.1": {"d_1": 3, "d_2": 5}, "A.2": {"d_3": 1, "d_4": 2}, "A.3": {"d_5": 6}}


def answer(run: str, topic: str, answer_id: str) -> RunAnswerId:
    return RunAnswerId(run, TopicId(topic), DocId(answer_id))


def test_worked_example_by_hand() -> None:
    given = [
        answer("a", "A.1", "d_1"),
        answer("a", "A.2", "d_3"),
        answer("a", "A.3", "d_5"),
        answer("b", "A.1", "d_2"),
        answer("b", "A.2", "d_4"),
    ]
    evaluation = evaluate_answers(QRELS, given)
    a, b = evaluation.runs
    assert a.by_topic["AR"] == {"A.1": 3.0, "A.2": 1.0, "A.3": 0.0}  # do not know counts 0
    assert (a.mean("AR"), a.mean("P@1")) == pytest.approx((4 / 3, 1 / 3))
    # b did not answer A.3: its own mean is over two topics, that of all over three.
    assert (b.mean("AR"), b.mean("AR", evaluation.topics)) == pytest.approx((1.0, 2 / 3))
    assert (b.mean("P@1"), b.mean("P@1", evaluation.topics)) == pytest.approx((1 / 2, 1 / 3))
    assert evaluation.ceilings == pytest.approx({"AR": 5 / 3, "P@1": 2 / 3})


def test_unjudged_answers_are_omitted_with_a_note() -> None:
    given = [answer("a", "A.1", "d_1"), answer("a", "A.2", "new"), answer("a", "A.9", "d_9")]
    evaluation = evaluate_answers(QRELS, given)
    assert evaluation.runs[0].answered == {"A.1"}
    assert evaluation.notes == ("unjudged answers to judged topics, omitted: 1",)


def test_answers_of_another_year_are_refused() -> None:
    with pytest.raises(PorismError, match="0 of 1 answers are judged"):
        evaluate_answers(QRELS, [answer("a", "A.301", "d_1")])
    with pytest.raises(PorismError, match="there are no answers"):
        evaluate_answers(QRELS, [])


def test_annotations_give_shares_of_annotated_answers(tmp_path: Path) -> None:
    path = tmp_path / "annotations.tsv"
    path.write_text(
        "topic\tanswer\tmachine_generated\tunrelated\nA.1\td_1\tyes\t0\nA.2\td_3\tNo\t1\n"
    )
    annotations = read_annotations(path)
    assert annotations[TopicId("A.1"), DocId("d_1")] == AnswerAnnotation(True, False)
    given = [answer("a", "A.1", "d_1"), answer("a", "A.2", "d_3"), answer("a", "A.3", "d_5")]
    evaluation = evaluate_answers(QRELS, given, annotations)
    assert evaluation.measures == ("AR", "P@1", "MG", "UI")
    assert (evaluation.runs[0].mean("MG"), evaluation.runs[0].mean("UI")) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("topic\tanswer\tmachine_generated\n", "expected one named unrelated"),
        ("topic\tanswer\tmachine_generated\tunrelated\nA.1\td\tmaybe\t0\n", "expected yes or no"),
    ],
)
def test_invalid_annotations_are_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "annotations.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=why):
        read_annotations(path)


def test_the_first_results_of_task_1_runs_are_scored_as_answers() -> None:
    run = {
        "A.1": {"d_1": 2.0, "d_2": 1.0},
        "A.2": {"unjudged": 2.0, "d_4": 1.0},
        "A.3": {"d_5": 1.0},
    }
    evaluation = evaluate_first_results([run], QRELS)
    # A.2's first result is not judged and A.3's has a code, so both are left out.
    assert evaluation.runs[0].by_topic["AR"] == {"A.1": 3.0}
    assert evaluation.notes == ("first results without a grade, omitted: 2",)


def test_first_results_break_ties_as_trec_eval_does() -> None:
    evaluation = evaluate_first_results([{"A.2": {"d_3": 1.0, "d_4": 1.0}}], QRELS)
    assert evaluation.runs[0].mean("AR") == 2.0


def test_runs_without_a_judged_first_result_are_refused() -> None:
    with pytest.raises(PorismError, match="no first result is judged"):
        evaluate_first_results([{"A.1": {"x": 1.0}}], QRELS)


def test_all_runs_of_2022_have_their_published_scores(shared: Path) -> None:
    folder = shared / "data/qrels"
    answers = read_answer_ids(folder / "task3_2022_teams_answer_id.tsv")
    evaluation = evaluate_answers(folder / "qrel_task3_2022_official_complete.tsv", answers)
    scores = {
        run.run.split("-")[2]: (round(run.mean("AR"), 3), round(run.mean("P@1"), 3))
        for run in evaluation.runs
    }
    assert scores == {  # S3 Table 5
        "GPT3": (1.346, 0.500),
        "run1": (1.282, 0.436),
        "run4": (1.231, 0.397),
        "run3": (1.179, 0.372),
        "run2": (1.115, 0.321),
        "run5": (0.949, 0.282),
        "SVMSBERT": (0.462, 0.154),
        "SVMBERT": (0.449, 0.154),
        "AMRSBERT": (0.423, 0.128),
        "AMRBERT": (0.385, 0.103),
        "amps3_se1_hints": (0.325, 0.078),
        "se3_len_pen_10": (0.244, 0.064),
        "amps3_se1_len_pen_20_sample_hint": (0.231, 0.051),
        "shortest": (0.205, 0.026),
    }
    assert round(evaluation.ceilings["AR"], 3) == 2.346  # S3 section 6.4.1


def test_two_answers_of_a_run_to_one_topic_are_refused() -> None:
    with pytest.raises(PorismError, match=r"a has two answers to topic A\.1, d_1 and d_2"):
        evaluate_answers(QRELS, [answer("a", "A.1", "d_1"), answer("a", "A.1", "d_2")])


def test_answers_with_few_judgments_are_refused() -> None:
    given = [answer("a", "A.1", "d_1"), *(answer(f"b{n}", "A.2", f"x{n}") for n in range(5))]
    with pytest.raises(PorismError, match="1 of 6 answers are judged"):
        evaluate_answers(QRELS, given)
