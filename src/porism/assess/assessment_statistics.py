"""What an assessment came to, in numbers: S1 section 4.4 tells them of the lab's first.

Of formulas those count that differ to the eye, each with the highest grade of its instances; times
are of instances. Topics that are dropped for too few relevant documents are counted no further, but
for their short answers: a topic is dropped for rankings, and short answers are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeVar

from porism.assess.judgments.agreement import Agreement, agreement
from porism.assess.judgments.final_grades import (
    CandidateKey,
    DisputeRule,
    FinalChoice,
    FinalChoiceReason,
    FinalChoices,
    current_judgments,
    dropped_topics,
    final_choices,
    visual_qrels,
)
from porism.assess.records import CHOICE_BY_CODE, RELEVANT_GRADE, Choice, Judgment, Pool
from porism.model import TopicId

BREAK_SECONDS = 600.0
"""Who took longer than this for a candidate was doing something else."""

Group = TypeVar("Group", str, TopicId)


@dataclass(frozen=True, slots=True)
class StatisticsSettings:
    """How an assessment is counted.

    Times over ``break_seconds`` are told and not averaged. Topics with fewer than
    ``fewest_relevant`` relevant documents (H+M) are dropped.
    """

    rule: DisputeRule = DisputeRule.FIRST
    break_seconds: float = BREAK_SECONDS
    fewest_relevant: int = 2


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """What a topic's candidates are: pooled, and by what was chosen for them in the end."""

    topic_id: TopicId
    pooled: int
    choices: Mapping[Choice, int]
    is_dropped: bool = False

    @property
    def judged(self) -> int:
        """How many have a grade."""
        return self._graded(0)

    @property
    def relevant(self) -> int:
        """How many are High or Medium."""
        return self._graded(RELEVANT_GRADE)

    @property
    def relevant_at_all(self) -> int:
        """How many are High, Medium or Low."""
        return self._graded(1)

    def _graded(self, lowest: int) -> int:
        return sum(
            count
            for choice, count in self.choices.items()
            if choice.grade is not None and choice.grade >= lowest
        )


@dataclass(frozen=True, slots=True)
class TopicSpread:
    """A number by topic: its mean, and its extremes with the topics that have them."""

    mean: float
    lowest: int
    lowest_topics: tuple[TopicId, ...]
    highest: int
    highest_topics: tuple[TopicId, ...]


@dataclass(frozen=True, slots=True)
class JudgingTimes:
    """Seconds a candidate took an assessor, over those of which it is known.

    ``breaks`` acts took so long that they are not counted, ``break_seconds`` together; ``untimed``
    candidates have no time that counts.
    """

    timed: int
    mean: float | None
    median: float | None
    breaks: int = 0
    break_seconds: float = 0.0
    untimed: int = 0


@dataclass(frozen=True, slots=True)
class AnnotationCounts:
    """Of how many answers was said whether a machine made them, and of how many that it did.

    The same of information that has nothing to do with the question.
    """

    annotated_machine_made: int = 0
    machine_made: int = 0
    annotated_unrelated: int = 0
    unrelated: int = 0

    @property
    def machine_made_share(self) -> float | None:
        """MG of S3 section 6.4.3."""
        return (
            self.machine_made / self.annotated_machine_made if self.annotated_machine_made else None
        )

    @property
    def unrelated_share(self) -> float | None:
        """UI of S3 section 6.4.3."""
        return self.unrelated / self.annotated_unrelated if self.annotated_unrelated else None


@dataclass(frozen=True, slots=True)
class AssessmentStatistics:
    """The numbers of an assessment.

    ``topics`` and ``times_by_topic`` are of all that were judged, with those that are dropped;
    everything else is without these. Of short answers that are mixed in with posts
    ``short_answers`` has the counts, and they stay counted where their topic is dropped.
    ``assessors`` says how many topics and candidates each has judged, without what was taken back.
    """

    task: int
    topics: tuple[TopicCounts, ...]
    short_answers: tuple[TopicCounts, ...]
    judged: TopicSpread | None
    relevant: TopicSpread | None
    relevant_at_all: TopicSpread | None
    choices: Mapping[Choice, int]
    assessors: Mapping[str, tuple[int, int]]
    times: JudgingTimes
    times_by_assessor: Mapping[str, JudgingTimes]
    times_by_topic: Mapping[TopicId, JudgingTimes]
    agreement: Agreement
    disputed: int
    adjudicated: int
    annotations: AnnotationCounts
    annotations_by_run: Mapping[str, AnnotationCounts]

    @property
    def dropped(self) -> tuple[TopicId, ...]:
        """The topics that have too few relevant documents."""
        return tuple(topic.topic_id for topic in self.topics if topic.is_dropped)

    @property
    def counted(self) -> tuple[TopicId, ...]:
        """The topics that are not dropped, and those that are and have short answers."""
        kept = (topic.topic_id for topic in self.topics if not topic.is_dropped)
        return tuple(dict.fromkeys((*kept, *(topic.topic_id for topic in self.short_answers))))


