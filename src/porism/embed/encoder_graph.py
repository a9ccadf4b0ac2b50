"""The network of an encoder as an ONNX graph, made from its weights without torch.

The input is ``input_ids``, texts with the same number of tokens, so there is neither padding nor a
mask; the output is ``last_hidden_state``. Measured on one core with MiniLM, normalisation and
addition as two nodes are a fifth faster than onnxruntime's fused one, and its multi-head attention
is as fast as its fused attention.

With 8-bit integers, weights have one scale per column. They use 7 bits, because processors without
VNNI add two products in 16 bits; so vectors are the same on each processor. Activations are scaled
at run time, as a whole. A few channels of them are much larger than all others and would take most
of the range, so each is divided by a constant, by which its weights are multiplied
(``channel_scales``).
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
from porism.embed.model_weights import Tensor, TensorLookup

_ONNX_RUNTIME = "com.microsoft"
_LARGEST_WEIGHT = 63
_LARGEST_CHANNEL = 4.0
"""A channel may be that many times as large as the median channel. With MiniLM and 140 real texts,
the least cosine with 32-bit floats was .993; .981 without the limit."""

_MAX_BYTES = 2_000_000_000
"""The limit of the file format."""


@dataclass(slots=True)
class _Graph:
    """Nodes and constants so far. ``scales`` is None for 32-bit floats."""

    scales: Mapping[str, Tensor] | None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    """The input of each linear map, by its name."""

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

    def linear(self, rows: str, name: str, weight: Tensor, bias: Tensor) -> str:
        """Add a linear map, stored transposed, with its bias."""
        self.inputs[name] = rows
        if self.scales is None:
            product = self.node("MatMul", [rows, self.constant(f"{name}.weight", weight)])
            return self.node("Add", [product, self.constant(f"{name}.bias", bias)])
        scale = self.scales[name]
        if (scale > 1).any():
            inverse = self.constant(f"{name}.divisors", 1 / scale)
            rows = self.node("Mul", [rows, inverse])
        weight = weight * scale[:, np.newaxis]
        steps = np.maximum(np.abs(weight).max(axis=0) / _LARGEST_WEIGHT, np.float32(1e-12))
        inputs = [
            rows,
            self.constant(f"{name}.weight", np.rint(weight / steps).astype(np.int8)),
            self.constant(f"{name}.steps", steps.astype(np.float32)),
            "",
            self.constant(f"{name}.bias", bias),
        ]
        return self.node("DynamicQuantizeMatMul", inputs, _ONNX_RUNTIME)


def float_graph(architecture: Architecture, tensor: TensorLookup, layer: int) -> onnx.ModelProto:
    """The network up to ``layer`` (0: the embeddings) in 32-bit floats.

    ValueError if a weight is missing or does not fit.
    """
    graph = _Graph(None)
    return _model(graph, _network(graph, architecture, tensor, layer))


def int8_graph(
    architecture: Architecture, tensor: TensorLookup, layer: int, texts: Iterable[list[int]]
) -> onnx.ModelProto:
    """The same in 8-bit integers; the token ids of typical texts show which channels are large."""
    floats = _Graph(None)
    output = _network(floats, architecture, tensor, layer)
    model = _model(floats, output, tuple(dict.fromkeys(floats.inputs.values())))
    largest = _largest_values(model, texts)
    scales = {name: channel_scales(largest[rows]) for name, rows in floats.inputs.items()}
    graph = _Graph(scales)
    return _model(graph, _network(graph, architecture, tensor, layer))


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
    for token_ids in texts:
        outputs = session.run(names, {"input_ids": np.array([token_ids], dtype=np.int64)})
        for name, rows in zip(names, outputs, strict=True):
            values = np.abs(rows[0]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, values), values)
    return largest


def _network(graph: _Graph, architecture: Architecture, tensor: TensorLookup, layer: int) -> str:
    """Add the network up to a layer; returns its output."""
    words = tensor("embeddings.word_embeddings.weight")
    positions = tensor("embeddings.position_embeddings.weight")[architecture.first_position :]
    if architecture.kind != "mpnet":
        positions = positions + tensor("embeddings.token_type_embeddings.weight")[0]
    width = words.shape[1]
    if not architecture.heads or width % architecture.heads:
        raise ValueError(f"a width of {width} is not divisible by {architecture.heads} heads")
    _expect("embeddings.position_embeddings.weight", positions, (len(positions), width))
    zero, one = (graph.constant(str(number), np.array([number])) for number in (0, 1))
    length = graph.node("Gather", [graph.node("Shape", ["input_ids"]), one])
    rows = graph.node("Gather", [graph.constant("words", words), "input_ids"])
    places = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    rows = _norm(graph, architecture, tensor, "embeddings.LayerNorm", [rows, places], width)
    bias = ""
    if architecture.kind == "mpnet" and layer:
        bias = _position_bias(graph, architecture, tensor, len(positions), length)
    for number in range(layer):
        rows = _layer(graph, architecture, tensor, f"encoder.layer.{number}", rows, width, bias)
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


def _layer(
    graph: _Graph,
    architecture: Architecture,
    tensor: TensorLookup,
    at: str,
    rows: str,
    width: int,
    bias: str,
) -> str:
    names = _MPNET_NAMES if architecture.kind == "mpnet" else _NAMES
    parts = [
        _linear(graph, tensor, f"{at}.{names[part]}", rows, (width, width))
        for part in ("query", "key", "value")
    ]
    attention = graph.node(
        "MultiHeadAttention",
        [*parts, "", "", bias] if bias else parts,
        _ONNX_RUNTIME,
        num_heads=architecture.heads,
    )
    attended = _linear(graph, tensor, f"{at}.{names['attended']}", attention, (width, width))
    norm = f"{at}.{names['attended_norm']}"
    rows = _norm(graph, architecture, tensor, norm, [rows, attended], width)
    inner = len(tensor(f"{at}.intermediate.dense.bias"))
    wide = _linear(graph, tensor, f"{at}.intermediate.dense", rows, (width, inner))
    wide = graph.node("Gelu", [wide], _ONNX_RUNTIME)
    narrow = _linear(graph, tensor, f"{at}.output.dense", wide, (inner, width))
    return _norm(graph, architecture, tensor, f"{at}.output.LayerNorm", [rows, narrow], width)


def _linear(
    graph: _Graph, tensor: TensorLookup, name: str, rows: str, shape: tuple[int, int]
) -> str:
    weight, bias = tensor(f"{name}.weight").T, tensor(f"{name}.bias")
    _expect(f"{name}.weight", weight, shape)
    _expect(f"{name}.bias", bias, shape[1:])
    return graph.linear(rows, name, weight, bias)


def _norm(
    graph: _Graph,
    architecture: Architecture,
    tensor: TensorLookup,
    name: str,
    summands: list[str],
    width: int,
) -> str:
    """Add the normalisation of a sum: each row to mean 0 and variance 1, then scale and bias."""
    inputs = [graph.node("Add", summands)]
    for part in ("weight", "bias"):
        array = tensor(f"{name}.{part}")
        _expect(f"{name}.{part}", array, (width,))
        inputs.append(graph.constant(f"{name}.{part}", array))
    return graph.node("LayerNormalization", inputs, axis=-1, epsilon=architecture.epsilon)


def _position_bias(
    graph: _Graph, architecture: Architecture, tensor: TensorLookup, longest: int, length: str
) -> str:
    """Add what MPNet adds to the attention of two tokens, by head and by their distance."""
    by_bucket = tensor("encoder.relative_attention_bias.weight")
    _expect(
        "encoder.relative_attention_bias.weight",
        by_bucket,
        (architecture.buckets, architecture.heads),
    )
    places = np.arange(longest)
    buckets = distance_buckets(places[np.newaxis, :] - places[:, np.newaxis], architecture.buckets)
    bias = graph.constant("position_bias", by_bucket[buckets].transpose(2, 0, 1)[np.newaxis])
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


def _expect(name: str, array: NDArray[np.float32], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, expected {shape}")


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
