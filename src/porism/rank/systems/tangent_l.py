"""Tangent-L as MathDowsers ran it in 2020 and 2021 (S4): tokens of layouts and words, by BM25+."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.analysis import (
    ALL_PARTS,
    REPETITION,
    DocumentPart,
    FieldSpec,
    FormulaTokens,
    Unit,
    keyword_query,
)
from porism.inverted import BM25_PLUS, Clause, Term
from porism.model import Topic
from porism.rank.occurrences import FirstOccurrences
from porism.rank.query_builder import IndexRanker, focus_formulas, formula_tokens, weighted_terms
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.index_folder import SearchIndex
from porism.text import CLASSIC

BASIC = FieldSpec(
    "tangent-l-2020",
    ALL_PARTS - {DocumentPart.ANSWER_COMMENTS},
    CLASSIC,
    (FormulaTokens.TANGENT_L_2020,),
)
"""The documents of 2020, without comments on answers, and the basic tokens."""

FULL = FieldSpec("tangent-l", ALL_PARTS, CLASSIC, (FormulaTokens.TANGENT_L,))
"""The documents of 2021 (S4 section 3.2), with repetition tokens and commutativity."""

BASIC_FORMULAS = FieldSpec(
    "tangent-l-2020", formula_tokens=(FormulaTokens.TANGENT_L_2020,), unit=Unit.FORMULAS
)
FULL_FORMULAS = FieldSpec(
    "tangent-l", formula_tokens=(FormulaTokens.TANGENT_L,), unit=Unit.FORMULAS
)
"""The formula corpus of S4 section 3.4.1: each visually distinct formula is a document."""


@dataclass(frozen=True, slots=True)
class TangentL:
    """Equation 1 of S4 over the keywords and formulas of a topic.

    ``alpha`` weighs formulas against keywords, ``gamma`` repetition tokens against the others.
    Without ``counts_repeats``, a term that occurs several times in the topic weighs as one that
    occurs once, as in the submitted runs of 2021.
    """

    keywords: frozenset[str] = field(repr=False)
    field_spec: FieldSpec
    alpha: float
    gamma: float
    counts_repeats: bool = True

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, self.keywords, CLASSIC)
        words = weighted_terms(query.words, 1 - self.alpha)
        tokens = formula_tokens(query.formulas, *self.field_spec.formula_tokens)
        math = weighted_math(tokens, self.gamma, self.alpha / max(self.gamma, 1 - self.gamma))
        terms = words + math
        if not self.counts_repeats:
            terms = counted_once(terms, (*query.words, *tokens))
        return (Clause(self.field_spec.name, terms, BM25_PLUS),)


def weighted_math(tokens: list[str], gamma: float, scale: float = 1.0) -> tuple[Term, ...]:
    """Weigh math tokens by count, repetition tokens times gamma, the others times 1 - gamma."""
    repetitions = [token for token in tokens if token.startswith(REPETITION)]
    regular = [token for token in tokens if not token.startswith(REPETITION)]
    return weighted_terms(regular, (1 - gamma) * scale) + weighted_terms(repetitions, gamma * scale)


def counted_once(terms: tuple[Term, ...], tokens: tuple[str, ...]) -> tuple[Term, ...]:
    """Return the terms with the weight that each would have if it occurred in the query once."""
    counts = {term.token: term.weight for term in weighted_terms(tokens)}
    return tuple(Term(term.token, term.weight / counts[term.token]) for term in terms)


@dataclass(frozen=True, slots=True)
class RawScore:
    """Equation 2 of S4: how well other formulas match the formula that a topic is about."""

    field_spec: FieldSpec = FULL_FORMULAS
    gamma: float = 0.1

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        tokens = formula_tokens(focus_formulas(topic), *self.field_spec.formula_tokens)
        return (Clause(self.field_spec.name, weighted_math(tokens, self.gamma), BM25_PLUS),)


def tangent_l_2020(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2020, alpha05-noReRank: the basic tokens by BM25+, alpha 0.5."""
    return IndexRanker(
        search_index.answers, TangentL(search_index.keywords, BASIC, alpha=0.5, gamma=0.0)
    )


TANGENT_L_2020 = Maker(tangent_l_2020, (BASIC,))


def tangent_l_2020_formulas(search_index: SearchIndex) -> Ranker:
    """The basic tokens of formulas by BM25+."""
    return FirstOccurrences(
        search_index, IndexRanker(search_index.formulas, RawScore(BASIC_FORMULAS, gamma=0.0))
    )


TANGENT_L_2020_FORMULAS = Maker(tangent_l_2020_formulas, (BASIC_FORMULAS,))


def tangent_l(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2021, duplicateTerms: repetition tokens, commutativity, alpha 0.25, gamma 0.1."""
    return IndexRanker(
        search_index.answers, TangentL(search_index.keywords, FULL, alpha=0.25, gamma=0.1)
    )


TANGENT_L = Maker(tangent_l, (FULL,))


def tangent_l_formulas(search_index: SearchIndex) -> Ranker:
    """Formulas by equation 2 of S4, gamma 0.1."""
    return FirstOccurrences(search_index, IndexRanker(search_index.formulas, RawScore()))


TANGENT_L_FORMULAS = Maker(tangent_l_formulas, (FULL_FORMULAS,))


def tangent_l_primary(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2021, primary: the same, each term of the topic counted once."""
    query_builder = TangentL(
        search_index.keywords, FULL, alpha=0.25, gamma=0.1, counts_repeats=False
    )
    return IndexRanker(search_index.answers, query_builder)


TANGENT_L_PRIMARY = Maker(tangent_l_primary, (FULL,))
