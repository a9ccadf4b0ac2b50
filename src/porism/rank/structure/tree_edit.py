"""Re-ranking by tree edit distance: how little changes the query's trees into a formula's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import query_layout
from porism.formula.operators import operator_tree
from porism.model import Ranking, Topic
from porism.rank.explanations import Explanation, summed
from porism.rank.query_builder import focus_formulas
from porism.rank.rerank import Scores
from porism.searchindex.index_folder import SearchIndex
from porism.structure.packed_trees import MAX_NODES, PackedTree, PackedTrees, packed_tree
from porism.structure.tree_edit_distance import EditCosts, TreeKind, edit_similarities

LAYOUT_COSTS = EditCosts(delete=4, insert=2, rename=4)
OPERATOR_COSTS = EditCosts(delete=3, insert=2, rename=2)
"""The published costs, which were fitted to judgments; they are tenths of an operation."""

SCALE = 10

LAYOUT = 0.75
"""The share of layout trees in a score."""


class TreeSimilarities(NamedTuple):
    """The similarities of layout and of operator trees, and which pairs are compared in part."""

    layout: Scores
    operators: Scores
    is_partial: NDArray[np.bool_]


def tree_similarities(
    layout: PackedTree, operators: PackedTree, stored: PackedTrees
) -> TreeSimilarities:
    """Return the similarity of both trees of a query with those of each stored formula."""
    one = edit_similarities(layout, stored, TreeKind.LAYOUT, LAYOUT_COSTS, SCALE)
    other = edit_similarities(operators, stored, TreeKind.OPERATORS, OPERATOR_COSTS, SCALE)
    is_cut = MAX_NODES in (len(layout.labels), len(operators.labels))
    return TreeSimilarities(one.values, other.values, one.is_bound | other.is_bound | is_cut)


@dataclass(frozen=True, slots=True)
class TreeEditScorer:
    """The similarity of both trees by edit distance, that of layout trees by ``layout`` of it.

    Of each it is 1 - d / (n + m), where d is the distance and n + m the size of both trees. The
    original mixes the two by .95, from judgments of another collection. .75 is better here on both
    years, and layout or operators alone are worse. A topic with several formulas has the mean of
    theirs; a formula whose trees are not stored has 0.
    """

    search_index: SearchIndex = field(repr=False)
    layout: float = LAYOUT

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        found = self._similarities(topic, hits)
        return self.layout * found.layout + (1 - self.layout) * found.operators

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        found = self._similarities(topic, hits)
        explained: list[Explanation] = []
        for layout, operators, is_partial in zip(*(each.tolist() for each in found), strict=True):
            note = " of large formulas, compared in part" if is_partial else ""
            explained.append(
                summed(
                    f"similarity by tree edit distance{note}",
                    (
                        _share("layout trees", layout, self.layout),
                        _share("operator trees", operators, 1 - self.layout),
                    ),
                )
            )
        return explained

    def _similarities(self, topic: Topic, hits: Ranking) -> TreeSimilarities:
        stored = self.search_index.trees([hit.doc_id for hit in hits])
        layouts = [
            query_layout(formula.latex, formula.macros).tree for formula in focus_formulas(topic)
        ]
        found = [
            tree_similarities(packed_tree(layout), packed_tree(operator_tree(layout)), stored)
            for layout in layouts
        ]
        nothing = np.zeros(len(hits))
        count = max(1, len(found))
        return TreeSimilarities(
            sum((each.layout for each in found), nothing) / count,
            sum((each.operators for each in found), nothing) / count,
            np.any([nothing, *(each.is_partial for each in found)], axis=0),
        )


def _share(label: str, similarity: float, weight: float) -> Explanation:
    return Explanation(f"{label}, {similarity:.4f} × {weight:g}", weight * similarity)
