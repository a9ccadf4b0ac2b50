"""Tangent-S, the lab's baseline: symbol pairs of both trees, then alignments (S1 4.3, 5.3).

The formulas that share most symbol pairs with the query formula are found for each tree on its
own, and aligned with it. A formula that was found by one tree only has zeros for the other. The six
values of the two alignments are added with the weights that the lab used, the mean of those learned
on NTCIR-12.

An answer to a question has the score of its best formula for one formula of the question. The lab's
released script kept that of the last one in the ranking instead, because it overwrote the score
while going down the list; we take that for an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import (
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    query_layout,
    visual_token,
)
from porism.formula.features import operand_pairs, symbol_pairs
from porism.formula.features.tangent_layout import WILDCARD, symbols
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from porism.inverted import Clause, Filter, Idf, Index, Term, WeightingModel
from porism.model import DocId, Formula, Hit, Ranking, Topic, ranked
from porism.rank.explanations import NOT_FOUND, Explanation, scaled, summed
from porism.rank.fusion import CombSum, Fuse
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import focus_formulas
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems import baselines
from porism.searchindex.components.feature_index import (
    FeaturePart,
    FeatureSpec,
    Mask,
    ScoredRows,
    best_rows,
    posting_spans,
)
from porism.searchindex.components.tree_store import TreeSpec
from porism.searchindex.index_folder import SearchIndex
from porism.structure.alignment_scores import alignment_scores
from porism.structure.linked_trees import MAX_ALIGNED
from porism.structure.packed_features import PackedFeatures
from porism.structure.packed_trees import packed_tree
from porism.structure.pair_overlap import PairBag, count_shared, dice_scores, pair_bag
from porism.structure.tree_edit_distance import TreeKind

Vectors = NDArray[np.float64]

CONSTANT = 0.2930
LAYOUT_WEIGHTS = (0.0861, -0.1694, 1.8469)
OPERATOR_WEIGHTS = (0.9657, -0.0153, -0.3301)
"""The weights of similarity, precision and recall of each tree, as published."""

_VALUES = ("similarity of the common subtree", "matched share of the formula", "exact share")

FORMULA_DEPTH, ANSWER_DEPTH = 2_000, 1_000
"""Formulas that are aligned for each tree: the lab's numbers for Task 2 and for Task 1."""


class QueryTrees(NamedTuple):
    """A query formula as both trees."""

    layout: Tree
    operators: Tree


def query_trees(formula: Formula) -> QueryTrees:
    """Return the trees of a query formula; empty ones if the parser refused it."""
    layout = query_layout(formula.latex, formula.macros).tree
    return QueryTrees(layout, operator_tree(layout))


class PairSearch:
    """Scores the rows of a feature index by Dice's coefficient, one part after another.

    Rows that score lower than ``k`` rows of earlier parts are left out.
    """

    def __init__(self, bag: PairBag) -> None:
        self._bag = bag
        self._best: dict[int, Vectors] = {}

    def __call__(self, part: FeaturePart, allowed: Mask, k: int) -> ScoredRows:
        """Return the best rows of a part."""
        features, counts, total = self._bag
        before = self._best.get(k, np.zeros(0))
        least = before.min() if len(before) >= k else 0.0
        firsts, lasts = posting_spans(part, features)
        shared = np.zeros(len(part.is_live), np.uint16)
        count_shared(part.rows, part.payloads, firsts, lasts, counts, shared)
        rows, scores = np.empty(len(shared), np.int64), np.empty(len(shared))
        found = dice_scores(shared, part.values[:, 0], allowed, total, least, rows, scores)
        best = best_rows(scores[:found], rows[:found], k)
        joined = np.concatenate((before, best.scores))
        self._best[k] = np.partition(joined, -k)[-k:] if len(joined) > k else joined
        return best


def pair_candidates(
    search_index: SearchIndex,
    kind: PackedFeatures,
    pairs: Sequence[str],
    depth: int,
    within: Filter | None,
) -> list[DocId]:
    """Return the visual ids of the formulas that share most pairs, best first."""
    if not pairs:
        return []
    found = search_index.features(kind).best(
        depth, search_index.formulas, within, PairSearch(pair_bag(pairs))
    )
    return [doc_id for _, doc_id in found]


