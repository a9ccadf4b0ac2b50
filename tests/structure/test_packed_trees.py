"""Both trees of a formula as one row of numbers."""

import numpy as np

from porism.analysis import query_layout
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.structure.packed_trees import (
    MAX_NODES,
    NUMBER,
    UNORDERED,
    VARIABLE,
    WILDCARD,
    PackedTrees,
    packed_tree,
    packed_trees,
    stored_trees,
)


def test_a_row_unpacks_to_its_trees() -> None:
    layout = parse_latex(r"\frac{x^2}{y}+1").tree
    row = np.array(packed_trees(layout, operator_tree(layout)), np.uint64)
    trees = PackedTrees(row, np.array([0, len(row), len(row)]))
    for stored, tree in zip(stored_trees(trees, 0), (layout, operator_tree(layout)), strict=True):
        packed = packed_tree(tree)
        assert stored.labels.tolist() == packed.labels.tolist()
        assert stored.parents.tolist() == packed.parents.tolist()
        assert stored.edges.tolist() == packed.edges.tolist()
        assert stored.kinds.tolist() == packed.kinds.tolist()
    assert [len(tree.labels) for tree in stored_trees(trees, 1)] == [0, 0]


def test_kinds_and_edges() -> None:
    tree = packed_tree(parse_latex("x^2").tree)
    assert tree.kinds.tolist() == [VARIABLE, NUMBER]
    assert [chr(edge) for edge in tree.edges] == ["\0", "a"]
    operators = packed_tree(operator_tree(parse_latex("a+b").tree))
    assert operators.kinds.tolist() == [UNORDERED, VARIABLE, VARIABLE]
    assert operators.edges.tolist() == [0, 0, 1]


def test_wildcards_keep_their_names() -> None:
    tree = packed_tree(query_layout("?a+?b+?a").tree)
    assert tree.kinds.tolist() == [WILDCARD, 0, WILDCARD, 0, WILDCARD]
    assert tree.labels[0] == tree.labels[4] != tree.labels[2]


def test_large_trees_are_cut_to_trees() -> None:
    layout = parse_latex("+".join("x_{i}" for _ in range(500))).tree
    for tree in (packed_tree(layout), packed_tree(operator_tree(layout))):
        assert len(tree.labels) == MAX_NODES
        assert (tree.parents < np.arange(MAX_NODES)).all()
