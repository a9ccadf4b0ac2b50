"""The candidates of a typed search, threads and posts, and what of the query each has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from porism.analysis import Unit, linear_text, linear_tokens
from porism.inverted import Idf
from porism.inverted.keys import Keys
from porism.model import Content, DocId, Formula, plain_text
from porism.rank.systems.porism_answers import WORDS
from porism.rank.typed.word_order import WordSequences, without_stop_words
from porism.searchindex.components.forward_store import joined_rows, short_key
from porism.searchindex.components.text_store import words_in_order
from porism.searchindex.index_folder import SearchIndex
from porism.text import IN_ORDER, folded

Values = NDArray[np.float64]

MOST_PAIRS = 40
"""Pairs of words of a query that are looked for."""

MOST_FORMULAS = 5
"""Formulas of a query that are looked for as a whole, the longest ones."""

NAME_NOUNS = frozenset(
    IN_ORDER(
        "theorem lemma inequality identity conjecture principle formula criterion law paradox test "
        "hypothesis equation transform series integral function group rule corollary axiom lemmas"
    )
)
"""Words that end names such as *Fermat's little theorem*."""

NAME_WEIGHT = 3.0
"""What two words of such a name that follow each other count against other pairs."""


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words of a query that follow each other, but for stop words, and what that counts."""

    words: Keys
    weight: float


def word_pairs(search_index: SearchIndex, content: Content) -> list[WordPair]:
    """Return the pairs of neighbouring words and formulas of a query; rare words count more."""
    tokens = [
        token
        for piece in content
        for token in (
            IN_ORDER(folded(piece)) if isinstance(piece, str) else linear_tokens(piece.latex)
        )
    ]
    kept = set(without_stop_words(words_in_order(content)))
    words = [token for token in tokens if short_key(token) in kept]
    index = search_index.answers
    documents = max(1, index.documents)
    having = index.frequencies(WORDS.name, words).tolist()
    rarity = [
        1.0 if token.startswith("=") else Idf.LUCENE(documents, number) / Idf.LUCENE(documents, 0)
        for token, number in zip(words, having, strict=True)
    ]
    nouns = [place for place, word in enumerate(words) if word in NAME_NOUNS]
    names = {place - before for place in nouns for before in (1, 2)}
    return [
        WordPair(
            np.array([short_key(words[at]), short_key(words[at + 1])], np.uint64),
            (rarity[at] * rarity[at + 1]) ** 0.5 * (NAME_WEIGHT if at in names else 1.0),
        )
        for at in range(min(len(words) - 1, MOST_PAIRS))
    ]


def longest_formulas(content: Content, forms: Sequence[str]) -> dict[str, float]:
    """Return the linear tokens of the longest formulas of a query, each with its share of it.

    The whole query, in each of its forms, may be a formula, too, whatever it was read as.
    """
    sizes = {
        token: len(linear_text(piece.latex))
        for piece in content
        if isinstance(piece, Formula)
        for token in linear_tokens(piece.latex)
    }
    whole = len(linear_text(plain_text(content)))
    longest = sorted(sizes, key=lambda each: -sizes[each])[:MOST_FORMULAS]
    shares = {each: min(1.0, sizes[each] / whole) for each in longest}
    return shares | {token: 1.0 for form in forms for token in linear_tokens(form)}


@dataclass(frozen=True, slots=True)
class Threads:
    """Questions and notes, as heads of threads, with the texts of their titles and bodies."""

    places: Mapping[DocId, int]
    titles: tuple[str, ...]
    title_words: WordSequences
    words: WordSequences

    @staticmethod
    def of(
        search_index: SearchIndex, questions: Sequence[DocId], notes: Sequence[DocId]
    ) -> Threads:
        """Read the texts of threads."""
        of_questions = search_index.texts(Unit.QUESTIONS).of(questions)
        of_notes = search_index.texts(Unit.ANSWERS).of(notes)
        words = WordSequences.of(joined_rows(of_questions.words, of_notes.words))
        return Threads(
            {each: place for place, each in enumerate((*questions, *notes))},
            (*of_questions.titles, *of_notes.titles),
            words.titles(),
            words,
        )

    def title_similarities(self, forms: Sequence[str]) -> Values:
        """Return how similar titles are to a query in one of its forms, 0 to 1.

        It is the share of characters that both have in the same order.
        """
        if not forms or not self.titles:
            return np.zeros(len(self.titles))
        ratios = process.cdist(forms, self.titles, scorer=fuzz.ratio, dtype=np.float32)
        best: Values = ratios.max(axis=0).astype(np.float64) / 100
        return best


def pair_shares(pairs: Sequence[WordPair], sequences: WordSequences) -> Values:
    """Return the share of the pairs that each text has, by their weights."""
    whole = sum(pair.weight for pair in pairs)
    shares = np.zeros(sequences.number)
    if whole:
        having = sequences.having_pairs([pair.words for pair in pairs])
        for pair, texts in zip(pairs, having, strict=True):
            shares += pair.weight / whole * texts
    return shares


def formula_shares(formulas: Mapping[str, float], sequences: WordSequences) -> Values:
    """Return how much of a query the formulas make up that each text has, too."""
    shares = np.zeros(sequences.number)
    for formula, share in formulas.items():
        shares += share * sequences.having(np.array([short_key(formula)], np.uint64))
    return np.minimum(shares, 1.0)
