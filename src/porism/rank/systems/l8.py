"""MathDowsers 2022: L8 tuples and words in one field, by BM25 (systems of ARQMath-3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.analysis import ALL_PARTS, FieldSpec, FormulaTokens, Unit, keyword_query
from porism.inverted import BM25, Clause
from porism.model import Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import IndexRanker, focus_formulas, formula_tokens, weighted_terms
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

L8 = FieldSpec("l8", ALL_PARTS, PLAIN, (FormulaTokens.L8_FOLDED,))
"""Questions with answers: words and tuples share one field and one length."""

L8_FORMULAS = FieldSpec(
    "l8", formula_tokens=(FormulaTokens.L8, FormulaTokens.LATEX_WORDS), unit=Unit.FORMULAS
)
"""Formulas: tuples, and the longer words of their LaTeX."""


@dataclass(frozen=True, slots=True)
class L8Answers:
    """Keywords and formulas of a topic; a term weighs its count times alpha or 1 - alpha."""

    keywords: frozenset[str] = field(repr=False)
    alpha: float = 0.18

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, self.keywords, PLAIN)
        words = weighted_terms(query.words, 1 - self.alpha)
        tuples = weighted_terms(formula_tokens(query.formulas, FormulaTokens.L8_FOLDED), self.alpha)
        return (Clause(L8.name, (*words, *tuples), BM25),)


@dataclass(frozen=True, slots=True)
class L8Formulas:
    """The tuples of a formula by alpha, and the words of its LaTeX by 1 - alpha."""

    alpha: float = 0.40

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        formulas = focus_formulas(topic)
        tuples = weighted_terms(formula_tokens(formulas, FormulaTokens.L8), self.alpha)
        words = weighted_terms(formula_tokens(formulas, FormulaTokens.LATEX_WORDS), 1 - self.alpha)
        return (Clause(L8_FORMULAS.name, (*tuples, *words), BM25),)


def l8(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2022: L8 tuples and keywords by BM25, alpha 0.18."""
    return IndexRanker(search_index.answers, L8Answers(search_index.keywords))


L8_ANSWERS = Maker(l8, (L8,))


def l8_formulas(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2022: L8 tuples and LaTeX words of formulas by BM25, alpha 0.40."""
    return FirstOccurrences(search_index, IndexRanker(search_index.formulas, L8Formulas()))


L8_FORMULA_SEARCH = Maker(l8_formulas, (L8_FORMULAS,))
