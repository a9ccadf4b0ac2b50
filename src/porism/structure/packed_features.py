"""Packed features: what an index stores of a formula's structure, as a row of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from porism.formula.features import operand_pairs, symbol_pairs
from porism.formula.tree import Tree
from porism.hashing import text_key
from porism.structure.feature_rows import FeatureRow
from porism.structure.operator_rows import operator_row, row_sectors
from porism.structure.packed_trees import packed_trees
from porism.structure.position_masks import VARIANTS, position_features

Operators = Callable[[], Tree]
"""Returns the operator tree of a formula, which not every kind needs."""


class PackedFeatures(StrEnum):
    """Kinds of packed features of a formula."""

    TREES = "trees"
    """Both trees."""
    LAYOUT_PAIRS = "layout-pairs"
    """Tangent-S's pairs of the layout tree, with their counts."""
    OPERATOR_PAIRS = "operator-pairs"
    """Tangent-S's pairs of the operator tree, with their counts."""
    PHOC = "phoc"
    """XY-PHOC's symbols, with masks of their positions."""
    SECTORS = "sectors"
    """Approach0's paths of the operator tree, with roots and widths, and the tree's row."""


class FeatureForm(NamedTuple):
    """How features of a kind are made and stored: the number of values, the type of payloads."""

    row: Callable[[Tree, Operators], FeatureRow]
    values: int
    payload: str


def _layout_pairs(layout: Tree, operators: Operators) -> FeatureRow:
    return _counted(symbol_pairs(layout))


def _operator_pairs(layout: Tree, operators: Operators) -> FeatureRow:
    return _counted(operand_pairs(operators()))


def _counted(tokens: list[str]) -> FeatureRow:
    """Return the distinct tokens with their counts, and the number of all."""
    counts = Counter(tokens)
    postings = [(text_key(token), min(count, 255)) for token, count in counts.items()]
    return FeatureRow((counts.total(),), postings)


def _positions(layout: Tree, operators: Operators) -> FeatureRow:
    return position_features(layout)


def _sectors(layout: Tree, operators: Operators) -> FeatureRow:
    row = operator_row(operators())
    values = len(row.leaves), len(row.operators)
    return FeatureRow(values, row_sectors(row), [*row.operators, *row.leaves])


FEATURE_FORMS: Mapping[PackedFeatures, FeatureForm] = {
    PackedFeatures.LAYOUT_PAIRS: FeatureForm(_layout_pairs, 1, "<u1"),
    PackedFeatures.OPERATOR_PAIRS: FeatureForm(_operator_pairs, 1, "<u1"),
    PackedFeatures.PHOC: FeatureForm(_positions, len(VARIANTS), "<u8"),
    PackedFeatures.SECTORS: FeatureForm(_sectors, 2, "<u2"),
}
"""All kinds that have an index of their own."""


def packed_numbers(kind: PackedFeatures, layout: Tree, operators: Operators) -> list[int]:
    """Return the features of a formula as a row of numbers."""
    if kind is PackedFeatures.TREES:
        return packed_trees(layout, operators())
    return FEATURE_FORMS[kind].row(layout, operators).numbers()
