"""formula-graph: graph vectors and runs of symbols, fused, and re-ranked by structure (2026).

The best automatic recipe for the lab's formula search that is known. Two rankings, by the cosine of
graph vectors (``structure.graphs``) and by BM25 over symbols and pairs of neighbours, are fused by
reciprocal ranks; a linear model of structural features orders the first 300 formulas again.

What the recipe leaves open, and how it is here:

- Symbols are all symbols of the layout in reading order. Leaves alone, without those that have
  something above, below or within them, rank worse on both years.
- The features are those of ``ltr`` (overlaps of pairs and nodes, exact and by kind, edit distances
  and alignments of both trees), the score by symbols as a share of the best one, the cosine, and
  two of size. Overlaps of paths, and the fused score itself, added nothing.
- The network is smaller, so that a processor encodes thousands of formulas a second, and it is not
  tuned further by judgments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np

from porism.analysis import FieldSpec, FormulaTokens, Unit
from porism.formula.features.tangent_layout import symbols
from porism.inverted import BM25, Clause
from porism.model import DocId, Topic
from porism.rank.fusion import Fuse
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import (
    IndexRanker,
    focus_formulas,
    formula_tokens,
    weighted_terms,
)
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Replace, Rerank
from porism.rank.structure.formula_vectors import FormulaVectorRanker, formula_vector_ranker
from porism.rank.structure.ltr import FormulaFeatures, WeightedFeatures
from porism.rank.structure.pair_features import TREE_FEATURES, Matrix
from porism.rank.structure.tangent_s import query_trees
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.components.tree_store import TreeSpec
from porism.searchindex.index_folder import SearchIndex
from porism.structure.packed_trees import PackedTrees

EMBEDDING = "graph"

DEPTH = 300
"""Formulas that are scored again, as published; more than 200 gave nothing there."""

SYMBOL_RUNS = FieldSpec(
    "symbol-runs", formula_tokens=(FormulaTokens.SYMBOL_RUNS,), unit=Unit.FORMULAS
)


@dataclass(frozen=True, slots=True)
class SymbolRunQuery:
    """The symbols of the formulas of a topic and their pairs of neighbours, by BM25."""

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        tokens = formula_tokens(focus_formulas(topic), FormulaTokens.SYMBOL_RUNS)
        return (Clause(SYMBOL_RUNS.name, weighted_terms(tokens), BM25),)


GRAPH_FEATURES = (*TREE_FEATURES, "symbols", "graph cosine", "size", "larger")


@dataclass(frozen=True, slots=True)
class GraphFeatures:
    """The features of ``ltr``, and the scores of both rankings and the sizes of formulas.

    The score by symbols is a share of the highest of the whole index, because BM25 grows with the
    query. ``size`` is the smaller number of symbols as a share of the larger one, and ``larger``
    the logarithm of how many times as large as the query a formula is, 0 for a smaller one.
    """

    search_index: SearchIndex = field(repr=False)
    by_graph: FormulaVectorRanker
    by_symbols: IndexRanker

    @property
    def names(self) -> tuple[str, ...]:
        return GRAPH_FEATURES

    def of(self, topic: Topic, visual_ids: Sequence[DocId]) -> Matrix:
        sizes = _layout_sizes(self.search_index.trees(visual_ids))
        whole = _query_size(topic)
        return np.column_stack(
            [
                FormulaFeatures(self.search_index).of(topic, visual_ids),
                self._symbol_shares(topic, visual_ids),
                self.by_graph.cosines(topic, visual_ids),
                np.minimum(sizes, whole) / np.maximum(sizes, whole),
                np.log(np.maximum(sizes, whole) / whole),
            ]
        )

    def _symbol_shares(self, topic: Topic, visual_ids: Sequence[DocId]) -> Matrix:
        best = self.by_symbols.rank(topic, 1)
        if not best:
            return np.zeros(len(visual_ids))
        clauses = self.by_symbols.query_builder(topic)
        shares: Matrix = self.by_symbols.index.scores(clauses, visual_ids) / best[0].score
        return shares


def _query_size(topic: Topic) -> float:
    """Return the mean number of symbols of the formulas of a topic, at least 1."""
    sizes = [len(symbols(query_trees(formula).layout)) for formula in focus_formulas(topic)]
    return max(1.0, fmean(sizes)) if sizes else 1.0


def _layout_sizes(trees: PackedTrees) -> Matrix:
    """Return the number of symbols of each formula."""
    is_row = np.diff(trees.starts) > 0
    sizes = np.zeros(len(is_row))
    sizes[is_row] = trees.numbers[trees.starts[:-1][is_row]] & np.uint64(0xFFFFFFFF)
    return sizes


WEIGHTS: Mapping[str, float] = {
    "layout edit distance": 5.2303,
    "layout weighted edit distance": 3.5006,
    "layout pairs": 4.3165,
    "layout nodes": 0.2242,
    "typed layout edit distance": 2.5155,
    "typed layout weighted edit distance": -2.6568,
    "typed layout pairs": -1.9457,
    "typed layout nodes": -3.1636,
    "operators edit distance": 2.8622,
    "operators weighted edit distance": -6.5659,
    "operators pairs": -1.7145,
    "operators nodes": 0.0359,
    "typed operators edit distance": 0.1433,
    "typed operators weighted edit distance": -12.7699,
    "typed operators pairs": 2.4971,
    "typed operators nodes": -1.0511,
    "layout alignment": 1.0016,
    "operators alignment": 3.702,
    "symbols": 2.5139,
    "graph cosine": 6.0824,
    "size": 3.0036,
    "larger": 1.6652,
}
"""What each feature counts, learned from the topics of 2020 and 2021.

``python -m bench.formula_graph`` learns them again, and measures them on topics that are held out.
"""


def by_symbol_runs(search_index: SearchIndex) -> IndexRanker:
    """Return the ranking by symbols, the second of the two that are fused."""
    return IndexRanker(search_index.formulas, SymbolRunQuery())


def fused_ranker(search_index: SearchIndex) -> Ranker:
    """Return the first stage: the ranks of both rankings, fused."""
    by_graph = formula_vector_ranker(search_index, EMBEDDING)
    return Fuse((by_graph, by_symbol_runs(search_index)))


def graph_features(search_index: SearchIndex) -> GraphFeatures:
    """Return the features of the second stage."""
    by_graph = formula_vector_ranker(search_index, EMBEDDING)
    return GraphFeatures(search_index, by_graph, by_symbol_runs(search_index))


def formula_graph(search_index: SearchIndex) -> Ranker:
    """Graph vectors and symbols, fused, and structure, each formula at its first occurrence."""
    scorer = WeightedFeatures(graph_features(search_index), WEIGHTS)
    reranked = Rerank(fused_ranker(search_index), scorer, DEPTH, Replace(is_stable=False))
    return FirstOccurrences(search_index, reranked)


FORMULA_GRAPH = Maker(formula_graph, (FormulaVectorSpec(EMBEDDING), SYMBOL_RUNS, TreeSpec()))
