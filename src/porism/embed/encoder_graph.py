"""The network of an encoder as an ONNX graph, made from its weights without torch.

The input is ``input_ids``, texts with the same number of tokens, so there is neither padding nor a
mask, and ``token_type_ids`` if the model tells the two texts of a pair apart. A ``Head`` says what
is made of the output of the last layer. Measured on one core with MiniLM, normalisation and
addition as two nodes are a fifth faster than onnxruntime's fused one, and its multi-head attention
is as fast as its fused attention.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper

from porism.embed.graph_builder import ONNX_RUNTIME, GraphBuilder
from porism.embed.heads.head_graph import HEADS
from porism.embed.heads.kinds import Head, takes_token_types
from porism.embed.model_folder import Architecture
from porism.embed.model_weights import WIDENING, Tensor, Weights, model_width

Feed = Mapping[str, NDArray[np.int64]]
"""The inputs of one text or pair by their names."""

_LARGEST_CHANNEL = 4.0
"""A channel may be that many times as large as the median channel. With MiniLM and 600 real texts,
the least cosine with 32-bit floats was .991; .981 without the limit."""

_MAX_BYTES = 2_000_000_000
"""The limit of the file format."""


def float_graph(
    architecture: Architecture, weights: Weights, layer: int, head: Head = Head.STATES
) -> onnx.ModelProto:
    """The network up to ``layer`` (0: the embeddings) in 32-bit floats.

    ValueError if a weight is missing or does not fit.
    """
    graph = GraphBuilder(architecture, weights)
    return _model(graph, _network(graph, layer, head), head)


def int8_graph(
    architecture: Architecture,
    weights: Weights,
    layer: int,
    feeds: Iterable[Feed],
    head: Head = Head.STATES,
) -> onnx.ModelProto:
    """The same in 8-bit integers; the inputs of typical texts show which channels are large."""
    floats = GraphBuilder(architecture, weights)
    output = _network(floats, layer, head)
    inputs = (rows for each in floats.inputs.values() for rows in each)
    largest = _largest_values(_model(floats, output, head, tuple(dict.fromkeys(inputs))), feeds)
    scales = {
        name: channel_scales(np.max([largest[rows] for rows in each], axis=0))
        for name, each in floats.inputs.items()
    }
    graph = GraphBuilder(architecture, weights, scales)
    return _model(graph, _network(graph, layer, head), head)


def channel_scales(largest: Tensor) -> Tensor:
    """The divisor of each channel, given its largest value: 1 except for very large channels.

    >>> channel_scales(np.array([1, 2, 2, 3, 40], dtype=np.float32)).tolist()
    [1.0, 1.0, 1.0, 1.0, 5.0]
    """
    limit = max(_LARGEST_CHANNEL * float(np.median(largest)), 1e-6)
    scales: Tensor = np.maximum(largest / np.float32(limit), np.float32(1))
    return scales


def _largest_values(model: onnx.ModelProto, feeds: Iterable[Feed]) -> dict[str, Tensor]:
    """The largest absolute value of each channel of each output but the first."""
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()][1:]
    largest: dict[str, Tensor] = {}
    if not names:
        return largest
    for feed in feeds:
        outputs = session.run(names, dict(feed))
        for name, rows in zip(names, outputs, strict=True):
            values = np.abs(rows[0]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, values), values)
    return largest


def _network(graph: GraphBuilder, layer: int, head: Head) -> str:
    """Add the network up to a layer, and its head; returns the output."""
    kind, heads = graph.architecture.kind, graph.architecture.heads
    zero, one = (graph.constant(str(number), np.array([number])) for number in (0, 1))
    length = graph.node("Gather", [graph.node("Shape", ["input_ids"]), one])
    positions = graph.weights.tensor("embeddings.position_embeddings.weight")
    positions = positions[graph.architecture.first_position :]
    rows = _embeddings(graph, positions, length, zero, head)
    width = model_width(graph.weights)
    if kind == "albert":
        rows = graph.linear(rows, WIDENING, positions.shape[1], width)
    if not heads or width % heads:
        raise ValueError(f"a width of {width} is not divisible by {heads} heads")
    bias = _position_bias(graph, len(positions), length) if kind == "mpnet" and layer else ""
    for number in range(layer):
        rows = _layer(graph, graph.architecture.layer_name(number), rows, width, bias)
    add_head = HEADS[head]
    return add_head(graph, rows, width)


def _embeddings(graph: GraphBuilder, positions: Tensor, length: str, zero: str, head: Head) -> str:
    """Add the embeddings of words, positions and, except for MPNet, of the two texts of a pair."""
    words = graph.weights.tensor("embeddings.word_embeddings.weight")
    width = words.shape[1]
    if positions.shape[1:] != (width,):
        raise ValueError(f"positions have the shape {positions.shape}, words {words.shape}")
    summands = [graph.node("Gather", [graph.constant("words", words), "input_ids"])]
    if takes_token_types(graph.architecture, graph.weights, head):
        types = graph.weights.tensor("embeddings.token_type_embeddings.weight")
        constant = graph.constant("types", types)
        summands = [
            graph.node("Add", [*summands, graph.node("Gather", [constant, "token_type_ids"])])
        ]
    elif graph.architecture.kind != "mpnet":
        positions = positions + graph.weights.tensor("embeddings.token_type_embeddings.weight")[0]
    places = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    return graph.norm([*summands, places], "embeddings.LayerNorm", width)


class _LayerNames(NamedTuple):
    """The names of the weights of a layer."""

    query: str
    key: str
    value: str
    attended: str
    attended_norm: str
    wide: str = "intermediate.dense"
    narrow: str = "output.dense"
    norm: str = "output.LayerNorm"


_NAMES = _LayerNames(
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
)
_OTHER_NAMES = {
    "mpnet": _LayerNames(
        "attention.attn.q",
        "attention.attn.k",
        "attention.attn.v",
        "attention.attn.o",
        "attention.LayerNorm",
    ),
    "albert": _LayerNames(
        "attention.query",
        "attention.key",
        "attention.value",
        "attention.dense",
        "attention.LayerNorm",
        "ffn",
        "ffn_output",
        "full_layer_layer_norm",
    ),
}


def _layer(graph: GraphBuilder, at: str, rows: str, width: int, bias: str) -> str:
    """Add a layer, whose weights begin with ``at``; ``bias`` is added to its attention if given."""
    names = _OTHER_NAMES.get(graph.architecture.kind, _NAMES)
    inputs = [
        graph.linear(rows, f"{at}.{part}", width, width)
        for part in (names.query, names.key, names.value)
    ]
    if bias:
        inputs += ["", "", bias]
    heads = graph.architecture.heads
    attention = graph.node("MultiHeadAttention", inputs, ONNX_RUNTIME, num_heads=heads)
    attended = graph.linear(attention, f"{at}.{names.attended}", width, width)
    rows = graph.norm([rows, attended], f"{at}.{names.attended_norm}", width)
    inner = len(graph.weights.tensor(f"{at}.{names.wide}.bias"))
    wide = graph.activation(graph.linear(rows, f"{at}.{names.wide}", width, inner))
    narrow = graph.linear(wide, f"{at}.{names.narrow}", inner, width)
    return graph.norm([rows, narrow], f"{at}.{names.norm}", width)


def _position_bias(graph: GraphBuilder, longest: int, length: str) -> str:
    """Add what MPNet adds to the attention of two tokens, by head and by their distance."""
    buckets, heads = graph.architecture.buckets, graph.architecture.heads
    by_bucket = graph.tensor("encoder.relative_attention_bias.weight", buckets, heads)
    places = np.arange(longest)
    distances = places[np.newaxis, :] - places[:, np.newaxis]
    by_distance = by_bucket[distance_buckets(distances, buckets)].transpose(2, 0, 1)
    bias = graph.constant("position_bias", by_distance[np.newaxis])
    zeros = graph.constant("zeros", np.array([0, 0]))
    axes = graph.constant("axes", np.array([2, 3]))
    ends = graph.node("Concat", [length, length], axis=0)
    return graph.node("Slice", [bias, zeros, ends, axes])


def distance_buckets(distances: NDArray[np.int64], buckets: int) -> NDArray[np.int64]:
    """The bucket of each distance from a token to another.

    One half of the buckets is for tokens before, the other for tokens after. Half of each are for
    single distances, the rest grow with the logarithm, up to a distance of 128 (T5 and MPNet).

    >>> distance_buckets(np.array([0, -1, 1, -7, -8, -11, -12, 500]), 32).tolist()
    [0, 1, 17, 7, 8, 8, 9, 31]
    """
    half = buckets // 2
    single = half // 2
    sizes = np.abs(distances)
    # in 32-bit floats, as the models were trained: the border between buckets depends on it
    logarithms = np.log(np.maximum(sizes, 1).astype(np.float32) / np.float32(single))
    growing = single + (logarithms / np.float32(math.log(128 / single)) * (half - single)).astype(
        np.int64
    )
    size = np.where(sizes < single, sizes, np.minimum(growing, half - 1))
    return np.asarray(size + np.where(distances > 0, half, 0), dtype=np.int64)


def _model(
    graph: GraphBuilder, output: str, head: Head, more_outputs: tuple[str, ...] = ()
) -> onnx.ModelProto:
    """The model with the output that its head has, followed by other outputs."""
    nodes = [*graph.nodes, helper.make_node("Identity", [output], [head.value])]
    if sum(len(constant.raw_data) for constant in graph.constants.values()) > _MAX_BYTES:
        raise ValueError("the weights are larger than 2 GB: expected a smaller model")
    inputs = ["input_ids"]
    if takes_token_types(graph.architecture, graph.weights, head):
        inputs.append("token_type_ids")
    rows = ["texts", "tokens", None]
    shapes = dict.fromkeys(more_outputs, rows)
    shapes[head.value] = rows if head is Head.STATES else ["texts", None]
    made = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info(name, TensorProto.INT64, rows[:2]) for name in inputs],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name])
            for name in (head.value, *more_outputs)
        ],
        list(graph.constants.values()),
    )
    versions = [helper.make_opsetid("", 18), helper.make_opsetid(ONNX_RUNTIME, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=9)
