"""``extract-bert`` and ``extract-sbert``: DPRL's summaries of the first answer (S3 section 6).

An answer that is too long is summarised by the sentences nearest to the centres of clusters of all
its sentences, in their order; the first sentence is always kept. The two systems differ in the
vectors of sentences: means of hidden states of a BERT model, or vectors of a sentence encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from porism.answer.answerer import AnswererFactory
from porism.answer.extracts.first_answer import text_of_first
from porism.answer.extracts.sentences import Sentence, joined_text, prefix_within
from porism.answer.short_answer import (
    MAX_ANSWER_LENGTH,
    SILENT,
    AnswerListener,
    ShortAnswer,
)
from porism.embed.encoder import unit_rows
from porism.extras import needs_extra
from porism.formats.json_values import read_json
from porism.inverted import Filter
from porism.model import Topic
from porism.rank.question_matching.learned_rankers import DPRL_SVM
from porism.rank.ranker import Maker, Ranker
from porism.rank.vector_ranking import required_vectors
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole
from porism.searchindex.text_encoders import shared_encoder

if TYPE_CHECKING:
    from porism.evaluation.short_answers.similarity import ContextualEncoder

Vectors = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Vectors]
"""Makes vectors of sentences, as rows."""

MAX_SENTENCES = 120
"""Sentences of an answer that are encoded."""

ROUNDS = 50
"""Rounds of the clustering, which settles after a few."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of the first answer of a ranking by vectors of its sentences."""

    name: str
    search_index: SearchIndex = field(repr=False)
    ranker: Ranker
    model: str
    encode: Encode = field(repr=False)
    limit: int = MAX_ANSWER_LENGTH

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        answer = text_of_first(self.search_index, self.ranker, topic, within, self._summary)
        return replace(answer, system=self.name, model=self.model)

    def _summary(self, sentences: Sequence[Sentence]) -> str:
        every = sentences[:MAX_SENTENCES]
        if len(joined_text(every)) <= self.limit:
            return joined_text(every)
        vectors = self.encode([sentence.text for sentence in every])
        mean = sum(len(sentence.text) for sentence in every) / len(every)
        for clusters in range(min(len(every) - 1, int(self.limit / mean) + 1), 0, -1):
            chosen = sorted({0, *central_rows(vectors, clusters)})
            text = joined_text([every[place] for place in chosen])
            if len(text) <= self.limit:
                return text
        return prefix_within(every, self.limit)


def central_rows(vectors: Vectors, clusters: int) -> list[int]:
    """Return the row nearest to the centre of each of so many clusters (k-means).

    The first centres are the row nearest to the mean of all and, one by one, the row farthest from
    those before, so that nothing is random.
    """
    rows = vectors.astype(np.float64)
    first = int(_distances(rows, rows.mean(axis=0, keepdims=True))[:, 0].argmin())
    starts = [first]
    while len(starts) < clusters:
        nearest = _distances(rows, rows[starts]).min(axis=1)
        starts.append(int(nearest.argmax()))
    centres = rows[starts]
    for _ in range(ROUNDS):
        cluster = _distances(rows, centres).argmin(axis=1)
        moved = np.array(
            [
                rows[cluster == each].mean(axis=0) if (cluster == each).any() else centre
                for each, centre in enumerate(centres)
            ]
        )
        if np.array_equal(moved, centres):
            break
        centres = moved
    return sorted(set(_distances(rows, centres).argmin(axis=0).tolist()))


def _distances(rows: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distance of each row to each centre."""
    squares: NDArray[np.float64] = ((rows[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return squares


def extract_sbert(search_index: SearchIndex) -> AnswererFactory:
    """The first answer of ``dprl-svm``, summarised by the encoder of the vectors."""
    vectors = required_vectors(search_index)

    def encode(texts: Sequence[str]) -> Vectors:
        return shared_encoder(vectors.model).encode(texts)

    ranker = DPRL_SVM.make(search_index)
    return lambda tools: Summary("extract-sbert", search_index, ranker, vectors.model, encode)


def extract_bert(search_index: SearchIndex) -> AnswererFactory:
    """The same by means of the hidden states of the last layer but one of a BERT model."""
    folder = search_index.model(ModelRole.SUMMARY)
    encoder = _hidden_states(folder)

    def encode(texts: Sequence[str]) -> Vectors:
        return unit_rows(np.stack([_mean(encoder, text) for text in texts]))

    ranker = DPRL_SVM.make(search_index)
    return lambda tools: Summary("extract-bert", search_index, ranker, encoder.name, encode)


def _mean(encoder: ContextualEncoder, text: str) -> Vectors:
    embedded = encoder.embed(text)
    total = embedded.weights @ embedded.tokens
    return np.asarray(total / max(float(embedded.weights.sum()), 1.0), np.float32)


MINILM_LAYER = 5
"""The last layer but one of MiniLM."""


@cache
def _hidden_states(folder: str | None) -> ContextualEncoder:
    # Loads onnxruntime, which other systems, and users without the extra, do without.
    with needs_extra("vectors", "extract-bert needs"):
        encoders = import_module("porism.evaluation.short_answers.contextual_encoder")
    encoder: ContextualEncoder
    if folder is None:
        encoder = encoders.packaged_encoder(MINILM_LAYER)
        return encoder
    config = read_json(Path(folder) / "config.json", "a model is a folder with its configuration")
    layers = config.get("num_hidden_layers") if isinstance(config, dict) else None
    encoder = encoders.read_encoder(Path(folder), layers - 1 if isinstance(layers, int) else None)
    return encoder


EXTRACT_SBERT = Maker(extract_sbert, DPRL_SVM.needs, notes=DPRL_SVM.notes)
EXTRACT_BERT = Maker(
    extract_bert, DPRL_SVM.needs, models=(ModelRole.SUMMARY,), notes=DPRL_SVM.notes
)
