"""The store of vectors: exact search, clusters, several vectors for a key, merging, damage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from porism.errors import PorismError
from porism.storage.array_file import StoredFile
from porism.vectors import store
from porism.vectors.codes import coded_vectors, decoded_vectors
from porism.vectors.store import VectorStore, VectorWriter

Vectors = NDArray[np.float32]
Keys = NDArray[np.int64]


def unit(rows: NDArray[np.floating]) -> Vectors:
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return np.asarray(rows / lengths, np.float32)


def random_vectors(count: int, dimension: int, seed: int) -> Vectors:
    """Vectors in a few hundred groups, as the texts of a collection are."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(300, dimension))
    noise = 0.7 * random.normal(size=(count, dimension))
    return unit(centres[random.integers(0, 300, count)] + noise)


def write(
    folder: Path, parts: Sequence[tuple[Keys, Vectors]], dimension: int
) -> tuple[StoredFile, ...]:
    writer = VectorWriter(folder, "texts", (), dimension)
    for keys, vectors in parts:
        writer.add(keys, coded_vectors(vectors))
    return writer.files


def best_by_numpy(keys: Keys, vectors: Vectors, query: Vectors) -> dict[int, float]:
    """The best cosine of each key with the vectors that the bytes stand for."""
    best: dict[int, float] = {}
    cosines = decoded_vectors(coded_vectors(vectors)).astype(np.float64) @ query
    for key, cosine in zip(keys.tolist(), cosines.tolist(), strict=True):
        best[key] = max(best.get(key, -2.0), cosine)
    return best


@given(
    st.integers(1, 40),
    st.integers(1, 70),
    st.lists(st.integers(0, 30), min_size=1, max_size=60),
    st.integers(1, 70),
    st.integers(0, 1 << 30),
)
def test_exact_search_equals_numpy(
    dimension: int, split: int, names: list[int], k: int, seed: int
) -> None:
    keys = np.array(sorted(names), np.int64)
    # All vectors of a key are added at once.
    first = keys <= split % 31
    random = np.random.default_rng(seed)
    vectors = unit(random.normal(size=(len(keys), dimension)))
    query = unit(random.normal(size=(1, dimension)))[0]
    with TemporaryDirectory() as name:
        parts = [(keys[chosen], vectors[chosen]) for chosen in (first, ~first)]
        opened = VectorStore(Path(name), write(Path(name), parts, dimension), dimension)
        expected = best_by_numpy(keys, vectors, query)
        assert len(opened) == len(keys)
        wanted = np.array([*sorted(expected), 99], np.int64)
        scores = opened.scores(query, wanted)
        assert np.isnan(scores[-1])
        assert scores[:-1].tolist() == pytest.approx(
            [*map(expected.get, sorted(expected))], abs=1e-3
        )
        assert opened.known(wanted).tolist() == [True] * len(expected) + [False]
        exact = dict(zip(wanted.tolist(), scores.tolist(), strict=True))
        in_order = sorted(expected, key=lambda key: (-exact[key], key))
        nearest = opened.nearest(query, len(keys))
        assert nearest.keys.tolist() == in_order
        assert nearest.scores.tolist() == [exact[key] for key in in_order]
        few = opened.nearest(query, k)
        assert few.keys.tolist() == in_order[: len(few.keys)]
        assert len(few.keys) <= k
        allowed = wanted[::2]
        among = [key for key in in_order if key in allowed.tolist()]
        assert opened.nearest(query, k, allowed).keys.tolist() == among[:k]


@pytest.mark.parametrize("dimension", [3, 64, 384, 1024])
def test_bytes_keep_the_cosine(dimension: int) -> None:
    vectors = random_vectors(500, dimension, seed=1)
    exact = vectors @ vectors[:20].T
    coded = decoded_vectors(coded_vectors(vectors)) @ vectors[:20].T
    assert np.abs(coded - exact).max() < 0.01
    assert np.abs(coded - exact).mean() < 0.001 if dimension >= 64 else True


def test_zero_vectors_score_zero(tmp_path: Path) -> None:
    vectors = np.zeros((2, 4), np.float32)
    vectors[1, 2] = 1
    opened = VectorStore(tmp_path, write(tmp_path, [(np.array([5, 6]), vectors)], 4), 4)
    assert opened.scores(vectors[1], np.array([5, 6])).tolist() == [0, pytest.approx(1, abs=1e-4)]
    assert opened.scores(vectors[0], np.array([5, 6])).tolist() == [0, 0]


@pytest.fixture
def small_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MIN_CLUSTERED", 2_000)
    monkeypatch.setattr(store, "ROWS_PER_CLUSTER", 32)


def recall(opened: VectorStore, keys: Keys, vectors: Vectors, queries: Vectors, k: int) -> float:
    """The share of the ``k`` nearest keys that a search finds."""
    shares = []
    for query in queries:
        exact = keys[np.argsort(-(vectors @ query))[:k]]
        shares.append(np.isin(exact, opened.nearest(query, k).keys).mean())
    return float(np.mean(shares))


