"""Formulas as vectors, by a small network over the graphs of their trees.

Each tree has a branch of its own: symbols are embedded, messages pass along the edges in a few
layers of attention (GATv2), and the mean and the maximum over all nodes become the vector of the
tree. The vector of a formula is both, one after the other; so a cosine is the mean of two cosines.

A label has no embedding of its own but the sum of two of a few thousand, chosen by its hash: so the
network is small, and a label that training never met has an embedding too. The network is computed
by NumPy and compiled loops: searching needs no package for neural networks. The module for training
in ``porism.lab`` has the same network for PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.structure.embeddings import unit_vectors
from porism.structure.graphs.tree_graphs import (
    DEPTHS,
    KINDS,
    STEPS,
    FormulaGraphs,
    TreeGraphs,
    formula_graphs,
)
from porism.structure.packed_trees import PackedTrees

Vectors = NDArray[np.float32]
Weights = Mapping[str, Vectors]

BRANCHES = ("layout", "operators")
SLOPE = 0.2
"""Of the leaky rectifier in the attention, as in GATv2."""

EPSILON = 1e-5
"""Added to variances."""

BATCH_NODES = 4096
"""Nodes that are encoded together: their arrays fit into the cache of a processor."""


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """The sizes of a network."""

    buckets: int = 2048
    width: int = 128
    heads: int = 4
    layers: int = 3
    dimension: int = 64
    """Components of the vector of one tree."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each array of weights, by its name."""
        width = self.width
        shapes: dict[str, tuple[int, ...]] = {"labels": (self.buckets, width)}
        for branch in BRANCHES:
            shapes |= {
                f"{branch}.kinds": (KINDS, width),
                f"{branch}.steps": (STEPS, width),
                f"{branch}.depths": (DEPTHS, width),
                f"{branch}.readout": (2 * width, self.dimension),
            }
            for layer in range(self.layers):
                shapes |= {
                    f"{branch}.{layer}.source": (width, width),
                    f"{branch}.{layer}.target": (width, width),
                    f"{branch}.{layer}.edges": (2 * STEPS, width),
                    f"{branch}.{layer}.attention": (width,),
                    f"{branch}.{layer}.output": (width, width),
                    f"{branch}.{layer}.gain": (width,),
                    f"{branch}.{layer}.shift": (width,),
                }
        return shapes


