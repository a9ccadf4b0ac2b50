"""Formulas matched as a whole (S4 section 3.4): a query formula expands to similar ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.analysis import ALL_PARTS, FieldSpec, FormulaTokens, keyword_query, visual_token
from porism.inverted import BM25_PLUS, Clause, Index, Term
from porism.model import Formula, Topic, TopicId
from porism.rank.query_builder import IndexRanker, weighted_terms
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems.tangent_l import FULL_FORMULAS, RawScore
from porism.searchindex.index_folder import SearchIndex
from porism.text import CLASSIC

HOLISTIC = FieldSpec("holistic", ALL_PARTS, CLASSIC, (FormulaTokens.VISUAL,))
"""Questions with answers in which a formula is one token, its visual id."""


def similar_formulas(formulas: Index, formula: Formula, kappa: int) -> list[tuple[str, float]]:
    """Return the visual ids of the ``kappa`` most similar formulas, each with its similarity.

    Equation 3 of S4: the raw score divided by the highest of any formula.
    """
    clauses = RawScore()(Topic(TopicId(formula.id), focus=formula))
    hits = formulas.search(clauses, kappa)
    return [(hit.doc_id, hit.score / hits[0].score) for hit in hits]


@dataclass(frozen=True, slots=True)
class Holistic:
    """Equations 4 and 5 of S4: similarity weighs the count of a formula, but not delta."""

    formulas: Index = field(repr=False)
    keywords: frozenset[str] = field(repr=False)
    alpha: float = 0.5
    kappa: int = 300

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, self.keywords, CLASSIC)
        words = weighted_terms(query.words, 1 - self.alpha)
        math = tuple(
            Term(visual_token(visual_id), self.alpha, similarity)
            for formula in query.formulas
            for visual_id, similarity in similar_formulas(self.formulas, formula, self.kappa)
        )
        return (Clause(HOLISTIC.name, words + math, BM25_PLUS),)


def tangent_l_holistic(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2021, holisticSearch: formulas matched as a whole, alpha 0.5, kappa 300."""
    return IndexRanker(search_index.answers, Holistic(search_index.formulas, search_index.keywords))


TANGENT_L_HOLISTIC = Maker(tangent_l_holistic, (HOLISTIC, FULL_FORMULAS))
