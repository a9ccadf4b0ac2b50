"""MathDowsers 2022: L8 tuples and words in one field, by BM25 (systems of ARQMath-3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.analysis import EVERY_PART, Notation, Recipe, keyword_query
from porism.index import BM25, Clause
from porism.indexing.library import Library
from porism.model import Topic
from porism.rank.asking import Search, focus, terms, tokens_of
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.text import PLAIN

L8 = Recipe("l8", EVERY_PART, PLAIN, (Notation.L8_FOLDED,))
"""Questions with answers: words and tuples share one field and one length."""

L8_FORMULAS = Recipe("l8", notations=(Notation.L8, Notation.LATEX_WORDS))
"""Formulas: tuples, and the longer words of their LaTeX."""


@dataclass(frozen=True, slots=True)
class L8Answers:
    """Keywords and formulas of a topic; a term weighs its count times alpha or 1 - alpha."""

    keywords: frozenset[str] = field(repr=False)
    alpha: float = 0.18

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, self.keywords, PLAIN)
        words = terms(query.words, 1 - self.alpha)
        tuples = terms(tokens_of(query.formulas, Notation.L8_FOLDED), self.alpha)
        return (Clause(L8.name, (*words, *tuples), BM25),)


@dataclass(frozen=True, slots=True)
class L8Formulas:
    """The tuples of a formula by alpha, and the words of its LaTeX by 1 - alpha."""

    alpha: float = 0.40

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        asked = focus(topic)
        tuples = terms(tokens_of(asked, Notation.L8), self.alpha)
        words = terms(tokens_of(asked, Notation.LATEX_WORDS), 1 - self.alpha)
        return (Clause(L8_FORMULAS.name, (*tuples, *words), BM25),)


def l8(library: Library) -> Ranker:
    """MathDowsers 2022: L8 tuples and keywords by BM25, alpha 0.18."""
    return Search(library.answers, L8Answers(library.keywords))


def l8_formulas(library: Library) -> Ranker:
    """MathDowsers 2022: L8 tuples and LaTeX words of formulas by BM25, alpha 0.40."""
    return FirstOccurrences(library, Search(library.formulas, L8Formulas()))
