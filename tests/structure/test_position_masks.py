"""Masks of symbol positions against slow definitions of regions, vectors and cosines."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.analysis import query_layout
from porism.formula.boxes import Box
from porism.formula.latex import parse_latex
from porism.structure import position_masks
from porism.structure.packed_features import FEATURE_FORMS, PackedFeatures
from porism.structure.position_masks import (
    XY5,
    XY7O4,
    MaskPostings,
    MaskQuery,
    best_by_masks,
    bit_count,
    symbol_masks,
)


def masks(latex: str) -> dict[str, int]:
    return symbol_masks(parse_latex(latex).tree)


def strips(level: int, start: Fraction, end: Fraction) -> list[bool]:
    """Whether the line has points inside each part of the unit interval, or in one it lies at."""
    inside = [
        start < Fraction(part + 1, level) and end > Fraction(part, level) for part in range(level)
    ]
    return inside if any(inside) else [part == level - 1 for part in range(level)]


def slow_mask(left: Fraction, right: Fraction, bottom: Fraction, top: Fraction) -> int:
    """The mask of a box in the unit square, bit by bit."""
    bits = [True]
    for start, end in ((left, right), (bottom, top)):
        for level in range(2, 8):
            bits += strips(level, start, end)
    middle = (bottom + top) / 2
    xs = [left + (right - left) * Fraction(step, 1000) for step in range(1001)]
    distances = [sqrt((2 * x - 1) ** 2 + (2 * middle - 1) ** 2) for x in xs]
    for level in range(2, 5):
        rings = {min(int(distance * level), level - 1) for distance in distances}
        bits += [ring in rings for ring in range(level)]
    assert len(bits) == 64
    return sum(bit << place for place, bit in enumerate(bits))


COORDINATES = st.integers(0, 31).map(lambda number: Fraction(2 * number + 1, 64))


@settings(max_examples=60)
@given(
    st.lists(COORDINATES, min_size=2, max_size=2, unique=True).map(sorted),
    st.lists(COORDINATES, min_size=2, max_size=2, unique=True).map(sorted),
)
def test_masks_are_the_regions_that_the_centre_lines_meet(
    x: list[Fraction], y: list[Fraction]
) -> None:
    corners = Box("", 0.0, 1.0, 0.0, 1.0)
    box = Box("x", float(x[0]), float(x[1]), float(y[0]), float(y[1]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position_masks, "symbol_boxes", lambda layout: [corners, box])
        (mask,) = symbol_masks(query_layout("").tree).values()
    slow = slow_mask(x[0], x[1], y[0], y[1])
    strips_alone = (1 << 55) - 1
    assert mask & strips_alone == slow & strips_alone
    # The steps of the slow line may miss where it only touches a ring.
    assert mask | slow == mask
    assert (mask ^ slow).bit_count() <= 3


def test_variants_have_29_and_64_bits() -> None:
    assert XY5.bits.bit_count() == 1 + 14 + 14
    assert XY7O4.bits.bit_count() == 64


def test_a_lone_symbol_has_all_strips() -> None:
    (mask,) = masks("x").values()
    assert mask & ((1 << 55) - 1) == (1 << 55) - 1


def test_the_first_and_the_last_symbol_share_the_whole_box_and_no_vertical_strip() -> None:
    of = masks("xabcdefy")
    vertical = (1 << 28) - 2
    assert of["x"] & of["y"] & 1
    assert not of["x"] & of["y"] & vertical
    assert of["x"] & 0b110 == 0b010
    assert of["y"] & 0b110 == 0b100


def test_occurrences_of_a_symbol_are_joined() -> None:
    of = masks("x+aaaa+x")
    assert of["x"] & 0b111 == 0b111


def test_a_numerator_and_a_denominator_share_no_horizontal_strip() -> None:
    of = masks(r"\frac xy")
    upper, lower = of["x"] >> 28 & 0b11, of["y"] >> 28 & 0b11
    assert (lower, upper) == (0b01, 0b10)


def test_wildcards_and_refused_formulas_have_no_symbols() -> None:
    assert symbol_masks(query_layout("?x").tree) == {}
    assert list(symbol_masks(query_layout("?x+1").tree)) == ["+", "1"]
    assert symbol_masks(query_layout("{" * 200).tree) == {}
    form = FEATURE_FORMS[PackedFeatures.PHOC]
    row = form.row(query_layout("{" * 200).tree, lambda: query_layout("").tree)
    assert (row.values, row.postings) == ((0, 0), [])


def test_stored_rows_have_the_number_of_bits_of_both_variants() -> None:
    form = FEATURE_FORMS[PackedFeatures.PHOC]
    row = form.row(parse_latex("a^2+b").tree, lambda: query_layout("").tree)
    of = masks("a^2+b")
    assert row.values == (XY7O4.count(of.values()), XY5.count(of.values()))
    assert [mask for _, mask in row.postings] == list(of.values())
    assert form.values == len(row.values)


@given(st.integers(0, (1 << 64) - 1))
def test_bits_are_counted(mask: int) -> None:
    assert bit_count(np.uint64(mask)) == mask.bit_count()


Formulas = list[dict[int, int]]
FORMULAS = st.lists(st.dictionaries(st.integers(0, 4), st.integers(1, 15), max_size=4), max_size=40)


def slow_cosines(formulas: Formulas, query: dict[int, int]) -> dict[int, float]:
    """The cosines of explicit vectors of (symbol, bit)."""

    def vector(formula: dict[int, int]) -> set[tuple[int, int]]:
        return {(s, bit) for s, mask in formula.items() for bit in range(64) if mask >> bit & 1}

    wanted = vector(query)
    cosines = {}
    for row, formula in enumerate(formulas):
        stored = vector(formula)
        if stored & wanted:
            cosines[row] = len(stored & wanted) / sqrt(len(stored) * len(wanted))
    return cosines


@settings(max_examples=60)
@given(
    FORMULAS,
    st.dictionaries(st.integers(0, 4), st.integers(1, 15), min_size=1, max_size=4),
    st.integers(1, 6),
    st.data(),
)
def test_the_best_rows_are_those_with_the_best_cosines(
    formulas: Formulas, query: dict[int, int], k: int, data: st.DataObject
) -> None:
    allowed = np.array(
        data.draw(st.lists(st.integers(0, 1), min_size=len(formulas), max_size=len(formulas))),
        np.uint8,
    )
    postings = [
        [(row, formula[symbol]) for row, formula in enumerate(formulas) if symbol in formula]
        for symbol in query
    ]
    flat = [posting for each in postings for posting in each]
    ends = np.cumsum([0, *map(len, postings)])
    norm = sqrt(sum(mask.bit_count() for mask in query.values()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position_masks, "BLOCK", data.draw(st.sampled_from([1, 3, 64])))
        rows, scores = best_by_masks(
            MaskPostings(
                np.array([row for row, _ in flat], np.uint32),
                np.array([mask for _, mask in flat], np.uint64),
                np.array([sum(map(int.bit_count, each.values())) for each in formulas], np.uint32),
            ),
            MaskQuery(
                ends[:-1],
                ends[1:],
                np.array(list(query.values()), np.uint64),
                np.full(len(query), 1 / norm),
            ),
            allowed,
            k,
        )
    cosines = {row: each for row, each in slow_cosines(formulas, query).items() if allowed[row]}
    least = sorted(cosines.values(), reverse=True)[:k][-1:] or [0.0]
    results = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    assert results == pytest.approx({row: cosines[row] for row in results})
    assert {row for row, each in cosines.items() if each > least[0] + 1e-9} <= results.keys()
    assert len(results) >= min(k, len(cosines))
    assert all(each >= least[0] - 1e-9 for each in results.values())
