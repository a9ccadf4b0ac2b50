"""The header of a GGUF file: its metadata, read before llama.cpp sees the file.

llama.cpp ends the whole process on some broken files, and says little about the others. The format
is described in docs/gguf.md of ggml.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

from porism.generation.generator import GenerationError

MAGIC = b"GGUF"
VERSIONS = (2, 3)

_STRING, _ARRAY = 8, 9
_FORMATS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
"""How the types of values with a fixed size are unpacked."""

_MAX_DIMENSIONS = 8

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class GGUFHeader:
    """What the metadata says; None where it says nothing. ``parts`` is 1 for a whole model."""

    architecture: str | None
    name: str | None
    context_length: int | None
    parts: int = 1


class _Truncated(Exception):
    """The file ends before its header does, or a length in it is nonsense."""


def read_gguf_header(path: Path) -> GGUFHeader:
    """Read the header of a model; an error says why a file is none, or not a whole one."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
            _check_start(path, start)
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                header = _header(data)
    except _Truncated as error:
        raise GenerationError(
            f"{path}: the file is truncated or damaged; download it again"
        ) from error
    except OSError as error:
        raise GenerationError(f"{path}: cannot be read ({error.strerror or error})") from error
    if header.parts > 1:
        raise GenerationError(
            f"{path}: one of {header.parts} parts of a model; join them with llama.cpp's"
            " llama-gguf-split --merge"
        )
    return header


def _check_start(path: Path, start: bytes) -> None:
    if start[:4] != MAGIC:
        raise GenerationError(
            f"{path}: not a GGUF file (it begins with {start[:4]!r} instead of {MAGIC!r}); other"
            " formats can be converted with llama.cpp's convert_hf_to_gguf.py"
        )
    if len(start) < 8:
        raise _Truncated
    (version,) = struct.unpack("<I", start[4:])
    if version not in VERSIONS:
        is_swapped = int.from_bytes(start[4:], "big") in VERSIONS
        what = "big-endian numbers" if is_swapped else f"version {version} of the format"
        raise GenerationError(
            f"{path}: a GGUF file with {what}; expected version 2 or 3, little-endian"
        )


def _header(data: mmap.mmap) -> GGUFHeader:
    reader = _Reader(data, 8)
    tensors, pairs = reader.count(), reader.count()
    values: dict[str, Scalar] = {}
    for _ in range(pairs):
        key = reader.string()
        value = reader.value(reader.number("<I"))
        if value is not None:
            values[key] = value
    last = max((reader.tensor_offset() for _ in range(tensors)), default=0)
    if tensors and reader.position + last >= len(data):
        raise _Truncated
    architecture = values.get("general.architecture")
    name = values.get("general.name")
    context = values.get(f"{architecture}.context_length")
    parts = values.get("split.count")
    return GGUFHeader(
        architecture if isinstance(architecture, str) else None,
        name if isinstance(name, str) else None,
        context if isinstance(context, int) else None,
        parts if isinstance(parts, int) else 1,
    )


class _Reader:
    """Reads one value after another, and never beyond the end."""

    def __init__(self, data: mmap.mmap, position: int) -> None:
        self._data = data
        self.position = position

    def number(self, form: str) -> int:
        value = self._scalar(form)
        assert isinstance(value, int)
        return value

    def count(self) -> int:
        """A number of things, of which each has at least one byte."""
        count = self.number("<Q")
        if count > len(self._data):
            raise _Truncated
        return count

    def string(self) -> str:
        length = self.count()
        start = self.position
        self._skip(length)
        return self._data[start : self.position].decode("utf-8", errors="replace")

    def value(self, kind: int) -> Scalar | None:
        """A value of one of the types; None for an array, which is skipped."""
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            self._skip_array()
            return None
        return self._scalar(_form(kind))

    def tensor_offset(self) -> int:
        """Where the numbers of a tensor begin, behind the header."""
        self.string()
        dimensions = self.number("<I")
        if dimensions > _MAX_DIMENSIONS:
            raise _Truncated
        self._skip(8 * dimensions + 4)
        return self.number("<Q")

    def _skip_array(self) -> None:
        kind = self.number("<I")
        length = self.count()
        if kind == _ARRAY:  # no model has arrays of arrays
            raise _Truncated
        if kind == _STRING:
            for _ in range(length):
                self._skip(self.count())
        else:
            self._skip(length * struct.calcsize(_form(kind)))

    def _scalar(self, form: str) -> int | float | bool:
        start = self.position
        self._skip(struct.calcsize(form))
        value: int | float | bool = struct.unpack_from(form, self._data, start)[0]
        return value

    def _skip(self, size: int) -> None:
        self.position += size
        if self.position > len(self._data):
            raise _Truncated


def _form(kind: int) -> str:
    form = _FORMATS.get(kind)
    if form is None:
        raise _Truncated
    return form
