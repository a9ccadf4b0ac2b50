"""Porism's own system for formulas: views of a formula, its alignment, its size and its context.

Layouts (L8 tuples), operators and shapes are fields of the index of formulas. The first stage
searches all three; the formulas of the threads that are nearest to the topic's question join its
candidates. A candidate is scored by the share of the topic's formula that it has, its size, and the
best post in which it occurs. The best are then aligned with the topic's formula, up to the names of
variables. ``docs/systems.md`` shows what each part gives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from porism import deadlines
from porism.analysis import FieldSpec, FormulaTokens, Unit, query_layout
from porism.collection.formulas.occurrences import first_layouts, occurrences_in
from porism.formula.alignment import can_be_aligned, common_part
from porism.formula.features import symbol_tokens
from porism.formula.tree import Tree
from porism.inverted import BM25, Clause, Filter, Idf, Index, WeightingModel
from porism.model import DocId, Formula, Ranking, Topic
from porism.rank.explanations import Explanation, scaled, summed
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import (
    IndexRanker,
    explained_terms,
    focus_formulas,
    formula_tokens,
    weighted_terms,
)
from porism.rank.ranker import Maker, Ranker, joined_tokens
from porism.rank.rerank import Add, FirstScale, Replace, Rerank, Scores, explained_values
from porism.rank.systems import porism_answers
from porism.rank.systems.l8 import L8_FORMULAS
from porism.searchindex.index_folder import SearchIndex

OPERATORS = FieldSpec(
    "operators", formula_tokens=(FormulaTokens.OPERATORS,), k1=0.6, unit=Unit.FORMULAS
)
SHAPE = FieldSpec("shape", formula_tokens=(FormulaTokens.SHAPE,), k1=0.6, unit=Unit.FORMULAS)
SYMBOLS = FieldSpec("symbols", formula_tokens=(FormulaTokens.SYMBOLS,), unit=Unit.FORMULAS)
"""For the idf of symbols; it is not searched."""

VIEWS = (
    (L8_FORMULAS, FormulaTokens.L8),
    (OPERATORS, FormulaTokens.OPERATORS),
    (SHAPE, FormulaTokens.SHAPE),
)
"""The fields to search, and the tokens of a formula for each."""

PRESENCE = WeightingModel(Idf.LUCENE, delta=1.0, saturation=0.0)
"""A token counts by its idf if the document has it, however often."""


@dataclass(frozen=True, slots=True)
class ThreeViews:
    """Layout, operators and shape of the formulas of a topic, each a third of the score.

    A view's score is divided by the idf of all its query tokens, known or not, so that under
    ``PRESENCE`` it is the share of the formula that a document has.
    """

    index: Index = field(repr=False)
    model: WeightingModel = BM25

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        formulas = focus_formulas(topic)
        return tuple(self._view(formulas, field_spec, notation) for field_spec, notation in VIEWS)

    def _view(
        self, formulas: tuple[Formula, ...], field_spec: FieldSpec, notation: FormulaTokens
    ) -> Clause:
        counts = Counter(formula_tokens(formulas, notation))
        having = self.index.frequencies(field_spec.name, tuple(counts)).tolist()
        whole = sum(
            count * Idf.LUCENE(self.index.documents, number)
            for count, number in zip(counts.values(), having, strict=True)
        )
        weight = 1 / (len(VIEWS) * whole) if whole else 0.0
        return Clause(field_spec.name, weighted_terms(counts.elements()), self.model, weight)


class FormulaContexts(NamedTuple):
    """What the context of formulas is worth, by visual id, and formulas of the best threads."""

    values: Mapping[str, float]
    candidates: Sequence[str]


@dataclass(frozen=True, slots=True)
class PostContext:
    """How good the best post with a formula is, as an answer to the topic's question.

    Only posts of the first ``depth`` answers count; the best of them has 1. All formulas of the
    first ``threads`` threads are candidates.
    """

    search_index: SearchIndex = field(repr=False)
    answers: Ranker
    depth: int = 200
    threads: int = 50
    # The first stage and the scorer need the contexts of one topic after another.
    _last: list[tuple[Topic, FormulaContexts]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def of(self, topic: Topic) -> FormulaContexts:
        """Return the contexts for a topic, and keep them until ``taken`` or another topic."""
        last = self._last[-1:]
        if not last or last[0][0] is not topic:
            last = [(topic, self._contexts(topic))]
            self._last[:] = last
        return last[0][1]

    def taken(self, topic: Topic) -> FormulaContexts:
        """Return the contexts for a topic, and forget them: what is ranked again costs as much."""
        contexts = self.of(topic)
        self._last.clear()
        return contexts

    def _contexts(self, topic: Topic) -> FormulaContexts:
        hits = self.answers.rank(topic, self.depth)
        collection = self.search_index.collection
        post_values: dict[str, float] = {}
        threads: dict[str, None] = {}
        for hit in hits:
            deadlines.check()
            question = collection.parent(hit.doc_id) or hit.doc_id
            threads.setdefault(question)
            for post in (hit.doc_id, question):
                # Hits come best first, so the first that names a post is its best.
                post_values.setdefault(post, hit.score / hits[0].score)
        best_threads = set(list(threads)[: self.threads])
        values: dict[str, float] = {}
        candidates: dict[str, None] = {}
        for each in occurrences_in(collection, list(post_values)):
            values[each.visual_id] = max(values.get(each.visual_id, 0.0), post_values[each.post_id])
            if each.thread_id in best_threads:
                candidates.setdefault(each.visual_id)
        return FormulaContexts(values, list(candidates))


@dataclass(frozen=True, slots=True)
class WithContextFormulas:
    """The best ``k`` of a search, and beyond ``k`` the formulas of the best threads."""

    first: Ranker
    post_context: PostContext

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        hits = self.first.rank(topic, k, within)
        candidates = self.post_context.of(topic).candidates
        if not candidates:
            return hits
        # Candidates must pass the same filter as what is searched for.
        documents = within.documents if within else None
        allowed = frozenset(candidates) if documents is None else documents.intersection(candidates)
        joined = self.first.rank(
            topic, len(candidates), Filter(within.labels if within else (), allowed)
        )
        known = {hit.doc_id for hit in hits}
        return (*hits, *(hit for hit in joined if hit.doc_id not in known))

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return self.first.explain(topic, doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return joined_tokens((self.first, self.post_context.answers), topic)


@dataclass(frozen=True, slots=True)
class ShareScorer:
    """The share of the topic's formula that a formula has, its size, and its context.

    ``larger`` is how much it counts against a formula that it is larger than the topic's, and
    ``context`` what the best context is worth beside a formula that has all of the topic's.
    """

    share: ThreeViews
    post_context: PostContext
    larger: float = 0.15
    context: float = 0.08

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        visual_ids = [hit.doc_id for hit in hits]
        contexts = self.post_context.taken(topic).values
        shares = self.share.index.scores(self.share(topic), visual_ids)
        shares /= self.size_penalties(topic, visual_ids)
        return shares + self.context * np.array([contexts.get(each, 0.0) for each in visual_ids])

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        visual_ids = [hit.doc_id for hit in hits]
        contexts = self.post_context.taken(topic).values
        penalties = self.size_penalties(topic, visual_ids).tolist()
        clauses = self.share(topic)
        explanations: list[Explanation] = []
        for visual_id, penalty in zip(visual_ids, penalties, strict=True):
            share = explained_terms(self.share.index.explain(clauses, visual_id))
            label = f"share of the query formula, {share.value:.4f} / {penalty:.4f} for its size"
            value = contexts.get(visual_id, 0.0)
            context = Explanation(
                f"best post with the formula, {value:.4f} × {self.context:g}", self.context * value
            )
            explanations.append(
                summed("share and context", (scaled(share, 1 / penalty, label), context))
            )
        return explanations

    def size_penalties(self, topic: Topic, visual_ids: list[DocId]) -> Scores:
        """Return what to divide by: 1 for a formula of the topic's size, more for larger ones."""
        size = len(formula_tokens(focus_formulas(topic), FormulaTokens.SHAPE))
        sizes = self.share.index.lengths(SHAPE.name, visual_ids) / max(1, size)
        return 1 - self.larger + self.larger * sizes


