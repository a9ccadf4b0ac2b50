"""Answers in the order of how near the terms of the question stand to each other (S4, 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from porism import deadlines
from porism.analysis import FieldSpec, FormulaTokens, document_tokens
from porism.index import keys
from porism.index.keys import Keys
from porism.model import Formula, Ranking, Topic
from porism.rank.proximity import ProximityMeasure, proximity, term_positions
from porism.rank.query_builder import QueryBuilder
from porism.rank.ranker import Ranker
from porism.rank.rerank import Rerank
from porism.rank.systems.tangent_l import FULL, TangentL, tangent_l_primary
from porism.searchindex.formula_table import stored_tokens
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.thread_documents import thread_documents

FAR = 1e9
"""How far apart terms are taken to be that do not stand together: a run has no infinite scores."""

CACHED_DOCUMENTS = 20_000
CACHED_FORMULAS = 50_000


class TokenStreams:
    """The tokens of documents in the order of reading, made of the texts in the collection."""

    def __init__(self, library: SearchIndex, recipe: FieldSpec) -> None:
        self._library = library
        self._recipe = recipe
        # Topics have many documents in common, and documents many formulas.
        self.keys = lru_cache(CACHED_DOCUMENTS)(self._keys)
        self._formula = lru_cache(CACHED_FORMULAS)(self._formula_tokens)

    def _keys(self, doc_id: str) -> Keys:
        """The keys of a document's tokens, in order; none if it is no longer in the collection."""
        if self._library.collection.find_number(doc_id) is None:
            return keys(())
        thread = self._library.collection.thread(doc_id)
        document = next(each for each in thread_documents(thread) if each.id == doc_id)
        return keys(document_tokens(self._recipe, document, self._formula))

    def _formula_tokens(self, formula: Formula, notation: FormulaTokens) -> Sequence[str]:
        if formula.number is None:
            return ()
        return stored_tokens(self._library.collection, formula.number, notation) or ()


@dataclass(frozen=True, slots=True)
class ProximityScorer:
    """The nearer the terms of a query in a document, the higher its score."""

    texts: TokenStreams = field(repr=False)
    query_builder: QueryBuilder
    measure: ProximityMeasure = ProximityMeasure.NORMALISED_SPAN
    by_length: bool = False

    def scores(self, topic: Topic, hits: Ranking) -> Sequence[float]:
        asked = keys(term.token for clause in self.query_builder(topic) for term in clause.terms)
        scores = []
        for hit in hits:
            deadlines.check()
            found = term_positions(self.texts.keys(hit.doc_id), asked)
            scores.append(-min(proximity(self.measure, found, self.by_length), FAR))
        return scores


def tangent_l_proximity(library: SearchIndex) -> Ranker:
    """MathDowsers 2021, proximityReRank: the first 1,000 of primary by their normalised span."""
    asking = TangentL(library.keywords, FULL, alpha=0.25, gamma=0.1, counts_repeats=False)
    return Rerank(tangent_l_primary(library), ProximityScorer(TokenStreams(library, FULL), asking))
