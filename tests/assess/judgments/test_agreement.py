"""How far assessors agree."""

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
from tests.assess.judging import by_two, judged

LABELS = st.sampled_from("HMLN")
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
TABLES = st.integers(2, 6).flatmap(
    lambda raters: st.lists(
        st.lists(LABELS, min_size=raters, max_size=raters), min_size=1, max_size=30
    )
)


def test_cohen_by_hand() -> None:
    # Ten candidates. Equal: 3 H, 1 M, 2 N, so 6 of 10.
    # ann: H 4, M 2, L 1, N 3. bob: H 3, M 3, L 1, N 3.
    # By chance (4*3 + 2*3 + 1*1 + 3*3) / 100 = 0.28; kappa = (0.6 - 0.28) / 0.72 = 4/9.
    assert cohen_kappa("HHHHMMLNNN", "HHHMMLNNNM") == pytest.approx(4 / 9)


def test_fleiss_by_hand() -> None:
    # Three assessors, four candidates: HHH, HHN, NNN, HNN.
    # Agreeing pairs of each: 1, 1/3, 1, 1/3; mean 2/3. H 6 of 12, N 6 of 12: by chance 1/2.
    assert fleiss_kappa(["HHH", "HHN", "NNN", "HNN"]) == pytest.approx((2 / 3 - 1 / 2) / (1 / 2))


@given(PAIRS)
def test_cohen_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a value that is undefined, which is told
        expected = float(cohen_kappa_score(first, second))
    found = cohen_kappa(first, second)
    if math.isnan(expected):
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-12)


@given(TABLES)
def test_fleiss_is_that_of_statsmodels(rows: list[list[str]]) -> None:
    codes = [["HMLN".index(label) for label in row] for row in rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = float(other_fleiss_kappa(aggregate_raters(codes)[0]))
    found = fleiss_kappa(rows)
    if math.isnan(expected):
        assert found is None
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@given(PAIRS)
def test_cohen_does_not_depend_on_who_is_first(pairs: list[tuple[str, str]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    assert cohen_kappa(first, second) == cohen_kappa(second, first)


@pytest.mark.parametrize(("first", "second"), [("", ""), ("HHH", "HHH")])
def test_cohen_is_undefined_where_chance_is_all(first: str, second: str) -> None:
    assert cohen_kappa(first, second) is None


@pytest.mark.parametrize("rows", [[], ["H", "N"], ["HH", "HH"]])
def test_fleiss_is_undefined_where_chance_is_all(rows: list[str]) -> None:
    assert fleiss_kappa(rows) is None


def test_uneven_judgments_are_refused() -> None:
    with pytest.raises(ValueError, match="2 judgments of one, 1 of the other"):
        cohen_kappa("HH", "H")
    with pytest.raises(ValueError, match="as many"):
        fleiss_kappa(["HH", "H"])


def test_high_and_medium_are_relevant() -> None:
    assert [choice for choice in Choice if binarised(choice)] == [Choice.HIGH, Choice.MEDIUM]


def test_a_pair_shares_what_both_have_graded() -> None:
    found = agreement(by_two("HMLN?FH ", "HNLNHN?H"))
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.shared) == ("ann", "bob", 4)
    # HMLN against HNLN: 3 of 4 equal, by chance (1 + 0 + 1 + 2) / 16; H+M: yynn against ynnn.
    assert pair.four_way == pytest.approx((3 / 4 - 4 / 16) / (1 - 4 / 16))
    assert pair.binary == pytest.approx(0.5)
    assert found.judged_by_all == 4


def test_the_last_thing_that_was_said_counts_and_adjudications_do_not() -> None:
    said = by_two("HN", "NN")
    again = [*said, judged(9, "ann", "1", "N"), judged(10, "ann", "1", "H", is_adjudication=True)]
    assert cohen_kappa("HN", "NN") == 0.0
    assert agreement(said).pairs[0].four_way == 0.0
    assert agreement(again).pairs[0].four_way is None  # both always said N


def test_what_was_taken_back_is_not_shared() -> None:
    (pair,) = agreement([*by_two("HN", "HN"), judged(9, "bob", "2", "-")]).pairs
    assert pair.shared == 1


def test_means_of_assessors_and_their_total() -> None:
    third = [judged(20 + doc, "cid", str(doc), letter) for doc, letter in enumerate("HHNN", 1)]
    found = agreement([*by_two("HHNN", "HNNN"), *third])
    kappas = {(pair.first, pair.second): pair.four_way for pair in found.pairs}
    assert kappas == {("ann", "bob"): 0.5, ("ann", "cid"): 1.0, ("bob", "cid"): 0.5}
    means = {name: found.of(name).four_way for name in found.assessors}
    assert means == {"ann": 0.75, "bob": 0.5, "cid": 0.75}
    assert found.total.four_way == pytest.approx(2 / 3)
    assert found.fleiss_four_way == fleiss_kappa(["HHH", "HNH", "NNN", "NNN"])


def test_who_judged_alone_agrees_with_nobody() -> None:
    found = agreement(by_two("HN", ""))
    assert (found.pairs, found.judged_by_all, found.fleiss_four_way) == ((), 0, None)
    assert found.total.four_way is None


def test_nothing_judged() -> None:
    assert agreement([]).assessors == ()


def test_disagreements_say_who_said_what_the_widest_first() -> None:
    said = by_two("HMNLH", "MNNHH")
    said.append(judged(20, "bob", "1", "M", comment="only a hint"))
    said.append(judged(21, "cid", "2", "M", is_adjudication=True))
    found = disagreements(said)
    assert [(each.doc_id, each.spread, each.is_binary) for each in found] == [
        ("2", 2, True),
        ("4", 2, True),
        ("1", 1, False),
    ]
    assert found[0].adjudicated is Choice.MEDIUM
    opinions = [(each.assessor, each.choice, each.comment) for each in found[2].opinions]
    assert opinions == [("ann", Choice.HIGH, ""), ("bob", Choice.MEDIUM, "only a hint")]


def test_what_only_some_find_relevant_comes_before_grades_as_far_apart() -> None:
    found = disagreements(by_two("HM", "ML"))
    assert [(each.doc_id, each.spread) for each in found] == [("2", 1), ("1", 1)]


def test_not_knowing_is_a_disagreement_without_spread() -> None:
    (found,) = disagreements(by_two("H", "?"))
    assert (found.spread, found.is_binary) == (0, False)
