"""Proximity of terms by grade, on texts checked by hand."""

import numpy as np
import pytest

from porism.inverted import Clause, Term, keys
from porism.inverted.keys import Keys
from porism.lab.proximity_by_grade import (
    PAIRS,
    PAPER,
    PROXIMITY_VARIANTS,
    AverageOver,
    GradeMeans,
    ProximityByGrade,
    proximity_by_grade,
)
from porism.model import DocId, Qrels, Topic, TopicId
from porism.rank.proximity import ProximityMeasure

TEXTS = {
    "near": "a b x x",  # span 2 of 4, distance 1
    "far": "a x x x x x x b",  # span 8 of 8, distance 7
    "middle": "x a x b",  # span 3 of 4, distance 2
    "alone": "a x x x",  # span 1 of 4, no distance
    "nothing": "x x",
}
TOPICS = [Topic(TopicId(name)) for name in ("A.1", "A.2", "A.3")]
QRELS = Qrels(
    {
        TopicId("A.1"): {
            DocId("near"): 3,
            DocId("middle"): 0,
            DocId("far"): 0,
            DocId("alone"): 0,
            DocId("nothing"): 0,
            DocId("elsewhere"): 2,
        },
        TopicId("A.2"): {DocId("near"): 0, DocId("far"): 5},
    }
)


def query_builder(topic: Topic) -> tuple[Clause, ...]:
    return (Clause("text", (Term("a"), Term("b"))),)


def text(doc_id: str) -> Keys | None:
    return keys(TEXTS[doc_id].split()) if doc_id in TEXTS else None


def analysed(average: AverageOver = AverageOver.DOCUMENTS) -> ProximityByGrade:
    return proximity_by_grade(TOPICS, QRELS, query_builder, text, average)


def of(
    measure: ProximityMeasure, by_length: bool = False, average: AverageOver = AverageOver.DOCUMENTS
) -> GradeMeans:
    return next(each for each in analysed(average).measures if each.kind == (measure, by_length))


def test_the_mean_of_a_grade_is_over_its_documents() -> None:
    assert of(ProximityMeasure.SPAN).means == {3: 2.0, 0: (3 + 8 + 1 + 2) / 4}
    assert of(ProximityMeasure.SPAN, by_length=True).means == {
        3: 0.5,
        0: (3 / 4 + 1 + 1 / 4 + 2 / 4) / 4,
    }
    assert of(ProximityMeasure.MAX_DISTANCE).means == {3: 1.0, 0: (2 + 7 + 1) / 3}


def test_the_mean_of_a_grade_can_be_over_topics() -> None:
    spans = of(ProximityMeasure.SPAN, average=AverageOver.TOPICS)
    assert spans.means == {3: 2.0, 0: ((3 + 8 + 1) / 3 + 2) / 2}


def test_documents_without_a_finite_value_are_counted() -> None:
    assert of(ProximityMeasure.SPAN).infinite == {0: 1}  # nothing
    assert of(ProximityMeasure.MIN_DISTANCE).infinite == {0: 2}  # nothing, and alone


def test_absent_documents_and_codes_are_counted() -> None:
    result = analysed()
    assert (result.topics, result.absent, result.ungraded) == (2, 1, 1)
    assert result.documents == {3: 1, 0: 5}


def test_differences_are_relative_to_the_average() -> None:
    spans = of(ProximityMeasure.SPAN)
    assert spans.difference(3, 0) == (2.0 - 3.5) / 2.75
    assert spans.difference(3, 2) is None
    assert spans.difference(2, 0) is None


def test_the_paper_has_every_measure_in_every_column() -> None:
    assert list(PAPER) == list(PROXIMITY_VARIANTS)
    assert all(len(values) == len(PAIRS) for values in PAPER.values())


@pytest.mark.parametrize("kind", PROXIMITY_VARIANTS)
def test_the_numbers_of_the_paper_are_consistent(kind: tuple[ProximityMeasure, bool]) -> None:
    """With the difference d, one mean is (2 + d) / (2 - d) times the other, so factors multiply."""
    hr_r, r_pr, pr_nr, r_nr, hr_nr = ((200 + d) / (200 - d) for d in PAPER[kind])
    assert np.isclose(r_pr * pr_nr, r_nr, rtol=0.05)
    assert np.isclose(hr_r * r_nr, hr_nr, rtol=0.05)