def label_buckets(
    labels: NDArray[np.uint32], buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two buckets of each label, by the lower and the upper half of its hash."""
    return (labels & 0xFFFF).astype(np.int64) % buckets, (labels >> 16).astype(np.int64) % buckets


@dataclass(frozen=True, slots=True)
class GraphNetwork:
    """A network with its weights; threads may share it."""

    spec: NetworkSpec
    weights: Weights

    @property
    def dimension(self) -> int:
        """The components of the vector of a formula."""
        return len(BRANCHES) * self.spec.dimension

    def encode(self, trees: PackedTrees) -> Vectors:
        """Return the vector of each formula, of length 1; of one without symbols, zeros."""
        vectors = np.zeros((len(trees.starts) - 1, self.dimension), np.float32)
        for first, last in _batches(trees.starts):
            starts = trees.starts[first : last + 1]
            numbers = trees.numbers[starts[0] : starts[-1]]
            vectors[first:last] = self.encode_graphs(
                formula_graphs(PackedTrees(numbers, starts - starts[0]))
            )
        return vectors

    def encode_graphs(self, graphs: FormulaGraphs) -> Vectors:
        """Return the vector of each formula, all computed at once."""
        branches = [self._branch(name, each) for name, each in zip(BRANCHES, graphs, strict=True)]
        return unit_vectors(np.concatenate(branches, axis=1))

    def _branch(self, branch: str, graphs: TreeGraphs) -> Vectors:
        weights, spec = self.weights, self.spec
        one, other = label_buckets(graphs.labels, spec.buckets)
        states = weights["labels"][one] + weights["labels"][other]
        states += weights[f"{branch}.kinds"][graphs.kinds]
        states += weights[f"{branch}.steps"][graphs.steps]
        states += weights[f"{branch}.depths"][np.minimum(graphs.depths, DEPTHS - 1)]
        for layer in range(spec.layers):
            states = self._layer(f"{branch}.{layer}", graphs, states)
        pooled = np.zeros((graphs.graphs, 2 * spec.width), np.float32)
        _pool(graphs.starts, states, pooled)
        return unit_vectors(pooled @ weights[f"{branch}.readout"])

    def _layer(self, layer: str, graphs: TreeGraphs, states: Vectors) -> Vectors:
        weights = self.weights
        sources = states @ weights[f"{layer}.source"]
        targets = states @ weights[f"{layer}.target"]
        gathered = np.zeros_like(states)
        _attend(
            graphs.parents,
            graphs.steps,
            sources,
            targets,
            weights[f"{layer}.edges"],
            weights[f"{layer}.attention"].reshape(self.spec.heads, -1),
            np.empty((3, len(states), self.spec.heads), np.float32),
            gathered,
        )
        added = np.maximum(gathered, np.float32(0)) @ weights[f"{layer}.output"]
        return _normalised(states + added, weights[f"{layer}.gain"], weights[f"{layer}.shift"])


def _normalised(states: Vectors, gain: Vectors, shift: Vectors) -> Vectors:
    """Return states that have mean 0 and variance 1 in each node, then scaled and shifted."""
    states = states - states.mean(axis=1, keepdims=True)
    deviations = np.sqrt((states * states).mean(axis=1, keepdims=True) + np.float32(EPSILON))
    normalised: Vectors = states / deviations * gain + shift
    return normalised


def _batches(starts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of formulas with about ``BATCH_NODES`` nodes of both trees."""
    first, count = 0, len(starts) - 1
    while first < count:
        last = int(np.searchsorted(starts, starts[first] + BATCH_NODES, side="right")) - 1
        last = min(count, max(first + 1, last))
        yield first, last
        first = last


@compiled
def _attend(
    parents: Array,
    steps: Array,
    sources: Array,
    targets: Array,
    edges: Array,
    attention: Array,
    scores: Array,
    gathered: Array,
) -> None:
    """Add to ``gathered`` what each node receives from itself, its parent and its children.

    ``scores`` is room for the scores of these three kinds of messages, in this order; that of
    children is in the row of the child.
    """
    nodes, width = sources.shape
    heads, part = attention.shape
    types = len(edges) // 2
    highest = np.full((nodes, heads), -np.inf, np.float32)
    for node in range(nodes):
        parent, step = parents[node], steps[node]
        for head in range(heads):
            scores[0, node, head] = _score(sources, node, targets, node, edges, 0, attention, head)
            if scores[0, node, head] > highest[node, head]:
                highest[node, head] = scores[0, node, head]
            if parent >= 0:
                down = _score(sources, parent, targets, node, edges, step, attention, head)
                up = _score(sources, node, targets, parent, edges, types + step, attention, head)
                scores[1, node, head] = down
                scores[2, node, head] = up
                if down > highest[node, head]:
                    highest[node, head] = down
                if up > highest[parent, head]:
                    highest[parent, head] = up
    sums = np.zeros((nodes, heads), np.float32)
    for node in range(nodes):
        parent, step = parents[node], steps[node]
        for head in range(heads):
            low, high = head * part, (head + 1) * part
            share = np.exp(scores[0, node, head] - highest[node, head])
            sums[node, head] += share
            for at in range(low, high):
                gathered[node, at] += share * (sources[node, at] + edges[0, at])
            if parent >= 0:
                share = np.exp(scores[1, node, head] - highest[node, head])
                sums[node, head] += share
                for at in range(low, high):
                    gathered[node, at] += share * (sources[parent, at] + edges[step, at])
                share = np.exp(scores[2, node, head] - highest[parent, head])
                sums[parent, head] += share
                for at in range(low, high):
                    gathered[parent, at] += share * (sources[node, at] + edges[types + step, at])
    for node in range(nodes):
        for at in range(width):
            gathered[node, at] /= sums[node, at // part]


@compiled
def _score(
    sources: Array,
    source: IntLike,
    targets: Array,
    target: IntLike,
    edges: Array,
    edge: IntLike,
    attention: Array,
    head: IntLike,
) -> FloatLike:
    """Return how much a node attends to a message, before the softmax."""
    part = attention.shape[1]
    total = np.float32(0)
    for place in range(part):
        at = head * part + place
        value = sources[source, at] + targets[target, at] + edges[edge, at]
        total += attention[head, place] * (value if value > 0 else np.float32(SLOPE) * value)
    return total


@compiled
def _pool(starts: Array, states: Array, pooled: Array) -> None:
    """Write the mean and the maximum of the nodes of each graph; zeros for one without nodes."""
    width = states.shape[1]
    for graph in range(len(starts) - 1):
        first, last = starts[graph], starts[graph + 1]
        if first == last:
            continue
        for at in range(width):
            pooled[graph, width + at] = states[first, at]
        for node in range(first, last):
            for at in range(width):
                pooled[graph, at] += states[node, at]
                if states[node, at] > pooled[graph, width + at]:
                    pooled[graph, width + at] = states[node, at]
        for at in range(width):
            pooled[graph, at] /= np.float32(last - first)