@pytest.mark.usefixtures("small_clusters")
def test_clusters_find_most_of_the_nearest(tmp_path: Path) -> None:
    vectors, queries = random_vectors(12_000, 48, seed=2), random_vectors(20, 48, seed=3)
    keys = np.random.default_rng(4).permutation(1 << 20)[:12_000]
    parts = [(keys[at : at + 4_000], vectors[at : at + 4_000]) for at in (0, 4_000, 8_000)]
    opened = VectorStore(tmp_path, write(tmp_path, parts, 48), 48)
    assert recall(opened, keys, vectors, queries, 20) > 0.9
    # Scores of what is found are exact, and equal those of the keys alone.
    nearest = opened.nearest(queries[0], 50)
    assert nearest.scores.tolist() == opened.scores(queries[0], nearest.keys).tolist()
    found, owners = opened.vectors(keys[:100])
    assert owners.tolist() == list(range(100))
    assert np.abs(found - vectors[:100]).max() < 0.01
    # With as many results as there are vectors, everything is read.
    assert recall(opened, keys, vectors, queries[:2], 12_000) == 1


@pytest.mark.usefixtures("small_clusters")
def test_merging_keeps_vectors_and_drops_unreferenced_ones(tmp_path: Path) -> None:
    vectors = random_vectors(4_000, 16, seed=5)
    keys = np.repeat(np.arange(2_000), 2) * 7
    writer = VectorWriter(tmp_path, "texts", (), 16)
    counts = []
    for at in range(0, 4_000, 500):
        writer.add(keys[at : at + 500], coded_vectors(vectors[at : at + 500]))
        writer.merge_recent(np.unique(keys))
        counts.append(len(writer.files))
    assert counts == [1, 1, 2, 1, 2, 2, 3, 1]
    merged = VectorStore(tmp_path, writer.files, 16)
    parts = [(keys, vectors)]
    whole = VectorStore(tmp_path / "whole", write(tmp_path / "whole", parts, 16), 16)
    every = np.unique(keys)
    assert merged.scores(vectors[7], every).tolist() == whole.scores(vectors[7], every).tolist()
    writer.add(np.array([3]), coded_vectors(vectors[:1]))
    writer.add(np.arange(20_000, 24_000), coded_vectors(vectors))
    writer.merge_recent(np.array([0, 3, 20_001]))
    kept = VectorStore(tmp_path, writer.files, 16)
    assert len(kept) == 4
    assert kept.known(np.array([0, 3, 7, 20_000, 20_001])).tolist() == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_a_known_key_keeps_its_vectors(tmp_path: Path) -> None:
    one, other = random_vectors(2, 8, seed=6)
    parts = [(np.array([4, 4]), np.stack([one, other])), (np.array([4, 9]), np.stack([other, one]))]
    opened = VectorStore(tmp_path, write(tmp_path, parts, 8), 8)
    assert len(opened) == 3
    assert len(opened.vectors(np.array([4]))[0]) == 2


def test_an_empty_store_has_nothing(tmp_path: Path) -> None:
    opened = VectorStore(tmp_path, (), 4)
    query = np.ones(4, np.float32)
    assert len(opened) == 0
    assert len(opened.nearest(query, 5).keys) == 0
    assert len(opened.nearest(query, 0).keys) == 0
    assert np.isnan(opened.scores(query, np.array([1]))).all()


def test_other_dimensions_and_numbers_are_refused(tmp_path: Path) -> None:
    vectors = random_vectors(3, 8, seed=7)
    keys = np.array([1, 2, 3])
    files = write(tmp_path, [(keys, vectors)], 8)
    opened = VectorStore(tmp_path, files, 8)
    with pytest.raises(PorismError, match="a query vector of 4 numbers, and the stored vectors"):
        opened.scores(np.ones(4, np.float32), keys)
    with pytest.raises(PorismError, match="a query vector of 1x8 numbers"):
        opened.nearest(vectors[:1], 2)
    with pytest.raises(PorismError, match="not a finite number"):
        opened.nearest(np.full(8, np.nan, np.float32), 2)
    with pytest.raises(PorismError, match="vectors of 4 components cannot be added to a store"):
        VectorWriter(tmp_path, "texts", files, 8).add(keys, coded_vectors(vectors[:, :4]))
    with pytest.raises(PorismError, match="not a finite number; check the model"):
        coded_vectors(np.full((1, 3), np.inf, np.float32))
    with pytest.raises(PorismError, match="expected as rows of 1 to"):
        coded_vectors(np.zeros((2, 0), np.float32))
    with pytest.raises(PorismError, match="its vectors do not have 4 components"):
        VectorStore(tmp_path, files, 4)


@pytest.mark.usefixtures("small_clusters")
def test_damaged_files_are_refused(tmp_path: Path) -> None:
    vectors = random_vectors(2_100, 8, seed=8)
    keys = np.arange(2_100)
    (file,) = write(tmp_path, [(keys, vectors)], 8)
    path = tmp_path / file.name
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    with pytest.raises(PorismError, match="is damaged"):
        VectorStore(tmp_path, (file,), 8)
    for name, message in (("rows", "a row is outside"), ("places", "a row is outside")):
        offset = next(array.offset for array in file.arrays if array.name == name)
        size = next(array.size for array in file.arrays if array.name == name)
        path.write_bytes(content[:offset] + b"\xff" * size + content[offset + size :])
        opened = VectorStore(tmp_path, (file,), 8)
        with pytest.raises(PorismError, match=message):
            opened.scores(vectors[0], keys) if name == "rows" else opened.nearest(vectors[0], 9)
    offset = next(array.offset for array in file.arrays if array.name == "starts")
    path.write_bytes(content[: offset + 8] + b"\xff" * 8 + content[offset + 16 :])
    with pytest.raises(PorismError, match="its clusters do not fit"):
        VectorStore(tmp_path, (file,), 8)
    writer = VectorWriter(tmp_path, "texts", (file, file), 8)
    with pytest.raises(PorismError, match="the checksum of starts does not match"):
        writer.merge_recent(keys)
