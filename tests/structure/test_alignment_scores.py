"""Alignment of packed trees: equal to a slow reference, and bounded for large formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.analysis import query_layout
from porism.formula.operators import operator_tree
from porism.formula.tree import Node, Tree, operator
from porism.structure.alignment_scores import (
    alignment_scores,
    best_alignment,
)
from porism.structure.linked_trees import MAX_ALIGNED
from porism.structure.packed_trees import PackedTrees, packed_tree, packed_trees
from porism.structure.tree_edit_distance import TreeKind
from tests.formula.layout_trees import layouts
from tests.structure.slow_alignment import Alignment

RESULT_LABELS = ["V!x", "V!y", "V!z", "N!1", "+", "=", "M!()1x1"]
QUERY_LABELS = ["V!x", "V!y", "V!z", "N!1", "+", "M!()1x1", "?a", "?b"]


def stored(trees: list[tuple[Tree, Tree]]) -> PackedTrees:
    rows = [packed_trees(*each) for each in trees]
    starts = np.cumsum([0, *map(len, rows)])
    return PackedTrees(np.array([number for row in rows for number in row], np.uint64), starts)


def operators(leaves: list[str]) -> st.SearchStrategy[Tree]:
    labels = st.sampled_from(["U!plus", "U!times", "O!SUP", "O!minus", "V!f", "M!S-2"])
    nodes = st.recursive(
        st.sampled_from(leaves).map(Node),
        lambda inner: st.builds(
            lambda label, operands: operator(label, *operands),
            labels,
            st.lists(inner, min_size=1, max_size=4),
        ),
        max_leaves=10,
    )
    return nodes.map(lambda node: Tree("opt", (node,)))


def scored(query: str, result: str) -> tuple[list[float], list[float]]:
    """The scores of two formulas by their layout trees and by their operator trees."""
    layout, other = query_layout(query).tree, query_layout(result).tree
    candidates = stored([(other, operator_tree(other))])
    return (
        alignment_scores(packed_tree(layout), candidates, TreeKind.LAYOUT)[0].tolist(),
        alignment_scores(packed_tree(operator_tree(layout)), candidates, TreeKind.OPERATORS)[
            0
        ].tolist(),
    )


EMPTY = Tree("slt", ())


@settings(max_examples=60, deadline=None)
@given(layouts(QUERY_LABELS), st.lists(layouts(RESULT_LABELS), min_size=1, max_size=4))
def test_layout_trees_score_as_in_the_reference(query: Tree, results: list[Tree]) -> None:
    candidates = stored([(result, Tree("opt", ())) for result in results])
    scores = alignment_scores(packed_tree(query), candidates, TreeKind.LAYOUT)
    for result, own in zip(results, scores.tolist(), strict=True):
        reference = Alignment(query, result)
        assert tuple(own) == reference.best()
        pairs = best_alignment(packed_tree(query), packed_tree(result), TreeKind.LAYOUT)
        assert [each[:2] for each in pairs] == reference.best_pairs()


@settings(max_examples=60, deadline=None)
@given(
    operators(["V!x", "V!y", "N!1", "?a", "?b"]),
    st.lists(operators(["V!x", "V!y", "V!z", "N!1"]), min_size=1, max_size=4),
)
def test_operator_trees_score_as_in_the_reference(query: Tree, results: list[Tree]) -> None:
    candidates = stored([(EMPTY, result) for result in results])
    scores = alignment_scores(packed_tree(query), candidates, TreeKind.OPERATORS)
    for result, own in zip(results, scores.tolist(), strict=True):
        reference = Alignment(query, result)
        assert tuple(own) == reference.best()
        pairs = best_alignment(packed_tree(query), packed_tree(result), TreeKind.OPERATORS)
        assert [each[:2] for each in pairs] == reference.best_pairs()


def test_a_formula_matches_itself() -> None:
    assert scored("a^2+b^2=c^2", "a^2+b^2=c^2") == ([1, 1, 1], [1, 1, 1])


def test_renamed_variables_match_but_are_not_exact() -> None:
    assert scored("a^2+b^2=c^2", "x^2+y^2=z^2") == ([1, 1, 5 / 8], [1, 1, 8 / 11])


def test_one_variable_is_not_renamed_to_two() -> None:
    # x^2 and + match, y does not: three of four nodes and two of three edges.
    assert scored("a^2+a", "x^2+y")[0] == [
        pytest.approx(2 * 0.75 * (2 / 3) / (0.75 + 2 / 3)),
        3 / 4,
        2 / 4,
    ]


def test_operands_of_a_sum_match_in_any_order() -> None:
    layout, operators = scored("b^2+a", "a+b^2")
    assert operators == [1, 1, 1]
    assert layout[0] < 1


def test_wildcards_match_whole_parts() -> None:
    assert scored("?a^2+?b^2=?c^2", "x^2+(y+1)^2=z^2") == ([1, 1, 1], [1, 1, 1])
    assert scored("x^{?n}", "x^{n+1}") == ([1, 1, 1], [1, 1, 1])
    assert scored(r"\frac{?a}{?b}", r"\frac{x+1}{y}") == ([1, 1, 1], [1, 1, 1])
    assert scored("?a+1", "x y z+1")[0] == [1, 1, 1]


def test_a_wildcard_matches_the_same_part_everywhere() -> None:
    assert scored("?a+?a", "xy+xy") == ([1, 1, 1], [1, 1, 1])
    assert scored("?a+?a", "x+y")[0][0] < 1


def test_one_symbol_matches_any_variable() -> None:
    assert scored("x", "y") == ([1, 1, 0], [1, 1, 0])
    assert scored("x", "2") == ([0, 0, 0], [0, 0, 0])
    assert scored("?x", "y+1")[1] == [1, 1, 1]


def test_a_node_without_edges_counts_half_an_edge() -> None:
    nodes, edges = 1 / 3, 0.5 / 2
    assert scored("x+1", "y")[0][0] == pytest.approx(2 * nodes * edges / (nodes + edges))


def test_empty_formulas_score_nothing() -> None:
    empty = packed_tree(EMPTY)
    candidates = PackedTrees(np.zeros(0, np.uint64), np.zeros(3, np.int64))
    assert not alignment_scores(empty, candidates, TreeKind.LAYOUT).any()
    assert not alignment_scores(
        packed_tree(query_layout("x").tree), candidates, TreeKind.LAYOUT
    ).any()
    assert best_alignment(empty, empty, TreeKind.LAYOUT) == ()


def test_of_large_formulas_the_first_nodes_are_aligned() -> None:
    long = "+".join(f"x_{{{number}}}" for number in range(100))
    layout, operators = scored(long, long)
    nodes = len(packed_tree(query_layout(long).tree).labels)
    assert layout[1] == MAX_ALIGNED / nodes
    assert 0 < layout[0] < 1
    assert 0 < operators[0] < 1


def test_large_matrices_and_equal_symbols_are_aligned() -> None:
    row = "&".join(["a"] * 20)
    matrix = r"\begin{matrix}" + r"\\".join([row] * 20) + r"\end{matrix}"
    layout, operators = scored(matrix, matrix)
    assert layout[0] > 0.2
    assert operators[0] > 0.2
    assert scored("xyz" * 40, "xyz" * 40)[1] == [1, 1, 1]
