"""Ways to find the nearest of many vectors: recall, build time, memory and query time of each.

Each is built and searched by one thread in a process of its own. The vectors are synthetic
(``bench/synthetic_vectors.py``). ``python -m bench.ann --vectors 50000`` takes a minute or two;
libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.shared_data import shared_folder
from bench.synthetic_vectors import Vectors, real_vectors, synthetic_vectors
from porism.vectors import store
from porism.vectors.codes import coded_vectors

VECTORS = 250_000
QUERIES = 50
K = 1000
CHUNK = 50_000

Search = Callable[[Vectors], NDArray[np.int64]]


class Contender(NamedTuple):
    """A way to search: how it is built, for which it needs a package, and how it is described."""

    name: str
    package: str
    build: Callable[[NDArray[np.float32], Path], list[tuple[str, Search]]]


class Measured(NamedTuple):
    """What was measured of one setting of a way to search; times are of the processor."""

    name: str
    build_seconds: float
    megabytes: float
    milliseconds: float
    found: list[set[int]]


def exact(vectors: Vectors, folder: Path) -> list[tuple[str, Search]]:
    """All rows, as bytes."""
    store.MIN_CLUSTERED = 1 << 40
    return [("all rows", _written(vectors, folder))]


def clusters(vectors: Vectors, folder: Path) -> list[tuple[str, Search]]:
    """The nearest clusters, as a large index has them."""
    store.MIN_CLUSTERED = 0
    return [("porism.vectors", _written(vectors, folder))]


def _written(vectors: Vectors, folder: Path) -> Search:
    writer = store.VectorWriter(folder, "vectors", (), vectors.shape[1])
    for at in range(0, len(vectors), store.MAX_MERGED):
        rows = vectors[at : at + store.MAX_MERGED]
        writer.add(np.arange(at, at + len(rows)), coded_vectors(np.array(rows)))
    opened = store.VectorStore(folder, writer.files, vectors.shape[1])
    return lambda query: opened.nearest(query, K).keys


def usearch(vectors: Vectors, folder: Path) -> list[tuple[str, Search]]:
    """A graph over bytes, mapped from its file."""
    library: Any = importlib.import_module("usearch.index")
    index = library.Index(
        ndim=vectors.shape[1], metric="cos", dtype="i8", connectivity=16, expansion_add=128
    )
    for at in range(0, len(vectors), CHUNK):
        rows = np.array(vectors[at : at + CHUNK])
        index.add(np.arange(at, at + len(rows)), rows, threads=1)
    index.save(str(folder / "usearch"))
    del index
    mapped = library.Index.restore(str(folder / "usearch"), view=True)

    def search(expansion: int) -> Search:
        def nearest(query: Vectors) -> NDArray[np.int64]:
            mapped.expansion_search = expansion
            found: NDArray[np.int64] = mapped.search(query, K, threads=1).keys.astype(np.int64)
            return found

        return nearest

    return [(f"usearch, i8, expansion {each}", search(each)) for each in (1000, 3000)]


def hnswlib(vectors: Vectors, folder: Path) -> list[tuple[str, Search]]:
    """A graph over 32-bit numbers, in memory."""
    library: Any = importlib.import_module("hnswlib")
    index = library.Index(space="ip", dim=vectors.shape[1])
    index.init_index(max_elements=len(vectors), M=16, ef_construction=128)
    index.set_num_threads(1)
    for at in range(0, len(vectors), CHUNK):
        rows = np.array(vectors[at : at + CHUNK])
        index.add_items(rows, np.arange(at, at + len(rows)), num_threads=1)

    def search(ef: int) -> Search:
        def nearest(query: Vectors) -> NDArray[np.int64]:
            index.set_ef(ef)
            found: NDArray[np.int64] = index.knn_query(query, K, num_threads=1)[0][0].astype(
                np.int64
            )
            return found

        return nearest

    return [(f"hnswlib, ef {each}", search(each)) for each in (1000, 3000)]


def faiss(vectors: Vectors, folder: Path) -> list[tuple[str, Search]]:
    """Clusters of bytes, mapped from their file."""
    library: Any = importlib.import_module("faiss")
    library.omp_set_num_threads(1)
    count = len(vectors) // store.ROWS_PER_CLUSTER
    quantizer = library.IndexFlatIP(vectors.shape[1])
    index = library.IndexIVFScalarQuantizer(
        quantizer,
        vectors.shape[1],
        count,
        library.ScalarQuantizer.QT_8bit,
        library.METRIC_INNER_PRODUCT,
    )
    index.cp.min_points_per_centroid = 1
    index.cp.max_points_per_centroid = 30
    index.cp.niter = 6
    index.train(np.array(vectors[: 30 * count]))
    for at in range(0, len(vectors), CHUNK):
        index.add(np.array(vectors[at : at + CHUNK]))
    library.write_index(index, str(folder / "faiss"))
    del index
    mapped = library.read_index(str(folder / "faiss"), library.IO_FLAG_MMAP)

    def search(share: int) -> Search:
        def nearest(query: Vectors) -> NDArray[np.int64]:
            mapped.nprobe = count // share
            found: NDArray[np.int64] = mapped.search(query[None, :], K)[1][0]
            return found

        return nearest

    return [(f"faiss IVF, 8 bits, 1/{each} of the clusters", search(each)) for each in (16, 8)]


CONTENDERS = (
    Contender("exact", "numba", exact),
    Contender("clusters", "numba", clusters),
    Contender("usearch", "usearch", usearch),
    Contender("hnswlib", "hnswlib", hnswlib),
    Contender("faiss", "faiss", faiss),
)


def report(count: int = VECTORS, at: str | None = None, folder: Path | None = None) -> None:
    """Print the table; ``folder`` has, or gets, the real vectors, ``at`` the large files."""
    with TemporaryDirectory() as made, TemporaryDirectory(dir=at) as large:
        real = real_vectors(shared_folder(), folder or Path(made))
        path = Path(large) / "vectors.npy"
        vectors = np.lib.format.open_memmap(
            path, mode="w+", dtype=np.float32, shape=(count, real.shape[1])
        )
        start = 0
        for rows in synthetic_vectors(real, count, seed=1):
            vectors[start : start + len(rows)] = rows
            start += len(rows)
        vectors.flush()
        del vectors
        (queries,) = synthetic_vectors(real, QUERIES, seed=2)
        print(f"The nearest {K:,} of {count:,} synthetic vectors, {QUERIES} queries, one thread")
        nearest: list[set[int]] = []
        for contender in CONTENDERS:
            if importlib.util.find_spec(contender.package) is None:
                print(f"  {contender.name}: not installed")
                continue
            for measured in _in_own_process(contender, path, queries, Path(large)):
                nearest = nearest or measured.found
                shares = [len(a & b) / K for a, b in zip(nearest, measured.found, strict=True)]
                print(
                    f"  {measured.name}: recall@{K} {np.mean(shares):.3f}, built in "
                    f"{measured.build_seconds:,.0f} s, {measured.megabytes:,.0f} MB, "
                    f"{measured.milliseconds:.1f} ms a query",
                    flush=True,
                )


def _in_own_process(
    contender: Contender, path: Path, queries: Vectors, folder: Path
) -> list[Measured]:
    inside = folder / contender.name
    inside.mkdir()
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (contender, path, queries, inside))


def _measured(contender: Contender, path: Path, queries: Vectors, folder: Path) -> list[Measured]:
    vectors = np.load(path, mmap_mode="r")
    start = time.process_time()
    settings = contender.build(vectors, folder)
    seconds = time.process_time() - start
    del vectors
    results = []
    for name, search in settings:
        found = [set(search(query).tolist()) for query in queries]
        start = time.process_time()
        for query in queries:
            search(query)
        milliseconds = 1000 * (time.process_time() - start) / len(queries)
        results.append(Measured(name, seconds, resident_megabytes(), milliseconds, found))
    return results


def resident_megabytes() -> float:
    """The memory of this process, with the pages of mapped files that it has read."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=int, default=VECTORS)
    parser.add_argument("--at", help="a folder with room for files")
    parser.add_argument("--real", type=Path, help="a folder that has or gets the real vectors")
    given = parser.parse_args()
    report(given.vectors, given.at, given.real)
