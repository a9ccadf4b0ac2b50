"""GGUF files made of a few values, for tests of headers."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

METADATA: Mapping[str, str | int] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.context_length": 128,
}


def string(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, value: str | int) -> bytes:
    if isinstance(value, str):
        return string(key) + struct.pack("<I", 8) + string(value)
    return string(key) + struct.pack("<II", 4, value)


def words(key: str, values: list[str]) -> bytes:
    """A pair whose value is an array of strings."""
    return (
        string(key)
        + struct.pack("<IIQ", 9, 8, len(values))
        + b"".join(string(value) for value in values)
    )


def tensor(name: str, offset: int) -> bytes:
    return string(name) + struct.pack("<IQIQ", 1, 4, 0, offset)


def gguf_bytes(
    metadata: Mapping[str, str | int] = METADATA, version: int = 3, offset: int = 0
) -> bytes:
    """A whole file with one tensor of four numbers."""
    pairs = [pair(key, value) for key, value in metadata.items()]
    pairs.append(words("tokenizer.ggml.tokens", ["a", "b", ""]))
    head = struct.pack("<4sIQQ", b"GGUF", version, 1, len(pairs))
    body = head + b"".join(pairs) + tensor("output", offset)
    return body + bytes(-len(body) % 32) + bytes(16)


def write_gguf(path: Path, data: bytes | None = None) -> Path:
    path.write_bytes(gguf_bytes() if data is None else data)
    return path
