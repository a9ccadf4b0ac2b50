"""Features of a query formula and a candidate, for learned rankers of formulas.

Those of DPRL's learning to rank (2021 and 2022): edit distances, overlaps and alignments of both
trees. They are computed from stored trees for all candidates of a topic at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.structure.alignment_scores import alignment_scores
from porism.structure.bag_overlap import bag_overlaps
from porism.structure.packed_trees import PackedTrees, packed_tree
from porism.structure.tree_edit_distance import UNIT_COSTS, EditCosts, TreeKind, edit_distances

Matrix = NDArray[np.float64]

WEIGHTED_COSTS = {TreeKind.LAYOUT: EditCosts(4, 2, 4), TreeKind.OPERATORS: EditCosts(3, 2, 2)}
"""The costs of DPRL, learned on NTCIR-12; distances by them are divided by ``COST_SCALE``."""

COST_SCALE = 10.0

_FORMS = (("", False), ("typed ", True))

TREE_FEATURES = (
    *(
        f"{form}{tree} {measure}"
        for tree in ("layout", "operators")
        for form, _ in _FORMS
        for measure in ("edit distance", "weighted edit distance", "pairs", "nodes")
    ),
    "layout alignment",
    "operators alignment",
)
"""The names of the columns of ``tree_features``: 18 of the 22 features."""


def tree_features(layout: Tree, stored: PackedTrees) -> Matrix:
    """Return the features of a query's layout tree and each stored formula, one row each.

    Edit distances are similarities, ``1 - distance / (nodes of both)``. Typed features take all
    variables as equal, all numbers and so on.
    """
    columns: list[Matrix] = []
    alignments: list[Matrix] = []
    for kind in TreeKind:
        tree = packed_tree(layout if kind is TreeKind.LAYOUT else operator_tree(layout))
        for _, is_typed in _FORMS:
            for costs, scale in ((UNIT_COSTS, 1.0), (WEIGHTED_COSTS[kind], COST_SCALE)):
                found = edit_distances(tree, stored, kind, costs, is_typed)
                nodes = np.maximum(len(tree.labels) + found.sizes, 1)
                columns.append(1 - found.distances / scale / nodes)
            columns.extend(bag_overlaps(tree, stored, kind, is_typed).T)
        alignments.append(alignment_scores(tree, stored, kind)[:, 0])
    return np.column_stack([*columns, *alignments])
