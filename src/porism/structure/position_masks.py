"""Pyramids of symbol positions (XY-PHOC), as masks of 64 bits, and cosines between them.

XY-PHOC (ARQMath-3) describes a formula by where each of its symbols is printed. A level of the
pyramid divides the box of the formula into as many regions: strips from left to right, strips from
bottom to top, or concentric ovals. A symbol has one bit for each region, which is set where the
symbol occurs; all occurrences of a symbol are joined. The whole box, the one region of all first
levels, has one bit. So ``xy7o4``, seven levels of both strips and four of ovals, has
1 + 27 + 27 + 9 = 64 bits, and ``xy5`` is 29 of them.

What the papers leave open, and how it is here:

- Boxes come from our typesetter (``formula.boxes``) and not from a browser.
- A symbol is represented by its centre lines: the horizontal one in strips from left to right and
  in ovals, the vertical one in strips from bottom to top. A line that only touches the border of a
  strip is not in it, so neighbours do not share strips by rounding.
- Ovals are rings, so that each point of the box belongs to one region of a level, as in strips; the
  corners outside the largest ellipse of the box belong to the outer ring.
- A symbol is a character. A wildcard has a place but no character, so it has no bits.
- Formulas are compared by the cosine of their binary (symbol, region) vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import hypot, lcm, sqrt
from typing import NamedTuple

import numpy as np

from porism import deadlines
from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.formula.boxes import WILDCARD_SYMBOL, symbol_boxes
from porism.formula.tree import Tree
from porism.hashing import text_key
from porism.structure.feature_rows import FeatureRow

X_LEVELS = Y_LEVELS = 7
OVAL_LEVELS = 4


_X_FIRST, _Y_FIRST, _OVALS_FIRST = 1, 28, 55
"""The first bits of the strips and ovals, each level after the one before it, from level 2 on."""


class PyramidVariant(NamedTuple):
    """Which bits of masks a variant uses, and the place of their number in a row's values."""

    name: str
    bits: int
    place: int

    def count(self, masks: Iterable[int]) -> int:
        """Return how many bits of the variant are set in masks."""
        return sum((mask & self.bits).bit_count() for mask in masks)


_FIVE_LEVELS = (1 << 14) - 1  # levels 2 to 5 have 14 regions
XY7O4 = PyramidVariant("xy7o4", (1 << 64) - 1, 0)
XY5 = PyramidVariant("xy5", 1 | _FIVE_LEVELS << _X_FIRST | _FIVE_LEVELS << _Y_FIRST, 1)
VARIANTS = (XY7O4, XY5)


def symbol_masks(layout: Tree) -> dict[str, int]:
    """Return the mask of each symbol of a formula, in the order of their first boxes.

    >>> from porism.formula.latex import parse_latex
    >>> masks = symbol_masks(parse_latex("x+y").tree)
    >>> list(masks), masks["x"] & 0b111, masks["+"] & 0b111, masks["y"] & 0b111
    (['x', '+', 'y'], 3, 7, 5)
    """
    boxes = symbol_boxes(layout)
    masks: dict[str, int] = {}
    if not boxes:
        return masks
    left, bottom = min(box.left for box in boxes), min(box.bottom for box in boxes)
    width = max(box.right for box in boxes) - left
    height = max(box.top for box in boxes) - bottom
    x_scale, y_scale = 1 / width if width else 0.0, 1 / height if height else 0.0
    for symbol, box_left, box_right, box_bottom, box_top in boxes:
        if symbol != WILDCARD_SYMBOL:
            x_start, x_end = (box_left - left) * x_scale, (box_right - left) * x_scale
            y_start, y_end = (box_bottom - bottom) * y_scale, (box_top - bottom) * y_scale
            masks[symbol] = (
                masks.get(symbol, 1)
                | _X_STRIPS.mask(x_start, x_end)
                | _Y_STRIPS.mask(y_start, y_end)
                | _RINGS.mask(*_distances(x_start, x_end, (y_start + y_end) / 2))
            )
    return masks


class _Pyramid(NamedTuple):
    """The regions of all levels in one direction, by cells: equal parts of each region.

    ``upwards[cell]`` are the regions that are at the cell or after it, ``downwards[cell]`` those
    at it or before it.
    """

    cells: int
    upwards: tuple[int, ...]
    downwards: tuple[int, ...]

    @staticmethod
    def of(levels: int, first: int) -> _Pyramid:
        cells = lcm(*range(2, levels + 1))
        upwards, downwards = [0] * cells, [0] * cells
        for level in range(2, levels + 1):
            for cell in range(cells):
                region = cell * level // cells
                upwards[cell] |= (1 << level) - (1 << region) << first
                downwards[cell] |= (2 << region) - 1 << first
            first += level
        return _Pyramid(cells, tuple(upwards), tuple(downwards))

    def mask(self, start: float, end: float) -> int:
        """Return the regions in which a line from ``start`` to ``end`` in [0, 1] has points.

        A line that ends where a region begins is not in it, whatever the rounding.
        """
        cells = self.cells
        first = min(int(start * cells + _ROUNDING), cells - 1)
        last = min(int(end * cells + 1 - _ROUNDING), cells) - 1
        return self.upwards[first] & self.downwards[max(first, last)]


