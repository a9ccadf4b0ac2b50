"""The settings of a model: a folder in the format of Hugging Face and sentence-transformers.

``config.json`` describes the network, ``tokenizer_config.json`` and ``sentence_bert_config.json``
limit the length of a text, and ``modules.json`` says how token vectors become one vector.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from porism.embed.model_tokenizers import TOKENIZER_FILE
from porism.errors import PorismError

WEIGHTS_FILE = "model.safetensors"
ONNX_FILES = ("model.onnx", "onnx/model.onnx")
KINDS = ("bert", "roberta", "xlm-roberta", "mpnet", "albert")
"""The supported architectures, by the ``model_type`` of ``config.json``."""

ACTIVATIONS = ("gelu", "gelu_new")
"""The supported activation functions; the second is an approximation by tanh."""

POOLINGS = ("mean", "cls", "max")
"""How token vectors become the vector of a text."""

_FIRST_POSITIONS = ("bert", "albert")
"""Architectures whose positions start at 0."""

_UNLIMITED = 1_000_000
_USUAL_POSITIONS = 512
_POOLING_KEYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    # differs from the mean by a factor only, and vectors are scaled to length 1
    "pooling_mode_mean_sqrt_len_tokens": "mean",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """A network, as described by ``config.json``.

    ALBERT has ``groups`` of layers that share their weights. The last two are not in the ``repr``,
    which is part of the digest of a model: stored vectors by older models stay valid.
    """

    kind: str
    layers: int
    heads: int
    epsilon: float
    first_position: int
    buckets: int
    activation: str = field(default="gelu", repr=False)
    groups: int = field(default=0, repr=False)

    def layer_name(self, number: int) -> str:
        """The beginning of the names of a layer's weights."""
        if self.kind != "albert":
            return f"encoder.layer.{number}"
        group = number * self.groups // self.layers
        return f"encoder.albert_layer_groups.{group}.albert_layers.0"


@dataclass(frozen=True, slots=True)
class SentenceSettings:
    """How a text becomes one vector. ``max_tokens`` includes special tokens."""

    pooling: str
    max_tokens: int
    lower_case: bool


def read_architecture(folder: Path) -> Architecture:
    """The network of a model folder; an error for those that are not supported."""
    path = folder / "config.json"
    settings = _json(path)
    kind = settings.get("model_type")
    activation = settings.get("hidden_act", "gelu")
    positions = settings.get("position_embedding_type", "absolute")
    if kind not in KINDS or activation not in ACTIVATIONS or positions != "absolute":
        raise PorismError(
            f"{path}: found a model of type {kind!r} with {activation!r} and {positions!r}"
            f" positions: expected {', '.join(map(repr, KINDS))} with 'gelu' and 'absolute',"
            " or a folder with model.onnx"
        )
    try:
        if settings.get("inner_group_num", 1) != 1:
            raise ValueError(f"inner_group_num is {settings['inner_group_num']!r}")
        return Architecture(
            kind=str(kind),
            layers=_whole(settings, "num_hidden_layers"),
            heads=_whole(settings, "num_attention_heads"),
            epsilon=float(str(settings.get("layer_norm_eps", 1e-12))),
            # except for BERT and ALBERT, positions start after that of the padding token
            first_position=(
                0 if kind in _FIRST_POSITIONS else _whole(settings, "pad_token_id", 1) + 1
            ),
            buckets=_whole(settings, "relative_attention_num_buckets", 32),
            activation=str(activation),
            groups=_whole(settings, "num_hidden_groups", 1) if kind == "albert" else 0,
        )
    except ValueError as error:
        raise PorismError(f"{path}: {error}: expected the settings of a model") from None


def read_sentence_settings(folder: Path) -> SentenceSettings:
    """Pooling and length limit of a model folder; by default the mean, and no limit."""
    pooling = "mean"
    path = folder / "modules.json"
    if path.is_file():
        pooling = _pooling(folder, path)
    settings = _optional_json(folder / "sentence_bert_config.json")
    longest = _limit(settings.get("max_seq_length"))
    return SentenceSettings(
        pooling, min(longest, max_tokens(folder)), settings.get("do_lower_case") is True
    )


def max_tokens(folder: Path) -> int:
    """The maximum length in the tokenizer's settings; a million if there is none."""
    return _limit(_optional_json(folder / "tokenizer_config.json").get("model_max_length"))


def ready_max_tokens(folder: Path) -> int:
    """The longest text of a ready ONNX model, whose positions only ``config.json`` may tell."""
    settings = _optional_json(folder / "config.json")
    positions = settings.get("max_position_embeddings")
    if not isinstance(positions, int) or positions < 4:
        positions = _USUAL_POSITIONS
    before = 0 if settings.get("model_type") in _FIRST_POSITIONS else 2
    return min(positions - before, max_tokens(folder))


def onnx_file(folder: Path) -> Path | None:
    """The ready ONNX model of a folder; None if there is none."""
    return next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)


def _pooling(folder: Path, path: Path) -> str:
    pooling = "mean"
    modules = _read(path)
    for module in modules if isinstance(modules, list) else [modules]:
        if not isinstance(module, dict):
            raise PorismError(f"{path}: found no list of modules: expected that of a model")
        kind = str(module.get("type")).rpartition(".")[2]
        if kind == "Pooling":
            place = (folder / str(module.get("path", ""))).resolve()
            if not place.is_relative_to(folder.resolve()):
                raise PorismError(f"{path}: names a folder outside the model: {module['path']!r}")
            pooling = _pooling_mode(place / "config.json")
        elif kind not in ("Transformer", "Normalize"):
            raise PorismError(
                f"{path}: found a module of type {kind!r}: expected Transformer, Pooling and"
                " Normalize only; models with other modules are not supported"
            )
    return pooling


def _pooling_mode(path: Path) -> str:
    settings = _json(path)
    mode = settings.get("pooling_mode")
    modes = [mode] if isinstance(mode, str) else []
    modes += [name for key, name in _POOLING_KEYS.items() if settings.get(key) is True]
    if len(set(modes)) != 1 or modes[0] not in POOLINGS:
        raise PorismError(
            f"{path}: found the pooling {', '.join(modes) or 'none'}: expected one of"
            f" {', '.join(POOLINGS)}"
        )
    return modes[0]


def _limit(value: object) -> int:
    """A length limit; a million if the value is none (some models have 10^30)."""
    if isinstance(value, int | float) and 2 < value < _UNLIMITED:
        return int(value)
    return _UNLIMITED


def _whole(settings: Mapping[str, object], key: str, default: int | None = None) -> int:
    value = settings.get(key, default)
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} is {value!r}")
    return value


def _optional_json(path: Path) -> dict[str, object]:
    return _json(path) if path.is_file() else {}


def _json(path: Path) -> dict[str, object]:
    settings = _read(path)
    if not isinstance(settings, dict):
        raise PorismError(f"{path}: found no JSON object: expected the settings of a model")
    return settings


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PorismError(
            f"{path.parent}: found no {path.name}: expected a model folder with config.json,"
            f" {WEIGHTS_FILE} and {TOKENIZER_FILE}"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise PorismError(f"{path}: cannot be read as JSON: {error}") from None
