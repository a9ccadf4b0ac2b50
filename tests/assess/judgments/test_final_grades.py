"""From judgments to qrels."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.judgments.final_grades import (
    DisputeRule,
    FinalChoiceReason,
    current_judgments,
    document_qrels,
    dropped_topics,
    final_choices,
    topics_with_few_relevant,
    visual_qrels,
    without_topics,
)
from porism.assess.records import Annotation, Choice, Judgment
from porism.model import DocId, Qrels, TopicId
from tests.assess.judgment_samples import AT, by_two, judged, pool_of

FIRST = (TopicId("A.1"), DocId("1"))


def judgments_of_one(*letters: str) -> list[Judgment]:
    """Judgments of ann, bob, cid, ... on document 1, in that order."""
    return [judged(at, who, "1", letter) for at, (who, letter) in enumerate(_named(letters), 1)]


def _named(letters: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(("ann", "bob", "cid", "dot", "eli"), letters, strict=False))


def test_the_latest_act_of_an_assessor_is_current() -> None:
    acts = [judged(1, "ann", "1", "H"), judged(3, "ann", "1", "L"), judged(2, "bob", "1", "M")]
    assert [each.number for each in current_judgments(acts)] == [2, 3]


def test_a_withdrawn_judgment_is_gone_and_can_be_made_again() -> None:
    acts = [judged(1, "ann", "1", "H"), judged(2, "ann", "1", "-")]
    assert current_judgments(acts) == ()
    assert [each.number for each in current_judgments([*acts, judged(3, "ann", "1", "N")])] == [3]


def test_batches_and_adjudications_are_separate() -> None:
    acts = [
        judged(1, "ann", "1", "H"),
        judged(2, "ann", "1", "L", batch="round 1"),
        judged(3, "ann", "1", "N", is_adjudication=True),
    ]
    assert len(current_judgments(acts)) == 3


@given(st.permutations([*by_two("HMLN", "NLMH"), judged(9, "ann", "1", "-")]))
def test_the_order_of_judgments_does_not_matter(acts: list[Judgment]) -> None:
    ordered = sorted(acts, key=lambda each: each.number)
    assert current_judgments(acts) == current_judgments(ordered)
    assert final_choices(acts) == final_choices(ordered)


@pytest.mark.parametrize(
    ("letters", "rule", "choice", "reason"),
    [
        ("M", DisputeRule.FIRST, Choice.MEDIUM, FinalChoiceReason.ALONE),
        ("MM", DisputeRule.FIRST, Choice.MEDIUM, FinalChoiceReason.AGREED),
        ("LH", DisputeRule.FIRST, Choice.LOW, FinalChoiceReason.RULE),
        ("LH", DisputeRule.MAXIMUM, Choice.HIGH, FinalChoiceReason.RULE),
        ("LHH", DisputeRule.MAJORITY, Choice.HIGH, FinalChoiceReason.RULE),
        ("LHHL", DisputeRule.MAJORITY, Choice.LOW, FinalChoiceReason.RULE),
        ("LHHMM", DisputeRule.MAJORITY, Choice.LOW, FinalChoiceReason.RULE),
        ("?H", DisputeRule.FIRST, Choice.HIGH, FinalChoiceReason.ALONE),
        ("?HH", DisputeRule.MAJORITY, Choice.HIGH, FinalChoiceReason.AGREED),
        ("?FF", DisputeRule.MAJORITY, Choice.SYSTEM_FAILURE, FinalChoiceReason.RULE),
        ("?F", DisputeRule.FIRST, Choice.DO_NOT_KNOW, FinalChoiceReason.RULE),
    ],
)
def test_the_rule_decides_between_several_assessors(
    letters: str, rule: DisputeRule, choice: Choice, reason: FinalChoiceReason
) -> None:
    final = final_choices(judgments_of_one(*letters), rule)[FIRST]
    assert (final.choice, final.reason) == (choice, reason)
    assert final.is_disputed == (reason is FinalChoiceReason.RULE)


def test_first_is_the_assessor_who_started_the_topic_first() -> None:
    acts = [
        judged(1, "bob", "9", "N"),
        judged(2, "ann", "1", "H"),
        judged(3, "bob", "1", "L"),
    ]
    assert final_choices(acts)[FIRST].choice is Choice.LOW


def test_the_latest_adjudication_wins() -> None:
    acts = [
        *judgments_of_one("H", "H"),
        judged(7, "eve", "1", "L", is_adjudication=True),
        judged(8, "fay", "1", "N", is_adjudication=True),
    ]
    final = final_choices(acts)[FIRST]
    assert (final.choice, final.reason) == (Choice.NOT_RELEVANT, FinalChoiceReason.ADJUDICATION)
    assert final.assessors == ("ann", "bob", "eve", "fay")


def test_a_withdrawn_adjudication_leaves_the_dispute() -> None:
    acts = [
        *judgments_of_one("H", "L"),
        judged(7, "eve", "1", "L", is_adjudication=True),
        judged(8, "eve", "1", "-", is_adjudication=True),
    ]
    assert final_choices(acts)[FIRST].is_disputed


def test_annotations_are_those_of_the_first_annotator() -> None:
    acts = [
        judged(1, "ann", "1", "H"),
        judged(2, "bob", "1", "H", is_machine_made=True, is_unrelated=False),
        judged(3, "cid", "1", "H", is_machine_made=False, is_unrelated=True),
    ]
    final = final_choices(acts)[FIRST]
    assert (final.is_machine_made, final.is_unrelated) == (True, False)


def annotated(
    number: int, is_machine_made: bool | None, is_unrelated: bool | None, who: str = "eve"
) -> Annotation:
    return Annotation(number, "official", who, *FIRST, is_machine_made, is_unrelated, AT)


def test_the_latest_annotation_wins_and_leaves_the_dispute() -> None:
    acts = judgments_of_one("H", "L")
    acts[0] = replace(acts[0], is_machine_made=True)
    annotations = [annotated(1, True, True), annotated(2, False, True)]
    final = final_choices(acts, annotations=annotations)[FIRST]
    assert (final.is_machine_made, final.is_unrelated) == (False, True)
    assert final.is_disputed
    assert final.assessors == ("ann", "bob")


def test_a_withdrawn_annotation_leaves_those_of_others() -> None:
    acts = [replace(each, is_machine_made=True) for each in judgments_of_one("H")]
    taken_back = [annotated(1, False, False), annotated(3, None, None)]
    assert final_choices(acts, annotations=taken_back)[FIRST].is_machine_made is True
    of_two = [*taken_back, annotated(2, False, True, "fay")]
    final = final_choices(acts, annotations=of_two)[FIRST]
    assert (final.is_machine_made, final.is_unrelated) == (False, True)


def test_an_annotation_of_one_flag_leaves_the_other() -> None:
    acts = [replace(each, is_machine_made=True) for each in judgments_of_one("H")]
    final = final_choices(acts, annotations=[annotated(1, None, True)])[FIRST]
    assert (final.is_machine_made, final.is_unrelated) == (True, True)


def test_unjudged_candidates_are_not_annotated() -> None:
    assert final_choices([], annotations=[annotated(1, True, True)]) == {}


def test_qrels_leave_out_choices_without_a_grade() -> None:
    acts = by_two("HMLNF?", "")
    pool = pool_of("6", "5", "4", "3", "2", "1")
    assert document_qrels(final_choices(acts), pool).grades == {
        "A.1": {"1": 3, "2": 2, "3": 1, "4": 0}
    }
    complete = document_qrels(final_choices(acts), pool, has_codes=True).grades[TopicId("A.1")]
    assert complete == {"1": 3, "2": 2, "3": 1, "4": 0, "5": 5, "6": 6}


def test_qrels_are_ordered_by_number() -> None:
    acts = [judged(at, "ann", doc, "H") for at, doc in enumerate(("10", "9", "a2", "a10"), 1)]
    pool = pool_of("a10", "10", "9", "a2")
    assert list(document_qrels(final_choices(acts), pool).grades[TopicId("A.1")]) == [
        "9",
        "10",
        "a2",
        "a10",
    ]


def test_candidates_outside_the_pool_are_left_out() -> None:
    acts = by_two("HM", "")
    assert document_qrels(final_choices(acts), pool_of("1")).grades == {"A.1": {"1": 3}}


def test_a_topic_without_a_grade_is_not_in_the_qrels() -> None:
    assert document_qrels(final_choices(by_two("?", "")), pool_of("1")).grades == {}


def test_a_visual_id_has_the_highest_grade_of_its_instances() -> None:
    acts = by_two("LHN?F", "")
    pool = pool_of("1=x", "2=x", "3=y", "4=y", "5=z", task=2)
    assert visual_qrels(final_choices(acts), pool).grades == {"A.1": {"x": 3, "y": 0}}
    assert visual_qrels(final_choices(acts), pool, has_codes=True).grades == {
        "A.1": {"x": 3, "y": 0, "z": 5}
    }


def test_a_formula_without_visual_id_is_not_confused_with_an_equal_visual_id() -> None:
    pool = pool_of("1=2", "2", task=2)
    assert sorted(
        visual_qrels(final_choices(by_two("NH", "")), pool).grades[TopicId("A.1")].values()
    ) == [0, 3]


@given(st.lists(st.tuples(st.sampled_from("HMLNF?"), st.sampled_from("xyz")), min_size=1))
def test_visual_qrels_equal_a_slow_maximum(drawn: list[tuple[str, str]]) -> None:
    letters, visual_ids = [letter for letter, _ in drawn], [visual_id for _, visual_id in drawn]
    pool = pool_of(*(f"{doc}={visual_id}" for doc, visual_id in enumerate(visual_ids, 1)))
    acts = by_two("".join(letters), "")
    by_visual_id = visual_qrels(final_choices(acts), pool).grades.get(TopicId("A.1"), {})
    by_doc = document_qrels(final_choices(acts), pool).grades.get(TopicId("A.1"), {})
    for visual_id in "xyz":
        grades = [grade for doc, grade in by_doc.items() if visual_ids[int(doc) - 1] == visual_id]
        assert by_visual_id.get(DocId(visual_id)) == max(grades, default=None)


def test_short_answers_do_not_prevent_dropping_a_topic() -> None:
    pool = pool_of("1", "2", "3")
    first, *others = pool.candidates
    mixed = replace(pool, candidates=(replace(first, text="short"), *others))
    finals = final_choices(by_two("HMN", ""))
    assert dropped_topics(finals, pool) == ()
    assert dropped_topics(finals, mixed) == (TopicId("A.1"),)
    assert dropped_topics(finals, mixed.short_answers) == ()


def test_topics_with_fewer_than_two_relevant_are_dropped() -> None:
    one, two = TopicId("A.1"), TopicId("A.2")
    judgments = Qrels(
        {
            one: {DocId("1"): 3, DocId("2"): 1, DocId("3"): 5, DocId("4"): 6},
            two: {DocId("1"): 2, DocId("2"): 3},
        }
    )
    assert topics_with_few_relevant(judgments) == (one,)
    assert list(without_topics(judgments, {one}).grades) == [two]
