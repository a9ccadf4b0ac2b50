"""The scores of ``porism`` for formulas, split so that constants are tried without new searches.

Scores are linear in the parts that the constants weigh. So each part is computed once per topic,
over all documents, and combined as in the system. A search rounds scores to 32 bits, so here the
parts are rounded, and there their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.quality import K
from porism.analysis import query_layout
from porism.collection.formulas.occurrences import (
    FormulaOccurrence,
    first_layouts,
    first_occurrences,
)
from porism.collection.formulas.visual_groups import visual_formulas
from porism.inverted import Clause, Index
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.occurrences import FirstOccurrences, occurrence_hits
from porism.rank.query_builder import focus_formulas, formula_tokens
from porism.rank.rerank import Rerank
from porism.rank.systems.porism_formulas import (
    ALIGNED,
    ALIGNMENT,
    SHAPE,
    VIEWS,
    ShareScorer,
    ThreeViews,
    WithContextFormulas,
    aligned_share,
    porism_formulas,
    weighted_layout,
)
from porism.searchindex.index_folder import SearchIndex

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Documents:
    """The documents of an index in some order, and the position of each."""

    index: Index
    doc_ids: Sequence[DocId]
    places: Mapping[str, int]

    def scores(self, clause: Clause) -> Vector:
        """The score of every document, by a search, which is faster than one by one."""
        scores = np.zeros(len(self.doc_ids))
        for hit in self.index.search((clause,), self.index.documents):
            place = self.places.get(hit.doc_id)
            if place is not None:
                scores[place] = hit.score
        return scores


def documents(index: Index, doc_ids: Iterable[str]) -> Documents:
    """Documents in the order given."""
    listed = [DocId(each) for each in doc_ids]
    return Documents(index, listed, {doc_id: place for place, doc_id in enumerate(listed)})


class FormulaPoint(NamedTuple):
    """The constants of ``porism`` for formulas; ``views`` add up to 1."""

    views: tuple[float, ...]
    larger: float
    context: float


@dataclass(frozen=True)
class VisualFormulas:
    """Visually distinct formulas of posts, the first occurrence of each, and its size."""

    documents: Documents
    first: Mapping[str, FormulaOccurrence]
    sizes: Vector


def all_visual_formulas(library: SearchIndex) -> VisualFormulas:
    """All visually distinct formulas that occur in posts."""
    known = documents(
        library.formulas,
        (each.visual_id for each in visual_formulas(library.collection) if each.is_in_post),
    )
    sizes = library.formulas.lengths(SHAPE.name, known.doc_ids).astype(float)
    return VisualFormulas(known, first_occurrences(library.collection, known.doc_ids), sizes)


@dataclass(frozen=True)
class FormulaParts:
    """The parts of the scores of all formulas for a topic.

    ``first`` and ``share`` have a row for each view: its score in the first search, and the share
    of the topic's formula. ``in_context`` are the positions of formulas from the context.
    ``aligned`` returns the aligned shares of some formulas, NaN where they are not known.
    """

    formula_ranker: VisualFormulas
    first: Vector
    share: Vector
    size: Vector
    context: Vector
    in_context: NDArray[np.int64]
    aligned: Callable[[NDArray[np.int64]], Vector]

    def rank(self, point: FormulaPoint) -> Ranking:
        """The system's ranking with these constants, by first occurrence."""
        weights = np.array(point.views)
        first = _rounded(weights @ self.first)
        known = self.formula_ranker.documents
        head = np.union1d(_best(first, known), self.in_context[first[self.in_context] > 0])
        share = (weights @ self.share)[head]
        penalty = 1 - point.larger + point.larger * self.size[head]
        total = _rounded(share / penalty + point.context * self.context[head])
        doc_ids = [known.doc_ids[place] for place in head.tolist()]
        order = sorted(range(len(head)), key=lambda at: (total[at], doc_ids[at]), reverse=True)
        best = order[:ALIGNED]
        gains = np.nan_to_num(self.aligned(head[best]) - share[best])
        total[best] += ALIGNMENT * gains / penalty[best]
        hits = _hits(known, head, total)
        occurrences = self.formula_ranker.first
        return occurrence_hits([(occurrences[hit.doc_id], hit.score) for hit in hits[:K]])


