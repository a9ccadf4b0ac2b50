"""The scores of ``porism`` taken apart, so that any constants can be tried without searching anew.

Scores are linear in what the constants weigh. So each part is asked of the index once for each
topic, over all documents, and put together as the system does it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.quality import K
from porism.collection.looks import Occurrence, first_occurrences, looks
from porism.indexing.library import Library
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.asking import focus, tokens_of
from porism.rank.occurrences import FirstOccurrences, hits
from porism.rank.porism_answers import WithLikeness, WordsAndTuples, porism
from porism.rank.porism_formulas import (
    SHAPE,
    VIEWS,
    InContext,
    ThreeViews,
    porism_formulas,
)

Vector = NDArray[np.float64]


class AnswerPoint(NamedTuple):
    """The constants of ``porism`` for answers."""

    title: float
    tuples: float
    likeness: float


@dataclass(frozen=True)
class AnswerParts:
    """What words, tuples and whole formulas of a topic give to each answer.

    Of each the first row is what the title gives, and the second what the rest does.
    """

    doc_ids: Sequence[DocId]
    words: Vector
    tuples: Vector
    alike: Vector

    def rank(self, point: AnswerPoint) -> Ranking:
        """As ``WithLikeness`` ranks with these constants."""
        weights = np.array([point.title, 1.0])
        words, tuples, alike = weights @ self.words, weights @ self.tuples, weights @ self.alike
        first = _rounded((1 - point.tuples) * words + point.tuples * tuples)
        found = _best(first, self.doc_ids)
        if not len(found):
            return ()
        total = first[found] / first.max() + point.likeness * alike[found]
        return _hits(self.doc_ids, found, total)


def shipped_answers(library: Library) -> WithLikeness:
    """The system as it is, known by its class."""
    system = porism(library)
    assert isinstance(system, WithLikeness)
    return system


def answer_parts(library: Library, topic: Topic) -> AnswerParts:
    """The parts of the scores of all answers for a topic."""
    doc_ids = [DocId(each) for each in library.answers.doc_ids()]
    asking = WordsAndTuples(library.keywords, title=1.0)
    reranking = replace(shipped_answers(library), title=1.0)
    everything = tuple(Hit(doc_id, 0.0) for doc_id in doc_ids)
    halves = (replace(topic, body=(), tags=()), replace(topic, title=()))
    asked = [[replace(clause, weight=1.0) for clause in asking(half)] for half in halves]
    words = [library.answers.scores((clauses[0],), doc_ids) for clauses in asked]
    tuples = [library.answers.scores((clauses[1],), doc_ids) for clauses in asked]
    alike = [reranking.alike(half, everything) for half in halves]
    return AnswerParts(doc_ids, np.array(words), np.array(tuples), np.array(alike))


class FormulaPoint(NamedTuple):
    """The constants of ``porism`` for formulas; ``views`` add up to 1."""

    views: tuple[float, ...]
    larger: float
    context: float


@dataclass(frozen=True)
class Looks:
    """Visually distinct formulas of posts, and the first occurrence of each."""

    library: Library
    doc_ids: Sequence[DocId]
    places: dict[str, int]
    first: dict[str, Occurrence]


def all_looks(library: Library) -> Looks:
    """All that a search for formulas may find."""
    doc_ids = [DocId(look.visual_id) for look in looks(library.collection) if look.is_in_post]
    places = {str(doc_id): place for place, doc_id in enumerate(doc_ids)}
    return Looks(library, doc_ids, places, first_occurrences(library.collection, doc_ids))


@dataclass(frozen=True)
class FormulaParts:
    """What is known of each formula for a topic.

    ``first`` and ``share`` have a row for each view: its score in the first search, and the share
    of the topic's formula. ``near`` are the places of formulas that the context names.
    """

    looks: Looks
    first: Vector
    share: Vector
    size: Vector
    context: Vector
    near: NDArray[np.int64]

    def rank(self, point: FormulaPoint) -> Ranking:
        """As ``InContext`` ranks with these constants, each formula by its first occurrence."""
        weights = np.array(point.views)
        first = _rounded(weights @ self.first)
        head = np.union1d(_best(first, self.looks.doc_ids), self.near[first[self.near] > 0])
        share = (weights @ self.share)[head]
        total = share / (1 - point.larger + point.larger * self.size[head])
        found = _hits(self.looks.doc_ids, head, total + point.context * self.context[head])
        occurring = self.looks.first
        return hits([(occurring[hit.doc_id], hit.score) for hit in found[:K]])


def shipped_formulas(library: Library) -> InContext:
    """The system as it is, before formulas are looked up in posts."""
    system = porism_formulas(library)
    assert isinstance(system, FirstOccurrences)
    assert isinstance(system.looks, InContext)
    return system.looks


def formula_parts(known: Looks, topic: Topic) -> FormulaParts:
    """The parts of the scores of all formulas for a topic."""
    system = shipped_formulas(known.library)
    contexts, near = system.where_it_stands.of(topic)
    sizes = known.library.formulas.lengths(SHAPE.name, known.doc_ids)
    asked = len(tokens_of(focus(topic), SHAPE.notations[0]))
    return FormulaParts(
        known,
        _views(known, topic, ThreeViews(known.library.formulas)),
        _views(known, topic, system.share),
        sizes / max(1, asked),
        np.array([contexts.get(doc_id, 0.0) for doc_id in known.doc_ids]),
        np.array([known.places[each] for each in near if each in known.places], np.int64),
    )


def _views(known: Looks, topic: Topic, asking: ThreeViews) -> Vector:
    """The scores of each view, as if it were the only one."""
    clauses = (replace(each, weight=each.weight * len(VIEWS)) for each in asking(topic))
    return np.array([known.library.formulas.scores((each,), known.doc_ids) for each in clauses])


def _rounded(scores: Vector) -> Vector:
    """The scores as a search returns them."""
    return scores.astype(np.float32).astype(np.float64)


def _best(scores: Vector, doc_ids: Sequence[DocId]) -> NDArray[np.int64]:
    """The places of the first ``K`` that have any score, in no order."""
    least = np.partition(scores, -K)[-K] if len(scores) > K else 0.0
    above = np.flatnonzero(scores > max(least, 0.0))
    tied = np.flatnonzero(scores == least) if least > 0 else np.empty(0, np.int64)
    in_order = sorted(tied.tolist(), key=lambda place: doc_ids[place], reverse=True)
    return np.concatenate([above, np.array(in_order[: K - len(above)], np.int64)])


def _hits(doc_ids: Sequence[DocId], places: NDArray[np.int64], scores: Vector) -> Ranking:
    return ranked(
        Hit(doc_ids[place], score)
        for place, score in zip(places.tolist(), scores.tolist(), strict=True)
    )
