"""The weights of a model, read from safetensors. Pickled weights are refused: they can run code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from porism.embed.model_folder import WEIGHTS_FILE
from porism.errors import PorismError

Tensor = NDArray[np.float32]
TensorLookup = Callable[[str], Tensor]
"""The array of a name; ValueError if there is none."""

_PREFIXES = ("", "bert.", "roberta.", "mpnet.")
_PICKLES = ("pytorch_model.bin", "pytorch_model.pt", "model.pt", "pytorch_model.bin.index.json")


class _TensorFile(Protocol):
    """The used part of a safetensors file."""

    def keys(self) -> Iterable[str]: ...

    def get_tensor(self, name: str) -> NDArray[np.generic]: ...


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


def open_tensors(path: Path) -> tuple[set[str], TensorLookup]:
    """The names in a safetensors file, and a lookup of its arrays as 32-bit floats."""
    try:
        file: _TensorFile = safe_open(path, framework="np")
        names = set(file.keys())
    except (OSError, SafetensorError) as error:
        raise PorismError(f"{path}: cannot be read as safetensors: {error}") from None

    def tensor(name: str) -> Tensor:
        if name not in names:
            raise ValueError(f"there is no {name}")
        try:
            return np.asarray(file.get_tensor(name), dtype=np.float32)
        except (TypeError, SafetensorError) as error:
            raise ValueError(f"{name} has a type that NumPy lacks ({error})") from None

    return names, tensor


def encoder_tensors(path: Path) -> TensorLookup:
    """A lookup of the arrays of an encoder by name, without the prefix that some models use."""
    names, find = open_tensors(path)
    word = "embeddings.word_embeddings.weight"
    prefix = next((prefix for prefix in _PREFIXES if prefix + word in names), None)
    if prefix is None:
        raise PorismError(f"{path}: found no {word}: expected a BERT, RoBERTa or MPNet model")

    def tensor(name: str) -> Tensor:
        # the oldest models call weight and bias of a normalisation gamma and beta
        old = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
        full_name = next((prefix + each for each in (name, old) if prefix + each in names), None)
        if full_name is None:
            raise ValueError(f"there is no {name}")
        return find(full_name)

    return tensor
