"""Tree edit distances against the apted package, and their limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.apted_distance import apted_distance
from porism.analysis import query_layout
from porism.formula.operators import operator_tree
from porism.formula.tree import parse_tree
from porism.structure import tree_edit_distance
from porism.structure.packed_trees import (
    MAX_NODES,
    PackedTree,
    PackedTrees,
    packed_tree,
    packed_trees,
)
from porism.structure.tree_edit_distance import (
    UNIT_COSTS,
    EditCosts,
    TreeKind,
    edit_distance,
    edit_distances,
)

COSTS = st.sampled_from([UNIT_COSTS, EditCosts(4, 2, 4), EditCosts(3, 2, 2)])


@st.composite
def trees(draw: st.DrawFn, most: int = 12) -> PackedTree:
    """Trees in reading order: each node hangs on the last one or on one above it."""
    count = draw(st.integers(0, most))
    parents: list[int] = []
    for place in range(count):
        open_places, at = [], place - 1
        while at >= 0:
            open_places.append(at)
            at = parents[at]
        parents.append(draw(st.sampled_from(open_places)) if open_places else -1)
    labels = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    kinds = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    return PackedTree(
        np.array(labels, np.uint32),
        np.array(parents, np.int32),
        np.zeros(count, np.uint8),
        np.array(kinds, np.uint8),
    )


@settings(max_examples=150, deadline=None)
@given(trees(), trees(), COSTS, st.booleans())
def test_distance_equals_that_of_apted(
    query: PackedTree, other: PackedTree, costs: EditCosts, is_typed: bool
) -> None:
    expected = apted_distance(query, other, costs, is_typed)
    assert edit_distance(query, other, costs, is_typed) == expected


def _stored(*latex: str) -> PackedTrees:
    layouts = [query_layout(each).tree for each in latex]
    rows = [packed_trees(layout, operator_tree(layout)) for layout in layouts]
    starts = np.cumsum([0, *map(len, rows)])
    return PackedTrees(np.array([each for row in rows for each in row], np.uint64), starts)


def _query(latex: str) -> PackedTree:
    return packed_tree(query_layout(latex).tree)


def test_each_formula_is_compared_by_both_trees() -> None:
    stored = _stored("x^2+y", "x^3", "z")
    layout = query_layout("x^2+1").tree
    by_layout = edit_distances(packed_tree(layout), stored, TreeKind.LAYOUT, EditCosts(4, 2, 4))
    assert by_layout.distances.tolist() == [4, 12, 16]
    assert by_layout.sizes.tolist() == [4, 2, 1]
    operators = packed_tree(operator_tree(layout))
    by_operators = edit_distances(operators, stored, TreeKind.OPERATORS, EditCosts(3, 2, 2))
    assert by_operators.distances.tolist() == [2, 8, 14]
    assert not by_operators.is_bound.any()


def test_typed_distance_ignores_names_of_variables_but_not_signs() -> None:
    stored = _stored("a+7", "a-7")
    distances = edit_distances(_query("x+1"), stored, TreeKind.LAYOUT, is_typed=True).distances
    assert distances.tolist() == [0, 1]


def test_a_wildcard_equals_any_one_node() -> None:
    assert edit_distance(_query("?a+?b"), _query("x+2")) == 0
    assert edit_distance(_query("?a"), _query("x+2")) == 2


def test_formulas_without_nodes_are_inserted_or_deleted() -> None:
    empty = PackedTrees(np.zeros(0, np.uint64), np.zeros(2, np.int64))
    costs = EditCosts(3, 2, 1)
    assert edit_distances(_query("x+1"), empty, TreeKind.LAYOUT, costs).distances.tolist() == [9]
    nothing = packed_tree(query_layout("").tree)
    assert edit_distance(nothing, _query("x+1"), costs) == 6


def test_a_long_row_is_no_deep_recursion() -> None:
    row = packed_tree(parse_tree("[V!x" * 2_000 + "]" * 2_000))
    assert len(row.labels) == MAX_NODES
    assert edit_distance(row, row) == 0
    assert edit_distance(row, _query("y")) == MAX_NODES


def test_large_pairs_get_an_upper_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    query, stored = _query("(a+b)^2+(c+d)^2"), _stored("(a+b)^2+(c-d)^3", "x")
    exact = edit_distances(query, stored, TreeKind.LAYOUT)
    assert exact.distances[0] == 2
    monkeypatch.setattr(tree_edit_distance, "MAX_CELLS", 60)
    bounded = edit_distances(query, stored, TreeKind.LAYOUT)
    assert bounded.is_bound.tolist() == [True, False]
    assert bounded.distances[0] >= exact.distances[0]
    assert bounded.distances[1] == exact.distances[1]


def test_matrices_of_400_cells_are_compared() -> None:
    def matrix(last: str) -> PackedTree:
        cells = [["a"] * 20 for _ in range(20)]
        cells[9][9] = last
        rows = r" \\ ".join(" & ".join(row) for row in cells)
        return _query(rf"\begin{{matrix}} {rows} \end{{matrix}}")

    assert edit_distance(matrix("a"), matrix("b")) == 1
