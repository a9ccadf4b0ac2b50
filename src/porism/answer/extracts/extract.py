"""``extract``: the best passage of the best answer, or no answer if none is good enough.

``porism`` ranks; of its first answers one is chosen again, because a ranking and its first place
want different weights (docs/answers.md has the measurements), and then a passage of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from porism.answer.answerer import AnswererFactory
from porism.answer.extracts.passages import PassageChooser, QueryFeatures
from porism.answer.short_answer import (
    MAX_ANSWER_LENGTH,
    SILENT,
    AnswerKind,
    AnswerListener,
    AnswerSource,
    ShortAnswer,
    Timings,
)
from porism.answer.sources import SourcePost, read_posts
from porism.answer.verification.source_comparison import mentioned_sources, renumbered, verify
from porism.inverted import Filter
from porism.model import Ranking, Topic
from porism.rank.ranker import Maker, Ranker
from porism.rank.similarity import FormulaSimilarity
from porism.rank.systems import porism_answers
from porism.rank.systems.answer_weights import answer_weights
from porism.rank.vector_ranking import VectorScorer, usable_vectors
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.index_folder import SearchIndex

NAME = "extract"

DEPTH = 10
"""Answers of the ranking among which one is chosen."""

ANSWER_COSINE = 0.25
"""The share of the weight of the cosine with the answer that counts for the first place.

An answer that repeats the question is near to it, and does not answer it.
"""

PREFERENCE = 0.05
"""The most that acceptance and votes add to a score: they decide among answers nearly as good.

The scores of the first and the tenth answer differ by 0.57 in the median of the topics of the lab.
"""

GOOD_VOTES = 100
"""Votes that count as much as acceptance."""

CHECKED = 2
"""Answers of which one must be close to the question, so that there is an answer at all."""

MIN_COSINE = 0.3
"""The least mean of the cosines with question and answer of an answer that is close.

docs/answers.md has how many questions about other things are declined, and how many topics.
"""

MIN_MATCH = 0.25
"""The same without vectors: the share of the title's words and formulas in the thread.

It separates less well: many words are in texts about anything.
"""

MIN_FORMULA_MATCH = 0.7
"""The share of the title's formulas in the thread that suffices for itself."""

MIN_PATHS = 8
"""Paths of these formulas at least: ``x`` and ``n + 1`` are in texts about anything."""

NOT_GOOD_ENOUGH = "no answer found: none of the results is close enough to the question"
NOTHING_FOUND = "no answer found: the search has no results"


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """An answer that was found, with its score for the first place."""

    post: SourcePost
    score: float


@dataclass(frozen=True, slots=True)
class AnswerCandidates:
    """The answers that were found, best first, what they are compared by, and the times taken.

    They answer the question only if ``are_close`` to it.
    """

    every: tuple[AnswerCandidate, ...]
    are_close: bool
    features: QueryFeatures
    timings: Timings


