"""Answers re-ranked by the proximity of the terms of the question (S4 section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from porism import deadlines
from porism.analysis import FieldSpec, FormulaTokens, document_tokens
from porism.inverted import keys
from porism.inverted.keys import Keys
from porism.model import Formula, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.proximity import ProximityMeasure, proximity, term_positions
from porism.rank.query_builder import QueryBuilder
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Rerank, Scores, explained_values
from porism.rank.systems.tangent_l import FULL, TangentL, tangent_l_primary
from porism.searchindex.formula_table import stored_tokens
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.thread_documents import thread_documents

FAR = 1e9
"""The distance of terms that do not occur together: a run has no infinite scores."""

CACHED_DOCUMENTS = 20_000
CACHED_FORMULAS = 50_000


class TokenStreams:
    """The tokens of documents in reading order, made of the texts in the collection."""

    def __init__(self, search_index: SearchIndex, field_spec: FieldSpec) -> None:
        self._search_index = search_index
        self._field_spec = field_spec
        # Topics have many documents in common, and documents many formulas.
        self.keys = lru_cache(CACHED_DOCUMENTS)(self._keys)
        self._formula = lru_cache(CACHED_FORMULAS)(self._formula_tokens)

    def _keys(self, doc_id: str) -> Keys:
        """Return the keys of a document's tokens, none if it is no longer in the collection."""
        if self._search_index.collection.find_number(doc_id) is None:
            return keys(())
        thread = self._search_index.collection.thread(doc_id)
        document = next(each for each in thread_documents(thread) if each.id == doc_id)
        return keys(document_tokens(self._field_spec, document, self._formula))

    def _formula_tokens(self, formula: Formula, notation: FormulaTokens) -> Sequence[str]:
        if formula.number is None:
            return ()
        return stored_tokens(self._search_index.collection, formula.number, notation) or ()


@dataclass(frozen=True, slots=True)
class ProximityScorer:
    """The closer the query terms are in a document, the higher its score."""

    texts: TokenStreams = field(repr=False)
    query_builder: QueryBuilder
    measure: ProximityMeasure = ProximityMeasure.NORMALISED_SPAN
    by_length: bool = False

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        query = keys(term.token for clause in self.query_builder(topic) for term in clause.terms)
        scores = np.zeros(len(hits))
        for place, hit in enumerate(hits):
            deadlines.check()
            positions = term_positions(self.texts.keys(hit.doc_id), query)
            scores[place] = -min(proximity(self.measure, positions, self.by_length), FAR)
        return scores

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        label = f"proximity of the terms, minus their {self.measure}"
        return explained_values(label, self.scores(topic, hits))


def tangent_l_proximity(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2021, proximityReRank: the first 1,000 of primary by their normalised span."""
    query_builder = TangentL(
        search_index.keywords, FULL, alpha=0.25, gamma=0.1, counts_repeats=False
    )
    return Rerank(
        tangent_l_primary(search_index),
        ProximityScorer(TokenStreams(search_index, FULL), query_builder),
    )


TANGENT_L_PROXIMITY = Maker(tangent_l_proximity, (FULL,))
