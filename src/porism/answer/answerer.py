"""What every answerer can do, what it may use, and how it answers the topics of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

from porism.answer.short_answer import SILENT, AnswerListener, ShortAnswer
from porism.generation.generator import TextGenerator
from porism.inverted import Filter
from porism.model import RunAnswer, Topic, TopicId
from porism.rank.runs import Progress


class Answerer(Protocol):
    """A system that answers in its own words, or in those of a post; its ``repr`` describes it."""

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        """Return one answer, which has no text if there is nothing to say.

        Sources pass the filter, if one is given.
        """
        ...


@dataclass(frozen=True, slots=True)
class AnswerTools:
    """What users name when they ask, besides an index: a language model, and queries by topic."""

    generator: TextGenerator | None = None
    queries: Mapping[TopicId, Topic] = field(default_factory=dict)


AnswererFactory = Callable[[AnswerTools], Answerer]
"""Makes the answerer of a system for an index that is open already."""


@dataclass(frozen=True, slots=True)
class TopicAnswers:
    """The answers to those topics that have one, and the milliseconds that each topic took."""

    answers: dict[TopicId, ShortAnswer]
    milliseconds: dict[TopicId, float]

    @property
    def for_run(self) -> dict[TopicId, RunAnswer]:
        """The answers as lines of a run; sources are ids of documents, separated by commas."""
        return {
            topic_id: RunAnswer(
                answer.text,
                answer.score,
                sources=",".join(source.doc_id for source in answer.sources),
            )
            for topic_id, answer in self.answers.items()
        }


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
        if answer.text:
            answers[topic.id] = answer
    return TopicAnswers(answers, milliseconds)