@dataclass(frozen=True, slots=True)
class AnswerChooser:
    """Chooses among the first answers of a ranking those that answer a question.

    ``answer_vector`` is the weight of the cosine with the answer in the ranking, of which the share
    ``answer_cosine`` counts here.
    """

    search_index: SearchIndex = field(repr=False)
    ranker: Ranker
    passages: PassageChooser = field(repr=False)
    answer_vector: float
    answer_cosine: float = ANSWER_COSINE
    depth: int = DEPTH

    def candidates(self, topic: Topic, within: Filter | None = None) -> AnswerCandidates:
        """Rank, and choose among the first answers."""
        start = perf_counter()
        hits = self.ranker.rank(topic, self.depth, within)
        return self.of_ranking(topic, hits, 1000 * (perf_counter() - start))

    def of_ranking(
        self, topic: Topic, hits: Ranking, milliseconds: float = 0.0
    ) -> AnswerCandidates:
        """Choose among the first of a ranking by ``ranker``, which took so long."""
        start = perf_counter()
        posts = read_posts(self.search_index.collection, hits[: self.depth])
        hits = tuple(each.hit for each in posts)
        features = self.passages.features(topic)
        question, answer = self._cosines(topic, hits)
        scores = (
            np.array([hit.score for hit in hits])
            - (1 - self.answer_cosine) * self.answer_vector * answer
            + np.array([_preference(each) for each in posts])
        )
        order = sorted(range(len(posts)), key=lambda place: (-scores[place], place))
        are_close = any(
            self._is_close(topic, posts[place], float(question[place]), float(answer[place]))
            for place in order[:CHECKED]
        )
        every = tuple(AnswerCandidate(posts[place], float(scores[place])) for place in order)
        taken = 1000 * (perf_counter() - start)
        timings = Timings(search=milliseconds, extract=taken)
        return AnswerCandidates(every, are_close, features, timings)

    def source(
        self, candidate: AnswerCandidate, number: int, features: QueryFeatures, limit: int
    ) -> AnswerSource:
        """Return a candidate as a source with its best passage of at most so many characters."""
        content = candidate.post.post.body
        return candidate.post.source(
            number, self.passages.passage(content, features, limit).text, candidate.score
        )

    def _cosines(
        self, topic: Topic, hits: Ranking
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the cosines with questions and answers; all 0 for an index without vectors."""
        vectors = usable_vectors(self.search_index)
        if vectors is None or not hits:
            return np.zeros(len(hits)), np.zeros(len(hits))
        question, answer = (
            VectorScorer(vectors, kind).scores(topic, hits)
            for kind in (TextKind.QUESTION, TextKind.ANSWER)
        )
        return question, answer

    def _is_close(self, topic: Topic, each: SourcePost, question: float, answer: float) -> bool:
        """Whether an answer is close to the question, by its cosines and by what it matches."""
        has_vectors = usable_vectors(self.search_index) is not None
        # A note has no question of its own.
        cosine = (question + answer) / (2 if each.question is not None else 1)
        if has_vectors and cosine >= MIN_COSINE:
            return True
        # Most of a long body is not repeated by those who answer it.
        title_alone = replace(topic, body=()) if topic.title else topic
        features = self.passages.features(title_alone)
        match = self.passages.match(each.thread_content, features)
        if not has_vectors and match.share >= MIN_MATCH:
            return True
        has_formulas = sum(map(len, features.path_sets)) >= MIN_PATHS
        return has_formulas and match.formulas >= MIN_FORMULA_MATCH


def _preference(each: SourcePost) -> float:
    votes = max(0, each.post.score or 0)
    by_votes = min(1.0, math.log1p(votes) / math.log1p(GOOD_VOTES))
    return PREFERENCE * (by_votes + each.is_accepted) / 2


@dataclass(frozen=True, slots=True)
class Extract:
    """The passage of the best answer that matches the question best."""

    chooser: AnswerChooser
    limit: int = MAX_ANSWER_LENGTH

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        return self.of_candidates(self.chooser.candidates(topic, within))

    def of_ranking(self, topic: Topic, ranking: Ranking) -> ShortAnswer:
        """Answer from a ranking by the same system, which need not search again."""
        return self.of_candidates(self.chooser.of_ranking(topic, ranking))

    def of_candidates(self, candidates: AnswerCandidates) -> ShortAnswer:
        """Answer from the first candidate of which a passage fits."""
        start = perf_counter()
        for candidate in candidates.every if candidates.are_close else ():
            source = self.chooser.source(candidate, 1, candidates.features, self.limit)
            if source.passage:
                answer = self._verified(source, candidate, candidates)
                break
        else:
            answer = declined(NAME, candidates, self.chooser)
        taken = candidates.timings.extract + 1000 * (perf_counter() - start)
        return replace(answer, timings=replace(candidates.timings, extract=taken))

    def _verified(
        self, source: AnswerSource, candidate: AnswerCandidate, candidates: AnswerCandidates
    ) -> ShortAnswer:
        """Return the passage as an answer, its final formula compared with other close answers.

        Those that have the formula, or another value, are sources too.
        """
        others = [each for each in candidates.every if each is not candidate][: VERIFIED - 1]
        compared = dict(enumerate(others, 2))
        verification = verify(
            source.passage, {number: each.post.text for number, each in compared.items()}
        )
        mentioned = sorted(mentioned_sources(verification))
        numbers = {old: new for new, old in enumerate(mentioned, 2)}
        further = (
            self.chooser.source(compared[old], numbers[old], candidates.features, NEAREST_LENGTH)
            for old in mentioned
        )
        return ShortAnswer(
            source.passage,
            AnswerKind.EXTRACT,
            NAME,
            (source, *further),
            score=candidate.score,
            verification=renumbered(verification, numbers),
        )


VERIFIED = 5
"""Answers whose formulas are compared with the final one of an extract, its own among them."""

NEAREST = 3
"""Results that are shown where there is no answer."""

NEAREST_LENGTH = 240
"""Characters of their passages."""


def declined(system: str, candidates: AnswerCandidates, chooser: AnswerChooser) -> ShortAnswer:
    """Return that no answer was found, with the nearest results."""
    sources = tuple(
        chooser.source(each, number, candidates.features, NEAREST_LENGTH)
        for number, each in enumerate(candidates.every[:NEAREST], 1)
    )
    reason = NOT_GOOD_ENOUGH if sources else NOTHING_FOUND
    return ShortAnswer("", AnswerKind.EXTRACT, system, sources, reason=reason)


def answer_chooser(search_index: SearchIndex) -> AnswerChooser:
    """Return the chooser of an index, over the ranking of ``porism``."""
    weights = answer_weights(search_index)
    has_vectors = usable_vectors(search_index) is not None
    return AnswerChooser(
        search_index,
        porism_answers.porism(search_index),
        PassageChooser(search_index, FormulaSimilarity(search_index)),
        weights.with_vectors.answer_vector if has_vectors else 0.0,
    )


def extract(search_index: SearchIndex) -> AnswererFactory:
    """The best passage of the best answer of ``porism``."""
    return lambda tools: Extract(answer_chooser(search_index))


EXTRACT = Maker(extract, porism_answers.ANSWERS.needs, uses_vectors=True)
