"""The passage of an answer that matches a question best.

A passage is a run of whole sentences. Sentences are compared with the question as ``porism``
compares documents with it: by words, each weighted by its rarity, and by whole formulas.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import keyword_query
from porism.answer.extracts.sentences import (
    ELLIPSIS,
    Sentence,
    joined_text,
    prefix_within,
    sentences,
)
from porism.inverted import Idf, Index
from porism.inverted.keys import Keys
from porism.model import Content, Formula, Topic
from porism.rank.similarity import FormulaSimilarity, path_set
from porism.rank.systems.porism_answers import TITLE_WEIGHT, WORDS
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

FORMULA_SHARE = 0.4
"""Weight of formulas against words in a passage, as ``porism`` weighs them in a document."""

EDGE = 0.1
"""What a passage gains that begins with the beginning of a post, or ends with its end.

An answer begins with what it claims and ends with what it has shown.
"""

MAX_SENTENCES = 400
"""Sentences of a post from which a passage is chosen; only books posted as notes have more."""

MAX_FORMULAS = 20
"""Formulas of a question that are compared with those of sentences."""


class Passage(NamedTuple):
    """A passage as Markdown, and how much of the question it matches, from 0 to 1."""

    text: str
    score: float


class Match(NamedTuple):
    """The shares of a question that are matched, from 0 to 1: words and formulas, and formulas.

    Without formulas there, the second is 0.
    """

    share: float
    formulas: float


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """What sentences are compared with: stems with weights, and path sets with weights."""

    words: dict[str, float]
    path_sets: tuple[Keys, ...]
    worths: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PassageChooser:
    """Chooses passages of posts of one index."""

    search_index: SearchIndex = field(repr=False)
    similarity: FormulaSimilarity

    def features(self, topic: Topic) -> QueryFeatures:
        """Return what a topic is compared by; once for all passages."""
        query = keyword_query(topic, None, PLAIN)
        counts: defaultdict[str, float] = defaultdict(float)
        for bag, weight in ((query.title, TITLE_WEIGHT), (query.body, 1.0)):
            for word in set(bag.words):
                counts[word] += weight
        rarity = word_rarity(self.search_index.answers, tuple(counts))
        formulas = {each.latex: TITLE_WEIGHT for each in query.title.formulas}
        by_latex = {each.latex: each for each in (*query.title.formulas, *query.body.formulas)}
        chosen = tuple(by_latex.values())[:MAX_FORMULAS]
        path_sets = tuple(map(path_set, chosen))
        return QueryFeatures(
            {word: weight * rarity[word] for word, weight in counts.items()},
            path_sets,
            np.array(
                [
                    formulas.get(each.latex, 1.0) * len(paths) ** 0.5
                    for each, paths in zip(chosen, path_sets, strict=True)
                ]
            ),
        )

    def passage(self, content: Content, features: QueryFeatures, limit: int) -> Passage:
        """Return the best passage of at most ``limit`` characters.

        A post that fits is its own passage, without remarks about the post itself. The text is
        empty if not even the first word or formula fits.
        """
        every = without_remarks(sentences(content))[:MAX_SENTENCES]
        scores = self._scores(every, features)
        whole = joined_text(every)
        if len(whole) <= limit:
            return Passage(whole, scores.of_run(0, len(every)))
        begin, end = _best_run(every, scores, limit - 2 * len(f"{ELLIPSIS} "))
        if begin == end:
            return Passage(prefix_within(every, limit), scores.of_run(0, 1))
        before = f"{ELLIPSIS} " if begin else ""
        after = f" {ELLIPSIS}" if end < len(every) else ""
        text = f"{before}{joined_text(every[begin:end])}{after}"
        return Passage(text, scores.of_run(begin, end))

    def match(self, content: Content, features: QueryFeatures) -> Match:
        """Return how much of a question a whole text matches."""
        every = sentences(content)[:MAX_SENTENCES]
        return self._scores(every, features).match_of_run(0, len(every))

    def _scores(self, every: Sequence[Sentence], features: QueryFeatures) -> _SentenceScores:
        places = {word: place for place, word in enumerate(features.words)}
        has_word = np.zeros((len(every), len(places)), bool)
        matches = np.zeros((len(every), len(features.worths)))
        numbers: list[list[int]] = []
        for row, sentence in enumerate(every):
            prose = "\n".join(piece for piece in sentence.content if isinstance(piece, str))
            for stem in PLAIN(prose):
                if stem in places:
                    has_word[row, places[stem]] = True
            numbers.append(
                [
                    piece.number
                    for piece in sentence.content
                    if isinstance(piece, Formula) and piece.number is not None
                ]
            )
        deadlines.check()
        distinct = sorted({number for row in numbers for number in row})
        if distinct and features.path_sets:
            similarities = self.similarity.of_numbers(
                features.path_sets, np.array(distinct, np.int64).view(np.uint64)
            )
            column = {number: place for place, number in enumerate(distinct)}
            for row, present in enumerate(numbers):
                if present:
                    columns = [column[number] for number in present]
                    matches[row] = similarities[:, columns].max(axis=1)
        return _SentenceScores(
            has_word, np.array(list(features.words.values())), matches, features.worths
        )


@dataclass(frozen=True, slots=True)
class _SentenceScores:
    """What each sentence (rows) has of a question: its words, and how well its formulas match."""

    has_word: NDArray[np.bool_]
    words: NDArray[np.float64]
    matches: NDArray[np.float64]
    worths: NDArray[np.float64]

    def of_run(self, begin: int, end: int) -> float:
        """Return how much of the question the sentences of a run match together."""
        return self.match_of_run(begin, end).share

    def match_of_run(self, begin: int, end: int) -> Match:
        """Return how much of the question the sentences of a run match together."""
        if begin == end:
            return Match(0.0, 0.0)
        words, worths = float(self.words.sum()), float(self.worths.sum())
        has_word = self.has_word[begin:end].any(axis=0)
        by_words = float(self.words @ has_word) / words if words else 0.0
        best = self.matches[begin:end].max(axis=0)
        by_formulas = float(self.worths @ best) / worths if worths else 0.0
        if not words or not worths:
            return Match(by_words + by_formulas, by_formulas)
        share = (1 - FORMULA_SHARE) * by_words + FORMULA_SHARE * by_formulas
        return Match(share, by_formulas)


def _best_run(every: Sequence[Sentence], scores: _SentenceScores, limit: int) -> tuple[int, int]:
    """Return the run that fits and matches most, the longest and then the first of equal ones.

    It is empty if no sentence fits.
    """
    sizes = [len(sentence.text) + len("\n\n") for sentence in every]
    best, chosen = (-1.0, 0), (0, 0)
    for begin in range(len(every)):
        deadlines.check()
        end, size = begin, 0
        while end < len(every) and size + sizes[end] <= limit + len("\n\n"):
            size += sizes[end]
            end += 1
        if end == begin:
            continue
        # A shorter run with the same beginning cannot match more.
        edges = EDGE * (begin == 0) + EDGE * (end == len(every))
        value = (scores.of_run(begin, end) + edges, size)
        if value > best:
            best, chosen = value, (begin, end)
    return chosen


def word_rarity(index: Index, words: Sequence[str]) -> dict[str, float]:
    """Return the idf of words, which are stems, divided by that of a word that no document has."""
    documents = max(1, index.documents)
    highest = Idf.LUCENE(documents, 0)
    counts = index.frequencies(WORDS.name, words).tolist() if words else []
    return {
        word: Idf.LUCENE(documents, count) / highest
        for word, count in zip(words, counts, strict=True)
    }


_REMARK = re.compile(
    r"""\A\W*(?:
        (?:i\ )?hope\ (?:this|that|it)\b.{0,60}\bhelps?\b.{0,20}
      | (?:many\ )?thanks?\b.{0,60}
      | thank\ you\b.{0,60}
      | (?:this|it)\ (?:is|was)\ too\ long\ for\ a\ comment\b.{0,60}
      | (?:good|best\ of)\ luck\b.{0,30}
      | cheers | enjoy
    )\W*\Z""",
    re.IGNORECASE | re.VERBOSE,
)


def without_remarks(every: Sequence[Sentence]) -> tuple[Sentence, ...]:
    """Return sentences without those that say nothing of mathematics, such as thanks.

    If there is nothing else, all are returned.
    """
    kept = tuple(
        sentence
        for sentence in every
        if any(isinstance(piece, Formula) for piece in sentence.content)
        or not _REMARK.match(sentence.text)
    )
    return kept or tuple(every)
