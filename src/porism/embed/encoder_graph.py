"""The network of an encoder as an ONNX graph, made from its weights without torch.

The input is ``input_ids``, texts with the same number of tokens, so there is neither padding nor a
mask; the output is ``last_hidden_state``. Measured on one core with MiniLM, normalisation and
addition as two nodes are a fifth faster than onnxruntime's fused one, and its multi-head attention
is as fast as its fused attention.

With 8-bit integers, weights have one scale per column. They use 7 bits, because processors without
VNNI add two products in 16 bits, which would overflow. Activations are scaled at run time, as a
whole. A few channels of them are much larger than all others and would take most of the range, so
each is divided by a constant, by which its weights are multiplied (``channel_scales``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from porism.embed.model_folder import Architecture
from porism.embed.model_weights import Tensor, Weights

_ONNX_RUNTIME = "com.microsoft"
_LARGEST_WEIGHT = 63
_LARGEST_CHANNEL = 4.0
"""A channel may be that many times as large as the median channel. With MiniLM and 600 real texts,
the least cosine with 32-bit floats was .991; .981 without the limit."""

_MAX_BYTES = 2_000_000_000
"""The limit of the file format."""


@dataclass(slots=True)
class _Graph:
    """Nodes and constants so far, and the model they come from.

    ``scales`` are the divisors of channels for 8-bit integers, None for 32-bit floats.
    """

    architecture: Architecture
    weights: Weights
    scales: Mapping[str, Tensor] | None = None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    """The input of each linear map, by its name."""

    def tensor(self, name: str, *shape: int) -> Tensor:
        """A weight of the model, which must have that shape."""
        array = self.weights.tensor(name)
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}, expected {shape}")
        return array

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Add a constant of any number type; returns its name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def node(self, operator: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        """Add a node with one output, and attributes of any type; returns the output's name."""
        output = f"{operator}_{len(self.nodes)}"
        made = helper.make_node(operator, inputs, [output], domain=domain, **attributes)
        self.nodes.append(made)
        return output

    def linear(self, rows: str, name: str, width: int, output_width: int) -> str:
        """Add a linear map with its bias."""
        weight = self.tensor(f"{name}.weight", output_width, width).T
        bias = self.constant(f"{name}.bias", self.tensor(f"{name}.bias", output_width))
        self.inputs[name] = rows
        if self.scales is None:
            product = self.node("MatMul", [rows, self.constant(f"{name}.weight", weight)])
            return self.node("Add", [product, bias])
        scale = self.scales[name]
        if (scale > 1).any():
            rows = self.node("Mul", [rows, self.constant(f"{name}.factors", 1 / scale)])
        weight = weight * scale[:, np.newaxis]
        steps = np.maximum(np.abs(weight).max(axis=0) / _LARGEST_WEIGHT, np.float32(1e-12))
        integers = self.constant(f"{name}.weight", np.rint(weight / steps).astype(np.int8))
        inputs = [rows, integers, self.constant(f"{name}.steps", steps), "", bias]
        return self.node("DynamicQuantizeMatMul", inputs, _ONNX_RUNTIME)

    def norm(self, summands: list[str], name: str, width: int) -> str:
        """Add the normalisation of a sum: each row to mean 0 and variance 1, scale and bias."""
        inputs = [self.node("Add", summands)]
        for part in (f"{name}.weight", f"{name}.bias"):
            inputs.append(self.constant(part, self.tensor(part, width)))
        epsilon = self.architecture.epsilon
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=epsilon)


def float_graph(architecture: Architecture, weights: Weights, layer: int) -> onnx.ModelProto:
    """The network up to ``layer`` (0: the embeddings) in 32-bit floats.

    ValueError if a weight is missing or does not fit.
    """
    graph = _Graph(architecture, weights)
    return _model(graph, _network(graph, layer))


def int8_graph(
    architecture: Architecture, weights: Weights, layer: int, texts: Iterable[list[int]]
) -> onnx.ModelProto:
    """The same in 8-bit integers; the token ids of typical texts show which channels are large."""
    floats = _Graph(architecture, weights)
    output = _network(floats, layer)
    model = _model(floats, output, tuple(dict.fromkeys(floats.inputs.values())))
    largest = _largest_values(model, texts)
    scales = {name: channel_scales(largest[rows]) for name, rows in floats.inputs.items()}
    graph = _Graph(architecture, weights, scales)
    return _model(graph, _network(graph, layer))


