"""Clusters of real vectors: the titles of the mini collection by MiniLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porism.collection.store import open_collection
from porism.embed import is_installed, open_encoder
from porism.model import plain_text
from porism.vectors import store
from porism.vectors.codes import coded_vectors
from porism.vectors.store import VectorStore, VectorWriter

K = 10


@pytest.mark.real_data
@pytest.mark.skipif(not is_installed("minilm"), reason="needs the model minilm")
def test_most_of_the_nearest_titles_are_found(
    mini_collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MIN_CLUSTERED", 1_000)
    monkeypatch.setattr(store, "ROWS_PER_CLUSTER", 16)
    with open_collection(mini_collection) as collection:
        titles = sorted({plain_text(post.title) for post in collection.posts() if post.title})
    vectors = open_encoder("minilm").encode(titles)
    keys = np.arange(len(titles))
    writer = VectorWriter(tmp_path, "titles", (), vectors.shape[1])
    writer.add(keys, coded_vectors(vectors))
    opened = VectorStore(tmp_path, writer.files, vectors.shape[1])
    cosines = vectors[::20] @ vectors.T
    assert np.abs(opened.scores(vectors[0], keys) - cosines[0]).max() < 0.005
    # A query reads 480 of these vectors.
    assert len(titles) > 2_000
    shares = [
        np.isin(np.argsort(-exact)[:K], opened.nearest(query, K).keys).mean()
        for query, exact in zip(vectors[::20], cosines, strict=True)
    ]
    assert np.mean(shares) > 0.9, np.mean(shares)
