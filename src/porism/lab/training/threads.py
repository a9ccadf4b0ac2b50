"""The threads of a collection as models of texts learn from them: answers, votes, links and tags.

Knows which texts belong together, but reads none of them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from porism.collection.questions import (
    AnswerVotes,
    answer_votes,
    question_links,
    question_stats,
    title_links,
)
from porism.collection.store import Collection
from porism.lab.topics.link_topics import GRADES, linked_grades
from porism.model import DocId, Link, LinkKind

TRIES = 30
"""Answers that are drawn to find a wrong one, before the question goes without."""


@dataclass(frozen=True, slots=True)
class ThreadTable:
    """Questions with their answers, tags and links.

    ``links`` are between questions that are here, ``title_links`` to questions of which only the
    title is. ``linked`` has, for each question, those it is linked with, in either direction, with
    their grades as in link topics. ``has_votes`` and ``has_accepted`` say whether the source gave
    any.
    """

    answers: Mapping[DocId, tuple[AnswerVotes, ...]]
    tags: Mapping[DocId, tuple[str, ...]]
    links: tuple[Link, ...]
    title_links: tuple[Link, ...]
    linked: Mapping[DocId, Mapping[DocId, int]]
    has_votes: bool
    has_accepted: bool

    def duplicates(self, question: DocId) -> list[DocId]:
        """The questions that a question duplicates, or that duplicate it."""
        duplicate = GRADES[LinkKind.DUPLICATE]
        linked = self.linked.get(question, {})
        return [other for other, grade in linked.items() if grade == duplicate]

    def correct_answers(self, question: DocId) -> tuple[AnswerVotes, ...]:
        """The answers that are accepted or have more votes for than against them.

        Where a collection knows neither votes nor accepted answers, every answer counts.
        """
        answers = self.answers.get(question, ())
        if not self.has_votes and not self.has_accepted:
            return answers
        return tuple(each for each in answers if each.is_accepted or (each.score or 0) > 0)


def thread_table(collection: Collection) -> ThreadTable:
    """The threads of a collection."""
    answers: dict[DocId, list[AnswerVotes]] = defaultdict(list)
    for each in answer_votes(collection):
        answers[each.question_id].append(each)
    links = tuple(question_links(collection))
    every = [each for of_thread in answers.values() for each in of_thread]
    return ThreadTable(
        {question: tuple(of) for question, of in answers.items()},
        {each.id: each.tags for each in question_stats(collection)},
        links,
        tuple(title_links(collection)),
        linked_grades(links),
        has_votes=any(each.score is not None for each in every),
        has_accepted=any(each.is_accepted for each in every),
    )


def vote_targets(answers: Mapping[DocId, Sequence[AnswerVotes]]) -> dict[DocId, float]:
    """The target of each answer with votes, from 0 to 1, as CompuBERT computes it.

    The votes become z-scores within their thread, 0 where all are equal, and these are scaled from
    the lowest to the highest of the collection. Empty if no two differ.
    """
    deviations: dict[DocId, float] = {}
    for of_thread in answers.values():
        scores = {each.id: each.score for each in of_thread if each.score is not None}
        if scores:
            mean, spread = fmean(scores.values()), pstdev(scores.values())
            for answer, score in scores.items():
                deviations[answer] = (score - mean) / spread if spread else 0.0
    low, high = min(deviations.values(), default=0.0), max(deviations.values(), default=0.0)
    if low == high:
        return {}
    return {answer: (value - low) / (high - low) for answer, value in deviations.items()}


@dataclass(frozen=True, slots=True)
class WrongAnswers:
    """Answers of other threads, drawn at random among those whose question shares a tag."""

    table: ThreadTable
    by_tag: Mapping[str, Sequence[AnswerVotes]]
    all_answers: Sequence[AnswerVotes]

    def draw(self, question: DocId, count: int, numbers: random.Random) -> list[AnswerVotes]:
        """Up to ``count`` different answers of threads that are not linked with the question.

        A question without tags, or whose tags no other question has, gets answers of any thread.
        """
        own = {question, *self.table.linked.get(question, ())}
        pools = [
            self.by_tag[tag] for tag in self.table.tags.get(question, ()) if tag in self.by_tag
        ]
        drawn = self._drawn(pools, own, count, numbers)
        return drawn or self._drawn([self.all_answers], own, count, numbers)

    @staticmethod
    def _drawn(
        pools: Sequence[Sequence[AnswerVotes]],
        own: Container[DocId],
        count: int,
        numbers: random.Random,
    ) -> list[AnswerVotes]:
        drawn: dict[DocId, AnswerVotes] = {}
        for _ in range(TRIES * count if pools else 0):
            if len(drawn) == count:
                break
            each = numbers.choice(numbers.choice(pools))
            if each.question_id not in own:
                drawn[each.id] = each
        return list(drawn.values())


def wrong_answers(table: ThreadTable, without: Container[DocId] = ()) -> WrongAnswers:
    """The answers of a collection by the tags of their questions, except those of some threads."""
    by_tag: dict[str, list[AnswerVotes]] = defaultdict(list)
    all_answers: list[AnswerVotes] = []
    for question, answers in table.answers.items():
        if question not in without:
            all_answers += answers
            for tag in table.tags.get(question, ()):
                by_tag[tag] += answers
    return WrongAnswers(table, by_tag, all_answers)
