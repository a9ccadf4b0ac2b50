"""Rank bands compared with their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.model import DocId, Hit, Ranking, ranked
from porism.rank.explanations import Explanation
from porism.rank.neural.rank_bands import BANDS, RankBands


def slow_order(count: int, scores: list[int], bounds: tuple[int, ...]) -> list[int]:
    """Move each document up, one place at a time, while the one above scores less in its band."""

    def band(place: int) -> int:
        return sum(place >= bound for bound in bounds)

    order = list(range(count))
    for at in range(count):
        place = at
        while (
            place
            and band(place - 1) == band(at) < len(bounds)
            and scores[order[place - 1]] < scores[order[place]]
        ):
            order[place - 1], order[place] = order[place], order[place - 1]
            place -= 1
    return order


@settings(max_examples=100)
@given(
    st.lists(st.integers(0, 3), max_size=40),
    st.integers(0, 10),
    st.sampled_from([BANDS, (0, 2, 3, 7), (0, 1000)]),
)
def test_bands_equal_their_definition(
    scores: list[int], rest: int, bounds: tuple[int, ...]
) -> None:
    count = len(scores)
    hits = hits_of(count + rest)
    candidates, others = hits[:count], hits[count:]
    result = RankBands(bounds).ranking(candidates, np.array(scores, float), others, 100)
    expected = [hits[place] for place in slow_order(count, scores, bounds)]
    assert [hit.doc_id for hit in result] == [hit.doc_id for hit in (*expected, *others)]
    assert [hit.score for hit in result] == [hit.score for hit in hits]
    cut = RankBands(bounds).ranking(candidates, np.array(scores, float), others, 5)
    assert cut == result[:5]


def hits_of(count: int) -> Ranking:
    return ranked(Hit(DocId(str(number)), float(100 - number)) for number in range(count))


def test_no_document_leaves_its_band() -> None:
    hits = hits_of(200)
    scores = np.arange(200.0)
    places = [int(hit.doc_id) for hit in RankBands().ranking(hits, scores, (), 200)]
    assert places[:8] == [3, 2, 1, 0, 7, 6, 5, 4]
    assert places[64:128] == list(range(127, 63, -1))
    assert places[128:] == list(range(128, 200))


def test_equal_scores_of_the_first_stage_stay_in_order() -> None:
    hits = (Hit(DocId("a"), 1.0), Hit(DocId("b"), 1.0), Hit(DocId("c"), 1.0))
    result = RankBands().ranking(hits, np.array([0.0, 0.0, 5.0]), (), 3)
    assert [hit.doc_id for hit in result] == ["c", "a", "b"]


@pytest.mark.parametrize("new", [None, Explanation("cross-encoder", 3.0)])
def test_the_new_place_is_explained(new: Explanation | None) -> None:
    first = Explanation("cosine", 0.5)
    moved = RankBands().explain(0.7, first, new, 1.0)
    assert moved.value == pytest.approx(0.7)
    assert moved.details[0] == first
    assert RankBands().explain(0.5, first, new, 1.0) == first
