"""The parts that networks are made of, as nodes of an ONNX graph, in one of two precisions.

With 8-bit integers, weights have one scale per column. They use 7 bits, because processors without
VNNI add two products in 16 bits, which would overflow. Activations are scaled at run time, as a
whole. A few channels of them are much larger than all others and would take most of the range, so
each is divided by a constant, by which its weights are multiplied (``encoder_graph``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from porism.embed.model_folder import Architecture
from porism.embed.model_weights import Tensor, Weights

ONNX_RUNTIME = "com.microsoft"
"""The domain of operators that only onnxruntime has."""

_LARGEST_WEIGHT = 63


@dataclass(slots=True)
class GraphBuilder:
    """Nodes and constants so far, and the model they come from.

    ``scales`` are the divisors of channels for 8-bit integers, None for 32-bit floats.
    """

    architecture: Architecture
    weights: Weights
    scales: Mapping[str, Tensor] | None = None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)
    inputs: dict[str, list[str]] = field(default_factory=dict)
    """The inputs of each linear map, by its name: several if layers share their weights."""

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
        """Add a linear map with its bias, in the precision of the graph."""
        weight = self.tensor(f"{name}.weight", output_width, width)
        return self.product(rows, name, weight, self.tensor(f"{name}.bias", output_width))

    def float_linear(self, rows: str, name: str, width: int, output_width: int) -> str:
        """Add a linear map with its bias in 32-bit floats, as small ones always are."""
        weight = self.tensor(f"{name}.weight", output_width, width)
        return self._float_product(rows, name, weight, self.tensor(f"{name}.bias", output_width))

    def product(self, rows: str, name: str, weight: Tensor, offset: Tensor) -> str:
        """Add a linear map of any weight, which has an output a row, in the graph's precision."""
        self.inputs.setdefault(name, []).append(rows)
        if self.scales is None:
            return self._float_product(rows, name, weight, offset)
        weight, bias = weight.T, self.constant(f"{name}.bias", offset)
        scale = self.scales[name]
        if (scale > 1).any():
            rows = self.node("Mul", [rows, self.constant(f"{name}.factors", 1 / scale)])
        weight = weight * scale[:, np.newaxis]
        steps = np.maximum(np.abs(weight).max(axis=0) / _LARGEST_WEIGHT, np.float32(1e-12))
        integers = self.constant(f"{name}.weight", np.rint(weight / steps).astype(np.int8))
        inputs = [rows, integers, self.constant(f"{name}.steps", steps), "", bias]
        return self.node("DynamicQuantizeMatMul", inputs, ONNX_RUNTIME)

    def _float_product(self, rows: str, name: str, weight: Tensor, offset: Tensor) -> str:
        product = self.node("MatMul", [rows, self.constant(f"{name}.weight", weight.T)])
        return self.node("Add", [product, self.constant(f"{name}.bias", offset)])

    def activation(self, rows: str) -> str:
        """Add the activation function of the model."""
        exact = self.architecture.activation == "gelu"
        return self.node("Gelu" if exact else "FastGelu", [rows], ONNX_RUNTIME)

    def norm(self, summands: list[str], name: str, width: int) -> str:
        """Add the normalisation of a sum: each row to mean 0 and variance 1, scale and bias."""
        inputs = [self.node("Add", summands) if len(summands) > 1 else summands[0]]
        for part in (f"{name}.weight", f"{name}.bias"):
            inputs.append(self.constant(part, self.tensor(part, width)))
        epsilon = self.architecture.epsilon
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=epsilon)
