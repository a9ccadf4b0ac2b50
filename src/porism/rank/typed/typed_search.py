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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from porism import deadlines
from porism.analysis import Unit
from porism.errors import PorismError
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.query.typed_topics import TypedTopic
from porism.rank.explanations import NOT_FOUND, Explanation, scaled, summed, with_tie_break
from porism.rank.typed.matches import (
    Threads,
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


class ScoredPost(NamedTuple):
    """A post with the first score and the values, from 0 to 1, of the other parts."""

    doc_id: DocId
    first: float
    parts: tuple[tuple[ScorePart, float], ...] = ()

    @property
    def score(self) -> float:
        return self.first + sum(WEIGHTS[part] * value for part, value in self.parts)


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
        return ranked(Hit(post.doc_id, post.score) for post in posts)[:k]

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

    def posts(self) -> list[ScoredPost]:
        """Return the posts with their scores, unordered."""
        posts = {post.doc_id: post for post in self._scored()}
        first = sorted(posts.values(), key=lambda post: -post.score)[:CHECKED]
        for post in first:
            if post.doc_id in self.found.answers and self._is_only_links(post.doc_id):
                posts[post.doc_id] = post._replace(parts=(*post.parts, (ScorePart.LINKS, 1.0)))
        rest = (each for each in self.found.answers.items() if each[0] not in posts)
        return [*posts.values(), *(ScoredPost(doc_id, score) for doc_id, score in rest)]

    def _is_only_links(self, doc_id: DocId) -> bool:
        try:
            return is_only_links(self.search_index.collection.markup(doc_id).body)
        except PorismError:  # it has been deleted since
            return False

    def _scored(self) -> Iterator[ScoredPost]:
        """Yield the posts that are scored again, but for links."""
        found = self.found
        head = [
            doc_id
            for place, doc_id in enumerate(found.answers)
            if place < HEAD or found.threads[doc_id] in found.close
        ]
        if not head and not found.questions:
            return
        threads = self._threads([*head, *found.questions])
        pairs = word_pairs(self.search_index, self.query.topic.title)
        similar = threads.title_similarities(self.query.forms)
        titles = np.maximum(0.0, similar - LEAST_SIMILAR) / (1 - LEAST_SIMILAR)
        orders = pair_shares(pairs, threads.title_words), pair_shares(pairs, threads.words)
        formulas = np.maximum(
            IN_TITLE * formula_shares(self.formulas, threads.title_words),
            IN_QUESTION * formula_shares(self.formulas, threads.words),
        )
        own = WordSequences.of(
            [text.words for text in self.search_index.texts(Unit.ANSWERS).of(head)]
        )
        own_orders = pair_shares(pairs, own)
        own_formulas = IN_ANSWER * formula_shares(self.formulas, own)
        brevity = self._brevity()
        for at, doc_id in enumerate((*head, *found.questions)):
            deadlines.check()
            place = threads.places[found.threads[doc_id]]
            is_answer = at < len(head)
            order = max(orders[1][place], own_orders[at] if is_answer else 0.0)
            formula = max(formulas[place], own_formulas[at] if is_answer else 0.0)
            values = {
                ScorePart.EXACT: float(found.threads[doc_id] in found.exact),
                ScorePart.TITLE: brevity * float(titles[place]),
                ScorePart.ORDER: brevity * float(orders[0][place] + order) / 2,
                ScorePart.FORMULA: brevity * float(formula),
            }
            first = found.answers[doc_id] if is_answer else found.questions[doc_id]
            parts = ((part, value) for part, value in values.items() if value)
            yield ScoredPost(doc_id, first, tuple(parts))

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
        posts = {post.doc_id: post for post in self.posts()}
        answers = [each for each in doc_ids if each in self.found.answers]
        questions = [each for each in doc_ids if each in self.found.questions]
        topic, within = self.query.topic, self.found.within
        first = dict(zip(answers, self.stages.answers.explain(topic, answers, within), strict=True))
        label = f"the question alone, times {self.found.factor:.3f} as answers are"
        explained = self.stages.questions.explain(topic, questions, within)
        for question, each in zip(questions, explained, strict=True):
            first[question] = scaled(each, self.found.factor, label)
        return [
            _explained(posts[each], first[each]) if each in posts else NOT_FOUND for each in doc_ids
        ]


def _explained(post: ScoredPost, first: Explanation) -> Explanation:
    parts = (
        Explanation(f"{part}, {value:.3f} × {WEIGHTS[part]:g}", WEIGHTS[part] * value)
        for part, value in post.parts
    )
    return summed("first ranking and what was typed", (with_tie_break(first, post.first), *parts))
