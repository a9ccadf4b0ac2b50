"""How far assessors have come: by topic, by assessor, and what is done.

Somebody counts for a topic who has it, and also who has judged in it and has it no more: what they
said stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from porism.assess.assessment_statistics import JudgingTimes, judging_times
from porism.assess.judgments.final_grades import current_judgments
from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import Assignment, Judgment, Pool
from porism.model import TopicId


@dataclass(frozen=True, slots=True)
class AssessorTopicProgress:
    """How many of a topic's candidates an assessor has judged, in which time."""

    assessor: str
    is_assigned: bool
    judged: int
    of: int
    times: JudgingTimes

    @property
    def is_done(self) -> bool:
        """Whether nothing of it is left."""
        return self.judged >= self.of


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """A topic, its number of candidates, and the part of everybody who has to do with it."""

    topic_id: TopicId
    candidates: int
    parts: tuple[AssessorTopicProgress, ...]

    @property
    def is_done(self) -> bool:
        """Whether somebody has judged all of it."""
        return any(part.is_done for part in self.parts)


@dataclass(frozen=True, slots=True)
class AssessorProgress:
    """What an assessor has to do in a batch, has done of it, and in which time."""

    assessor: str
    topics: int
    topics_done: int
    judged: int
    of: int
    times: JudgingTimes


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A batch: its topics that have candidates, in the order of the pool, and assessors by name."""

    topics: tuple[TopicProgress, ...]
    assessors: tuple[AssessorProgress, ...]

    @property
    def judged(self) -> int:
        """How many judgments of assessors are in force."""
        return sum(each.judged for each in self.assessors)

    @property
    def assigned(self) -> int:
        """How many there will be when everybody has done what they have."""
        return sum(each.of for each in self.assessors)


def batch_progress(
    pool: Pool, assignments: Sequence[Assignment], judgments: Iterable[Judgment]
) -> BatchProgress:
    """How far a batch has come, by who has what and by what was said."""
    acts = [each for each in judgments if not each.is_adjudication]
    sizes = Counter(each.topic_id for each in pool.candidates)
    judged = Counter((each.topic_id, each.assessor) for each in current_judgments(acts))
    assigned = {(each.topic_id, each.assessor) for each in assignments}
    by_pair: dict[tuple[TopicId, str], list[Judgment]] = {}
    for act in acts:
        by_pair.setdefault((act.topic_id, act.assessor), []).append(act)
    topics = tuple(
        TopicProgress(
            topic.id,
            sizes[topic.id],
            tuple(
                AssessorTopicProgress(
                    name,
                    (topic.id, name) in assigned,
                    judged[topic.id, name],
                    sizes[topic.id],
                    judging_times(by_pair.get((topic.id, name), ())),
                )
                for name in _names(topic.id, assignments, judged)
            ),
        )
        for topic in pool.topics
        if sizes[topic.id]  # where nothing was found, there is nothing to do
    )
    return BatchProgress(topics, _by_assessor(topics, acts))


def stored_progress(store: JudgmentStore, batch: str) -> BatchProgress:
    """How far a batch of a store has come."""
    return batch_progress(store.pool(batch), store.assignments(batch), store.judgments(batch))


def _names(
    topic_id: TopicId, assignments: Iterable[Assignment], judged: Mapping[tuple[TopicId, str], int]
) -> list[str]:
    """Everybody of a topic: in the order in which it was given, then who no longer has it."""
    have = [each.assessor for each in assignments if each.topic_id == topic_id]
    had = sorted(name for other, name in judged if other == topic_id)
    return list(dict.fromkeys((*have, *had)))


def _by_assessor(
    topics: Sequence[TopicProgress], acts: Sequence[Judgment]
) -> tuple[AssessorProgress, ...]:
    parts: dict[str, list[AssessorTopicProgress]] = {}
    for topic in topics:
        for part in topic.parts:
            parts.setdefault(part.assessor, []).append(part)
    return tuple(
        AssessorProgress(
            name,
            len(own),
            sum(part.is_done for part in own),
            sum(part.judged for part in own),
            # Of what was taken away, what was judged is all that there will be.
            sum(part.of if part.is_assigned else part.judged for part in own),
            judging_times([act for act in acts if act.assessor == name]),
        )
        for name, own in sorted(parts.items())
    )


def assessor_loads(progress: BatchProgress) -> dict[str, int]:
    """How many candidates each assessor has been given, judged or not."""
    return {each.assessor: each.of for each in progress.assessors}


def completed_topics(progress: BatchProgress) -> dict[TopicId, tuple[str, ...]]:
    """The topics that somebody has judged all of, with everybody who has or had them."""
    return {
        topic.topic_id: tuple(part.assessor for part in topic.parts)
        for topic in progress.topics
        if topic.is_done
    }


def unassigned_topics(progress: BatchProgress) -> dict[TopicId, int]:
    """The topics that nobody has, with their number of candidates."""
    return {
        topic.topic_id: topic.candidates
        for topic in progress.topics
        if not any(part.is_assigned for part in topic.parts)
    }
