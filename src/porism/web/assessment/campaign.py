"""The work of an assessor: assigned topics, their candidates in display order, progress, pace."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from statistics import median

from fastapi import Request

from porism.assess.judgments.final_grades import current_judgments
from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.visual_groups import visual_groups
from porism.assess.records import AssessmentBatch, Assessor, Candidate, Judgment, Pool
from porism.model import DocId, Topic, TopicId
from porism.web.server.problems import RequestRefused

RECENT_JUDGMENTS = 100
"""The latest judgments that the pace is computed from."""


@dataclass(frozen=True, slots=True)
class CandidateGroup:
    """Candidates shown together and judged one by one, and their place within the topic.

    For formulas these are all instances of a visual id; otherwise one candidate.
    """

    at: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class AssignedTopic:
    """A topic of an assessor: its groups, and the assessor's current judgments.

    ``learned`` are the places to visit next if the order is learned; empty if it is fixed.
    """

    batch: AssessmentBatch
    task: int
    topic: Topic
    groups: tuple[CandidateGroup, ...]
    judged: dict[DocId, Judgment]
    learned: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """The number of candidates."""
        return sum(len(group.candidates) for group in self.groups)

    @property
    def left(self) -> int:
        """The number of unjudged candidates."""
        return self.total - len(self.judged)

    def is_done(self, group: CandidateGroup) -> bool:
        """Whether all candidates of a group are judged."""
        return all(each.doc_id in self.judged for each in group.candidates)

    def next_after(self, at: int, only_unjudged: bool) -> int:
        """The place after a group: the next, or the next unjudged one; wraps around."""
        if only_unjudged and self.learned:
            return next((place for place in self.learned if place != at), at)
        order = [*self.groups[at:], *self.groups[: at - 1]]
        places = [group.at for group in order if not only_unjudged or not self.is_done(group)]
        return places[0] if places else at

    @property
    def first(self) -> int:
        """The place to start at: the first unjudged group, or the first of all."""
        if self.learned:
            return self.learned[0]
        return next((group.at for group in self.groups if not self.is_done(group)), 1)


class Campaign:
    """The batches of a store as assessors see them; pools never change, so groups are cached."""

    def __init__(self, store: JudgmentStore) -> None:
        self._store = store
        self._groups: dict[str, dict[TopicId, tuple[CandidateGroup, ...]]] = {}
        self._lock = threading.Lock()
        self._mark = ""

    def batches(self) -> tuple[AssessmentBatch, ...]:
        """All batches, oldest first."""
        return self._store.batches()

    def batch(self, name: str) -> AssessmentBatch:
        """The batch with this name; unknown names are refused."""
        for batch in self.batches():
            if batch.name == name:
                return batch
        raise RequestRefused(404, "There is no such batch.")

    @property
    def mark(self) -> str:
        """Identifies this store, so that no judgment is ever sent to the wrong one.

        The first batch never changes, and pages need the mark even if the store cannot be read.
        """
        if not self._mark and (batches := self._store.batches()):
            text = f"{batches[0].name}\t{batches[0].at}"
            self._mark = sha256(text.encode()).hexdigest()[:16]
        return self._mark

    def groups(self, batch: str) -> dict[TopicId, tuple[CandidateGroup, ...]]:
        """The groups of each topic of a batch."""
        with self._lock:
            if batch not in self._groups:
                self._groups[batch] = candidate_groups(self._store.pool(batch))
            return self._groups[batch]

    def work(self, assessor: Assessor, batch: AssessmentBatch) -> tuple[AssignedTopic, ...]:
        """The topics of a batch assigned to an assessor, in the order of assignment."""
        mine = self._assigned(assessor, batch)
        if not mine:
            return ()
        judged: dict[TopicId, dict[DocId, Judgment]] = {}
        for judgment in self.judgments(assessor, batch):
            judged.setdefault(judgment.topic_id, {})[judgment.doc_id] = judgment
        return tuple(replace(each, judged=judged.get(each.topic.id, {})) for each in mine)

    def judged_topic(self, assessor: Assessor, batch: str, topic_id: str) -> AssignedTopic:
        """An assigned topic with its judgments; a topic of others is refused."""
        topic = self.assigned_topic(assessor, batch, topic_id)
        judgments = self.judgments(assessor, topic.batch)
        judged = {each.doc_id: each for each in judgments if each.topic_id == topic_id}
        return replace(topic, judged=judged)

    def assigned_topic(self, assessor: Assessor, batch: str, topic_id: str) -> AssignedTopic:
        """The same without judgments, for the script, which has them."""
        for work in self._assigned(assessor, self.batch(batch)):
            if work.topic.id == topic_id:
                return work
        raise RequestRefused(403, f"Topic {topic_id[:100]} is not assigned to you.")

    def _assigned(self, assessor: Assessor, batch: AssessmentBatch) -> tuple[AssignedTopic, ...]:
        mine = [
            each.topic_id
            for each in self._store.assignments(batch.name)
            if each.assessor == assessor.name
        ]
        if not mine:
            return ()
        pool = self._store.pool(batch.name)
        topics = {topic.id: topic for topic in pool.topics}
        groups = self.groups(batch.name)
        return tuple(
            AssignedTopic(batch, pool.task, topics[each], groups.get(each, ()), {}) for each in mine
        )

    def judgments(self, assessor: Assessor, batch: AssessmentBatch) -> tuple[Judgment, ...]:
        """The current judgments of an assessor in a batch, without adjudications."""
        acts = self._store.judgments(batch.name, assessor.name)
        return tuple(each for each in current_judgments(acts) if not each.is_adjudication)

    def unassigned(self, batch: AssessmentBatch) -> tuple[Topic, ...]:
        """The unassigned topics that have candidates."""
        taken = {each.topic_id for each in self._store.assignments(batch.name)}
        groups = self.groups(batch.name)
        topics = self._store.pool(batch.name).topics
        return tuple(each for each in topics if each.id in groups and each.id not in taken)


def campaign_of(request: Request) -> Campaign:
    """The campaign of the application."""
    campaign: Campaign = request.app.state.campaign
    return campaign


def candidate_groups(pool: Pool) -> dict[TopicId, tuple[CandidateGroup, ...]]:
    """The candidates of each topic in groups shown together, numbered by topic."""
    groups: dict[TopicId, list[CandidateGroup]] = {}
    for (topic_id, _), group in visual_groups(pool.candidates).items():
        of_topic = groups.setdefault(topic_id, [])
        of_topic.append(CandidateGroup(len(of_topic) + 1, tuple(group)))
    return {topic_id: tuple(of_topic) for topic_id, of_topic in groups.items()}


def pace(judgments: Iterable[Judgment]) -> float | None:
    """The median seconds of the latest judgments; None if unknown."""
    timed = [each.seconds for each in judgments if each.seconds > 0]
    return median(timed[-RECENT_JUDGMENTS:]) if timed else None


def duration_text(seconds: float) -> str:
    """A duration in words.

    >>> [duration_text(each) for each in (61, 1500, 5400)]
    ['about 1 minute', 'about 25 minutes', 'about 1.5 hours']
    """
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} minute{'s' * (minutes != 1)}"
    hours = round(seconds / 3600, 1 if seconds < 36_000 else None)
    return f"about {hours:g} hour{'s' * (hours != 1)}"
