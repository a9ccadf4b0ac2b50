"""Tangent-L as MathDowsers ran it in 2020 and 2021 (S4): tokens of layouts and words, by BM25+."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.analysis import EVERY_PART, REPETITION, Notation, Part, Recipe, keyword_query
from porism.index import BM25_PLUS, Clause, Term
from porism.indexing.library import Library
from porism.model import Topic
from porism.rank.asking import Search, focus, terms, tokens_of
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.text import CLASSIC

BASIC = Recipe(
    "tangent-l-2020",
    EVERY_PART - {Part.ANSWER_COMMENTS},
    CLASSIC,
    (Notation.TANGENT_L_2020,),
)
"""The documents of 2020, which were without comments on answers, and the basic tokens."""

FULL = Recipe("tangent-l", EVERY_PART, CLASSIC, (Notation.TANGENT_L,))
"""The documents of 2021 (S4 section 3.2), with repetition tokens and commutativity."""

BASIC_FORMULAS = Recipe("tangent-l-2020", notations=(Notation.TANGENT_L_2020,))
FULL_FORMULAS = Recipe("tangent-l", notations=(Notation.TANGENT_L,))
"""The formula corpus of S4 section 3.4.1: each visually distinct formula is a document."""


@dataclass(frozen=True, slots=True)
class TangentL:
    """Equation 1 of S4 over the keywords and formulas of a topic.

    ``alpha`` weighs formulas against keywords, ``gamma`` repetition tokens against the others.
    Where ``counts_repeats`` is false a term that occurs several times in the topic weighs as one
    that occurs once, as in the submitted runs of 2021.
    """

    keywords: frozenset[str] = field(repr=False)
    recipe: Recipe
    alpha: float
    gamma: float
    counts_repeats: bool = True

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, self.keywords, CLASSIC)
        words = terms(query.words, 1 - self.alpha)
        tokens = tokens_of(query.formulas, *self.recipe.notations)
        math = weighted_math(tokens, self.gamma, self.alpha / max(self.gamma, 1 - self.gamma))
        asked = words + math
        if not self.counts_repeats:
            asked = once(asked, (*query.words, *tokens))
        return (Clause(self.recipe.name, asked, BM25_PLUS),)


def weighted_math(tokens: list[str], gamma: float, scale: float = 1.0) -> tuple[Term, ...]:
    """Math tokens by their counts, repetition tokens times gamma and the others times 1 - gamma."""
    repetitions = [token for token in tokens if token.startswith(REPETITION)]
    regular = [token for token in tokens if not token.startswith(REPETITION)]
    return terms(regular, (1 - gamma) * scale) + terms(repetitions, gamma * scale)


def once(asked: tuple[Term, ...], tokens: tuple[str, ...]) -> tuple[Term, ...]:
    """The terms with the weight that each would have if it stood in the query once."""
    counts = {term.token: term.weight for term in terms(tokens)}
    return tuple(Term(term.token, term.weight / counts[term.token]) for term in asked)


@dataclass(frozen=True, slots=True)
class RawScore:
    """Equation 2 of S4: how well the formula that a topic is about is matched by others."""

    recipe: Recipe = FULL_FORMULAS
    gamma: float = 0.1

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        tokens = tokens_of(focus(topic), *self.recipe.notations)
        return (Clause(self.recipe.name, weighted_math(tokens, self.gamma), BM25_PLUS),)


def tangent_l_2020(library: Library) -> Ranker:
    """MathDowsers 2020, alpha05-noReRank: the basic tokens by BM25+, alpha 0.5."""
    return Search(library.answers, TangentL(library.keywords, BASIC, alpha=0.5, gamma=0.0))


def tangent_l_2020_formulas(library: Library) -> Ranker:
    """The basic tokens of formulas by BM25+."""
    return FirstOccurrences(library, Search(library.formulas, RawScore(BASIC_FORMULAS, gamma=0.0)))


def tangent_l(library: Library) -> Ranker:
    """MathDowsers 2021, duplicateTerms: repetition tokens, commutativity, alpha 0.25, gamma 0.1."""
    return Search(library.answers, TangentL(library.keywords, FULL, alpha=0.25, gamma=0.1))


def tangent_l_formulas(library: Library) -> Ranker:
    """Formulas by equation 2 of S4, gamma 0.1."""
    return FirstOccurrences(library, Search(library.formulas, RawScore()))


def tangent_l_primary(library: Library) -> Ranker:
    """MathDowsers 2021, primary: the same, each term of the topic counted once."""
    asking = TangentL(library.keywords, FULL, alpha=0.25, gamma=0.1, counts_repeats=False)
    return Search(library.answers, asking)