_ROUNDING = 1e-6
_X_STRIPS = _Pyramid.of(X_LEVELS, _X_FIRST)
_Y_STRIPS = _Pyramid.of(Y_LEVELS, _Y_FIRST)
_RINGS = _Pyramid.of(OVAL_LEVELS, _OVALS_FIRST)


def _distances(left: float, right: float, y: float) -> tuple[float, float]:
    """Return the least and the largest distance of a horizontal line from the middle of the box.

    The ellipse in the unit square has distance 1.
    """
    left, right, y = 2 * left - 1, 2 * right - 1, 2 * y - 1
    nearest = max(left, -right, 0.0)
    return hypot(nearest, y), hypot(max(-left, right), y)


def mask_cosine(
    one: Mapping[str, int], other: Mapping[str, int], variant: PyramidVariant = XY7O4
) -> float:
    """Return the cosine of the masks of two formulas; 0 if one of them has no symbols.

    >>> mask_cosine({"x": 0b11}, {"x": 0b01, "y": 0b01})
    0.5
    """
    common = variant.count(mask & other[symbol] for symbol, mask in one.items() if symbol in other)
    if not common:
        return 0.0
    return common / sqrt(variant.count(one.values()) * variant.count(other.values()))


def position_features(layout: Tree) -> FeatureRow:
    """Return what an index stores of a formula: its masks, and how many bits each variant has."""
    masks = symbol_masks(layout)
    return FeatureRow(
        tuple(variant.count(masks.values()) for variant in VARIANTS),
        [(text_key(symbol), mask) for symbol, mask in masks.items()],
    )


class MaskPostings(NamedTuple):
    """The postings of an index part: rows and masks by symbol, and the bits of each row."""

    rows: Array
    masks: Array
    bits: Array


class MaskQuery(NamedTuple):
    """The symbols of a query: the span of each in the postings, its mask, and its weight."""

    firsts: Array
    lasts: Array
    masks: Array
    weights: Array


BLOCK = 1 << 16
"""Rows whose sums are computed together: they stay in the processor's cache."""


def best_by_masks(
    postings: MaskPostings, query: MaskQuery, is_allowed: Array, k: int
) -> tuple[Array, Array]:
    """Return the rows with the best ``k`` scores and all that equal the last, with their scores.

    The score of a row is the sum over the symbols of the query, in their order, of the weight times
    the bits that both masks have, divided by the root of the row's bits. A row without common bits
    is not found.
    """
    cursors = query.firsts.copy()
    sums = np.zeros(BLOCK)
    rows, scores = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    best_rows, best_scores = np.empty(0, np.int64), np.empty(0)
    least = 0.0
    for first in range(0, len(is_allowed), BLOCK):
        deadlines.check()
        size = min(BLOCK, len(is_allowed) - first)
        _add_shared_bits(postings, query, cursors, first, first + size, sums)
        count = _scored_rows(postings.bits, is_allowed, first, sums[:size], least, rows, scores)
        best_rows = np.concatenate((best_rows, rows[:count]))
        best_scores = np.concatenate((best_scores, scores[:count]))
        if len(best_scores) > max(k, 1):
            least = np.partition(best_scores, -k)[-k]
            kept = best_scores >= least
            best_rows, best_scores = best_rows[kept], best_scores[kept]
    return best_rows, best_scores


@compiled
def _add_shared_bits(
    postings: MaskPostings,
    query: MaskQuery,
    cursors: Array,
    first: IntLike,
    end: IntLike,
    sums: Array,
) -> None:
    """Add up the weighted common bits of the rows from ``first`` to ``end``.

    ``cursors`` has the next posting of each symbol, and is moved to the first beyond ``end``.
    """
    for symbol in range(len(cursors)):
        mask, weight = query.masks[symbol], query.weights[symbol]
        at, last = cursors[symbol], query.lasts[symbol]
        while at < last and postings.rows[at] < end:
            sums[postings.rows[at] - first] += weight * bit_count(postings.masks[at] & mask)
            at += 1
        cursors[symbol] = at


@compiled
def _scored_rows(
    bits: Array,
    is_allowed: Array,
    first: IntLike,
    sums: Array,
    least: FloatLike,
    rows: Array,
    scores: Array,
) -> IntLike:
    """Write the rows with a score of at least ``least``, and return how many they are.

    ``sums`` are zeros again afterwards.
    """
    count = 0
    for place in range(len(sums)):
        if sums[place] > 0 and is_allowed[first + place]:
            score = sums[place] / np.sqrt(bits[first + place])
            if score >= least:
                rows[count] = first + place
                scores[count] = score
                count += 1
        sums[place] = 0
    return count


_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_BYTES, _ONES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled
def bit_count(mask: IntLike) -> IntLike:
    """Return how many bits of a 64-bit number are set; the compiler knows this sum."""
    mask = mask - ((mask >> _1) & _PAIRS)
    mask = (mask & _FOURS) + ((mask >> _2) & _FOURS)
    mask = (mask + (mask >> _4)) & _BYTES
    return np.int64((mask * _ONES) >> _56)
