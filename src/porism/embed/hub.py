"""Models downloaded from the Hugging Face hub: the only part of Porism's encoders that uses the
network, and only for a name that the user has given."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from porism.embed.model_folder import ONNX_FILES, WEIGHTS_FILE
from porism.errors import PorismError

_SETTINGS = ("*.json", "*_Pooling/config.json")


def downloaded(name: str) -> Path:
    """The folder of a downloaded model; the hub's package caches it and renews it if necessary.

    Only settings and safetensors are downloaded, or else the ONNX model; never pickled weights.
    """
    try:
        hub = import_module("huggingface_hub")
    except ModuleNotFoundError:
        raise PorismError(
            f"hub:{name}: downloading a model needs the package huggingface_hub, which is not"
            " installed: pip install huggingface_hub, or download the model yourself and name"
            " its folder"
        ) from None
    try:
        folder = Path(hub.snapshot_download(name, allow_patterns=[*_SETTINGS, WEIGHTS_FILE]))
        if not (folder / WEIGHTS_FILE).is_file():
            hub.snapshot_download(name, allow_patterns=[*_SETTINGS, *ONNX_FILES])
    except Exception as error:  # the package's errors have no common class
        raise PorismError(
            f"hub:{name}: cannot be downloaded: {error}; check the name and the network, or"
            " download the model yourself and name its folder"
        ) from error
    return folder
