"""The references of the automatic measures."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.evaluation.short_answers.references import (
    Reference,
    name_in_map,
    references,
    team_of,
    texts_by_answer_id,
    usable_references,
    with_task1_answers,
)
from porism.formats.qrels import RunAnswerId, read_answer_ids, read_qrels
from porism.model import AnswerRun, DocId, Hit, Qrels, Run, RunAnswer, TopicId

ONE, TWO, THREE = TopicId("A.301"), TopicId("A.302"), TopicId("A.303")
OURS, THEIRS = "Ours-task3-1-auto-both-generate-P", "Theirs-Task3-1-auto-both-extract-P"
OURS_TOO = "Ours-task3-2-auto-both-generate-A"


def answer_id(run: str, topic_id: TopicId, document: str) -> RunAnswerId:
    return RunAnswerId(run, topic_id, DocId(document))


def qrels(grades: dict[TopicId, dict[str, int]]) -> Qrels:
    return Qrels(
        {topic: {DocId(doc): grade for doc, grade in of.items()} for topic, of in grades.items()}
    )


def texts(**texts: str) -> dict[DocId, str]:
    return {DocId(document): text for document, text in texts.items()}


@pytest.mark.parametrize(
    ("run", "team"),
    [
        ("approach0-task3-run1-manual-both-extract-A", "approach0"),
        ("DPRL-Task3-SVMSBERT-auto-both-extract-A", "DPRL"),
        ("TU_DBS-task3-se3_len_pen_10-auto-both-generate-A", "TU_DBS"),
        ("DPRL_task1_auto_both_A3", "DPRL"),
        ("multitask3", "multitask3"),
        ("gpt4", "gpt4"),
    ],
)
def test_the_team_precedes_the_task_in_a_run_name(run: str, team: str) -> None:
    assert team_of(run) == team


def test_relevant_answers_are_references_with_all_their_teams() -> None:
    ids = [
        answer_id(OURS, ONE, "d_1"),
        answer_id(OURS_TOO, ONE, "d_1"),
        answer_id(OURS, TWO, "d_2"),
        answer_id(THEIRS, TWO, "d_2"),
        answer_id(THEIRS, ONE, "d_3"),
    ]
    grades = {ONE: {"d_1": 2, "d_3": 3}, TWO: {"d_2": 3}}
    assert references(ids, qrels(grades), texts(d_1="a", d_2="b", d_3="c")) == {
        ONE: (Reference("a", frozenset({"Ours"})), Reference("c", frozenset({"Theirs"}))),
        TWO: (Reference("b", frozenset({"Ours", "Theirs"})),),
    }


@pytest.mark.parametrize("grade", [0, 1, 5, 6])
def test_low_grades_and_codes_are_not_relevant(grade: int) -> None:
    ids = [answer_id(OURS, ONE, "d_1")]
    assert references(ids, qrels({ONE: {"d_1": grade}}), texts(d_1="a")) == {}


def test_answers_without_text_are_no_references() -> None:
    ids = [answer_id(OURS, ONE, "d_1"), answer_id(OURS, TWO, "d_2")]
    assert references(ids, qrels({ONE: {"d_1": 3}, TWO: {"d_2": 3}}), texts(d_2=" \n")) == {}


def test_a_reference_is_cut_at_1200_characters() -> None:
    ids = [answer_id(OURS, ONE, "d_1")]
    cut = references(ids, qrels({ONE: {"d_1": 3}}), texts(d_1="∀" * 1201))
    assert cut[ONE][0].text == "∀" * 1200


@pytest.mark.parametrize(
    ("teams", "team", "is_used"),
    [
        ({"Ours"}, "Ours", False),
        ({"Ours"}, "ours", False),
        ({"Ours", "Theirs"}, "Ours", True),
        ({"Theirs"}, "Ours", True),
        (set(), "Ours", True),
        ({"Ours"}, None, True),
        (set(), None, True),
    ],
)
def test_only_references_of_the_team_alone_are_excluded(
    teams: set[str], team: str | None, is_used: bool
) -> None:
    reference = Reference("a", frozenset(teams))
    assert usable_references([reference], team) == ((reference,) if is_used else ())


@given(st.lists(st.builds(Reference, st.just("a"), st.frozensets(st.sampled_from("ABC")))))
def test_exclusion_keeps_order_and_references_of_other_teams(known: list[Reference]) -> None:
    usable = usable_references(known, "A")
    assert [reference for reference in known if reference in usable] == list(usable)
    assert {reference.teams for reference in set(known) - set(usable)} <= {frozenset("A")}


def test_texts_are_joined_by_run_and_topic() -> None:
    run = AnswerRun(OURS, {ONE: RunAnswer("a"), TWO: RunAnswer("b"), THREE: RunAnswer("c")})
    ids = [
        answer_id(OURS, ONE, "d_1"),
        answer_id(OURS, TWO, "d_2"),
        answer_id(THEIRS, THREE, "d_3"),
    ]
    assert texts_by_answer_id([run], ids) == texts(d_1="a", d_2="b")


def test_the_first_text_of_an_id_counts() -> None:
    runs = [AnswerRun(OURS, {ONE: RunAnswer("a")}), AnswerRun(THEIRS, {ONE: RunAnswer("a ")})]
    ids = [answer_id(OURS, ONE, "d_1"), answer_id(THEIRS, ONE, "d_1")]
    assert texts_by_answer_id(runs, ids) == texts(d_1="a")


def test_a_run_that_is_not_in_the_map_gives_no_texts() -> None:
    new = AnswerRun("gpt4", {ONE: RunAnswer("a")})
    assert texts_by_answer_id([new], [answer_id(OURS, ONE, "d_1")]) == {}


@pytest.mark.parametrize(
    ("name", "in_map"),
    [
        (OURS, OURS),
        (f"{OURS}.tsv", OURS),
        (f"{OURS}.tsv.gz", OURS),
        ("2", OURS_TOO),
        ("1", None),
        ("Ours", None),
        ("", None),
    ],
)
def test_a_run_is_found_by_file_name_or_run_part(name: str, in_map: str | None) -> None:
    assert name_in_map(name, [OURS, OURS_TOO, THEIRS]) == in_map


def test_task_1_answers_of_at_most_1200_characters_are_added() -> None:
    known = {ONE: (Reference("a", frozenset({"Ours"})),)}
    grades = {
        ONE: {"7": 2, "8": 3, "9": 1, "10": 5},
        TWO: {"11": 3, "12": 2},
        THREE: {"13": 3, "14": 2},
    }
    bodies = {
        DocId("7"): "é" * 1200,
        DocId("8"): "é" * 1201,
        DocId("9"): "b",
        DocId("10"): "c",
        DocId("11"): "d",
        DocId("13"): " ",
    }
    expected = {
        ONE: (Reference("a", frozenset({"Ours"})), Reference("é" * 1200)),
        TWO: (Reference("d"),),
    }
    assert with_task1_answers(known, qrels(grades), bodies) == expected
    assert with_task1_answers(known, qrels(grades), bodies.get) == expected
    assert known == {ONE: (Reference("a", frozenset({"Ours"})),)}


def test_task_1_runs_determine_the_teams_of_answers() -> None:
    runs = [
        Run("Ours-task1-a-auto-both-P", {ONE: (Hit(DocId("7"), 2.0), Hit(DocId("8"), 1.0))}),
        Run("Theirs-task1-a-auto-both-P", {ONE: (Hit(DocId("8"), 2.0), Hit(DocId("5"), 1.0))}),
    ]
    grades = {ONE: {"7": 3, "8": 3, "9": 3}}
    bodies = {DocId("7"): "a", DocId("8"): "b", DocId("9"): "c"}
    wide = with_task1_answers({}, qrels(grades), bodies, runs)
    assert [reference.text for reference in usable_references(wide[ONE], "Ours")] == ["b", "c"]
    assert [reference.text for reference in usable_references(wide[ONE], "Theirs")] == [
        "a",
        "b",
        "c",
    ]


def test_topic_counts_equal_those_of_the_lab(shared: Path) -> None:
    """S3 section 6.4.2: 66 of 78 topics have a relevant answer, 35 without any one team."""
    folder = shared / "data" / "qrels"
    ids = list(read_answer_ids(folder / "task3_2022_teams_answer_id.tsv"))
    judged = read_qrels(folder / "qrel_task3_2022_official_complete.tsv")
    # the texts of the submitted runs are not public; which topics have any does not depend on them
    known = references(ids, judged, {each.answer_id: "text" for each in ids})
    teams = {team_of(each.run) for each in ids}
    assert teams == {"Baseline2022", "DPRL", "TU_DBS", "approach0"}
    assert (len(judged.grades), len(known)) == (78, 66)
    assert (
        sum(all(usable_references(of_topic, team) for team in teams) for of_topic in known.values())
        == 35
    )
