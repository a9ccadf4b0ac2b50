"""The weights of a model, read from safetensors. Pickled weights are refused: they can run code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from porism.embed.model_folder import WEIGHTS_FILE
from porism.errors import PorismError

Tensor = NDArray[np.float32]

WIDENING = "encoder.embedding_hidden_mapping_in"
"""The map from the width of ALBERT's embeddings to that of its layers."""

_CLASSIFIERS = ("classifier.weight", "classifier.out_proj.weight")
_PREFIXES = ("", "bert.", "roberta.", "mpnet.", "albert.")
_PICKLES = ("pytorch_model.bin", "pytorch_model.pt", "model.pt", "pytorch_model.bin.index.json")


class _TensorSlice(Protocol):
    """The used part of an array that is not read yet."""

    def get_shape(self) -> list[int]: ...


class _TensorFile(Protocol):
    """The used part of a safetensors file."""

    def keys(self) -> Iterable[str]: ...

    def get_tensor(self, name: str) -> NDArray[np.generic]: ...

    def get_slice(self, name: str) -> _TensorSlice: ...


@dataclass(frozen=True, slots=True)
class Weights:
    """The arrays of an opened safetensors file by name, without the prefix that some models use."""

    file: _TensorFile
    names: frozenset[str]
    prefix: str = ""

    def tensor(self, name: str) -> Tensor:
        """The array of a name as 32-bit floats; ValueError if there is none."""
        full_name = self._full_name(name)
        try:
            return np.asarray(self.file.get_tensor(full_name), dtype=np.float32)
        except (TypeError, SafetensorError) as error:
            raise ValueError(f"{name} has a type that NumPy lacks ({error})") from None

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, which is not read; ValueError if there is none."""
        return tuple(self.file.get_slice(self._full_name(name)).get_shape())

    def has(self, name: str) -> bool:
        """Whether there is an array of that name."""
        return any(each in self.names for each in self._possible_names(name))

    @property
    def is_classifier(self) -> bool:
        """Whether the model has classes as its output, as a cross-encoder does."""
        return any(map(self.has, _CLASSIFIERS))

    @property
    def classes(self) -> int:
        """The number of classes of a classifier; ValueError for another model."""
        return self.shape(next(filter(self.has, _CLASSIFIERS), _CLASSIFIERS[0]))[0]

    def _full_name(self, name: str) -> str:
        for each in self._possible_names(name):
            if each in self.names:
                return each
        raise ValueError(f"there is no {name}")

    def _possible_names(self, name: str) -> tuple[str, ...]:
        # the oldest models call weight and bias of a normalisation gamma and beta
        old = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
        # heads have no prefix
        return (self.prefix + name, self.prefix + old, name, old)


def weights_file(folder: Path) -> Path:
    """The safetensors file of a model folder; an error that says what to do if there is none."""
    path = folder / WEIGHTS_FILE
    if path.is_file():
        return path
    pickled = next((name for name in _PICKLES if (folder / name).is_file()), None)
    if pickled is not None:
        raise PorismError(
            f"{folder}: found no {WEIGHTS_FILE}, only {pickled}, which is not read, because"
            " opening pickled weights can run any code: save the model again with"
            " safe_serialization=True, or name a model that has safetensors"
        )
    raise PorismError(
        f"{folder}: found no {WEIGHTS_FILE}: expected a model folder with config.json,"
        f" {WEIGHTS_FILE} and tokenizer.json, or with model.onnx and tokenizer.json"
    )


def open_weights(path: Path) -> Weights:
    """The arrays of a safetensors file."""
    try:
        file: _TensorFile = safe_open(path, framework="np")
        return Weights(file, frozenset(file.keys()))
    except (OSError, SafetensorError) as error:
        raise PorismError(f"{path}: cannot be read as safetensors: {error}") from None


def open_encoder_weights(path: Path) -> Weights:
    """The arrays of an encoder."""
    weights = open_weights(path)
    word = "embeddings.word_embeddings.weight"
    prefix = next((prefix for prefix in _PREFIXES if prefix + word in weights.names), None)
    if prefix is None:
        raise PorismError(f"{path}: found no {word}: expected a BERT, RoBERTa or MPNet model")
    return replace(weights, prefix=prefix)


def model_width(weights: Weights) -> int:
    """The width of the layers of an encoder, which is that of its embeddings except for ALBERT."""
    if weights.has(f"{WIDENING}.weight"):
        return weights.shape(f"{WIDENING}.weight")[0]
    return weights.shape("embeddings.word_embeddings.weight")[1]
