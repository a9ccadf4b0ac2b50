"""Progress by topic and by assessor.

Assessors count for a topic if it is assigned to them, or was when they judged in it: their
judgments stay.
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
    """Judged candidates of one assessor in one topic, and the time they took."""

    assessor: str
    is_assigned: bool
    judged: int
    candidates: int
    times: JudgingTimes

    @property
    def is_done(self) -> bool:
        """Whether all candidates are judged."""
        return self.judged >= self.candidates


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """A topic, its number of candidates, and the progress of each of its assessors."""

    topic_id: TopicId
    candidates: int
    parts: tuple[AssessorTopicProgress, ...]

    @property
    def is_done(self) -> bool:
        """Whether any assessor has judged all of it."""
        return any(part.is_done for part in self.parts)


@dataclass(frozen=True, slots=True)
class AssessorProgress:
    """Assigned and completed work of one assessor in a batch, and the time it took."""

    assessor: str
    topics: int
    topics_done: int
    judged: int
    candidates: int
    times: JudgingTimes


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A batch: its topics with candidates, in the order of the pool, and assessors by name."""

    topics: tuple[TopicProgress, ...]
    assessors: tuple[AssessorProgress, ...]

    @property
    def judged(self) -> int:
        """The number of current judgments of assessors."""
        return sum(each.judged for each in self.assessors)

    @property
    def assigned(self) -> int:
        """The number of judgments when all assigned topics are completed."""
        return sum(each.candidates for each in self.assessors)


def batch_progress(
    pool: Pool, assignments: Sequence[Assignment], judgments: Iterable[Judgment]
) -> BatchProgress:
    """Progress of a batch, from its assignments and judgments."""
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
        if sizes[topic.id]  # nothing to judge without candidates
    )
    return BatchProgress(topics, _by_assessor(topics, acts))


def stored_progress(store: JudgmentStore, batch: str) -> BatchProgress:
    """Progress of a batch in a store."""
    return batch_progress(store.pool(batch), store.assignments(batch), store.judgments(batch))


def _names(
    topic_id: TopicId, assignments: Iterable[Assignment], judged: Mapping[tuple[TopicId, str], int]
) -> list[str]:
    """All assessors of a topic: current ones by assignment, then former ones."""
    current = [each.assessor for each in assignments if each.topic_id == topic_id]
    former = sorted(name for other, name in judged if other == topic_id)
    return list(dict.fromkeys((*current, *former)))


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
            # Of an unassigned topic only what was judged counts.
            sum(part.candidates if part.is_assigned else part.judged for part in own),
            judging_times([act for act in acts if act.assessor == name]),
        )
        for name, own in sorted(parts.items())
    )


def assessor_loads(progress: BatchProgress) -> dict[str, int]:
    """The number of candidates assigned to each assessor, judged or not."""
    return {each.assessor: each.candidates for each in progress.assessors}


def completed_topics(progress: BatchProgress) -> dict[TopicId, tuple[str, ...]]:
    """The topics that somebody has completed, with all their current and former assessors."""
    return {
        topic.topic_id: tuple(part.assessor for part in topic.parts)
        for topic in progress.topics
        if topic.is_done
    }


def unassigned_topics(progress: BatchProgress) -> dict[TopicId, int]:
    """The unassigned topics, with their number of candidates."""
    return {
        topic.topic_id: topic.candidates
        for topic in progress.topics
        if not any(part.is_assigned for part in topic.parts)
    }
