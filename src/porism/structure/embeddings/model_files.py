"""Models of embeddings in files: one of arrays in the folder of an index, or a folder of their own.

MODEL/model.json      the embedding, its settings, and the checksums of the arrays
MODEL/arrays-1        the arrays; the next model in the same folder has arrays-2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from porism.errors import PorismError
from porism.storage.array_file import (
    StoredFile,
    files_fingerprint,
    open_arrays,
    stored_file,
    verify,
    write_arrays,
    write_file,
)
from porism.storage.checked_json import check_json, json_with_checksum, parsed_json
from porism.structure.embeddings import FormulaModel

MODEL = "model.json"
_ARRAYS = "arrays-"


@dataclass(frozen=True, slots=True)
class StoredFormulaModel:
    """A model whose arrays are in a file."""

    embedding: str
    dimension: int
    settings: Mapping[str, Any]  # Any: JSON
    file: StoredFile

    @property
    def digest(self) -> str:
        """A short text that differs whenever the arrays differ."""
        return files_fingerprint([self.file])

    def record(self) -> dict[str, object]:
        """Return it as JSON values."""
        return asdict(self)


def stored_formula_model(record: Mapping[str, Any]) -> StoredFormulaModel:  # Any: JSON
    """Return the model that was stored as JSON values."""
    return StoredFormulaModel(
        record["embedding"],
        int(record["dimension"]),
        record["settings"],
        stored_file(record["file"]),
    )


def write_formula_model(path: Path, model: FormulaModel) -> StoredFormulaModel:
    """Write the arrays of a model to a file."""
    flat = {name: np.ascontiguousarray(array).reshape(-1) for name, array in model.arrays.items()}
    return StoredFormulaModel(
        model.embedding, model.dimension, model.settings, write_arrays(path, flat)
    )


def read_formula_model(folder: Path, stored: StoredFormulaModel) -> FormulaModel:
    """Map the arrays of a model, which are then flat; a damaged file is refused."""
    verify(folder, [stored.file])
    arrays = open_arrays(folder, stored.file)
    return FormulaModel(stored.embedding, stored.dimension, stored.settings, arrays)


def save_model_folder(folder: Path, model: FormulaModel) -> None:
    """Write a model to a folder of its own; an earlier one there stays in force until the end."""
    folder.mkdir(parents=True, exist_ok=True)
    before = sorted(folder.glob(f"{_ARRAYS}*"))
    numbers = [path.name.removeprefix(_ARRAYS) for path in before]
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)
    stored = write_formula_model(folder / f"{_ARRAYS}{last + 1}", model)
    write_file(folder / MODEL, json_with_checksum(stored.record()))
    for path in before:
        path.unlink()


def load_model_folder(folder: Path, embedding: str) -> FormulaModel:
    """Read a model of an embedding from its folder; anything else is refused."""
    path = folder / MODEL
    try:
        text = path.read_bytes()
    except OSError as error:
        raise PorismError(
            f"{folder}: no model of formulas ({MODEL}: {error.strerror}); porism train "
            f"{embedding} INDEX -o FOLDER writes one"
        ) from None
    data = parsed_json(text, path)
    check_json(text, path)
    try:
        stored = stored_formula_model(data)
    except (KeyError, ValueError, TypeError):
        raise PorismError(f"{path}: damaged; copy or train the model again") from None
    if stored.embedding != embedding:
        raise PorismError(
            f"{folder}: a model of the embedding {stored.embedding!r}, where one of "
            f"{embedding!r} is expected"
        )
    return read_formula_model(folder, stored)


def packaged_model(embedding: str) -> FormulaModel | None:
    """Return the model of an embedding that Porism comes with, if there is one."""
    folder = Path(str(files("porism.structure.embeddings"))) / f"{embedding}-model"
    return load_model_folder(folder, embedding) if folder.is_dir() else None
