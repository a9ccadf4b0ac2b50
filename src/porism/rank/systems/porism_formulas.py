"""Porism's own system for formulas: three views of a formula, its size, and where it stands.

Layouts (L8 tuples), operators and shapes are fields of the index of formulas. A first search over
all three finds candidates; the formulas of the threads that are nearest to the topic's question
join them. Of each candidate is then known what share of the topic's formula it has, how much
larger it is, and how good the best post is in which it stands. ``docs/systems.md`` shows what each
part gives.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import FieldSpec, FormulaTokens, Unit
from porism.collection.visual_formulas import occurrences_in
from porism.index import BM25, Clause, Filter, Idf, Index, WeightingModel
from porism.model import DocId, Formula, Hit, Ranking, Topic, ranked
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import IndexRanker, focus_formulas, formula_tokens, weighted_terms
from porism.rank.ranker import Ranker
from porism.rank.systems import porism_answers
from porism.rank.systems.l8 import L8_FORMULAS
from porism.searchindex.index_folder import SearchIndex

OPERATORS = FieldSpec(
    "operators", formula_tokens=(FormulaTokens.OPERATORS,), k1=0.6, unit=Unit.FORMULAS
)
SHAPE = FieldSpec("shape", formula_tokens=(FormulaTokens.SHAPE,), k1=0.6, unit=Unit.FORMULAS)

VIEWS = (
    (L8_FORMULAS, FormulaTokens.L8),
    (OPERATORS, FormulaTokens.OPERATORS),
    (SHAPE, FormulaTokens.SHAPE),
)
"""The fields that are asked, and what of a formula is asked of each."""

NEEDS = (porism_answers.WORDS, porism_answers.TUPLES, L8_FORMULAS, OPERATORS, SHAPE)

PRESENCE = WeightingModel(Idf.LUCENE, delta=1.0, saturation=0.0)
"""A token counts by its idf if the document has it, however often."""


@dataclass(frozen=True, slots=True)
class ThreeViews:
    """Layout, operators and shape of the formulas of a topic, each a third of the score.

    A view's score is divided by the idf of all that is asked of it, known or not, so that under
    ``PRESENCE`` it is the share of the formula that a document has.
    """

    index: Index = field(repr=False)
    model: WeightingModel = BM25

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        asked = focus_formulas(topic)
        return tuple(self._view(asked, recipe, notation) for recipe, notation in VIEWS)

    def _view(
        self, asked: tuple[Formula, ...], recipe: FieldSpec, notation: FormulaTokens
    ) -> Clause:
        counts = Counter(formula_tokens(asked, notation))
        having = self.index.frequencies(recipe.name, tuple(counts)).tolist()
        whole = sum(
            count * Idf.LUCENE(self.index.documents, number)
            for count, number in zip(counts.values(), having, strict=True)
        )
        weight = 1 / (len(VIEWS) * whole) if whole else 0.0
        return Clause(recipe.name, weighted_terms(counts.elements()), self.model, weight)


@dataclass(frozen=True, slots=True)
class PostContext:
    """How good the best post is in which a formula stands, as an answer to the topic's question.

    Only posts of the first ``depth`` answers count; the best of them has 1. All formulas of the
    first ``threads`` threads are candidates.
    """

    library: SearchIndex = field(repr=False)
    answers: Ranker
    depth: int = 200
    threads: int = 50

    def of(self, topic: Topic) -> tuple[dict[str, float], list[str]]:
        """By visual id what a formula's context is worth, and the visual ids of candidates."""
        found = self.answers.rank(topic, self.depth)
        collection = self.library.collection
        worth: dict[str, float] = {}
        near: dict[str, None] = {}
        for hit in found:
            deadlines.check()
            question = collection.parent(hit.doc_id) or hit.doc_id
            near.setdefault(question)
            for post in (hit.doc_id, question):
                # Hits come best first, so the first that names a post is its best.
                worth.setdefault(post, hit.score / found[0].score)
        near_threads = set(list(near)[: self.threads])
        contexts: dict[str, float] = {}
        candidates: dict[str, None] = {}
        for each in occurrences_in(collection, list(worth)):
            contexts[each.visual_id] = max(contexts.get(each.visual_id, 0.0), worth[each.post_id])
            if each.thread_id in near_threads:
                candidates.setdefault(each.visual_id)
        return contexts, list(candidates)


@dataclass(frozen=True, slots=True)
class ContextRerank:
    """Candidates by the share of the topic's formula that they have, their size and context.

    ``larger`` is how much it counts against a formula that it is larger than the topic's, and
    ``context`` what the best context is worth beside a formula that has all of the topic's.
    """

    first: IndexRanker
    share: ThreeViews
    post_context: PostContext
    larger: float = 0.2
    context: float = 0.08
    depth: int = 1000

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        found = self.first.rank(topic, max(k, self.depth), where)
        contexts, near = self.post_context.of(topic)
        # Candidates by context must pass the same filter as those that were searched for.
        within = where.documents if where else None
        named = frozenset(near) if within is None else within.intersection(near)
        allowed = Filter(where.labels if where else (), named)
        joined = self.first.rank(topic, len(near), allowed) if near else ()
        head = list(dict.fromkeys(hit.doc_id for hit in (*found[: self.depth], *joined)))
        scores = self._shares(topic, head)
        scores += self.context * np.array([contexts.get(doc_id, 0.0) for doc_id in head])
        closer = [Hit(doc_id, score) for doc_id, score in zip(head, scores.tolist(), strict=True)]
        seen = set(head)
        # All others were scored by another measure, and stay in their order below these.
        rest = [hit for hit in found if hit.doc_id not in seen]
        lower = [Hit(hit.doc_id, -float(place)) for place, hit in enumerate(rest, start=1)]
        return ranked((*closer, *lower))[:k]

    def _shares(self, topic: Topic, looks: list[DocId]) -> NDArray[np.float64]:
        """What share of the topic's formula each has, less if it is larger."""
        index = self.share.index
        asked = len(formula_tokens(focus_formulas(topic), FormulaTokens.SHAPE))
        sizes = index.lengths(SHAPE.name, looks) / max(1, asked)
        return index.scores(self.share(topic), looks) / (1 - self.larger + self.larger * sizes)


def porism_formulas(library: SearchIndex) -> Ranker:
    """Layout, operators and shape of formulas, their size, and the posts in which they stand."""
    answers = IndexRanker(library.answers, porism_answers.WordsAndTuples())
    looks = ContextRerank(
        IndexRanker(library.formulas, ThreeViews(library.formulas)),
        ThreeViews(library.formulas, PRESENCE),
        PostContext(library, answers),
    )
    return FirstOccurrences(library, looks)
