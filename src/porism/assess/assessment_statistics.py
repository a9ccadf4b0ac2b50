"""The statistics of an assessment, as in S1 section 4.4.

Formulas count by visual id, with the highest grade of their instances; times count by instance.
Topics dropped for too few relevant documents do not count, except for their short answers: a topic
is dropped for rankings, which do not contain short answers.
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
"""Acts that took longer are breaks."""

Group = TypeVar("Group", str, TopicId)


@dataclass(frozen=True, slots=True)
class StatisticsSettings:
    """How an assessment is counted.

    Times over ``break_seconds`` are reported but not averaged. Topics with fewer than
    ``fewest_relevant`` relevant documents (H+M) are dropped.
    """

    rule: DisputeRule = DisputeRule.FIRST
    break_seconds: float = BREAK_SECONDS
    fewest_relevant: int = 2


@dataclass(frozen=True, slots=True)
class TopicCounts:
    """A topic's candidates: the number pooled, and the number of each final choice."""

    topic_id: TopicId
    pooled: int
    choices: Mapping[Choice, int]
    is_dropped: bool = False

    @property
    def judged(self) -> int:
        """The number with a grade."""
        return self._graded(0)

    @property
    def relevant(self) -> int:
        """The number graded High or Medium."""
        return self._graded(RELEVANT_GRADE)

    @property
    def relevant_at_all(self) -> int:
        """The number graded High, Medium or Low."""
        return self._graded(1)

    def _graded(self, lowest: int) -> int:
        return sum(
            count
            for choice, count in self.choices.items()
            if choice.grade is not None and choice.grade >= lowest
        )


@dataclass(frozen=True, slots=True)
class TopicSpread:
    """A count by topic: its mean, and its extremes with their topics."""

    mean: float
    lowest: int
    lowest_topics: tuple[TopicId, ...]
    highest: int
    highest_topics: tuple[TopicId, ...]


@dataclass(frozen=True, slots=True)
class JudgingTimes:
    """Seconds per candidate, over the candidates with a known time.

    ``breaks`` acts took too long and are not counted, ``break_seconds`` in total; ``untimed``
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
    """Annotated answers, and those annotated as machine-generated or as unrelated."""

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
    """The statistics of an assessment.

    ``topics`` and ``times_by_topic`` include dropped topics; everything else excludes them.
    ``short_answers`` counts the short answers mixed with posts, also of dropped topics.
    ``assessors`` has the numbers of topics and candidates that each has judged, without withdrawn
    judgments.
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
        """The topics with too few relevant documents."""
        return tuple(topic.topic_id for topic in self.topics if topic.is_dropped)

    @property
    def counted(self) -> tuple[TopicId, ...]:
        """The topics that are not dropped, and dropped ones with short answers."""
        kept = (topic.topic_id for topic in self.topics if not topic.is_dropped)
        return tuple(dict.fromkeys((*kept, *(topic.topic_id for topic in self.short_answers))))


def assessment_statistics(
    judgments: Iterable[Judgment],
    pool: Pool,
    settings: StatisticsSettings | None = None,
    finals: FinalChoices | None = None,
) -> AssessmentStatistics:
    """The statistics of the judgments of a pool, without judgments of other candidates.

    ``finals`` are the final choices, if they are known.
    """
    settings = settings or StatisticsSettings()
    known = {(each.topic_id, each.doc_id) for each in pool.candidates}
    given = tuple(each for each in judgments if (each.topic_id, each.doc_id) in known)
    if finals is None:
        finals = final_choices(given, settings.rule)
    finals = {key: final for key, final in finals.items() if key in known}
    ranked, short = pool.ranked, pool.short_answers
    is_mixed = bool(ranked.candidates and short.candidates)
    dropped = dropped_topics(finals, pool, settings.fewest_relevant)
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
        times=judging_times(acts, settings.break_seconds),
        times_by_assessor={
            name: judging_times(of_name, settings.break_seconds)
            for name, of_name in sorted(_grouped(acts, lambda act: act.assessor).items())
        },
        times_by_topic={
            topic_id: judging_times(of_topic, settings.break_seconds)
            for topic_id, of_topic in _grouped(every_act, lambda act: act.topic_id).items()
        },
        agreement=agreement(acts),
        disputed=sum(final.is_disputed for final in finals.values()),
        adjudicated=sum(
            final.reason is FinalChoiceReason.ADJUDICATION for final in finals.values()
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
    """The time that assessors spent on each candidate, over all their acts on it."""
    spent: dict[tuple[str, str, CandidateKey], float] = {}
    breaks: list[float] = []
    for act in acts:
        key = (act.batch, act.assessor, (act.topic_id, act.doc_id))
        spent.setdefault(key, 0.0)
        if act.seconds > break_seconds:
            breaks.append(act.seconds)
        else:
            spent[key] += act.seconds
    timed = [seconds for seconds in spent.values() if seconds > 0]
    return JudgingTimes(
        timed=len(timed),
        mean=fmean(timed) if timed else None,
        median=median(timed) if timed else None,
        breaks=len(breaks),
        break_seconds=sum(breaks),
        untimed=len(spent) - len(timed),
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
    """The annotations of the answers of each run, runs in the order of the pool."""
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
