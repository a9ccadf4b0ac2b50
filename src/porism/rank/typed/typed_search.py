"""Search for what a person typed: answers, notes and questions.

It begins with the ranking of ``porism``, in which other spellings of words and notations of
formulas count as well. Questions join it of which no answer was found, because they have none, or
because they match without them. The first posts are then scored again:

    score = first score + EXACT · exact title + TITLE · similar title + ORDER · word order
            + FORMULA · equal formulas - LINKS · only links

Each part is from 0 to 1. Titles, word order and equal formulas say much about a short query and
little about a pasted text, which has many words of its own: their parts are divided by its length.
``docs/systems.md`` shows what each gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from porism import deadlines
from porism.analysis import Unit
from porism.inverted import Filter
from porism.model import DocId, Ranking, Topic
from porism.query.typed_topics import TypedTopic
from porism.rank.explanations import NOT_FOUND, Explanation, scaled, summed, with_tie_break
from porism.rank.ranker import best_hits
from porism.rank.typed.matches import (
    Threads,
    Values,
    formula_shares,
    longest_formulas,
    pair_shares,
    word_pairs,
)
from porism.rank.typed.query import TypedQuery, read_query
from porism.rank.typed.stages import DEPTH, Candidates, Stages, candidates, first_stages
from porism.rank.typed.substance import is_only_links
from porism.rank.typed.word_order import WordSequences, without_stop_words
from porism.searchindex.components.text_store import words_in_order
from porism.searchindex.index_folder import SearchIndex

HEAD = 200
"""Answers, from the first, that are scored again, and those in threads that are close."""

CHECKED = 30
"""Answers, from the first after that, that are checked for having only links."""


class ScorePart(StrEnum):
    """The parts that are added to the first score."""

    EXACT = "the title is the query"
    TITLE = "similar title"
    ORDER = "words that follow each other"
    FORMULA = "equal formulas"
    LINKS = "only links or images"


WEIGHTS = {
    ScorePart.EXACT: 5.0,
    ScorePart.TITLE: 1.0,
    ScorePart.ORDER: 0.2,
    ScorePart.FORMULA: 1.0,
    ScorePart.LINKS: -0.3,
}

LEAST_SIMILAR = 0.8
"""Similarity of titles from which it counts: any two share more than half of their characters."""

SHORT = 12
"""Words and formulas, but stop words, of a query in which titles, order and formulas count fully:
few titles have more."""

IN_TITLE, IN_QUESTION, IN_ANSWER = 1.0, 0.75, 0.6
"""What an equal formula counts by where it is."""


class ScoredPosts(NamedTuple):
    """Posts with their first scores and, of the first of them, the values of the other parts.

    Values are from 0 to 1, a row for each part.
    """

    doc_ids: list[DocId]
    first: Values
    parts: Mapping[ScorePart, Values]

    @property
    def scores(self) -> Values:
        """The scores of all posts."""
        scores = self.first.copy()
        added = np.zeros(self.number)
        for part, values in self.parts.items():
            added += WEIGHTS[part] * values
        scores[: self.number] += added
        return scores

    @property
    def number(self) -> int:
        """How many of the posts are scored again."""
        return max(map(len, self.parts.values()), default=0)

    def parts_of(self, place: int) -> list[tuple[ScorePart, float]]:
        """Return the parts that a post has."""
        if place >= self.number:
            return []
        values = ((part, float(values[place])) for part, values in self.parts.items())
        return [(part, value) for part, value in values if value]


@dataclass(frozen=True, slots=True)
class TypedSearch:
    """The ranker for typed queries on one index. As a ``Ranker`` it reads topics as if typed."""

    search_index: SearchIndex = field(repr=False)

    def read(self, typed: TypedTopic) -> TypedQuery:
        """Return a typed query as it is searched for."""
        return read_query(self.search_index, typed)

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return self.ranking(self.read(TypedTopic(topic)), k, within)

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return self.explanations(self.read(TypedTopic(topic)), doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return self.tokens_of(self.read(TypedTopic(topic)))

    def tokens_of(self, query: TypedQuery) -> tuple[str, ...]:
        """Return the tokens that a query is searched with, words as stems."""
        return first_stages(self.search_index, query).answers.tokens(query.topic) or ()

    def ranking(self, query: TypedQuery, k: int, within: Filter | None = None) -> Ranking:
        """Return the best ``k`` posts."""
        posts = self._search(query, k, within).posts()
        return best_hits(posts.doc_ids, posts.scores, k)

    def explanations(
        self, query: TypedQuery, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        """Explain the score of each post."""
        return self._search(query, DEPTH, within).explanations(doc_ids)

    def _search(self, query: TypedQuery, k: int, within: Filter | None) -> _Search:
        index = self.search_index
        stages = first_stages(index, query)
        formulas = longest_formulas(query.topic.title, query.forms)
        found = candidates(index, stages, query, list(formulas), max(k, DEPTH), within)
        return _Search(index, query, stages, found, formulas)


@dataclass(frozen=True, slots=True)
class _Search:
    """One typed search: what was found first, and how that is scored."""

    search_index: SearchIndex
    query: TypedQuery
    stages: Stages
    found: Candidates
    formulas: dict[str, float]

    def posts(self) -> ScoredPosts:
        """Return the posts with their scores, unordered."""
        scored = self._scored()
        order = np.argsort(-scored.scores[: scored.number], kind="stable")
        links = np.zeros(scored.number)
        links[self._only_links(scored.doc_ids, order[:CHECKED].tolist())] = 1.0
        return scored._replace(parts={**scored.parts, ScorePart.LINKS: links})

    def _only_links(self, doc_ids: Sequence[DocId], places: Sequence[int]) -> list[int]:
        """Return the places of those answers and notes that have only links."""
        answers = {doc_ids[at]: at for at in places if doc_ids[at] in self.found.answers}
        bodies = self.search_index.collection.bodies(answers)
        return [answers[each] for each, body in bodies.items() if is_only_links(body)]

    def _scored(self) -> ScoredPosts:
        """Return the posts, those that are scored again first, but for links."""
        found = self.found
        head = [
            doc_id
            for place, doc_id in enumerate(found.answers)
            if place < HEAD or found.threads[doc_id] in found.close
        ]
        again = [*head, *found.questions]
        parts = self._parts(head, again) if again else {}
        known = frozenset(head)
        rest = [doc_id for doc_id in found.answers if doc_id not in known]
        first = [
            *(found.answers[doc_id] for doc_id in head),
            *found.questions.values(),
            *(found.answers[doc_id] for doc_id in rest),
        ]
        return ScoredPosts([*again, *rest], np.array(first), parts)

    def _parts(self, head: Sequence[DocId], again: Sequence[DocId]) -> dict[ScorePart, Values]:
        """Return the parts of answers and notes, ``head``, and of the questions after them."""
        found = self.found
        threads = self._threads(again)
        places = np.array([threads.places[found.threads[doc_id]] for doc_id in again])
        pairs = word_pairs(self.search_index, self.query.topic.title)
        similar = threads.title_similarities(self.query.forms)
        titles = np.maximum(0.0, similar - LEAST_SIMILAR) / (1 - LEAST_SIMILAR)
        title_orders = pair_shares(pairs, threads.title_words)[places]
        orders = pair_shares(pairs, threads.words)[places]
        formulas = np.maximum(
            IN_TITLE * formula_shares(self.formulas, threads.title_words),
            IN_QUESTION * formula_shares(self.formulas, threads.words),
        )[places]
        deadlines.check()
        own = WordSequences.of(self.search_index.texts(Unit.ANSWERS).of(head).words)
        size = len(head)
        orders[:size] = np.maximum(orders[:size], pair_shares(pairs, own))
        formulas[:size] = np.maximum(
            formulas[:size], IN_ANSWER * formula_shares(self.formulas, own)
        )
        brevity = self._brevity()
        exact = [found.threads[doc_id] in found.exact for doc_id in again]
        return {
            ScorePart.EXACT: np.array(exact, float),
            ScorePart.TITLE: brevity * titles[places],
            ScorePart.ORDER: brevity * (title_orders + orders) / 2,
            ScorePart.FORMULA: brevity * formulas,
        }

    def _brevity(self) -> float:
        """Return 1 for a short query, and less the longer it is."""
        topic = self.query.topic
        words = without_stop_words(words_in_order((*topic.title, *topic.body)))
        return min(1.0, SHORT / max(1, len(words)))

    def _threads(self, doc_ids: Sequence[DocId]) -> Threads:
        heads = dict.fromkeys(self.found.threads[doc_id] for doc_id in doc_ids)
        notes = [each for each in heads if each in self.found.answers]
        questions = [each for each in heads if each not in self.found.answers]
        return Threads.of(self.search_index, questions, notes)

    def explanations(self, doc_ids: Sequence[DocId]) -> list[Explanation]:
        """Explain the scores of posts."""
        posts = self.posts()
        places = {doc_id: place for place, doc_id in enumerate(posts.doc_ids)}
        answers = [each for each in doc_ids if each in self.found.answers]
        questions = [each for each in doc_ids if each in self.found.questions]
        topic, within = self.query.topic, self.found.within
        first = dict(zip(answers, self.stages.answers.explain(topic, answers, within), strict=True))
        label = f"the question alone, times {self.found.factor:.3f} as answers are"
        explained = self.stages.questions.explain(topic, questions, within)
        for question, each in zip(questions, explained, strict=True):
            first[question] = scaled(each, self.found.factor, label)
        return [
            _explained(posts, places[each], first[each]) if each in places else NOT_FOUND
            for each in doc_ids
        ]


def _explained(posts: ScoredPosts, place: int, first: Explanation) -> Explanation:
    parts = (
        Explanation(f"{part}, {value:.3f} × {WEIGHTS[part]:g}", WEIGHTS[part] * value)
        for part, value in posts.parts_of(place)
    )
    first = with_tie_break(first, float(posts.first[place]))
    return summed("first ranking and what was typed", (first, *parts))