def aligned_candidates(
    search_index: SearchIndex, formula: Formula, depth: int, within: Filter | None
) -> dict[DocId, Vectors]:
    """Return the six alignment values of each candidate, those of the layout tree first.

    A candidate of one tree has zeros for the other. Candidates are in the order of their pairs,
    those of the layout tree first.
    """
    layout, operators = query_trees(formula)
    values: dict[DocId, Vectors] = {}
    for tree_kind, kind, tree, pairs in (
        (TreeKind.LAYOUT, PackedFeatures.LAYOUT_PAIRS, layout, symbol_pairs(layout)),
        (TreeKind.OPERATORS, PackedFeatures.OPERATOR_PAIRS, operators, operand_pairs(operators)),
    ):
        visual_ids = pair_candidates(search_index, kind, pairs, depth, within)
        scores = alignment_scores(packed_tree(tree), search_index.trees(visual_ids), tree_kind)
        first = 0 if tree_kind is TreeKind.LAYOUT else 3
        for visual_id, of_formula in zip(visual_ids, scores, strict=True):
            values.setdefault(visual_id, np.zeros(6))[first : first + 3] = of_formula
    return values


def combined_scores(values: Vectors) -> Vectors:
    """Return the weighted sum of the six values of each formula (rows)."""
    scores: Vectors = CONSTANT + values @ np.array(LAYOUT_WEIGHTS + OPERATOR_WEIGHTS)
    return scores


def explained_alignment(formula: Formula, values: Vectors) -> Explanation:
    """Explain the weighted sum of the six values of a formula, for a query formula."""
    parts = [Explanation("constant", CONSTANT)]
    layout, operators = query_trees(formula)
    for tree, query, weights, own in (
        ("layout tree", layout, LAYOUT_WEIGHTS, values[:3].tolist()),
        ("operator tree", operators, OPERATOR_WEIGHTS, values[3:].tolist()),
    ):
        details = (
            Explanation(f"{name}, {value:.4f} × {weight:g}", value * weight)
            for name, value, weight in zip(_VALUES, own, weights, strict=True)
        )
        label = f"alignment of the {tree}" if any(own) else f"not found by the {tree}"
        if len(packed_tree(query).labels) > MAX_ALIGNED:
            label += f", the first {MAX_ALIGNED} symbols of the query"
        parts.append(summed(label, details))
    return summed("alignment of both trees", parts)


