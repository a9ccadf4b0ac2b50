"""The lab's text baselines: LaTeX as words among words (S1 sections 4.3 and 5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from porism.analysis import ALL_PARTS, DocumentPart, FieldSpec, FormulaTokens, Unit, word_query
from porism.inverted import BM25, TF_IDF, Clause, WeightingModel
from porism.model import Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import IndexRanker, focus_formulas, formula_tokens, weighted_terms
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN, TERRIER, Analyzer

ANSWER_ALONE = frozenset({DocumentPart.ANSWER})

RAW = FieldSpec("raw-latex", ANSWER_ALONE, TERRIER, (FormulaTokens.LATEX,))
"""Answers as Terrier reads them, with the letters and digits of LaTeX."""

SPELLED = FieldSpec("spelled-latex", ANSWER_ALONE, TERRIER, (FormulaTokens.LATEX_SYMBOLS,))
"""Answers with each sign of the LaTeX spelled as a word."""

STRINGS = FieldSpec("latex-strings", ALL_PARTS, PLAIN, (FormulaTokens.LATEX_STRING,))
"""Questions with answers: words, and the commands and signs of the LaTeX as written."""

RAW_FORMULAS = FieldSpec(RAW.name, formula_tokens=RAW.formula_tokens, unit=Unit.FORMULAS)
SPELLED_FORMULAS = FieldSpec(
    SPELLED.name, formula_tokens=SPELLED.formula_tokens, unit=Unit.FORMULAS
)
STRINGS_FORMULAS = FieldSpec(
    STRINGS.name, formula_tokens=STRINGS.formula_tokens, unit=Unit.FORMULAS
)
"""The same notations for formulas alone."""


@dataclass(frozen=True, slots=True)
class BagOfTokens:
    """All words and formulas of a topic with their counts, in one field."""

    field: str
    analyzer: Analyzer
    notation: FormulaTokens
    model: WeightingModel

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = word_query(topic, self.analyzer)
        tokens = [*query.words, *formula_tokens(query.formulas, self.notation)]
        return (Clause(self.field, weighted_terms(tokens), self.model),)


@dataclass(frozen=True, slots=True)
class FocusQuery:
    """The formula that a topic is about, in one notation, in one field of formulas."""

    field: str
    notation: FormulaTokens
    model: WeightingModel

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        return (
            Clause(
                self.field,
                weighted_terms(formula_tokens(focus_formulas(topic), self.notation)),
                self.model,
            ),
        )


def tfidf(search_index: SearchIndex) -> Ranker:
    """Terrier's TF-IDF over answers with raw LaTeX."""
    return IndexRanker(
        search_index.answers, BagOfTokens(RAW.name, TERRIER, FormulaTokens.LATEX, TF_IDF)
    )


TFIDF = Maker(tfidf, (RAW,))


def tfidf_formulas(search_index: SearchIndex) -> Ranker:
    """Terrier's TF-IDF over the raw LaTeX of formulas."""
    return FirstOccurrences(
        search_index,
        IndexRanker(search_index.formulas, FocusQuery(RAW.name, FormulaTokens.LATEX, TF_IDF)),
    )


TFIDF_FORMULAS = Maker(tfidf_formulas, (RAW_FORMULAS,))


def tfidf_words(search_index: SearchIndex) -> Ranker:
    """Terrier's TF-IDF over answers with the signs of LaTeX as words."""
    query_builder = BagOfTokens(SPELLED.name, TERRIER, FormulaTokens.LATEX_SYMBOLS, TF_IDF)
    return IndexRanker(search_index.answers, query_builder)


TFIDF_WORDS = Maker(tfidf_words, (SPELLED,))


def tfidf_words_formulas(search_index: SearchIndex) -> Ranker:
    """Terrier's TF-IDF over formulas with the signs of LaTeX as words."""
    query_builder = FocusQuery(SPELLED.name, FormulaTokens.LATEX_SYMBOLS, TF_IDF)
    return FirstOccurrences(search_index, IndexRanker(search_index.formulas, query_builder))


TFIDF_WORDS_FORMULAS = Maker(tfidf_words_formulas, (SPELLED_FORMULAS,))


def bm25(search_index: SearchIndex) -> Ranker:
    """BM25 over questions with answers, LaTeX as strings."""
    query_builder = BagOfTokens(STRINGS.name, PLAIN, FormulaTokens.LATEX_STRING, BM25)
    return IndexRanker(search_index.answers, query_builder)


BM25_STRINGS = Maker(bm25, (STRINGS,))


def bm25_formulas(search_index: SearchIndex) -> Ranker:
    """BM25 over formulas as strings of LaTeX."""
    query_builder = FocusQuery(STRINGS.name, FormulaTokens.LATEX_STRING, BM25)
    return FirstOccurrences(search_index, IndexRanker(search_index.formulas, query_builder))


BM25_FORMULAS = Maker(bm25_formulas, (STRINGS_FORMULAS,))
