"""Questions with short good answers, of the threads of a collection: no model is needed here.

Some questions are held out for validation. Neither their threads nor those that are linked with
them are learned from.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from porism.collection.progress import StepProgress, Watch
from porism.collection.questions import AnswerVotes
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.formats.answer_text import MAX_ANSWER_LENGTH
from porism.generation.prompts import fitted_prompt
from porism.lab.training.threads import ThreadTable, thread_table
from porism.model import DocId, plain_text

MIN_PAIRS = 16
"""Fewer pairs than these are refused: a model would learn them by heart."""

HELD_OUT_SHARE = 10
"""One of so many questions, at most, is held out."""


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Which answers are learned from.

    They are accepted, or have at least ``min_votes``; where a collection knows neither, all are
    good. None has more than ``longest`` characters. Of more than ``limit`` the accepted come first,
    then those with most votes, then as the seed decides. Threads in ``without`` are left out.
    """

    min_votes: int = 1
    longest: int = MAX_ANSWER_LENGTH
    limit: int | None = None
    held_out: int = 50
    without: frozenset[DocId] = frozenset()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """A question and an answer to it, as texts with formulas between dollars."""

    question_id: DocId
    title: str
    body: str
    answer: str


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """All that a training reads; no thread has pairs in both parts.

    ``counts`` says how many answers there are to learn from, and how many are too long or empty.
    """

    pairs: tuple[QuestionAnswer, ...]
    validation: tuple[QuestionAnswer, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def answer_set(collection: Collection, options: AnswerOptions, watch: Watch) -> AnswerSet:
    """The pairs of a collection; PorismError if there are too few."""
    table = thread_table(collection)
    if not table.answers:
        raise PorismError(
            f"{collection.path} has no answers: expected a collection of questions with answers"
        )
    good = {
        question: each
        for question, answers in table.answers.items()
        if question not in options.without and (each := _good_answers(table, answers, options))
    }
    numbers = random.Random(options.seed)
    most = min(options.held_out, len(good) // HELD_OUT_SHARE)
    held_out = sorted(numbers.sample(sorted(good, key=int), most), key=int)
    hidden = {*held_out, *(other for each in held_out for other in table.linked.get(each, ()))}
    candidates = [
        each for question, answers in good.items() if question not in hidden for each in answers
    ]
    numbers.shuffle(candidates)
    candidates.sort(key=_goodness)
    reader = _Reader(collection, options.longest)
    limit = len(candidates) if options.limit is None else options.limit
    pairs = list(reader.read(candidates, limit, watch, "questions with answers"))
    too_long = reader.refused
    validation = [
        pair
        for question in held_out
        for pair in reader.read(sorted(good[question], key=_goodness), 1, watch, "held out")
    ]
    if len(pairs) < MIN_PAIRS or not validation:
        raise PorismError(
            f"{collection.path}: found {len(pairs)} answers to train on, and {len(validation)} for "
            f"validation: expected at least {MIN_PAIRS} and 1, of {options.min_votes} votes or "
            f"accepted, and of at most {options.longest:,} characters; use a larger collection"
        )
    notes = (
        ()
        if table.has_votes or table.has_accepted
        else ("no answer has votes or is accepted, so every answer counts as good",)
    )
    counts = {"answers": len(pairs), "too_long": too_long}
    return AnswerSet(tuple(pairs), tuple(validation), counts, notes)


def _good_answers(
    table: ThreadTable, answers: Sequence[AnswerVotes], options: AnswerOptions
) -> list[AnswerVotes]:
    if not table.has_votes and not table.has_accepted:
        return list(answers)
    return [
        each
        for each in answers
        if each.is_accepted or (each.score is not None and each.score >= options.min_votes)
    ]


def _goodness(answer: AnswerVotes) -> tuple[bool, int]:
    """Accepted answers before others, then those with more votes."""
    return not answer.is_accepted, -(answer.score or 0)


@dataclass(slots=True)
class _Reader:
    """Reads texts, and counts the answers that are too long or empty."""

    collection: Collection
    longest: int
    refused: int = 0

    def read(
        self, answers: Sequence[AnswerVotes], limit: int, watch: Watch, step: str
    ) -> Iterator[QuestionAnswer]:
        """Up to ``limit`` pairs, in the order of the answers."""
        done = 0
        for each in answers:
            if done == limit:
                break
            answer = plain_text(self.collection.post(each.id).body).strip()
            if not 0 < len(answer) <= self.longest:
                self.refused += 1
                continue
            question = self.collection.post(each.question_id)
            title, body = plain_text(question.title).strip(), plain_text(question.body).strip()
            yield QuestionAnswer(each.question_id, title, body, answer)
            done += 1
            watch(StepProgress(step, done, min(limit, len(answers)), done))


@dataclass(frozen=True, slots=True)
class TokenPair:
    """The tokens of a prompt and of its answer, which alone are learned."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]

    @property
    def length(self) -> int:
        """All tokens."""
        return len(self.prompt) + len(self.answer)


Tokens = Callable[[str], Sequence[int]]
"""Returns the tokens of a text."""


def token_pair(
    pair: QuestionAnswer, prompt_tokens: Tokens, answer_tokens: Tokens, most: int
) -> TokenPair | None:
    """The tokens of a pair, of which there are at most ``most``.

    A long question is cut at the front of its body. The answer is never cut: None if it does not
    fit with the title.
    """
    answer = tuple(answer_tokens(" " + pair.answer))
    room = most - len(answer)

    def fits(prompt: str) -> bool:
        return len(prompt_tokens(prompt)) <= room

    prompt = fitted_prompt(pair.title, pair.body, fits)
    return None if prompt is None else TokenPair(tuple(prompt_tokens(prompt)), answer)