class WeightedLayout(NamedTuple):
    """A layout tree of a query, and the weight of each of its nodes."""

    tree: Tree
    weights: Sequence[float]


def weighted_layout(index: Index, tree: Tree) -> WeightedLayout:
    """Return a query formula with the idf of its symbols as weights; wildcards have none."""
    tokens = symbol_tokens(tree)
    having = index.frequencies(SYMBOLS.name, tokens).tolist()
    return WeightedLayout(
        tree,
        [
            0.0 if token == WILDCARD_SYMBOL else Idf.LUCENE(index.documents, number)
            for token, number in zip(tokens, having, strict=True)
        ],
    )


WILDCARD_SYMBOL = "[*]"

RENAMED = 0.6
"""What a variable with another name counts in an alignment."""


def aligned_weight(query: WeightedLayout, result: Tree) -> float | None:
    """Return the weight of the symbols that are in the common part; None if both are large.

    A symbol that another replaces counts ``RENAMED``.
    """
    if not can_be_aligned(query.tree, result):
        return None
    one, other = symbol_tokens(query.tree), symbol_tokens(result)
    matches: dict[int, float] = {}
    for pair in common_part(query.tree, result).pairs:
        match = 1.0 if one[pair.query] == other[pair.result] else RENAMED
        matches[pair.query] = max(match, matches.get(pair.query, 0.0))
    return sum(query.weights[place] * match for place, match in matches.items())


