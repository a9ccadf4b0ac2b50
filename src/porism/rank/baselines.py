"""The lab's text baselines: LaTeX as words among words (S1 sections 4.3 and 5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from porism.analysis import EVERY_PART, Notation, Part, Recipe, word_query
from porism.index import BM25, TF_IDF, Clause, Model
from porism.indexing.library import Library
from porism.model import Topic
from porism.rank.asking import Search, focus, terms, tokens_of
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.text import PLAIN, TERRIER, Chain

ANSWER_ALONE = frozenset({Part.ANSWER})

RAW = Recipe("raw-latex", ANSWER_ALONE, TERRIER, (Notation.LATEX,))
"""Answers as Terrier reads them: of LaTeX it sees letters and digits."""

SPELLED = Recipe("spelled-latex", ANSWER_ALONE, TERRIER, (Notation.LATEX_SYMBOLS,))
"""Answers in which each sign of the LaTeX is spelled as a word."""

STRINGS = Recipe("latex-strings", EVERY_PART, PLAIN, (Notation.LATEX_STRING,))
"""Questions with answers, words and the commands and signs of the LaTeX as they are written."""

RAW_FORMULAS = Recipe(RAW.name, notations=RAW.notations)
SPELLED_FORMULAS = Recipe(SPELLED.name, notations=SPELLED.notations)
STRINGS_FORMULAS = Recipe(STRINGS.name, notations=STRINGS.notations)
"""The same notations for formulas alone."""


@dataclass(frozen=True, slots=True)
class EveryWord:
    """All words and formulas of a topic, as often as they stand there, asked of one field."""

    field: str
    chain: Chain
    notation: Notation
    model: Model

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = word_query(topic, self.chain)
        tokens = [*query.words, *tokens_of(query.formulas, self.notation)]
        return (Clause(self.field, terms(tokens), self.model),)


@dataclass(frozen=True, slots=True)
class FocusAlone:
    """The formula that a topic is about, in one notation, asked of one field of formulas."""

    field: str
    notation: Notation
    model: Model

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        return (Clause(self.field, terms(tokens_of(focus(topic), self.notation)), self.model),)


def tfidf(library: Library) -> Ranker:
    """Terrier's TF-IDF over answers with raw LaTeX."""
    return Search(library.answers, EveryWord(RAW.name, TERRIER, Notation.LATEX, TF_IDF))


def tfidf_formulas(library: Library) -> Ranker:
    """Terrier's TF-IDF over the raw LaTeX of formulas."""
    return FirstOccurrences(
        library, Search(library.formulas, FocusAlone(RAW.name, Notation.LATEX, TF_IDF))
    )


def tfidf_words(library: Library) -> Ranker:
    """Terrier's TF-IDF over answers with the signs of LaTeX as words."""
    asking = EveryWord(SPELLED.name, TERRIER, Notation.LATEX_SYMBOLS, TF_IDF)
    return Search(library.answers, asking)


def tfidf_words_formulas(library: Library) -> Ranker:
    """Terrier's TF-IDF over formulas with the signs of LaTeX as words."""
    asking = FocusAlone(SPELLED.name, Notation.LATEX_SYMBOLS, TF_IDF)
    return FirstOccurrences(library, Search(library.formulas, asking))


def bm25(library: Library) -> Ranker:
    """BM25 over questions with answers, LaTeX as strings."""
    asking = EveryWord(STRINGS.name, PLAIN, Notation.LATEX_STRING, BM25)
    return Search(library.answers, asking)


def bm25_formulas(library: Library) -> Ranker:
    """BM25 over formulas as strings of LaTeX."""
    asking = FocusAlone(STRINGS.name, Notation.LATEX_STRING, BM25)
    return FirstOccurrences(library, Search(library.formulas, asking))
