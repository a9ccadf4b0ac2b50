"""The names of models, and where each is."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from pathlib import Path

from porism.embed.encoder import CrossEncoder, SparseEncoder, TextEncoder
from porism.embed.packaged_encoders import MINILM, WORDLLAMA
from porism.embed.words.word_models import DOC2VEC, FASTTEXT, KINDS, model_kind
from porism.errors import PorismError
from porism.extras import needs_extra
from porism.packaged_models import is_package_installed, packaged_model

DEFAULT_MODEL = "minilm"
HUB = "hub:"
"""The prefix of a model that is downloaded."""

_PACKAGES = {"minilm": MINILM, "wordllama": WORDLLAMA}
_WORD_MODELS = {
    FASTTEXT: ("porism.embed.words.fasttext_encoder", "open_fasttext_encoder"),
    DOC2VEC: ("porism.embed.words.doc2vec_encoder", "open_doc2vec_encoder"),
}
"""The module and function that open models of words, by their kinds."""

_NEEDED = ("onnx", "onnxruntime", "safetensors", "tokenizers")


def is_installed(model: str = DEFAULT_MODEL) -> bool:
    """Whether a model can be opened without a download; its files are not read."""
    if model_kind(Path(model)) in KINDS:
        return True
    if model in _PACKAGES:
        return _can_run_models() and is_package_installed(_PACKAGES[model])
    return _can_run_models() and not model.startswith(HUB) and Path(model).is_dir()


def _can_run_models() -> bool:
    """Whether the packages are there that run models."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


def open_encoder(
    model: str = DEFAULT_MODEL, precision: str = "int8", threads: int = 1
) -> TextEncoder:
    """The encoder of a model: ``minilm``, ``wordllama``, a folder, or ``hub:NAME``.

    A folder may also be one that ``porism train fasttext`` or ``doc2vec`` wrote. Only ``hub:`` uses
    the network. With ``float32`` a graphics card is used if the installed onnxruntime supports it.
    """
    with needs_extra("vectors", "vectors need"):
        return _opened(model, precision, threads)


def open_cross_encoder(model: str, precision: str = "int8", threads: int = 1) -> CrossEncoder:
    """The cross-encoder in a folder, or ``hub:NAME``: a model for sequence classification."""
    with needs_extra("vectors", "cross-encoders need"):
        heads = import_module("porism.embed.heads.cross_encoder")
        opened: CrossEncoder = heads.open_onnx_cross_encoder(
            Path(local_model(model)), precision, threads, _name(model)
        )
        return opened


def open_sparse_encoder(model: str, precision: str = "int8", threads: int = 1) -> SparseEncoder:
    """The learned-sparse encoder in a folder, or ``hub:NAME``: a masked language model."""
    with needs_extra("vectors", "learned-sparse encoders need"):
        heads = import_module("porism.embed.heads.sparse_encoder")
        opened: SparseEncoder = heads.open_onnx_sparse_encoder(
            Path(local_model(model)), precision, threads, _name(model)
        )
        return opened


def local_model(model: str) -> str:
    """The model as it is found from every folder and without a network.

    A folder becomes absolute, and what ``hub:`` names is downloaded to a folder.
    """
    if model in _PACKAGES:
        return model
    if not model.startswith(HUB):
        return str(Path(model).resolve())
    return str(import_module("porism.embed.hub").downloaded(model.removeprefix(HUB)))


def trainable_folder(model: str) -> Path:
    """The folder of a model from which a training can start: ``minilm``, a folder or ``hub:NAME``.

    Static vectors and models of words have no network to train, and are refused.
    """
    folder = packaged_model(MINILM) if model == DEFAULT_MODEL else Path(local_model(model))
    if model == "wordllama" or model_kind(folder) in KINDS:
        raise PorismError(
            f"{model} has vectors of words, and no network that can be trained: expected "
            f"{DEFAULT_MODEL}, or the folder of a BERT, RoBERTa or MPNet model"
        )
    if not folder.is_dir():
        raise PorismError(
            f"there is no folder {model}: expected {DEFAULT_MODEL}, or the folder of a model"
        )
    return folder


def _opened(model: str, precision: str, threads: int) -> TextEncoder:
    encoder: TextEncoder
    if model == "wordllama":
        static = import_module("porism.embed.static_encoder")
        encoder = static.open_static_encoder(packaged_model(WORDLLAMA), model)
        return encoder
    folder = packaged_model(MINILM) if model == "minilm" else Path(local_model(model))
    opener = _WORD_MODELS.get(model_kind(folder) or "")
    if opener is not None:
        encoder = getattr(import_module(opener[0]), opener[1])(folder)
        return encoder
    onnx_encoder = import_module("porism.embed.onnx_encoder")
    encoder = onnx_encoder.open_onnx_encoder(folder, precision, threads, _name(model))
    return encoder


def _name(model: str) -> str | None:
    """The name of a model that is not a folder."""
    return model if model in _PACKAGES or model.startswith(HUB) else None
