"""Formulas as vectors: what all embeddings of formulas have in common.

An embedding has a name and a module here, which opens an encoder from a trained model. A model is
plain arrays and settings, so it can be stored in an index and copied as a folder of two files;
training one needs more packages, and is left to ``porism.lab``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from porism.errors import UnknownName
from porism.formula.tree import Tree

FormulaArray = NDArray[Any]  # of the type that the embedding stores

_MODULES = {
    "cft": "porism.structure.embeddings.tangent_cft",
    "graph": "porism.structure.embeddings.formula_graph",
    "nits": "porism.structure.embeddings.token_sequences",
}


class FormulaInput(NamedTuple):
    """A formula as an encoder gets it; the operator tree is made if it is needed."""

    latex: str
    layout: Tree
    operators: Callable[[], Tree]


class FormulaEncoder(Protocol):
    """A trained embedding of formulas; threads may share it."""

    def encode(self, formulas: Sequence[FormulaInput]) -> NDArray[np.float32]:
        """Return a vector for each formula, of any length; zero if nothing is known of one."""
        ...


@dataclass(frozen=True, slots=True)
class FormulaModel:
    """A trained model: ``arrays`` by name, of any shape when trained and flat when read.

    ``settings`` are JSON values: what encoding needs, and how the model was trained.
    """

    embedding: str
    dimension: int
    settings: Mapping[str, Any]  # Any: JSON
    arrays: Mapping[str, FormulaArray]


def open_formula_encoder(model: FormulaModel) -> FormulaEncoder:
    """Return the encoder of a model; its module is imported on use, as it may need packages."""
    if model.embedding not in _MODULES:
        raise UnknownName(
            f"there is no embedding {model.embedding!r} of formulas; this Porism has "
            f"{', '.join(_MODULES)}"
        )
    encoder: FormulaEncoder = import_module(_MODULES[model.embedding]).open_encoder(model)
    return encoder


def unit_vectors(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors with length 1, so that products are cosines; a zero vector stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(
        vectors, norms, out=np.zeros_like(vectors), where=norms > 0
    )
    return unit
