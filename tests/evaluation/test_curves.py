"""Recall-precision and gain curves."""

from fractions import Fraction
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.evaluation.curves import RECALL_LEVELS, gain_curve, recall_precision_curve
from porism.evaluation.scoring import evaluate
from porism.model import DocId, Hit, Qrels, Run, TopicId, ranked


def run_of(**rankings: str) -> Run:
    """A run with the documents of each topic in the order of the letters given."""
    return Run(
        "run",
        {
            TopicId(topic.replace("_", ".")): ranked(
                Hit(DocId(letter), -float(place)) for place, letter in enumerate(letters)
            )
            for topic, letters in rankings.items()
        },
    )


def qrels_of(**grades: dict[str, int]) -> Qrels:
    return Qrels(
        {
            TopicId(topic.replace("_", ".")): {DocId(doc): grade for doc, grade in of.items()}
            for topic, of in grades.items()
        }
    )


# Judged hits are a, b, d, c. Relevant are a and c, at ranks 1 and 4, so that precision is 1 up to
# recall 0.5 and 2/4 beyond. A.2 is not in the run and halves everything.
QRELS = qrels_of(A_1={"a": 3, "b": 0, "c": 2, "d": 1}, A_2={"e": 2})
RUN = run_of(A_1="xaybdzc")


def text(curve: tuple[float, ...]) -> str:
    return " ".join(f"{value:.4f}" for value in curve)


def test_precision_of_a_worked_example() -> None:
    assert text(recall_precision_curve(RUN, QRELS)) == (
        "0.5000 0.5000 0.5000 0.5000 0.5000 0.5000 0.2500 0.2500 0.2500 0.2500 0.2500"
    )


def test_gain_of_a_worked_example() -> None:
    # Gain 3, 3, 3 + 1/2, 3.5 + 2/log2(5) over the ideal 3, 3 + 2/log2(3), 4.2619 + 1/2, 4.7619.
    assert text(gain_curve(RUN, QRELS, 5)) == "0.5000 0.3520 0.3675 0.4579 0.4579"


def test_the_last_gain_is_ndcg() -> None:
    qrels = qrels_of(A_1={"a": 3, "b": 0, "c": 2, "d": 1, "g": 6}, A_2={"e": 2, "f": 1, "h": -1})
    run = run_of(A_1="xgaybdzc", A_2="hfe")
    (scores,) = evaluate([run], qrels, ["nDCG'"]).runs
    assert gain_curve(run, qrels)[-1] == pytest.approx(scores.mean("nDCG'"), abs=1e-9)


def test_codes_of_the_lab_are_not_judgments() -> None:
    with_codes = qrels_of(A_1={"a": 3, "b": 0, "c": 2, "d": 1, "x": 5, "y": 6}, A_2={"e": 2})
    assert recall_precision_curve(RUN, with_codes) == recall_precision_curve(RUN, QRELS)
    assert gain_curve(RUN, with_codes, 9) == gain_curve(RUN, QRELS, 9)


def test_recall_levels_round_up_to_whole_documents() -> None:
    # 0.7 * 10 is more than 7 in floating point, and would ask for the eighth document.
    qrels = qrels_of(A_1=dict.fromkeys("abcdefghij", 2))
    assert recall_precision_curve(run_of(A_1="abcdefg"), qrels)[7] == 1.0


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        (Run("empty"), QRELS),
        (run_of(A_1=""), QRELS),
        (run_of(A_1="xyz"), QRELS),
        (RUN, Qrels()),
        (RUN, qrels_of(A_1={})),
        (RUN, qrels_of(A_1={"a": 0})),
    ],
)
def test_curves_without_hits_or_relevant_documents_are_zero(run: Run, qrels: Qrels) -> None:
    assert recall_precision_curve(run, qrels) == (0.0,) * len(RECALL_LEVELS)
    assert gain_curve(run, qrels, 3) == (0.0,) * 3


def slow_precision(ranked_grades: list[int], total: int, tenth: int) -> Fraction:
    """The highest precision at any rank with at least this recall in tenths."""
    best = Fraction(0)
    for rank in range(1, len(ranked_grades) + 1):
        hits = sum(grade >= 2 for grade in ranked_grades[:rank])
        if hits and Fraction(hits, total) >= Fraction(tenth, 10):
            best = max(best, Fraction(hits, rank))
    return best


def slow_gain(ranked_grades: list[int], judged: list[int], depth: int) -> float:
    def gain(grades: list[int]) -> float:
        return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades[:depth], 1))

    ideal = gain(sorted(judged, reverse=True))
    return gain(ranked_grades) / ideal if ideal else 0.0


LETTERS = "abcdefghijklm"
RANKINGS = st.lists(st.sampled_from(LETTERS), unique=True).map("".join)
GRADES = st.dictionaries(st.sampled_from(LETTERS), st.integers(0, 3))


@given(first=RANKINGS, second=RANKINGS, grades=st.tuples(GRADES, GRADES))
def test_curves_equal_a_slow_reference(
    first: str, second: str, grades: tuple[dict[str, int], dict[str, int]]
) -> None:
    run, qrels = run_of(A_1=first, A_2=second), qrels_of(A_1=grades[0], A_2=grades[1])
    ranked_grades = [
        [of_topic[letter] for letter in letters if letter in of_topic]
        for letters, of_topic in zip((first, second), grades, strict=True)
    ]
    totals = [sum(grade >= 2 for grade in of_topic.values()) for of_topic in grades]
    for tenth, value in enumerate(recall_precision_curve(run, qrels)):
        pairs = zip(ranked_grades, totals, strict=True)
        assert value == pytest.approx(
            float(sum(slow_precision(of, total, tenth) for of, total in pairs)) / 2
        )
    for depth, value in enumerate(gain_curve(run, qrels, 15), 1):
        pairs_of_grades = zip(ranked_grades, grades, strict=True)
        assert value == pytest.approx(
            sum(slow_gain(of, list(judged.values()), depth) for of, judged in pairs_of_grades) / 2
        )


@given(ranking=RANKINGS, grades=GRADES)
def test_precision_never_rises_with_recall(ranking: str, grades: dict[str, int]) -> None:
    curve = recall_precision_curve(run_of(A_1=ranking), qrels_of(A_1=grades))
    assert list(curve) == sorted(curve, reverse=True)
