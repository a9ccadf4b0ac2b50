"""The estimated number of relevant candidates left."""

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


def test_the_estimate_equals_a_worked_example() -> None:
    # Two candidates, one drawn, not relevant. None left: chance 1; one left: chance 1/2.
    # Of 2/3 and 1/3 the first alone is below 95 %.
    assert remaining_relevant(
        [ControlDraw(2, 0, False)], known_relevant=0, unjudged=1
    ) == RemainingRelevant(0, 0, 1, 0, 1, 1)


def test_relevant_ones_judged_later_count_for_an_earlier_draw() -> None:
    # Of four candidates the first drawn was not relevant, and the three others are: so none of
    # the unjudged is, or the draw would have been likelier to be relevant.
    left = remaining_relevant([ControlDraw(4, 0, False)], known_relevant=2, unjudged=1)
    # None left of two relevant: 1 - 2/4; one left of three: 1 - 3/4.
    assert left.likely == 0
    certain = remaining_relevant([ControlDraw(4, 0, False)], known_relevant=3, unjudged=0)
    assert (certain.low, certain.high) == (0, 0)


def test_draws_that_are_all_relevant_give_a_high_estimate() -> None:
    draws = [ControlDraw(100 - number, number, True) for number in range(10)]
    assert remaining_relevant(draws, known_relevant=10, unjudged=90).likely == 90


def test_more_draws_without_relevant_ones_narrow_the_interval() -> None:
    highs = []
    for number in (1, 10, 50, 200):
        draws = [ControlDraw(500 - place, 0, False) for place in range(number)]
        highs.append(remaining_relevant(draws, known_relevant=0, unjudged=500 - number).high)
    assert highs == sorted(highs, reverse=True)
    assert highs[0] == 388  # 500 * (1 - square root of 0.05), by the triangle that one draw leaves
    assert highs[-1] < 10


@pytest.mark.parametrize(
    ("draws", "known_relevant", "unjudged"),
    [
        ([ControlDraw(10, 0, True)], 0, 5),  # a relevant one was drawn, so one is known
        ([ControlDraw(5, 0, False)], 0, 5),
        ([ControlDraw(10, -1, False)], 0, 5),
        ([ControlDraw(10, 3, False)], 2, 5),
        ([ControlDraw(10, 0, True)], 6, 5),  # five were judged since, and six of them relevant
        ([ControlDraw(10, 0, False)], 5, 5),  # one of the five was not
        ([], -1, 5),
        ([], 0, -1),
    ],
)
def test_impossible_draws_are_refused(
    draws: list[ControlDraw], known_relevant: int, unjudged: int
) -> None:
    with pytest.raises(PorismError, match="expected"):
        remaining_relevant(draws, known_relevant, unjudged)


def judged(relevant: int, size: int, number: int, seed: int) -> tuple[RemainingRelevant, int]:
    """The estimate after ``number`` judgments, relevant ones favoured, and the truth.

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
    known_relevant = sum(done.values())
    return remaining_relevant(draws, known_relevant, size - number), relevant - known_relevant


@given(st.integers(0, 40), st.integers(6, 60), st.integers(0, 10**6))
def test_the_interval_is_within_the_possible_range(relevant: int, number: int, seed: int) -> None:
    estimate, _ = judged(relevant, 60, number, seed)
    assert 0 <= estimate.low <= estimate.likely <= estimate.high <= estimate.unjudged


@pytest.mark.parametrize("relevant", [0, 3, 20, 60])
def test_the_interval_has_its_nominal_coverage(relevant: int) -> None:
    estimates = [judged(relevant, 200, 80, seed) for seed in range(150)]
    inside = sum(each.low <= left <= each.high for each, left in estimates)
    assert inside >= 0.95 * len(estimates)
    mean_error = sum(each.likely - left for each, left in estimates) / len(estimates)
    assert abs(mean_error) < 3
