"""Overlaps of nodes and pairs: equal to those of bags in plain Python."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.structure.bag_overlap import NODES, PAIRS, bag_overlaps
from porism.structure.packed_trees import (
    UNORDERED,
    PackedTree,
    PackedTrees,
    packed_tree,
    packed_trees,
)
from porism.structure.tree_edit_distance import TreeKind
from tests.formula.layout_trees import layouts


def names(tree: PackedTree, is_typed: bool) -> list[tuple[str, int]]:
    return [
        ("kind", kind) if is_typed and kind else ("label", label)
        for label, kind in zip(tree.labels.tolist(), tree.kinds.tolist(), strict=True)
    ]


def pairs(tree: PackedTree, kind: TreeKind, is_typed: bool) -> list[tuple[object, ...]]:
    """Pairs with the two nodes above, and the ends of rows."""
    own = names(tree, is_typed)
    parents, edges = tree.parents.tolist(), tree.edges.tolist()
    is_layout = kind is TreeKind.LAYOUT
    followed = {
        parent
        for parent, edge in zip(parents, edges, strict=True)
        if not is_layout or edge == ord("n")
    }
    found: list[tuple[object, ...]] = []
    for place in range(len(own)):
        path: list[int] = []
        above = place
        for _ in range(2):
            parent = parents[above]
            if parent < 0:
                break
            is_unordered = not is_layout and tree.kinds[parent] == UNORDERED
            path.append(0 if is_unordered else edges[above])
            found.append((own[parent], own[place], tuple(path)))
            above = parent
        if place not in followed:
            found.append((own[place], "end"))
    return found


def dice(one: list[object], other: list[object]) -> float:
    shared = (Counter(one) & Counter(other)).total()
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


@settings(max_examples=60, deadline=None)
@given(layouts(), st.lists(layouts(), min_size=1, max_size=3))
def test_overlaps_equal_those_of_bags(query: Tree, results: list[Tree]) -> None:
    rows = [packed_trees(each, operator_tree(each)) for each in results]
    numbers = np.array([number for row in rows for number in row], np.uint64)
    stored = PackedTrees(numbers, np.cumsum([0, *map(len, rows)]))
    for kind in TreeKind:
        trees = [
            packed_tree(tree if kind is TreeKind.LAYOUT else operator_tree(tree))
            for tree in (query, *results)
        ]
        for is_typed in (False, True):
            own = bag_overlaps(trees[0], stored, kind, is_typed)
            for row, tree in zip(own, trees[1:], strict=True):
                by_pairs = dice([*pairs(trees[0], kind, is_typed)], [*pairs(tree, kind, is_typed)])
                by_nodes = dice([*names(trees[0], is_typed)], [*names(tree, is_typed)])
                assert row[PAIRS] == pytest.approx(by_pairs)
                assert row[NODES] == pytest.approx(by_nodes)


def test_formulas_without_a_tree_have_no_overlap() -> None:
    empty = PackedTrees(np.zeros(0, np.uint64), np.zeros(2, np.int64))
    query = packed_tree(parse_latex("x+1").tree)
    assert not bag_overlaps(query, empty, TreeKind.LAYOUT).any()
    assert not bag_overlaps(packed_tree(Tree("slt", ())), empty, TreeKind.LAYOUT).any()
