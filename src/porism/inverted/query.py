"""Queries: clauses of weighted terms, the model that scores them, and a filter.

The score of a document is the sum, over clauses and terms in their order, of

    clause.weight * term.weight * idf(n) * (term.similarity * S * tf / (tf + K) + delta)

for each term that occurs in the document, where ``n`` documents have the term, ``S`` and ``delta``
come from the model and ``K = k1 * (1 - b) + k1 * b / average * length`` from the field. It is
computed in 64-bit numbers. A term that occurs several times in the query for one field is scored
once, at its first place, with the sum of its weights. A logarithmic model has
(1 + log2(1 + log2(tf))) / K in the place of tf / (tf + K).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import log, log2
from typing import NamedTuple


class Idf(StrEnum):
    """The weight of a term that ``n`` of ``N`` documents have."""

    LUCENE = "lucene"
    PLUS = "plus"
    ROBERTSON = "robertson"
    SMART = "smart"
    TERRIER = "terrier"

    def __call__(self, documents: int, having: int) -> float:
        """Return the weight, which is never negative.

        >>> round(Idf.LUCENE(100, 1), 3), Idf.ROBERTSON(100, 80), Idf.TERRIER(4, 4)
        (4.21, 0.0, 1.0)
        """
        if self is _LUCENE:
            return log(1 + (documents - having + 0.5) / (having + 0.5))
        if self is _PLUS:
            return log((documents + 1) / having)
        if self is _ROBERTSON:
            return max(0.0, log((documents - having + 0.5) / (having + 0.5)))
        if self is _SMART:
            return log2(documents / having)
        return log2(documents / having + 1)


# Module globals are faster to look up than enum members, and a query needs thousands.
_LUCENE, _PLUS, _ROBERTSON, _SMART = Idf.LUCENE, Idf.PLUS, Idf.ROBERTSON, Idf.SMART


@dataclass(frozen=True, slots=True)
class WeightingModel:
    """A formula of the BM25 family, or a logarithmic one.

    ``saturation`` is the numerator S of tf / (tf + K); None means k1 + 1 of the field. With
    ``is_logarithmic`` the weight of a count is (1 + log2(1 + log2(tf))) / K, as in SMART's ``d``
    with a pivoted length: in a field with k1 1 and b the slope, K is the pivoted length divided by
    the pivot. That has no bound in the codes of postings, so every document is scored.
    """

    idf: Idf = Idf.LUCENE
    delta: float = 0.0
    saturation: float | None = None
    is_logarithmic: bool = False

    def numerator(self, k1: float) -> float:
        """Return S for a field with this ``k1``."""
        return k1 + 1 if self.saturation is None else self.saturation


BM25 = WeightingModel()
BM25_PLUS = WeightingModel(Idf.PLUS, delta=1.0)
TF_IDF = WeightingModel(Idf.TERRIER, saturation=1.2)
"""Terrier's TF-IDF: k1 * tf / (tf + K) * log2(N / n + 1), with Terrier's k1 of 1.2."""
SMART_DTB = WeightingModel(Idf.SMART, saturation=1.0, is_logarithmic=True)
"""SMART's dtb: (1 + log2(1 + log2(tf))) * log2(N / n) / pivoted length."""


class Term(NamedTuple):
    """A token of a query. ``similarity`` multiplies the tf part alone, not delta (S4, eq. 5)."""

    token: str
    weight: float = 1.0
    similarity: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """Terms to be found in one field, scored by one model."""

    field: str
    terms: tuple[Term, ...]
    model: WeightingModel = BM25
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Filter:
    """Restricts a search to documents that meet all conditions.

    A document must have at least one label of each group in ``labels``, as a token of the field
    ``labels``, and be one of ``documents``, if these are given.
    """

    labels: tuple[tuple[str, ...], ...] = ()
    documents: frozenset[str] | None = None


LABELS = "labels"
"""The field whose tokens filters use; it has no part in scores."""


@dataclass(frozen=True, slots=True)
class TermScore:
    """The contribution of one term to the score of a document.

    The token occurs ``count`` times in the document, and in ``documents`` documents.
    """

    field: str
    token: str
    count: int
    documents: int
    score: float
