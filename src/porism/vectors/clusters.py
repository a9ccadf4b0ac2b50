"""Clusters of vectors: a search reads those whose centres are nearest to the query.

An inverted file (IVF): the rows of a large part of a store are ordered by cluster, so reading a
cluster is reading a range. The scores of the rows that are read are those of an exact search. The
clusters are those of spherical k-means on a sample: of unit vectors, with unit centres.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.vectors.codes import CodedVectors, Vectors, decoded_vectors

SAMPLE_PER_CLUSTER = 30
"""Vectors for each cluster that the centres are computed from."""

ROUNDS = 6
"""Rounds of k-means; more change little."""

_CHUNK = 16_384
"""Rows that are decoded at a time."""


class Clusters(NamedTuple):
    """An order of rows in which those of a cluster are neighbours.

    Cluster i goes from ``starts[i]`` to ``starts[i + 1]`` of ``order``; its centre is row i.
    """

    centres: Vectors
    starts: NDArray[np.int64]
    order: NDArray[np.int64]


def clustered(coded: CodedVectors, count: int) -> Clusters:
    """Return ``count`` clusters of vectors; the same for the same vectors on every run."""
    random = np.random.default_rng(0)
    rows = len(coded.codes)
    sample = random.choice(rows, min(rows, SAMPLE_PER_CLUSTER * count), replace=False)
    sample.sort()
    vectors = decoded_vectors(CodedVectors(coded.codes[sample], coded.scales[sample]))
    centres = vectors[random.choice(len(vectors), count, replace=False)]
    for _ in range(ROUNDS):
        centres = _next_centres(vectors, _nearest(vectors, centres), centres)
    pieces = (
        CodedVectors(coded.codes[at : at + _CHUNK], coded.scales[at : at + _CHUNK])
        for at in range(0, rows, _CHUNK)
    )
    cluster_of = np.concatenate([_nearest(decoded_vectors(each), centres) for each in pieces])
    sizes = np.bincount(cluster_of, minlength=count)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return Clusters(centres, starts, np.argsort(cluster_of, kind="stable"))


def _nearest(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    """Return the number of the nearest centre of each vector."""
    return np.concatenate(
        [
            np.argmax(vectors[at : at + _CHUNK] @ centres.T, axis=1)
            for at in range(0, len(vectors), _CHUNK)
        ]
    )


def _next_centres(vectors: Vectors, cluster_of: NDArray[np.int64], before: Vectors) -> Vectors:
    """Return the directions of the sums of clusters; an empty cluster keeps its centre."""
    order = np.argsort(cluster_of, kind="stable")
    used, firsts = np.unique(cluster_of[order], return_index=True)
    sums = np.add.reduceat(vectors[order], firsts, axis=0)
    norms = np.linalg.norm(sums, axis=1)
    centres = before.copy()
    centres[used[norms > 0]] = sums[norms > 0] / norms[norms > 0, None]
    return centres