def channel_scales(largest: Tensor) -> Tensor:
    """The divisor of each channel, given its largest value: 1 except for very large channels.

    >>> channel_scales(np.array([1, 2, 2, 3, 40], dtype=np.float32)).tolist()
    [1.0, 1.0, 1.0, 1.0, 5.0]
    """
    limit = max(_LARGEST_CHANNEL * float(np.median(largest)), 1e-6)
    scales: Tensor = np.maximum(largest / np.float32(limit), np.float32(1))
    return scales


def _largest_values(model: onnx.ModelProto, texts: Iterable[list[int]]) -> dict[str, Tensor]:
    """The largest absolute value of each channel of each output but the first."""
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()][1:]
    largest: dict[str, Tensor] = {}
    if not names:
        return largest
    for token_ids in texts:
        outputs = session.run(names, {"input_ids": np.array([token_ids], dtype=np.int64)})
        for name, rows in zip(names, outputs, strict=True):
            values = np.abs(rows[0]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, values), values)
    return largest


def _network(graph: _Graph, layer: int) -> str:
    """Add the network up to a layer; returns its output."""
    kind, heads = graph.architecture.kind, graph.architecture.heads
    words = graph.weights.tensor("embeddings.word_embeddings.weight")
    width = words.shape[1]
    if not heads or width % heads:
        raise ValueError(f"a width of {width} is not divisible by {heads} heads")
    count = len(graph.weights.tensor("embeddings.position_embeddings.weight"))
    positions = graph.tensor("embeddings.position_embeddings.weight", count, width)
    positions = positions[graph.architecture.first_position :]
    if kind != "mpnet":
        positions = positions + graph.weights.tensor("embeddings.token_type_embeddings.weight")[0]
    zero, one = (graph.constant(str(number), np.array([number])) for number in (0, 1))
    length = graph.node("Gather", [graph.node("Shape", ["input_ids"]), one])
    rows = graph.node("Gather", [graph.constant("words", words), "input_ids"])
    places = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    rows = graph.norm([rows, places], "embeddings.LayerNorm", width)
    bias = _position_bias(graph, len(positions), length) if kind == "mpnet" and layer else ""
    for number in range(layer):
        rows = _layer(graph, f"encoder.layer.{number}", rows, width, bias)
    return rows


_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "attended_norm": "attention.output.LayerNorm",
}
_MPNET_NAMES = {
    "query": "attention.attn.q",
    "key": "attention.attn.k",
    "value": "attention.attn.v",
    "attended": "attention.attn.o",
    "attended_norm": "attention.LayerNorm",
}


def _layer(graph: _Graph, at: str, rows: str, width: int, bias: str) -> str:
    """Add a layer, whose weights begin with ``at``; ``bias`` is added to its attention if given."""
    names = _MPNET_NAMES if graph.architecture.kind == "mpnet" else _NAMES
    inputs = [
        graph.linear(rows, f"{at}.{names[part]}", width, width)
        for part in ("query", "key", "value")
    ]
    if bias:
        inputs += ["", "", bias]
    heads = graph.architecture.heads
    attention = graph.node("MultiHeadAttention", inputs, _ONNX_RUNTIME, num_heads=heads)
    attended = graph.linear(attention, f"{at}.{names['attended']}", width, width)
    rows = graph.norm([rows, attended], f"{at}.{names['attended_norm']}", width)
    inner = len(graph.weights.tensor(f"{at}.intermediate.dense.bias"))
    wide = graph.linear(rows, f"{at}.intermediate.dense", width, inner)
    wide = graph.node("Gelu", [wide], _ONNX_RUNTIME)
    narrow = graph.linear(wide, f"{at}.output.dense", inner, width)
    return graph.norm([rows, narrow], f"{at}.output.LayerNorm", width)


def _position_bias(graph: _Graph, longest: int, length: str) -> str:
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


def _model(graph: _Graph, output: str, more_outputs: tuple[str, ...] = ()) -> onnx.ModelProto:
    """The model with that output as ``last_hidden_state``, followed by other outputs."""
    nodes = [*graph.nodes, helper.make_node("Identity", [output], ["last_hidden_state"])]
    if sum(len(constant.raw_data) for constant in graph.constants.values()) > _MAX_BYTES:
        raise ValueError("the weights are larger than 2 GB: expected a smaller model")
    made = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", "tokens", None])
            for name in ("last_hidden_state", *more_outputs)
        ],
        list(graph.constants.values()),
    )
    versions = [helper.make_opsetid("", 18), helper.make_opsetid(_ONNX_RUNTIME, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=9)
