"""What every answerer can do, what it may use, and how it answers the topics of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

from porism.answer.short_answer import SILENT, AnswerListener, ShortAnswer
from porism.generation.generator import GenerationError, TextGenerator
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
    """The answers to those topics that have one, and the milliseconds that each topic took.

    ``failures`` has the message of each topic for which the language model failed, and
    ``is_stopped`` says that so many failed in a row that the topics after them were not tried.
    """

    answers: dict[TopicId, ShortAnswer]
    milliseconds: dict[TopicId, float]
    failures: dict[TopicId, str] = field(default_factory=dict)
    is_stopped: bool = False

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


MAX_FAILURES = 3
"""Topics in a row for which a language model may fail, each after attempts of its own."""


def answer_topics(
    answerer: Answerer, topics: Sequence[Topic], progress: Progress = lambda topics: topics
) -> TopicAnswers:
    """Answer all topics; what a language model has written is kept if it fails later.

    One that fails before it has answered anything raises ``GenerationError``.
    """
    answers: dict[TopicId, ShortAnswer] = {}
    milliseconds: dict[TopicId, float] = {}
    failures: dict[TopicId, str] = {}
    in_a_row = 0
    for topic in progress(topics):
        start = perf_counter()
        try:
            answer = answerer.answer(topic)
        except GenerationError as error:
            if not milliseconds:
                raise
            failures[topic.id] = str(error)
            in_a_row += 1
            if in_a_row == MAX_FAILURES:
                return TopicAnswers(answers, milliseconds, failures, is_stopped=True)
            continue
        in_a_row = 0
        milliseconds[topic.id] = round(1000 * (perf_counter() - start), 3)
        if answer.text:
            answers[topic.id] = answer
    return TopicAnswers(answers, milliseconds, failures)
