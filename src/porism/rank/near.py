"""Answers in the order of how near the terms of the question stand to each other (S4, 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from porism import deadlines
from porism.analysis import Notation, Recipe, document_tokens
from porism.collection.schema import number_of
from porism.index import keys
from porism.index.keys import Keys
from porism.indexing.formula_table import stored_tokens
from porism.indexing.library import Library
from porism.indexing.threads import thread_documents
from porism.model import Formula, Ranking, Topic
from porism.rank.asking import Asking
from porism.rank.proximity import Proximity, matches, proximity
from porism.rank.ranker import Ranker
from porism.rank.reranking import Rerank
from porism.rank.tangent_l import FULL, TangentL, tangent_l_primary

FAR = 1e9
"""How far apart terms are taken to be that do not stand together: a run has no infinite scores."""

KEPT_DOCUMENTS = 20_000
KEPT_FORMULAS = 50_000


class StoredText:
    """The tokens of documents in the order of reading, made of the texts in the collection."""

    def __init__(self, library: Library, recipe: Recipe) -> None:
        self._library = library
        self._recipe = recipe
        # Topics have many documents in common, and documents many formulas.
        self.keys = lru_cache(KEPT_DOCUMENTS)(self._keys)
        self._formula = lru_cache(KEPT_FORMULAS)(self._formula_tokens)

    def _keys(self, doc_id: str) -> Keys:
        """The keys of a document's tokens, in order; none if it is no longer in the collection."""
        if self._library.collection.find_number(doc_id) is None:
            return keys(())
        thread = self._library.collection.thread(doc_id)
        document = next(each for each in thread_documents(thread) if each.id == doc_id)
        return keys(document_tokens(self._recipe, document, self._formula))

    def _formula_tokens(self, formula: Formula, notation: Notation) -> Sequence[str]:
        number = number_of(formula.latex, formula.macros)
        return stored_tokens(self._library.collection, number, notation) or ()


@dataclass(frozen=True, slots=True)
class Nearness:
    """The nearer the terms of a query in a document, the higher its score."""

    texts: StoredText = field(repr=False)
    asking: Asking
    measure: Proximity = Proximity.NORMALISED_SPAN
    by_length: bool = False

    def scores(self, topic: Topic, hits: Ranking) -> Sequence[float]:
        asked = keys(term.token for clause in self.asking(topic) for term in clause.terms)
        scores = []
        for hit in hits:
            deadlines.check()
            found = matches(self.texts.keys(hit.doc_id), asked)
            scores.append(-min(proximity(self.measure, found, self.by_length), FAR))
        return scores


def tangent_l_proximity(library: Library) -> Ranker:
    """MathDowsers 2021, proximityReRank: the first 1,000 of primary by their normalised span."""
    asking = TangentL(library.keywords, FULL, alpha=0.25, gamma=0.1, counts_repeats=False)
    return Rerank(tangent_l_primary(library), Nearness(StoredText(library, FULL), asking))
