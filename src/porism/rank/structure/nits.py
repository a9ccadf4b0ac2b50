"""NLP_NITS 2020: formulas as variable-size binary vectors, compared by overlap.

The team's paper has a table of bit positions, with a bit for each symbol at each position of a
formula; a formula has as many bits as symbols. How symbols are numbered and how overlap is scaled
is not in the lab's overview; here a position is the number of a symbol in reading order, and the
score is the share of the query's bits that a formula has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from porism.analysis import FieldSpec, FormulaTokens, Unit
from porism.inverted import Clause, Idf, Index, WeightingModel
from porism.model import Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import (
    IndexRanker,
    focus_formulas,
    formula_tokens,
    terms_without_idf,
)
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.index_folder import SearchIndex

BITS = FieldSpec("symbol-positions", formula_tokens=(FormulaTokens.POSITIONS,), unit=Unit.FORMULAS)

SHARED_BITS = WeightingModel(Idf.TERRIER, delta=1.0, saturation=0.0)
"""A token counts if the document has it; Terrier's idf is never 0, so it can be divided out."""


@dataclass(frozen=True, slots=True)
class PositionBits:
    """The symbols of the topic's formulas at their positions, all of the same weight."""

    index: Index = field(repr=False)

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        tokens = formula_tokens(focus_formulas(topic), FormulaTokens.POSITIONS)
        return (self.token_clause(tokens),)

    def token_clause(self, tokens: Iterable[str]) -> Clause:
        """Return the terms of formulas that have these tokens."""
        distinct = dict.fromkeys(tokens)
        shares = {token: 1 / len(distinct) for token in distinct}
        terms = terms_without_idf(self.index, BITS.name, shares, SHARED_BITS.idf)
        return Clause(BITS.name, terms, SHARED_BITS)


def nits_bits(search_index: SearchIndex) -> Ranker:
    """NLP_NITS 2020: the share of the query's symbols that occur at the same positions."""
    index = search_index.formulas
    return FirstOccurrences(search_index, IndexRanker(index, PositionBits(index)))


NITS_BITS = Maker(nits_bits, (BITS,))
