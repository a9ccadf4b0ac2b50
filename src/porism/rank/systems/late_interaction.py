"""Late interaction: texts compared token by token, as ColBERT does.

For each token of the topic the best cosine with any token of a text counts; the score is their
mean. Vectors of single tokens would take a hundred times the room of sentence vectors, so they are
not stored: those of texts that were compared lately are kept in memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.embed import ModelIdentity, TextEncoder
from porism.hashing import text_key
from porism.model import Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.neural.thread_texts import thread_texts
from porism.rank.rerank import Scores, explained_values
from porism.searchindex.components.vector_index import DocumentVectors, question_text
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.text_encoders import shared_encoder

TokenVectors = NDArray[np.float16]

Encode = Callable[[Sequence[str]], Iterable[NDArray[np.float32]]]
"""Makes vectors of texts: an array of each."""

MAX_KEPT = 1 << 30
"""Bytes of token vectors that a process keeps of a model: about 9,000 posts."""

BATCH = 64
"""Texts that are encoded together."""


@dataclass(slots=True)
class TokenVectorCache:
    """The token vectors of the texts that were needed last; threads may share it."""

    limit: int = MAX_KEPT
    _known: OrderedDict[int, TokenVectors] = field(default_factory=OrderedDict, init=False)
    _size: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def of(self, texts: Sequence[str], encoder: TextEncoder) -> list[TokenVectors]:
        """Return the vectors of the tokens of each text."""
        return self.encoded(texts, encoder.token_vectors)

    def encoded(self, texts: Sequence[str], encode: Encode) -> list[TokenVectors]:
        """Return what ``encode`` makes of each text; a cache is for one encoder and purpose."""
        keys = [text_key(text) for text in texts]
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
        by_key = zip(keys, texts, strict=True)
        new = list({key: text for key, text in by_key if key not in found}.items())
        for start in range(0, len(new), BATCH):
            deadlines.check()
            batch = new[start : start + BATCH]
            encoded = encode([text for _, text in batch])
            for (key, _), rows in zip(batch, encoded, strict=True):
                found[key] = rows.astype(np.float16)
                self._keep(key, found[key])
        return [found[key] for key in keys]

    def _keep(self, key: int, rows: TokenVectors) -> None:
        with self._lock:
            if key not in self._known:
                self._known[key] = rows
                self._size += rows.nbytes
            while self._size > self.limit:
                _, oldest = self._known.popitem(last=False)
                self._size -= oldest.nbytes


@cache
def token_vectors_by(identity: ModelIdentity) -> TokenVectorCache:
    """Return the token vectors by a model that all systems of the process share."""
    return TokenVectorCache()


def max_sim(query: NDArray[np.float32], text: TokenVectors) -> float:
    """Return the mean, over the rows of a query, of the best cosine with any row of a text.

    >>> query, text = np.eye(2, dtype=np.float32), np.array([[1, 0], [0.6, 0.8]], np.float16)
    >>> round(max_sim(query, text), 3)
    0.9
    """
    if not len(query) or not len(text):
        return 0.0
    return float((query @ text.T.astype(np.float32)).max(axis=1).mean())


@dataclass(frozen=True, slots=True)
class MaxSimScorer:
    """The mean of the late interaction with the question of a document, and with its answer.

    The encoder is that of the vectors, or of another model if one is given.
    """

    search_index: SearchIndex = field(repr=False)
    vectors: DocumentVectors = field(repr=False)
    model: str | None = None

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        encoder = self.vectors.encoder() if self.model is None else shared_encoder(self.model)
        (query,) = encoder.token_vectors([question_text(topic.title, topic.body)])
        pairs = thread_texts(self.search_index, [hit.doc_id for hit in hits])
        texts = [text for pair in pairs for text in pair]
        vectors = token_vectors_by(encoder.identity).of(texts, encoder)
        similarities = [max_sim(query, rows) for rows in vectors]
        means: Scores = np.array(similarities).reshape(len(hits), 2).mean(axis=1)
        return means

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return explained_values("best cosines of tokens", self.scores(topic, hits))
