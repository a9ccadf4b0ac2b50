"""Folders of models that were trained on the words of a collection.

MODEL/porism.json     the kind of the model, its settings, and the checksums of the arrays
MODEL/arrays          the arrays
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import PorismError
from porism.storage.array_file import (
    files_fingerprint,
    open_arrays,
    stored_file,
    sync_folder,
    verify,
    write_arrays,
    write_file,
)
from porism.storage.checked_json import check_json, json_with_checksum, parsed_json

MARKER = "porism.json"
FASTTEXT = "fasttext"
DOC2VEC = "doc2vec"
KINDS = (FASTTEXT, DOC2VEC)

_ARRAYS = "arrays"

StoredValues = NDArray[Any]  # of the type that the model stores


@dataclass(frozen=True, slots=True)
class WordModel:
    """A trained model: ``arrays`` by name, of any shape when trained and flat when read.

    ``settings`` are JSON values: what encoding needs, and how the model was trained. ``digest``
    differs whenever the arrays differ; a model that is not stored has none.
    """

    kind: str
    settings: Mapping[str, Any]  # Any: JSON
    arrays: Mapping[str, StoredValues]
    digest: str = ""


def model_kind(folder: Path) -> str | None:
    """Return the kind of the model in a folder; None if no command of Porism wrote it."""
    try:
        values = parsed_json((folder / MARKER).read_bytes(), folder / MARKER)
    except OSError:
        return None
    return str(values.get("kind"))


def check_new_folder(folder: Path) -> None:
    """Refuse a folder for a model that exists, unless it is empty."""
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise PorismError(f"{folder}: already exists; remove it, or name another folder")


def write_word_model(folder: Path, model: WordModel) -> None:
    """Write a model to a new folder, which gets its name when it is complete."""
    check_new_folder(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        flat = {name: np.ascontiguousarray(each).reshape(-1) for name, each in model.arrays.items()}
        file = write_arrays(unfinished / _ARRAYS, flat)
        record = {"kind": model.kind, "settings": model.settings, "file": asdict(file)}
        write_file(unfinished / MARKER, json_with_checksum(record))
        unfinished.chmod(0o777 & ~_umask())
        unfinished.replace(folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    sync_folder(folder.parent)


def _umask() -> int:
    """Return the mask of permissions of this process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def read_word_model(folder: Path, kind: str) -> WordModel:
    """Map the arrays of a model of one kind; anything else, and a damaged model, is refused."""
    path = folder / MARKER
    try:
        text = path.read_bytes()
    except OSError as error:
        raise PorismError(
            f"{folder}: no model of words ({MARKER}: {error.strerror}); porism train {kind} "
            "COLLECTION -o FOLDER writes one"
        ) from None
    values = parsed_json(text, path)
    if values.get("kind") != kind:
        raise PorismError(
            f"{folder}: a model of the kind {values.get('kind')!r}, where one of {kind!r} is "
            f"expected; porism train {kind} COLLECTION -o FOLDER writes one"
        )
    check_json(text, path)
    try:
        file, settings = stored_file(values["file"]), dict(values["settings"])
    except (KeyError, ValueError, TypeError):
        raise PorismError(f"{path}: damaged; copy or train the model again") from None
    verify(folder, [file])
    return WordModel(kind, settings, open_arrays(folder, file), files_fingerprint([file]))


def words_array(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return words, which have no line breaks, as an array of bytes."""
    text = "\n".join(words).encode("utf-8", "surrogatepass")
    return np.frombuffer(text, np.uint8)


def array_words(array: NDArray[np.uint8]) -> list[str]:
    """Return the words of an array of bytes."""
    text = array.tobytes().decode("utf-8", "surrogatepass")
    return text.split("\n") if text else []
