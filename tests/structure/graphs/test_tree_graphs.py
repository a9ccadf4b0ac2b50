"""Packed trees as graphs."""

import numpy as np

from porism.structure.graphs.tree_graphs import (
    TreeGraphs,
    formula_graphs,
    subtree_sizes,
)
from porism.structure.packed_trees import UNORDERED, VARIABLE, PackedTrees
from tests.structure.graphs.tiny_network import FORMULAS, packed


def test_layouts_nest_and_neighbours_do_not() -> None:
    layout, _ = formula_graphs(packed("x^{2+a}y"))
    assert layout.depths.tolist() == [0, 1, 1, 1, 0]
    assert layout.parents.tolist() == [-1, 0, 1, 2, 0]
    assert layout.steps[0] == 0
    assert len(set(layout.steps[[2, 3, 4]].tolist())) == 1


def test_operands_have_places_only_where_order_matters() -> None:
    _, operators = formula_graphs(packed("a+b", r"\frac{a}{b}"))
    first, second = operators.starts[:2]
    assert operators.kinds[first] == UNORDERED
    assert len(set(operators.steps[first + 1 : second].tolist())) == 1
    assert len(set(operators.steps[second + 1 :].tolist())) == 2


def test_parents_stay_within_their_formula() -> None:
    for graphs in formula_graphs(packed(*FORMULAS)):
        numbers = np.repeat(np.arange(graphs.graphs), np.diff(graphs.starts))
        children = np.flatnonzero(graphs.parents >= 0)
        assert (numbers[graphs.parents[children]] == numbers[children]).all()
        assert (graphs.parents[children] < children).all()


def test_sizes_count_all_nodes_below() -> None:
    for graphs in formula_graphs(packed(*FORMULAS)):
        assert subtree_sizes(graphs).tolist() == slow_sizes(graphs)


def slow_sizes(graphs: TreeGraphs) -> list[int]:
    sizes = [1] * len(graphs.parents)
    for node in range(len(sizes) - 1, -1, -1):
        if graphs.parents[node] >= 0:
            sizes[graphs.parents[node]] += sizes[node]
    return sizes


def test_a_wildcard_counts_as_a_variable() -> None:
    trees = packed("x+1")
    numbers = trees.numbers.copy()
    numbers[1] = numbers[1] & np.uint64((1 << 56) - 1) | np.uint64(8 << 56)
    layout, _ = formula_graphs(PackedTrees(numbers, trees.starts))
    assert layout.kinds[0] == VARIABLE


def test_an_empty_row_has_no_nodes() -> None:
    one = packed("x")
    trees = PackedTrees(one.numbers, np.array([0, 0, len(one.numbers), len(one.numbers)]))
    layout, operators = formula_graphs(trees)
    assert np.diff(layout.starts).tolist() == [0, 1, 0]
    assert np.diff(operators.starts).tolist() == [0, 1, 0]
