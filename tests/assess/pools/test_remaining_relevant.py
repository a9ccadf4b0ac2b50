"""How many relevant candidates are left."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.pools.remaining_relevant import (
    ControlDraw,
    RemainingRelevant,
    remaining_relevant,
)
from porism.errors import PorismError


def test_a_worked_example() -> None:
    # Two candidates, one drawn, not relevant. None left: chance 1; one left: chance 1/2.
    # Of 2/3 and 1/3 the first alone is no 95 %.
    assert remaining_relevant([ControlDraw(2, 0, False)], known_relevant=0, unjudged=1) == RemainingRelevant(
        0, 0, 1, 0, 1, 1
    )


def test_what_was_found_since_counts_for_an_earlier_draw() -> None:
    # Of four candidates the first drawn was not relevant, and the three others are: so none of
    # the unjudged is, or the draw would have been likelier to be relevant.
    left = remaining_relevant([ControlDraw(4, 0, False)], known_relevant=2, unjudged=1)
    # None left of two relevant: 1 - 2/4; one left of three: 1 - 3/4.
    assert left.likely == 0
    certain = remaining_relevant([ControlDraw(4, 0, False)], known_relevant=3, unjudged=0)
    assert (certain.low, certain.high) == (0, 0)


def test_draws_that_are_all_relevant_leave_much() -> None:
    draws = [ControlDraw(100 - number, number, True) for number in range(10)]
    assert remaining_relevant(draws, known_relevant=10, unjudged=90).likely == 90


def test_more_draws_without_relevant_ones_make_surer() -> None:
    highs = []
    for number in (1, 10, 50, 200):
        draws = [ControlDraw(500 - place, 0, False) for place in range(number)]
        highs.append(remaining_relevant(draws, known_relevant=0, unjudged=500 - number).high)
    assert highs == sorted(highs, reverse=True)
    assert highs[0] == 388  # 500 * (1 - square root of 0.05), by the triangle that one draw leaves
    assert highs[-1] < 10


@pytest.mark.parametrize(
    ("draws", "found", "unjudged"),
    [
        ([ControlDraw(10, 0, True)], 0, 5),  # a relevant one was drawn, so one is found
        ([ControlDraw(5, 0, False)], 0, 5),
        ([ControlDraw(10, -1, False)], 0, 5),
        ([ControlDraw(10, 3, False)], 2, 5),
        ([ControlDraw(10, 0, True)], 6, 5),  # five were judged since, and six of them relevant
        ([ControlDraw(10, 0, False)], 5, 5),  # and one of the five was not
        ([], -1, 5),
        ([], 0, -1),
    ],
)
def test_draws_that_cannot_be_are_refused(
    draws: list[ControlDraw], found: int, unjudged: int
) -> None:
    with pytest.raises(PorismError, match="expected"):
        remaining_relevant(draws, found, unjudged)


def judged(relevant: int, size: int, number: int, seed: int) -> tuple[RemainingRelevant, int]:
    """The estimate after so many judgments in an order that favours relevant ones, and the truth.

    Every fifth candidate is drawn at random.
    """
    random = Random(seed)
    best = sorted(range(size), key=lambda item: random.gauss(1.5 * (item < relevant), 1))[::-1]
    drawn = random.sample(range(size), size)
    done: dict[int, bool] = {}
    draws = []
    for place in range(number):
        order = drawn if place % 5 == 4 else best
        item = next(item for item in order if item not in done)
        if order is drawn:
            draws.append(ControlDraw(size - place, sum(done.values()), item < relevant))
        done[item] = item < relevant
    found = sum(done.values())
    return remaining_relevant(draws, found, size - number), relevant - found


@given(st.integers(0, 40), st.integers(6, 60), st.integers(0, 10**6))
def test_an_interval_is_within_what_can_be(relevant: int, number: int, seed: int) -> None:
    told, _ = judged(relevant, 60, number, seed)
    assert 0 <= told.low <= told.likely <= told.high <= told.unjudged


@pytest.mark.parametrize("relevant", [0, 3, 20, 60])
def test_the_truth_is_in_the_interval_as_often_as_promised(relevant: int) -> None:
    told = [judged(relevant, 200, 80, seed) for seed in range(150)]
    inside = sum(each.low <= left <= each.high for each, left in told)
    assert inside >= 0.95 * len(told)
    mean_error = sum(each.likely - left for each, left in told) / len(told)
    assert abs(mean_error) < 3
