"""Topics by which a training is judged after each epoch: link topics that it does not learn from.

Where a collection has no links between its questions, some threads are held out, and the answers of
a question are to be found among those of others.
"""

from __future__ import annotations

import random
from collections.abc import Collection as Container
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.lab.training.encoders.records import ValidationKind
from porism.lab.training.threads import ThreadTable, wrong_answers
from porism.model import DocId

LINKED_SHARE = 4
"""One of so many linked questions, at most, is a validation topic."""

OTHER_SHARE = 10
"""One of so many questions is held out where there are no links."""


@dataclass(frozen=True, slots=True)
class ValidationTopic:
    """A question, the answers that are relevant to it, and others to rank beside them."""

    question: DocId
    relevant: tuple[DocId, ...]
    others: tuple[DocId, ...]


@dataclass(frozen=True, slots=True)
class ValidationDraw:
    """Validation topics, and the questions whose threads must not be learned from."""

    kind: ValidationKind
    topics: tuple[ValidationTopic, ...]
    threads: frozenset[DocId]


@dataclass(frozen=True, slots=True)
class ValidationSize:
    """The most topics, and the other answers of each: of any thread, or that share a tag."""

    topics: int = 100
    others: int = 1000
    sharing_tags: bool = False


def validation_draw(
    table: ThreadTable, size: ValidationSize, without: Container[DocId], seed: int
) -> ValidationDraw:
    """Draw validation topics among questions that are not in ``without``.

    At most a quarter of the linked questions is drawn, so that links remain to learn from.
    """
    numbers = random.Random(seed)
    linked = _linked_answers(table, without)
    if linked:
        kind, relevant = ValidationKind.LINKS, linked
        most = -(-len(linked) // LINKED_SHARE)
    else:
        kind = ValidationKind.ANSWERS
        relevant = {
            question: tuple(each.id for each in answers)
            for question, answers in table.answers.items()
            if question not in without
        }
        most = -(-len(relevant) // OTHER_SHARE)
    drawn = sorted(numbers.sample(sorted(relevant, key=int), min(size.topics, most)), key=int)
    threads = {question for topic in drawn for question in (topic, *table.linked.get(topic, ()))}
    others = _others(table, size, drawn, without, numbers)
    topics = tuple(
        ValidationTopic(
            question,
            relevant[question],
            tuple(each for each in others[question] if each not in set(relevant[question])),
        )
        for question in drawn
    )
    return ValidationDraw(kind, topics, frozenset(threads))


def _linked_answers(
    table: ThreadTable, without: Container[DocId]
) -> dict[DocId, tuple[DocId, ...]]:
    """The answers of the questions linked with each question, where there are any."""
    found: dict[DocId, tuple[DocId, ...]] = {}
    for question, linked in table.linked.items():
        if question not in without and not any(other in without for other in linked):
            answers = tuple(each.id for other in linked for each in table.answers.get(other, ()))
            if answers:
                found[question] = answers
    return found


def _others(
    table: ThreadTable,
    size: ValidationSize,
    drawn: list[DocId],
    without: Container[DocId],
    numbers: random.Random,
) -> Mapping[DocId, tuple[DocId, ...]]:
    """The answers to rank beside the relevant ones: of each topic, or the same for all."""
    wrong = wrong_answers(table, without)
    if size.sharing_tags:
        return {
            question: tuple(each.id for each in wrong.draw(question, size.others, numbers))
            for question in drawn
        }
    pool = numbers.sample(wrong.all_answers, min(size.others, len(wrong.all_answers)))
    found: dict[DocId, tuple[DocId, ...]] = {}
    for question in drawn:
        own = {question, *table.linked.get(question, ())}
        found[question] = tuple(each.id for each in pool if each.question_id not in own)
    return found


def average_precision(scores: NDArray[np.floating[Any]], relevant: int) -> float:
    """The average precision of a ranking by scores, of which the first ``relevant`` are relevant.

    Of equal scores those that are not relevant come first, so that a network that scores all alike
    gains nothing.

    >>> average_precision(np.array([0.5, 0.1, 0.9, 0.5]), relevant=2)
    0.41666666666666663
    """
    order = np.lexsort((np.arange(len(scores)) < relevant, -scores))
    ranks = np.flatnonzero(order < relevant) + 1
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))
