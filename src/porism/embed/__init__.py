"""Texts as vectors: ``open_encoder`` opens a model, which runs on onnxruntime.

It knows texts, but not where they come from; nothing is downloaded unless ``hub:`` is asked for.
Importing this package is quick: models and their libraries are loaded when one is opened.
"""

from porism.embed.encoder import ModelIdentity, TextEncoder
from porism.embed.models import DEFAULT_MODEL, is_installed, open_encoder
from porism.embed.token_windows import WindowSpec, first_window, windows

__all__ = [
    "DEFAULT_MODEL",
    "ModelIdentity",
    "TextEncoder",
    "WindowSpec",
    "first_window",
    "is_installed",
    "open_encoder",
    "windows",
]
