"""What every answerer can do, and how it answers the topics of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from porism.model import ShortAnswer, Topic, TopicId
from porism.rank.runs import Progress


class Answerer(Protocol):
    """A system that answers in its own words, or in those of a post; its ``repr`` describes it."""

    def answer(self, topic: Topic) -> ShortAnswer | None:
        """Return one answer; None if there is nothing to say."""
        ...


@dataclass(frozen=True, slots=True)
class TopicAnswers:
    """The answers to those topics that have one, and the milliseconds that each topic took."""

    answers: dict[TopicId, ShortAnswer]
    milliseconds: dict[TopicId, float]


def answer_topics(
    answerer: Answerer, topics: Sequence[Topic], progress: Progress = lambda topics: topics
) -> TopicAnswers:
    """Answer all topics."""
    answers: dict[TopicId, ShortAnswer] = {}
    milliseconds: dict[TopicId, float] = {}
    for topic in progress(topics):
        start = perf_counter()
        answer = answerer.answer(topic)
        milliseconds[topic.id] = round(1000 * (perf_counter() - start), 3)
        if answer is not None:
            answers[topic.id] = answer
    return TopicAnswers(answers, milliseconds)
