"""Texts as vectors, scores and terms, by models that run on onnxruntime.

``open_encoder`` opens a model for vectors, ``open_cross_encoder`` one that scores pairs of texts,
and ``open_sparse_encoder`` one that gives a text weighted terms.

It knows texts, but not where they come from; nothing is downloaded unless ``hub:`` is asked for.
Importing this package is quick: models and their libraries are loaded when one is opened.
"""

from porism.embed.encoder import CrossEncoder, ModelIdentity, SparseEncoder, TextEncoder
from porism.embed.models import (
    DEFAULT_MODEL,
    is_installed,
    open_cross_encoder,
    open_encoder,
    open_sparse_encoder,
)
from porism.embed.token_windows import WindowSpec, first_window, windows

__all__ = [
    "DEFAULT_MODEL",
    "CrossEncoder",
    "ModelIdentity",
    "SparseEncoder",
    "TextEncoder",
    "WindowSpec",
    "first_window",
    "is_installed",
    "open_cross_encoder",
    "open_encoder",
    "open_sparse_encoder",
    "windows",
]
