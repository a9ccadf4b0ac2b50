"""The embedding of ``formula-graph``: a network over the graphs of both trees of a formula.

Porism comes with a small model of it, so that an index can have these vectors without training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import PorismError
from porism.structure.embeddings import FormulaInput, FormulaModel
from porism.structure.graphs.network import GraphNetwork, NetworkSpec
from porism.structure.packed_trees import PackedTrees, packed_trees

EMBEDDING = "graph"

STORED = np.dtype("<f2")
"""How weights are stored: 11 bits each change a cosine by less than .001."""


@dataclass(frozen=True, slots=True)
class GraphEncoder:
    """Vectors of formulas by a network; of a tree, the first ``packed_trees.MAX_NODES`` count."""

    network: GraphNetwork

    def encode(self, formulas: Sequence[FormulaInput]) -> NDArray[np.float32]:
        return self.network.encode(packed_inputs(formulas))


def packed_inputs(formulas: Sequence[FormulaInput]) -> PackedTrees:
    """Return the trees of formulas in packed form; a refused formula has trees without nodes."""
    rows = [packed_trees(each.layout, each.operators()) for each in formulas]
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return PackedTrees(np.array([number for row in rows for number in row], np.uint64), starts)


def graph_model(network: GraphNetwork, training: dict[str, Any]) -> FormulaModel:  # Any: JSON
    """Return a trained network as a model; ``training`` says how it was trained, for people."""
    return FormulaModel(
        EMBEDDING,
        network.dimension,
        {"network": asdict(network.spec), "training": training},
        {name: weights.astype(STORED) for name, weights in network.weights.items()},
    )


def open_encoder(model: FormulaModel) -> GraphEncoder:
    """Return the encoder of a trained model; one of another form is refused."""
    try:
        spec = NetworkSpec(**model.settings["network"])
        weights = {
            name: model.arrays[name].astype(np.float32).reshape(shape)
            for name, shape in spec.shapes().items()
        }
    except (KeyError, TypeError, ValueError) as error:
        raise PorismError(
            "a model of formula graphs that this version of Porism cannot read; train it again "
            "with porism train graph"
        ) from error
    return GraphEncoder(GraphNetwork(spec, weights))
