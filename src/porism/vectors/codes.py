"""Vectors as bytes: each component one byte, and a scale for each vector.

The largest component of a vector becomes 127, so a component is off by at most 1/254 of it, and the
cosine of two sentences by about .0005. A query keeps 14 bits per component: it is multiplied with
bytes in integers, whose sum does not depend on the order of addition, so a score is the same
however it was computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.compiler import Array, FloatLike, IntLike, compiled
from porism.errors import PorismError

Codes = NDArray[np.int8]
Vectors = NDArray[np.float32]

MAX_DIMENSION = 4096
"""More components than any encoder in use has; the sums of codes have room for these."""

_LARGEST_CODE = 127
_LARGEST_SUM = (1 << 31) - 1


class CodedVectors(NamedTuple):
    """Vectors as rows of bytes, each with the number that its codes are multiplied with."""

    codes: Codes
    scales: NDArray[np.float32]


class CodedQuery(NamedTuple):
    """A query as whole numbers, and the number that they are multiplied with."""

    codes: NDArray[np.int16]
    scale: float


def coded_vectors(vectors: Vectors) -> CodedVectors:
    """Return vectors as bytes; a vector that is not finite is refused."""
    if vectors.ndim != 2 or not 1 <= vectors.shape[1] <= MAX_DIMENSION:
        raise PorismError(
            f"vectors are expected as rows of 1 to {MAX_DIMENSION:,} numbers, not as an array of "
            f"the shape {vectors.shape}"
        )
    largest = np.abs(vectors).max(axis=1, initial=0)
    if not np.isfinite(largest).all():
        raise PorismError("a vector has a component that is not a finite number; check the model")
    scales = (largest / _LARGEST_CODE).astype(np.float32)
    divisors = np.where(scales > 0, scales, np.float32(1))
    return CodedVectors(np.rint(vectors / divisors[:, None]).astype(np.int8), scales)


def decoded_vectors(coded: CodedVectors) -> Vectors:
    """Return the vectors that the bytes stand for."""
    return coded.codes.astype(np.float32) * coded.scales[:, None]


def coded_query(query: Vectors, dimension: int) -> CodedQuery:
    """Return a query as whole numbers; one of another dimension is refused."""
    if query.shape != (dimension,):
        found = "x".join(map(str, query.shape))
        raise PorismError(
            f"a query vector of {found} numbers, and the stored vectors have {dimension}; search "
            "with the model that the vectors were made with"
        )
    if not np.isfinite(query).all():
        raise PorismError("a query vector has a component that is not a finite number")
    bound = min((1 << 14) - 1, _LARGEST_SUM // (_LARGEST_CODE * dimension))
    scale = float(np.abs(query).max(initial=0)) / bound
    codes = np.rint(query.astype(np.float64) / (scale or 1.0)).astype(np.int16)
    return CodedQuery(codes, scale)


@compiled
def _score(codes: Array, scales: Array, row: IntLike, query: Array, scale: FloatLike) -> FloatLike:
    """Return the dot product of a query with a row, which must exist."""
    codes_of_row = codes[row]
    total = np.int32(0)
    for i in range(len(query)):
        total += np.int32(codes_of_row[i]) * np.int32(query[i])
    return np.float32(np.float64(total) * (np.float64(scales[row]) * scale))


@compiled
def _score_rows(
    codes: Array, scales: Array, rows: Array, query: Array, scale: FloatLike, scores: Array
) -> None:
    """Write the scores of rows."""
    for place in range(len(rows)):
        scores[place] = _score(codes, scales, rows[place], query, scale)


@compiled
def _score_ranges(
    codes: Array,
    scales: Array,
    firsts: Array,
    lasts: Array,
    query: Array,
    scale: FloatLike,
    scores: Array,
) -> None:
    """Write the scores of the rows of ranges, one range after another."""
    at = 0
    for number in range(len(firsts)):
        for row in range(firsts[number], lasts[number]):
            scores[at] = _score(codes, scales, row, query, scale)
            at += 1


def row_scores(coded: CodedVectors, query: CodedQuery, rows: Array) -> NDArray[np.float32]:
    """Return the dot products of a query with rows, which must exist."""
    scores = np.empty(len(rows), np.float32)
    _score_rows(coded.codes, coded.scales, rows, query.codes, query.scale, scores)
    return scores


def range_scores(
    coded: CodedVectors, query: CodedQuery, firsts: Array, lasts: Array
) -> NDArray[np.float32]:
    """Return the dot products of a query with the rows of ranges, one range after another."""
    scores = np.empty(int((lasts - firsts).sum()), np.float32)
    _score_ranges(coded.codes, coded.scales, firsts, lasts, query.codes, query.scale, scores)
    return scores
