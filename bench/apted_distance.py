"""Tree edit distances by the apted package, the reference and peer of our compiled ones."""

from __future__ import annotations

from typing import Any

from apted import APTED

from porism.structure.packed_trees import PackedTree
from porism.structure.tree_edit_distance import EditCosts

Nested = tuple[tuple[int, int], list[Any]]  # label and kind, and such trees


class _Costs:
    """Fixed costs, with the methods of apted's ``Config``; if typed, by kinds of nodes."""

    valuecls = int

    def __init__(self, costs: EditCosts, is_typed: bool) -> None:
        self.costs, self.is_typed = costs, is_typed

    def delete(self, node: Nested) -> int:
        return self.costs.delete

    def insert(self, node: Nested) -> int:
        return self.costs.insert

    def rename(self, node1: Nested, node2: Nested) -> int:
        (label1, kind1), (label2, kind2) = node1[0], node2[0]
        same_kind = self.is_typed and kind1 == kind2 and kind1 > 0
        plain = not self.is_typed or kind1 == kind2 == 0
        return 0 if same_kind or (plain and label1 == label2) else self.costs.rename

    def children(self, node: Nested) -> list[Any]:
        return node[1]


def apted_distance(
    query: PackedTree, other: PackedTree, costs: EditCosts, is_typed: bool = False
) -> float:
    """The distance of two trees, either of which may be empty."""
    if not len(query.labels) or not len(other.labels):
        return costs.delete * len(query.labels) + costs.insert * len(other.labels)
    work = APTED(_nested(query), _nested(other), _Costs(costs, is_typed))
    return float(work.compute_edit_distance())


def _nested(tree: PackedTree) -> Nested:
    nodes: list[Nested] = []
    for label, parent, _, kind in zip(*(each.tolist() for each in tree), strict=True):
        nodes.append(((label, kind), []))
        if parent >= 0:
            nodes[parent][1].append(nodes[-1])
    return nodes[0]
