"""The measures of S4 Table 3, on an example that can be counted by hand."""

from math import inf

import pytest

from porism.inverted import keys
from porism.rank.proximity import ProximityMeasure, TermPositions, proximity, term_positions

DOCUMENT = "a x b x x a x x c b".split()
QUERY = "a b c absent".split()


def matches(document: list[str] = DOCUMENT) -> TermPositions:
    return term_positions(keys(document), keys(QUERY))


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        (ProximityMeasure.SPAN, 10),  # from the first a to the last b
        (ProximityMeasure.NORMALISED_SPAN, 10 / 5),
        (ProximityMeasure.MIN_SPAN, 5),  # a x x c b
        (ProximityMeasure.NORMALISED_MIN_SPAN, 5 / 3),
        (ProximityMeasure.MIN_DISTANCE, 1),  # c b
        (ProximityMeasure.AVERAGE_DISTANCE, (2 + 3 + 1) / 3),  # a b, a c, b c
        (ProximityMeasure.MAX_DISTANCE, 3),
    ],
)
def test_measures(measure: ProximityMeasure, value: float) -> None:
    assert proximity(measure, matches()) == value
    assert proximity(measure, matches(), by_length=True) == value / len(DOCUMENT)


@pytest.mark.parametrize("measure", ProximityMeasure)
def test_proximity_is_infinite_without_a_match(measure: ProximityMeasure) -> None:
    assert proximity(measure, matches(["x", "y"])) == inf
    assert proximity(measure, matches([])) == inf


def test_one_term_has_a_span_but_no_distance() -> None:
    alone = matches(["x", "a", "x", "a"])
    assert proximity(ProximityMeasure.SPAN, alone) == 3
    assert proximity(ProximityMeasure.MIN_SPAN, alone) == 1
    assert proximity(ProximityMeasure.MAX_DISTANCE, alone) == inf
