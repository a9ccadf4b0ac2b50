"""What every system can do, and how it is made for an index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.searchindex.components import ComponentSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole


class Ranker(Protocol):
    """A system with all its parameters; printed, it describes itself in full."""

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        """Return the best ``k`` documents for a topic, fewer if fewer match.

        Only documents that pass the filter are found, if one is given.
        """
        ...

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        """Explain the score that ``rank`` gives to each document, for the same filter.

        The ids are those of hits: of formulas that are found in posts, ids of occurrences.
        """
        ...

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        """Return the tokens that it searches with, words as stems; None if it uses no tokens."""
        ...


Made_co = TypeVar("Made_co", covariant=True)


def no_notes(search_index: SearchIndex) -> tuple[str, ...]:
    """Return no notes, for a system that lacks nothing on any index that has what it needs."""
    return ()


@dataclass(frozen=True, slots=True)
class Maker(Generic[Made_co]):
    """How a system is made for one task, a ranker or an answerer, and what it needs of an index.

    One that ``uses_vectors`` ranks better with vectors, and also works without them. ``models`` are
    the roles of other models that it uses if the index has been given them; one that
    ``requires_model`` does not work without the first of them. ``optional`` is built for it, too,
    but it works with whatever of these an index has; ``notes`` says what it then lacks.
    """

    make: Callable[[SearchIndex], Made_co]
    needs: tuple[ComponentSpec, ...] = ()
    uses_vectors: bool = False
    models: tuple[ModelRole, ...] = ()
    requires_model: bool = False
    optional: tuple[ComponentSpec, ...] = ()
    notes: Callable[[SearchIndex], tuple[str, ...]] = no_notes


def best_hits(
    doc_ids: Sequence[DocId],
    scores: NDArray[np.float64],
    k: int,
    post_ids: Sequence[DocId | None] | None = None,
) -> Ranking:
    """Return the best ``k`` of documents and their scores, exactly as ``ranked`` orders them.

    Hits are made of these alone, and ids are compared only where scores are equal.

    >>> [hit.doc_id for hit in best_hits(["a", "b", "c"], np.array([1.0, 1.0, 2.0]), 2)]
    ['c', 'b']
    """
    if k < 1:
        return ()
    rounded = scores.astype(np.float32)
    order = np.argsort(-rounded, kind="stable")
    ordered = rounded[order]
    if k < len(order):
        # Of those that equal the last one, the ids decide.
        size = int(np.searchsorted(-ordered, -ordered[k - 1], side="right"))
        order, ordered = order[:size], ordered[:size]
    places = order.tolist()
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    bounds = np.concatenate([np.zeros(1, np.int64), changes, np.array([len(places)])])
    for at in np.flatnonzero(np.diff(bounds) > 1).tolist():
        first, last = int(bounds[at]), int(bounds[at + 1])
        places[first:last] = sorted(places[first:last], key=doc_ids.__getitem__, reverse=True)
    ids = [doc_ids[place] for place in places[:k]]
    if post_ids is None:
        return tuple(map(Hit, ids, ordered[:k].tolist()))
    return tuple(map(Hit, ids, ordered[:k].tolist(), [post_ids[place] for place in places[:k]]))


FIRST_DEPTH = 100
"""How deep a ranking is searched first for documents to explain: mostly they are at its top."""


def hits_by_id(
    ranker: Ranker, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None
) -> dict[DocId, Hit]:
    """Return the hits of documents, as far as the system finds them.

    The ranking is repeated ten times as deep as long as one is missing.
    """
    wanted, k = set(doc_ids), FIRST_DEPTH
    while True:
        ranking = ranker.rank(topic, k, within)
        hits = {hit.doc_id: hit for hit in ranking if hit.doc_id in wanted}
        if len(hits) == len(wanted) or len(ranking) < k:
            return hits
        k *= 10


def joined_tokens(rankers: Sequence[Ranker], topic: Topic) -> tuple[str, ...] | None:
    """Return the tokens of several systems, each once; None if none of them uses tokens."""
    used = [tokens for ranker in rankers if (tokens := ranker.tokens(topic)) is not None]
    return tuple(dict.fromkeys(token for tokens in used for token in tokens)) if used else None