def aligned_share(queries: Sequence[WeightedLayout], result: Tree) -> float | None:
    """Return the share of query formulas that is in common parts; None if it is not known."""
    aligned = [aligned_weight(query, result) for query in queries]
    known = [weight for weight in aligned if weight is not None]
    whole = sum(sum(query.weights) for query in queries)
    return sum(known) / whole if whole and len(known) == len(queries) else None


@dataclass(frozen=True, slots=True)
class AlignmentScorer:
    """How much more of the topic's formula an alignment finds than the shares of its tokens.

    The share that is aligned, less the mean share of the views, with the same penalty for size; 0
    for formulas that are too large to be aligned.
    """

    share_scorer: ShareScorer
    search_index: SearchIndex = field(repr=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        visual_ids = [hit.doc_id for hit in hits]
        index = self.search_index.formulas
        queries = [
            weighted_layout(index, query_layout(formula.latex, formula.macros).tree)
            for formula in focus_formulas(topic)
        ]
        layouts = first_layouts(self.search_index.collection, visual_ids)
        share = self.share_scorer.share
        gains = share.index.scores(share(topic), visual_ids)
        for place, visual_id in enumerate(visual_ids):
            deadlines.check()
            layout = layouts.get(visual_id)
            aligned = aligned_share(queries, layout) if layout and layout.row else None
            gains[place] = 0.0 if aligned is None else aligned - gains[place]
        return gains / self.share_scorer.size_penalties(topic, visual_ids)

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        label = "share of the query formula when aligned, less that of its tokens"
        return explained_values(label, self.scores(topic, hits))


ALIGNED = 50
"""The first formulas that are aligned, at about 0.3 ms each."""

ALIGNMENT = 1 / 7
"""The weight of the alignment; each view keeps 2/7."""


def porism_formulas(search_index: SearchIndex) -> Ranker:
    """Views and alignment of formulas, their size, and the posts in which they occur."""
    answers = IndexRanker(search_index.answers, porism_answers.WordsAndTuples())
    context = PostContext(search_index, answers)
    scorer = ShareScorer(ThreeViews(search_index.formulas, PRESENCE), context)
    by_share = Rerank(
        WithContextFormulas(
            IndexRanker(search_index.formulas, ThreeViews(search_index.formulas)), context
        ),
        scorer,
        combine=Replace(is_stable=False),
    )
    aligned = Rerank(
        by_share,
        AlignmentScorer(scorer, search_index),
        depth=ALIGNED,
        combine=Add(ALIGNMENT, FirstScale.UNCHANGED),
        is_prefix_stable=True,
    )
    return FirstOccurrences(search_index, aligned)


FORMULAS = Maker(
    porism_formulas,
    (porism_answers.WORDS, porism_answers.TUPLES, L8_FORMULAS, OPERATORS, SHAPE, SYMBOLS),
)
