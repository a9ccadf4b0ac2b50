"""The heads of networks as nodes of an ONNX graph.

They are small and stay in 32-bit floats, except for the map to the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from porism.embed.graph_builder import GraphBuilder
from porism.embed.heads.kinds import Head
from porism.embed.model_weights import Tensor

_CLASSES = (1, 2)


def _states(graph: GraphBuilder, rows: str, width: int) -> str:
    return rows


def _scores(graph: GraphBuilder, rows: str, width: int) -> str:
    """Add the classifier: a hidden layer over the first token, and one or two outputs."""
    first = graph.node("Gather", [rows, graph.constant("first", np.array([0]))], axis=1)
    first = graph.node("Squeeze", [first, graph.constant("token_axis", np.array([1]))])
    hidden, output = _CLASSIFIERS.get(graph.architecture.kind, _ROBERTA_CLASSIFIER)
    hidden_rows = graph.node("Tanh", [graph.float_linear(first, hidden, width, width)])
    classes = len(graph.weights.tensor(f"{output}.bias"))
    if classes not in _CLASSES:
        raise ValueError(f"the classifier has {classes} outputs: expected one or two")
    return graph.float_linear(hidden_rows, output, width, classes)


_ROBERTA_CLASSIFIER = ("classifier.dense", "classifier.out_proj")
_CLASSIFIERS = {"bert": ("pooler.dense", "classifier"), "albert": ("pooler", "classifier")}
"""The names of the hidden layer and of the output."""


def _terms(graph: GraphBuilder, rows: str, width: int) -> str:
    """Add the language model, and SPLADE's pooling of its output: log(1 + relu), the largest.

    The logarithm is monotonic, so the largest is taken before it.
    """
    dense, norm, decoder, bias = _LANGUAGE_MODELS.get(graph.architecture.kind, _ROBERTA_MODEL)
    words = graph.weights.tensor("embeddings.word_embeddings.weight")
    narrow = words.shape[1]
    rows = graph.activation(graph.float_linear(rows, dense, width, narrow))
    rows = graph.norm([rows], norm, narrow)
    weight, offset = _decoder(graph, words, decoder, bias)
    logits = graph.product(rows, decoder, weight, offset)
    axis = graph.constant("token_axis", np.array([1]))
    largest = graph.node("ReduceMax", [logits, axis], keepdims=0)
    one = graph.constant("one", np.array(1, dtype=np.float32))
    return graph.node("Log", [graph.node("Add", [graph.node("Relu", [largest]), one])])


def _decoder(graph: GraphBuilder, words: Tensor, decoder: str, bias: str) -> tuple[Tensor, Tensor]:
    """The map to the vocabulary, which most models share with the embeddings of words."""
    weight = words
    if graph.weights.has(f"{decoder}.weight"):
        weight = graph.tensor(f"{decoder}.weight", *words.shape)
    name = bias if graph.weights.has(bias) else f"{decoder}.bias"
    return weight, graph.tensor(name, len(words))


_ROBERTA_MODEL = ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias")
_LANGUAGE_MODELS = {
    "bert": (
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions.decoder",
        "cls.predictions.bias",
    ),
    "albert": (
        "predictions.dense",
        "predictions.LayerNorm",
        "predictions.decoder",
        "predictions.bias",
    ),
}
"""The names of the hidden layer, its normalisation, the map to the vocabulary and its bias."""

HEADS: Mapping[Head, Callable[[GraphBuilder, str, int], str]] = {
    Head.STATES: _states,
    Head.SCORES: _scores,
    Head.TERMS: _terms,
}
"""What adds a head to the output of the last layer, whose width is given; returns its output."""
