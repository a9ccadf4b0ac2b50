"""Agreement between assessors."""

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as other_fleiss_kappa

from porism.assess.judgments.agreement import (
    agreement,
    binarised,
    cohen_kappa,
    disagreements,
    fleiss_kappa,
)
from porism.assess.records import Choice
from tests.assess.judgment_samples import by_two, judged

LABELS = st.sampled_from("HMLN")
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
TABLES = st.integers(2, 6).flatmap(
    lambda raters: st.lists(
        st.lists(LABELS, min_size=raters, max_size=raters), min_size=1, max_size=30
    )
)


def test_cohen_kappa_equals_a_worked_example() -> None:
    # Ten candidates. Equal: 3 H, 1 M, 2 N, so 6 of 10.
    # ann: H 4, M 2, L 1, N 3. bob: H 3, M 3, L 1, N 3.
    # By chance (4*3 + 2*3 + 1*1 + 3*3) / 100 = 0.28; kappa = (0.6 - 0.28) / 0.72 = 4/9.
    assert cohen_kappa("HHHHMMLNNN", "HHHMMLNNNM") == pytest.approx(4 / 9)


def test_fleiss_kappa_equals_a_worked_example() -> None:
    # Three assessors, four candidates: HHH, HHN, NNN, HNN.
    # Agreeing pairs of each: 1, 1/3, 1, 1/3; mean 2/3. H 6 of 12, N 6 of 12: by chance 1/2.
    assert fleiss_kappa(["HHH", "HHN", "NNN", "HNN"]) == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))


@given(PAIRS)
def test_cohen_kappa_equals_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about an undefined value
        expected = float(cohen_kappa_score(first, second))
    result = cohen_kappa(first, second)
    if math.isnan(expected):
        assert result is None
    else:
        assert result == pytest.approx(expected, abs=1e-12)


@given(TABLES)
def test_fleiss_kappa_equals_statsmodels(rows: list[list[str]]) -> None:
    codes = [["HMLN".index(label) for label in row] for row in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = float(other_fleiss_kappa(aggregate_raters(codes)[0]))
    result = fleiss_kappa(rows)
    if math.isnan(expected):
        assert result is None
    else:
        assert result == pytest.approx(expected, abs=1e-9)


@given(PAIRS)
def test_cohen_kappa_is_symmetric(pairs: list[tuple[str, str]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    assert cohen_kappa(first, second) == cohen_kappa(second, first)


@pytest.mark.parametrize(("first", "second"), [("", ""), ("HHH", "HHH")])
def test_cohen_kappa_is_undefined_for_a_single_label(first: str, second: str) -> None:
    assert cohen_kappa(first, second) is None


@pytest.mark.parametrize("rows", [[], ["H", "N"], ["HH", "HH"]])
def test_fleiss_kappa_is_undefined_for_a_single_label(rows: list[str]) -> None:
    assert fleiss_kappa(rows) is None


def test_different_numbers_of_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="2 judgments of one, 1 of the other"):
        cohen_kappa("HH", "H")
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa(["HH", "H"])


def test_high_and_medium_are_relevant() -> None:
    assert [choice for choice in Choice if binarised(choice)] == [Choice.HIGH, Choice.MEDIUM]


def test_a_pair_shares_the_candidates_that_both_graded() -> None:
    result = agreement(by_two("HMLN?FH ", "HNLNHN?H"))
    (pair,) = result.pairs
    assert (pair.first, pair.second, pair.shared) == ("ann", "bob", 4)
    # HMLN against HNLN: 3 of 4 equal, by chance (1 + 0 + 1 + 2) / 16; H+M: yynn against ynnn.
    assert pair.four_way == pytest.approx((3 / 4 - 4 / 16) / (1 - 4 / 16))
    assert pair.binary == pytest.approx(0.5)
    assert result.judged_by_all == 4


def test_the_latest_judgment_counts_and_adjudications_do_not() -> None:
    judgments = by_two("HN", "NN")
    again = [
        *judgments,
        judged(9, "ann", "1", "N"),
        judged(10, "ann", "1", "H", is_adjudication=True),
    ]
    assert cohen_kappa("HN", "NN") == 0.0
    assert agreement(judgments).pairs[0].four_way == 0.0
    assert agreement(again).pairs[0].four_way is None  # both always chose N


def test_withdrawn_judgments_are_not_shared() -> None:
    (pair,) = agreement([*by_two("HN", "HN"), judged(9, "bob", "2", "-")]).pairs
    assert pair.shared == 1


def test_means_of_assessors_and_their_total() -> None:
    third = [judged(20 + doc, "cid", str(doc), letter) for doc, letter in enumerate("HHNN", 1)]
    result = agreement([*by_two("HHNN", "HNNN"), *third])
    kappas = {(pair.first, pair.second): pair.four_way for pair in result.pairs}
    assert kappas == {("ann", "bob"): 0.5, ("ann", "cid"): 1.0, ("bob", "cid"): 0.5}
    means = {name: result.of(name).four_way for name in result.assessors}
    assert means == {"ann": 0.75, "bob": 0.5, "cid": 0.75}
    assert result.total.four_way == pytest.approx(2 / 3)
    assert result.fleiss_four_way == fleiss_kappa(["HHH", "HNH", "NNN", "NNN"])


def test_a_single_assessor_has_no_agreement() -> None:
    result = agreement(by_two("HN", ""))
    assert (result.pairs, result.judged_by_all, result.fleiss_four_way) == ((), 0, None)
    assert result.total.four_way is None


def test_no_judgments_have_no_agreement() -> None:
    assert agreement([]).assessors == ()


def test_disagreements_list_opinions_largest_spread_first() -> None:
    judgments = by_two("HMNLH", "MNNHH")
    judgments.append(judged(20, "bob", "1", "M", comment="only a hint"))
    judgments.append(judged(21, "cid", "2", "M", is_adjudication=True))
    result = disagreements(judgments)
    assert [(each.doc_id, each.spread, each.is_binary) for each in result] == [
        ("2", 2, True),
        ("4", 2, True),
        ("1", 1, False),
    ]
    assert result[0].adjudicated is Choice.MEDIUM
    opinions = [(each.assessor, each.choice, each.comment) for each in result[2].opinions]
    assert opinions == [("ann", Choice.HIGH, ""), ("bob", Choice.MEDIUM, "only a hint")]


def test_binary_disagreements_come_first() -> None:
    result = disagreements(by_two("HM", "ML"))
    assert [(each.doc_id, each.spread) for each in result] == [("2", 1), ("1", 1)]


def test_do_not_know_is_a_disagreement_without_spread() -> None:
    (result,) = disagreements(by_two("H", "?"))
    assert (result.spread, result.is_binary) == (0, False)
