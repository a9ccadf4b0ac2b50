"""The network over graphs: a slow reference, batches, and formulas of any size."""

import numpy as np
import pytest
from numpy.typing import NDArray

from porism.structure.embeddings import unit_vectors
from porism.structure.graphs import network as network_module
from porism.structure.graphs.network import (
    BRANCHES,
    EPSILON,
    SLOPE,
    GraphNetwork,
    label_buckets,
)
from porism.structure.graphs.tree_graphs import DEPTHS, STEPS, TreeGraphs, formula_graphs
from porism.structure.packed_trees import PackedTrees
from tests.structure.graphs.tiny_network import FORMULAS, SPEC, packed, tiny_network

Matrix = NDArray[np.float64]


def slow_branch(network: GraphNetwork, branch: str, graphs: TreeGraphs) -> Matrix:
    """The vector of each tree, node by node, from the definition of GATv2."""
    weights = {name: each.astype(np.float64) for name, each in network.weights.items()}
    one, other = label_buckets(graphs.labels, SPEC.buckets)
    vectors = []
    for first, last in zip(graphs.starts, graphs.starts[1:], strict=False):
        nodes = range(first, last)
        states = {
            node: weights["labels"][one[node]]
            + weights["labels"][other[node]]
            + weights[f"{branch}.kinds"][graphs.kinds[node]]
            + weights[f"{branch}.steps"][graphs.steps[node]]
            + weights[f"{branch}.depths"][min(graphs.depths[node], DEPTHS - 1)]
            for node in nodes
        }
        for layer in range(SPEC.layers):
            own = {
                name.rpartition(".")[2]: each
                for name, each in weights.items()
                if name.startswith(f"{branch}.{layer}.")
            }
            states = {node: slow_state(graphs, node, states, own) for node in nodes}
        if states:
            rows = np.array(list(states.values()))
            pooled = np.concatenate([rows.mean(axis=0), rows.max(axis=0)])
        else:
            pooled = np.zeros(2 * SPEC.width)
        vectors.append(pooled @ weights[f"{branch}.readout"])
    return np.array(vectors)


def slow_state(
    graphs: TreeGraphs, node: int, states: dict[int, Matrix], weights: dict[str, Matrix]
) -> Matrix:
    """The state of a node after a layer."""
    received = [(node, 0)]
    if graphs.parents[node] >= 0:
        received.append((int(graphs.parents[node]), int(graphs.steps[node])))
    received += [
        (child, STEPS + int(graphs.steps[child]))
        for child in states
        if graphs.parents[child] == node
    ]
    messages = [
        states[source] @ weights["source"] + weights["edges"][edge] for source, edge in received
    ]
    gathered = []
    for head in np.split(np.arange(SPEC.width), SPEC.heads):
        sums = [(message + states[node] @ weights["target"])[head] for message in messages]
        leaky = [np.where(each > 0, each, SLOPE * each) for each in sums]
        shares = np.exp([each @ weights["attention"][head] for each in leaky])
        shares /= shares.sum()
        gathered.append(
            sum(share * each[head] for share, each in zip(shares, messages, strict=True))
        )
    state = states[node] + np.maximum(np.concatenate(gathered), 0) @ weights["output"]
    state = (state - state.mean()) / np.sqrt(state.var() + EPSILON)
    normalised: Matrix = state * weights["gain"] + weights["shift"]
    return normalised


def test_the_network_equals_a_slow_reference() -> None:
    network = tiny_network()
    trees = packed(*FORMULAS)
    expected = [
        unit_vectors(slow_branch(network, branch, graphs).astype(np.float32))
        for branch, graphs in zip(BRANCHES, formula_graphs(trees), strict=True)
    ]
    vectors = network.encode(trees)
    assert vectors.shape == (len(FORMULAS), network.dimension)
    assert vectors == pytest.approx(unit_vectors(np.concatenate(expected, axis=1)), abs=1e-5)


def test_batches_do_not_change_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    network = tiny_network()
    trees = packed(*FORMULAS)
    whole = network.encode(trees)
    monkeypatch.setattr(network_module, "BATCH_NODES", 20)
    assert network.encode(trees) == pytest.approx(whole, abs=1e-6)
    alone = np.concatenate([network.encode(packed(latex)) for latex in FORMULAS])
    assert alone == pytest.approx(whole, abs=1e-6)


def test_vectors_have_length_one() -> None:
    lengths = np.linalg.norm(tiny_network().encode(packed(*FORMULAS)), axis=1)
    assert lengths == pytest.approx(np.ones(len(FORMULAS)), abs=1e-6)


def test_equal_formulas_have_equal_vectors() -> None:
    one, other = tiny_network().encode(packed("a+b", "a + b"))
    # On some processors the rows of one product differ in their last bits.
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


def test_a_symbol_that_training_never_met_has_a_vector() -> None:
    one, other = tiny_network().encode(packed(r"\text{quux}+1", r"\text{corge}+1"))
    assert np.isfinite(one).all()
    assert not np.allclose(one, other)


@pytest.mark.parametrize("latex", ["x", "+", "+".join(["x^2"] * 700)])
def test_formulas_of_any_size_have_vectors(latex: str) -> None:
    (vector,) = tiny_network().encode(packed(latex))
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_a_formula_without_symbols_has_zeros() -> None:
    network = tiny_network()
    empty = PackedTrees(np.zeros(1, np.uint64), np.array([0, 1, 1]))
    assert not network.encode(empty).any()
    none = PackedTrees(np.zeros(0, np.uint64), np.zeros(1, np.int64))
    assert network.encode(none).shape == (0, network.dimension)
