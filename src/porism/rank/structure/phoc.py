"""XY-PHOC (ARQMath-3): formulas by where their symbols are printed.

``structure.position_masks`` says what a formula's vector is. Every formula with a symbol of the
topic's formula is scored, so the ranking is exact. The score of several formulas is the mean of
their cosines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np

from porism.analysis import query_layout
from porism.hashing import text_key
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.explanations import NOT_FOUND, Explanation, summed
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import focus_formulas
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.components.feature_index import (
    FeaturePart,
    FeatureSpec,
    Mask,
    PostingSpans,
    ScoredRows,
    posting_spans,
)
from porism.searchindex.index_folder import SearchIndex
from porism.structure.packed_features import PackedFeatures
from porism.structure.position_masks import (
    XY5,
    XY7O4,
    MaskPostings,
    MaskQuery,
    PyramidVariant,
    best_by_masks,
    symbol_masks,
)

POSITIONS = FeatureSpec(PackedFeatures.PHOC)


class QuerySymbol(NamedTuple):
    """A symbol of a formula of a topic, its mask, and what each common bit is worth."""

    symbol: str
    mask: int
    weight: float


class PositionQuery(NamedTuple):
    """The symbols of the formulas of a topic, for one variant."""

    symbols: tuple[QuerySymbol, ...]
    variant: PyramidVariant

    @staticmethod
    def of(topic: Topic, variant: PyramidVariant) -> PositionQuery:
        """Return the query for a topic; formulas without symbols do not count."""
        layouts = (query_layout(each.latex, each.macros).tree for each in focus_formulas(topic))
        masks = [each for each in map(symbol_masks, layouts) if each]
        symbols = (
            QuerySymbol(
                symbol,
                mask & variant.bits,
                1 / (len(masks) * sqrt(variant.count(each.values()))),
            )
            for each in masks
            for symbol, mask in each.items()
        )
        return PositionQuery(tuple(symbols), variant)

    def best_rows(self, part: FeaturePart, is_allowed: Mask, k: int) -> ScoredRows:
        """Return the best ``k`` formulas of a part, and all that equal the last of them."""
        firsts, lasts = self._spans(part)
        query = MaskQuery(
            firsts,
            lasts,
            np.array([each.mask for each in self.symbols], np.uint64),
            np.array([each.weight for each in self.symbols]),
        )
        bits = part.values[:, self.variant.place]
        postings = MaskPostings(part.rows, part.payloads, bits)
        return ScoredRows(*best_by_masks(postings, query, is_allowed, k))

    def explanations(self, part: FeaturePart, row: int) -> Iterator[Explanation]:
        """Yield what each symbol adds to the score of a row."""
        norm = sqrt(part.values[row, self.variant.place])
        spans = zip(*self._spans(part), strict=True)
        for (symbol, mask, weight), (first, last) in zip(self.symbols, spans, strict=True):
            at = first + np.searchsorted(part.rows[first:last], row)
            if at < last and part.rows[at] == row:
                common = (int(part.payloads[at]) & mask).bit_count()
                label = f"{symbol} in {common} of {mask.bit_count()} regions"
                yield Explanation(label, weight * common / norm)

    def _spans(self, part: FeaturePart) -> PostingSpans:
        keys = np.array([text_key(each.symbol) for each in self.symbols], np.uint64)
        return posting_spans(part, keys)


@dataclass(frozen=True, slots=True)
class PositionRanker:
    """Visually distinct formulas by the cosine of their symbols' positions with the topic's."""

    search_index: SearchIndex = field(repr=False)
    variant: PyramidVariant = XY7O4

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        query = PositionQuery.of(topic, self.variant)
        if not query.symbols:
            return ()
        best = self.search_index.features(POSITIONS.features).best(
            k, self.search_index.formulas, within, query.best_rows
        )
        return ranked(Hit(doc_id, score) for score, doc_id in best)

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        query = PositionQuery.of(topic, self.variant)
        index = self.search_index.features(POSITIONS.features)
        numbers, rows = index.rows_of(doc_ids)
        return [
            summed(
                "cosine of the positions of symbols", query.explanations(index.parts[number], row)
            )
            if number >= 0
            else NOT_FOUND
            for number, row in zip(numbers.tolist(), rows.tolist(), strict=True)
        ]

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        symbols = PositionQuery.of(topic, self.variant).symbols
        return tuple(dict.fromkeys(f"[{each.symbol}]" for each in symbols))


def xy_phoc(search_index: SearchIndex) -> Ranker:
    """XY-PHOC, xy7o4: strips of seven levels in both directions and ovals of four."""
    return FirstOccurrences(search_index, PositionRanker(search_index, XY7O4))


XY_PHOC = Maker(xy_phoc, (POSITIONS,))


def xy_phoc_xy5(search_index: SearchIndex) -> Ranker:
    """XY-PHOC, xy5: strips of five levels in both directions."""
    return FirstOccurrences(search_index, PositionRanker(search_index, XY5))


XY_PHOC_XY5 = Maker(xy_phoc_xy5, (POSITIONS,))
