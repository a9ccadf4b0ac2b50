"""Re-ranking by tree edit distance: how little changes the query's trees into a formula's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from porism.analysis import query_layout
from porism.formula.operators import operator_tree
from porism.model import Ranking, Topic
from porism.rank.explanations import Explanation, summed
from porism.rank.query_builder import focus_formulas
from porism.rank.rerank import Scores
from porism.searchindex.index_folder import SearchIndex
from porism.structure.packed_trees import MAX_NODES, packed_tree
from porism.structure.tree_edit_distance import EditCosts, TreeKind, edit_similarities

LAYOUT_COSTS = EditCosts(delete=4, insert=2, rename=4)
OPERATOR_COSTS = EditCosts(delete=3, insert=2, rename=2)
"""The published costs, which were fitted to judgments; they are tenths of an operation."""

SCALE = 10


@dataclass(frozen=True, slots=True)
class TreeEditScorer:
    """The similarity of both trees by edit distance, that of layout trees by ``layout`` of it.

    Of each it is 1 - d / (n + m), where d is the distance and n + m the size of both trees. The
    original mixes the two by .95, from judgments of another collection. .75 is better here on both
    years, and layout or operators alone are worse. A topic with several formulas has the mean of
    theirs; a formula whose trees are not stored has 0.
    """

    search_index: SearchIndex = field(repr=False)
    layout: float = 0.75

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        by_layout, by_operators = self._similarities(topic, hits)[:2]
        return self.layout * by_layout + (1 - self.layout) * by_operators

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        by_layout, by_operators, is_bound = self._similarities(topic, hits)
        explained: list[Explanation] = []
        for layout, operators, bound in zip(
            by_layout.tolist(), by_operators.tolist(), is_bound.tolist(), strict=True
        ):
            note = " of large formulas, compared in part" if bound else ""
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

    def _similarities(self, topic: Topic, hits: Ranking) -> tuple[Scores, Scores, Scores]:
        """Return those of layout and operator trees, and whether a pair is compared in part."""
        stored = self.search_index.trees([hit.doc_id for hit in hits])
        totals = np.zeros((3, len(hits)))
        formulas = focus_formulas(topic)
        for formula in formulas:
            layout = query_layout(formula.latex, formula.macros).tree
            for place, (kind, tree, costs) in enumerate(
                (
                    (TreeKind.LAYOUT, packed_tree(layout), LAYOUT_COSTS),
                    (TreeKind.OPERATORS, packed_tree(operator_tree(layout)), OPERATOR_COSTS),
                )
            ):
                found = edit_similarities(tree, stored, kind, costs, SCALE)
                totals[place] += found.values
                totals[2] += found.is_bound | (len(tree.labels) == MAX_NODES)
        totals[:2] /= max(1, len(formulas))
        return totals[0], totals[1], totals[2]


def _share(label: str, similarity: float, weight: float) -> Explanation:
    return Explanation(f"{label}, {similarity:.4f} × {weight:g}", weight * similarity)