def assessment_statistics(
    judgments: Iterable[Judgment],
    pool: Pool,
    form: StatisticsSettings | None = None,
    finals: FinalChoices | None = None,
) -> AssessmentStatistics:
    """The numbers of the judgments of a pool; judgments of what it does not have are left out.

    ``finals`` are what the judgments come to, if that is known.
    """
    form = form or StatisticsSettings()
    known = {(each.topic_id, each.doc_id) for each in pool.candidates}
    given = tuple(each for each in judgments if (each.topic_id, each.doc_id) in known)
    if finals is None:
        finals = final_choices(given, form.rule)
    finals = {key: final for key, final in finals.items() if key in known}
    ranked, short = pool.ranked, pool.short_answers
    is_mixed = bool(ranked.candidates and short.candidates)
    dropped = dropped_topics(finals, pool, form.fewest_relevant)
    topics = _topics(finals, ranked if is_mixed else pool, dropped)
    kept = [topic for topic in topics if not topic.is_dropped]
    counted = {
        (each.topic_id, each.doc_id)
        for each in pool.candidates
        if each.text or each.topic_id not in dropped
    }
    every_act = [each for each in given if not each.is_adjudication]
    acts = [each for each in every_act if (each.topic_id, each.doc_id) in counted]
    finals = {key: final for key, final in finals.items() if key in counted}
    return AssessmentStatistics(
        task=pool.task,
        topics=topics,
        short_answers=_topics(finals, short, ()) if is_mixed else (),
        judged=_spread({topic.topic_id: topic.judged for topic in kept}),
        relevant=_spread({topic.topic_id: topic.relevant for topic in kept}),
        relevant_at_all=_spread({topic.topic_id: topic.relevant_at_all for topic in kept}),
        choices={choice: sum(topic.choices.get(choice, 0) for topic in kept) for choice in Choice},
        assessors=_assessors(current_judgments(acts)),
        times=judging_times(acts, form.break_seconds),
        times_by_assessor={
            name: judging_times(of_name, form.break_seconds)
            for name, of_name in sorted(_grouped(acts, lambda act: act.assessor).items())
        },
        times_by_topic={
            topic_id: judging_times(of_topic, form.break_seconds)
            for topic_id, of_topic in _grouped(every_act, lambda act: act.topic_id).items()
        },
        agreement=agreement(acts),
        disputed=sum(final.is_disputed for final in finals.values()),
        adjudicated=sum(
            final.ground is FinalChoiceReason.ADJUDICATION for final in finals.values()
        ),
        annotations=_annotations(finals.values()),
        annotations_by_run=_by_run(finals, pool),
    )


def _grouped(
    acts: Iterable[Judgment], group: Callable[[Judgment], Group]
) -> dict[Group, list[Judgment]]:
    grouped: dict[Group, list[Judgment]] = {}
    for act in acts:
        grouped.setdefault(group(act), []).append(act)
    return grouped


def _topics(
    finals: FinalChoices, pool: Pool, dropped: Container[TopicId]
) -> tuple[TopicCounts, ...]:
    """The counts of all topics that have a judgment, in the order of the pool."""
    complete = visual_qrels(finals, pool, has_codes=True)
    pooled = Counter(
        topic_id for topic_id, _ in {(each.topic_id, each.group_key) for each in pool.candidates}
    )
    return tuple(
        TopicCounts(
            topic_id,
            pooled[topic_id],
            Counter(CHOICE_BY_CODE[code] for code in grades.values()),
            topic_id in dropped,
        )
        for topic_id, grades in complete.grades.items()
    )


def _spread(counts: Mapping[TopicId, int]) -> TopicSpread | None:
    if not counts:
        return None
    lowest, highest = min(counts.values()), max(counts.values())
    return TopicSpread(
        fmean(counts.values()),
        lowest,
        tuple(topic_id for topic_id, count in counts.items() if count == lowest),
        highest,
        tuple(topic_id for topic_id, count in counts.items() if count == highest),
    )


def judging_times(acts: Iterable[Judgment], break_seconds: float = BREAK_SECONDS) -> JudgingTimes:
    """How long assessors took: for a candidate, all that they did about it.

    Who judged a candidate again, or took a judgment back, needed both times.
    """
    taken: dict[tuple[str, str, CandidateKey], float] = {}
    breaks: list[float] = []
    for act in acts:
        key = (act.batch, act.assessor, (act.topic_id, act.doc_id))
        taken.setdefault(key, 0.0)
        if act.seconds > break_seconds:
            breaks.append(act.seconds)
        else:
            taken[key] += act.seconds
    timed = [seconds for seconds in taken.values() if seconds > 0]
    return JudgingTimes(
        timed=len(timed),
        mean=fmean(timed) if timed else None,
        median=median(timed) if timed else None,
        breaks=len(breaks),
        break_seconds=sum(breaks),
        untimed=len(taken) - len(timed),
    )


def _assessors(judgments: Iterable[Judgment]) -> dict[str, tuple[int, int]]:
    judged: dict[str, set[CandidateKey]] = {}
    for each in judgments:
        judged.setdefault(each.assessor, set()).add((each.topic_id, each.doc_id))
    return {
        name: (len({topic_id for topic_id, _ in keys}), len(keys))
        for name, keys in sorted(judged.items())
    }


def _annotations(finals: Iterable[FinalChoice]) -> AnnotationCounts:
    given = list(finals)
    machine_made = [each.is_machine_made for each in given if each.is_machine_made is not None]
    unrelated = [each.is_unrelated for each in given if each.is_unrelated is not None]
    return AnnotationCounts(len(machine_made), sum(machine_made), len(unrelated), sum(unrelated))


def _by_run(finals: Mapping[CandidateKey, FinalChoice], pool: Pool) -> dict[str, AnnotationCounts]:
    """The annotations of the answers that each run gave, runs in the order of the pool."""
    of_run: dict[str, list[FinalChoice]] = {run.name: [] for run in pool.runs}
    for candidate in pool.candidates:
        final = finals.get((candidate.topic_id, candidate.doc_id))
        if final is not None:
            for name in {each.run for each in candidate.contributions}:
                of_run.setdefault(name, []).append(final)
    counted = {name: _annotations(given) for name, given in of_run.items()}
    return {
        name: each
        for name, each in counted.items()
        if each.annotated_machine_made or each.annotated_unrelated
    }