@dataclass(frozen=True, slots=True)
class TangentS:
    """Visually distinct formulas by their alignment with the formula of a topic.

    Of a topic with several formulas, such as a typed one, the scores for each are added.
    """

    search_index: SearchIndex = field(repr=False)
    depth: int = FORMULA_DEPTH

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        scores: dict[DocId, float] = {}
        for values in self._values(topic, within):
            if values:
                own = combined_scores(np.array(list(values.values()))).tolist()
                for visual_id, score in zip(values, own, strict=True):
                    scores[visual_id] = scores.get(visual_id, 0.0) + score
        return ranked(map(Hit, scores, scores.values()))[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        formulas, found = focus_formulas(topic), self._values(topic, within)
        explanations: list[Explanation] = []
        for doc_id in doc_ids:
            parts = [
                explained_alignment(formula, values[doc_id])
                for formula, values in zip(formulas, found, strict=True)
                if doc_id in values
            ]
            if len(parts) == 1:
                explanations.append(parts[0])
            else:
                explanations.append(summed("formulas of the topic", parts) if parts else NOT_FOUND)
        return explanations

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        tokens: list[str] = []
        for formula in focus_formulas(topic):
            layout, operators = query_trees(formula)
            tokens += (*symbol_pairs(layout), *operand_pairs(operators))
        # Pairs with a wildcard are not searched for, see ``pair_bag``.
        searched = (pair for pair in tokens if WILDCARD not in pair[1:-1].split(","))
        return tuple(dict.fromkeys(searched))

    def _values(self, topic: Topic, within: Filter | None) -> list[Mapping[DocId, Vectors]]:
        return [
            aligned_candidates(self.search_index, formula, self.depth, within)
            for formula in focus_formulas(topic)
        ]


ANSWER_FORMULAS = FieldSpec(
    "answer-formulas",
    frozenset({DocumentPart.ANSWER}),
    formula_tokens=(FormulaTokens.VISUAL,),
)
"""The formulas of answers, by visual id, without those of comments."""

_PRESENT = WeightingModel(Idf.LUCENE, delta=1.0, saturation=0.0)

_AT_ONCE = 20
"""Formulas whose documents are searched at once."""


def best_formulas(
    answers: Index, field: str, formulas: Sequence[DocId], k: int, within: Filter | None
) -> dict[DocId, int]:
    """Return ``k`` documents with the best of their formulas, by its place among ``formulas``.

    ``formulas`` are visual ids, best first; ``field`` has those of each document. Formulas are
    searched together with weights that fall by a factor of 4, so that the score of a document says
    which is its best one.
    """
    best: dict[DocId, int] = {}
    for first in range(0, len(formulas), _AT_ONCE):
        deadlines.check()
        if len(best) >= k:
            break
        tokens = [visual_token(each) for each in formulas[first : first + _AT_ONCE]]
        having = answers.frequencies(field, tokens).tolist()
        terms = tuple(
            Term(token, 0.25**place / Idf.LUCENE(answers.documents, number))
            for place, (token, number) in enumerate(zip(tokens, having, strict=True))
            if number
        )
        clause = Clause(field, terms, _PRESENT)
        for score, doc_id in answers.best([clause], k, within):
            best.setdefault(doc_id, first + round(-log2(score) / 2))
    return best


def chosen_formula(topic: Topic) -> Formula | None:
    """Return the formula with most symbols of the title, else of the body; of equals the first.

    The lab chose among equals at random. A formula that the parser refused has no symbols.
    """
    for content in (topic.title, topic.body):
        formulas = [piece for piece in content if isinstance(piece, Formula)]
        if formulas:
            return max(formulas, key=lambda formula: len(symbols(query_trees(formula).layout)))
    return topic.focus


@dataclass(frozen=True, slots=True)
class TangentSAnswers:
    """Answers by their best formula, for the largest formula of a question."""

    search_index: SearchIndex = field(repr=False)
    depth: int = ANSWER_DEPTH

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        formulas = self._formulas(topic)
        best = self._best(formulas, k, within)
        return ranked(Hit(doc_id, formulas[place].score) for doc_id, place in best.items())[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        formulas = self._formulas(topic)
        wanted = Filter(within.labels if within else (), frozenset(doc_ids))
        if within is not None and within.documents is not None:
            wanted = Filter(within.labels, within.documents.intersection(doc_ids))
        best = self._best(formulas, len(doc_ids), wanted)
        chosen = [formulas[place].doc_id for place in best.values()]
        explained = dict(
            zip(
                best,
                TangentS(self.search_index, self.depth).explain(self._query(topic), chosen),
                strict=True,
            )
        )
        labels = dict(zip(best, chosen, strict=True))
        return [
            scaled(explained[doc_id], 1.0, f"best formula, visual id {labels[doc_id]}")
            if doc_id in explained
            else NOT_FOUND
            for doc_id in doc_ids
        ]

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return TangentS(self.search_index, self.depth).tokens(self._query(topic))

    def _formulas(self, topic: Topic) -> Ranking:
        """Return the ranking of all candidates for the formula of a topic."""
        return TangentS(self.search_index, self.depth).rank(self._query(topic), 2 * self.depth)

    def _best(self, formulas: Ranking, k: int, within: Filter | None) -> dict[DocId, int]:
        visual_ids = [hit.doc_id for hit in formulas]
        return best_formulas(self.search_index.answers, ANSWER_FORMULAS.name, visual_ids, k, within)

    def _query(self, topic: Topic) -> Topic:
        """Return a topic of the chosen formula alone."""
        formula = chosen_formula(topic)
        return Topic(topic.id, focus=formula) if formula is not None else Topic(topic.id)


def tangent_s_formulas(search_index: SearchIndex) -> Ranker:
    """Tangent-S over visually distinct formulas, each at its first occurrence."""
    return FirstOccurrences(search_index, TangentS(search_index))


def tangent_s_answers(search_index: SearchIndex) -> Ranker:
    """Tangent-S over answers."""
    return TangentSAnswers(search_index)


def tfidf_tangent_s(search_index: SearchIndex) -> Ranker:
    """The mean of ``tfidf`` and ``tangent-s``, each scaled from 0 to 1 by topic."""
    rankers = (baselines.TFIDF.make(search_index), tangent_s_answers(search_index))
    return Fuse(rankers, (0.5, 0.5), CombSum())


PAIR_SPECS = (
    FeatureSpec(PackedFeatures.LAYOUT_PAIRS),
    FeatureSpec(PackedFeatures.OPERATOR_PAIRS),
    TreeSpec(),
)
"""What finding and aligning formulas needs of an index."""

TANGENT_S_FORMULAS = Maker(tangent_s_formulas, PAIR_SPECS)
TANGENT_S = Maker(tangent_s_answers, (*PAIR_SPECS, ANSWER_FORMULAS))
TFIDF_TANGENT_S = Maker(tfidf_tangent_s, (*baselines.TFIDF.needs, *TANGENT_S.needs))