class FormulaSystem(NamedTuple):
    """The system for formulas, before occurrences are looked up, and its parts.

    ``system`` aligns the first formulas of ``by_share``.
    """

    system: Rerank
    by_share: Rerank
    first: WithContextFormulas
    scorer: ShareScorer


def shipped_formulas(library: SearchIndex) -> FormulaSystem:
    """The system for formulas in the catalog."""
    outer = porism_formulas(library)
    assert isinstance(outer, FirstOccurrences)
    system = outer.formula_ranker
    assert isinstance(system, Rerank)
    by_share = system.first
    assert isinstance(by_share, Rerank)
    assert isinstance(by_share.first, WithContextFormulas)
    assert isinstance(by_share.scorer, ShareScorer)
    return FormulaSystem(system, by_share, by_share.first, by_share.scorer)


def formula_parts(library: SearchIndex, known: VisualFormulas, topic: Topic) -> FormulaParts:
    """The parts of the scores of all formulas for a topic."""
    system = shipped_formulas(library)
    contexts, in_context = system.scorer.post_context.taken(topic)
    query_size = len(formula_tokens(focus_formulas(topic), *SHAPE.formula_tokens))
    places = known.documents.places
    return FormulaParts(
        known,
        _views(known.documents, ThreeViews(library.formulas)(topic)),
        _views(known.documents, system.scorer.share(topic)),
        known.sizes / max(1, query_size),
        np.array([contexts.get(doc_id, 0.0) for doc_id in known.documents.doc_ids]),
        np.array([places[each] for each in in_context if each in places], np.int64),
        _aligned_shares(library, known, topic),
    )


def _aligned_shares(
    library: SearchIndex, known: VisualFormulas, topic: Topic
) -> Callable[[NDArray[np.int64]], Vector]:
    """A function that aligns each formula once."""
    queries = [
        weighted_layout(library.formulas, query_layout(formula.latex, formula.macros).tree)
        for formula in focus_formulas(topic)
    ]
    doc_ids = known.documents.doc_ids
    shares: dict[int, float] = {}

    def aligned(places: NDArray[np.int64]) -> Vector:
        missing = [place for place in places.tolist() if place not in shares]
        layouts = first_layouts(library.collection, [doc_ids[place] for place in missing])
        for place in missing:
            layout = layouts.get(doc_ids[place])
            share = aligned_share(queries, layout) if layout and layout.row else None
            shares[place] = np.nan if share is None else share
        return np.array([shares[place] for place in places.tolist()])

    return aligned


def _views(known: Documents, clauses: Sequence[Clause]) -> Vector:
    """The scores of each view by itself."""
    alone = (replace(each, weight=each.weight * len(VIEWS)) for each in clauses)
    return np.array([known.scores(each) for each in alone])


def _rounded(scores: Vector) -> Vector:
    """The scores rounded as by a search."""
    return scores.astype(np.float32).astype(np.float64)


def _best(scores: Vector, known: Documents) -> NDArray[np.int64]:
    """The positions of the best ``K`` with a positive score, unordered."""
    least = np.partition(scores, -K)[-K] if len(scores) > K else 0.0
    above = np.flatnonzero(scores > max(least, 0.0))
    tied = np.flatnonzero(scores == least) if least > 0 else np.empty(0, np.int64)
    in_order = sorted(tied.tolist(), key=lambda place: known.doc_ids[place], reverse=True)
    return np.concatenate([above, np.array(in_order[: K - len(above)], np.int64)])


def _hits(known: Documents, places: NDArray[np.int64], scores: Vector) -> Ranking:
    return ranked(
        Hit(known.doc_ids[place], score)
        for place, score in zip(places.tolist(), scores.tolist(), strict=True)
    )
