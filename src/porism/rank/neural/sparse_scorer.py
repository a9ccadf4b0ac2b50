"""Re-ranking by learned-sparse terms: those that a language model expects in a text (SPLADE).

Terms of all answers would need an index field that a model fills, in hours for a small collection;
so the first documents of a ranking are encoded, for a limited time, and their terms are remembered.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from porism.embed import SparseEncoder
from porism.hashing import text_key
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.neural.pair_scores import (
    USUAL_BUDGET,
    KnownScores,
    PairScores,
    TimeBudget,
    explained_scores,
    falling_scores,
)
from porism.rank.neural.thread_texts import TopicText, thread_texts
from porism.rank.rerank import Scores
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.text_encoders import shared_sparse_encoder

Terms = Mapping[str, float]

MAX_TEXTS = 20_000
"""Texts whose terms a scorer remembers: a few hundred terms each."""


@dataclass(slots=True)
class TermCache:
    """The terms of the texts that were needed last; threads may share it."""

    limit: int = MAX_TEXTS
    _known: OrderedDict[int, Terms] = field(default_factory=OrderedDict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def of(self, texts: Sequence[str], encoder: SparseEncoder) -> list[Terms]:
        """Return the terms of each text."""
        keys = [text_key(text) for text in texts]
        with self._lock:
            known = {key: self._known[key] for key in keys if key in self._known}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        known |= zip(new, encoder.terms(list(new.values())), strict=True)
        with self._lock:
            for key in keys:
                self._known[key] = known[key]
                self._known.move_to_end(key)
            while len(self._known) > self.limit:
                self._known.popitem(last=False)
        return [known[key] for key in keys]


def term_product(query: Terms, text: Terms) -> float:
    """Return the sum of the products of the weights that two texts have for a term.

    >>> term_product({"sum": 2.0, "limit": 1.0}, {"sum": 0.5, "set": 3.0})
    1.0
    """
    return sum(weight * text[term] for term, weight in query.items() if term in text)


@dataclass(frozen=True, slots=True)
class SparseScorer:
    """The mean of the term products of the topic with the question, and with the answer.

    Documents are scored in their order, as long as the time budget lasts; those that are left have
    lower scores than all others.
    """

    search_index: SearchIndex = field(repr=False)
    model: str
    """The folder of the model, which is opened when first needed, once for the process."""
    budget: TimeBudget = USUAL_BUDGET
    memory: PairScores = field(default_factory=PairScores, init=False, repr=False, compare=False)
    terms: TermCache = field(default_factory=TermCache, init=False, repr=False, compare=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        doc_ids = [hit.doc_id for hit in hits]
        return falling_scores(self._scored(TopicText.QUESTION.of(topic), doc_ids), doc_ids)

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        query, doc_ids = TopicText.QUESTION.of(topic), [hit.doc_id for hit in hits]
        left = self.memory.left(query, doc_ids)
        known = self._scored(query, [doc_id for doc_id in doc_ids if doc_id not in left])
        return explained_scores(known, doc_ids, "learned-sparse terms in common")

    def _scored(self, query: str, doc_ids: Sequence[DocId]) -> KnownScores:
        if not doc_ids:
            return {}
        encoder = shared_sparse_encoder(self.model)  # before the clock starts
        (wanted,) = self.terms.of([query], encoder)

        def batch_scores(batch: Sequence[DocId]) -> Sequence[float]:
            pairs = thread_texts(self.search_index, batch)
            terms = self.terms.of([text for pair in pairs for text in pair], encoder)
            products = [term_product(wanted, each) for each in terms]
            return [
                (question + answer) / 2
                for question, answer in zip(products[::2], products[1::2], strict=True)
            ]

        return self.memory.scored(query, doc_ids, batch_scores, self.budget)
