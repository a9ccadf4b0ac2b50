"""The keywords of an index: stems of tags and titles, by which query words are chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from porism.analysis import keyword_vocabulary
from porism.collection.store import Collection
from porism.storage.array_file import StoredFile, open_arrays, verify, write_arrays


def collection_keywords(collection: Collection) -> frozenset[str]:
    """Return the stems of the tags and titles of a collection."""
    return keyword_vocabulary(collection.tags(), collection.titles())


def write_keywords(path: Path, keywords: frozenset[str]) -> StoredFile:
    """Write keywords as a file."""
    text = "\n".join(sorted(keywords)).encode()
    return write_arrays(path, {"text": np.frombuffer(text, np.uint8)})


def read_keywords(folder: Path, stored: StoredFile) -> frozenset[str]:
    """Read keywords; the checksum is verified, because the whole file is read."""
    verify(folder, [stored])
    text = bytes(open_arrays(folder, stored)["text"]).decode("utf-8")
    return frozenset(filter(None, text.split("\n")))
