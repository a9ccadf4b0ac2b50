"""Vectors for measurements of size: real ones of the mini collection, multiplied.

A synthetic vector is the direction of a real one, plus .6 of another real one, plus noise with the
covariance of the real ones and half their length. Like the real ones, two of them have a cosine of
.05 on average, and among ten thousand the nearest has .62 (real: .78) and the hundredth .33 (.37),
so the nearest are somewhat harder to find than real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import open_index
from porism.searchindex.vector_filling import fill_vectors

Vectors = NDArray[np.float32]

SECOND = 0.6
NOISE = 0.5
CHUNK = 50_000


def real_vectors(shared: Path, folder: Path) -> Vectors:
    """The vectors of the mini collection by MiniLM; made in ``folder``, which takes minutes."""
    if not (folder / "index").exists():
        ingest(shared / "data" / "arqmath-mini", folder / "mini", IngestOptions(jobs=2))
        with open_collection(folder / "mini") as collection:
            options = IndexOptions(jobs=2)
            build_index(
                collection, folder / "index", [VectorSpec()], options, lambda progress: None
            )
            fill_vectors(collection, folder / "index", options, lambda progress: None)
    with open_index(folder / "index") as index:
        assert index.vectors is not None
        stores = [
            index.vectors.store(kind).vectors(index.vectors.table.all_texts(kind))[0]
            for kind in TextKind
        ]
    return np.concatenate(stores)


def synthetic_vectors(real: Vectors, count: int, seed: int) -> Iterator[Vectors]:
    """Yield ``count`` vectors, some at a time; the same for the same seed."""
    random = np.random.default_rng(seed)
    values, directions = np.linalg.eigh(np.cov(real.T))
    spread = (directions * np.sqrt(np.maximum(values, 0))).astype(np.float32)
    for at in range(0, count, CHUNK):
        size = min(CHUNK, count - at)
        noise = random.normal(size=(size, real.shape[1])).astype(np.float32) @ spread.T
        first, second = real[random.integers(0, len(real), (2, size))]
        rows = first + SECOND * second + NOISE * noise
        yield (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
