"""The statistics of an assessment as tables of text, for pages and papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from porism.assess.assessment_statistics import (
    AnnotationCounts,
    AssessmentStatistics,
    JudgingTimes,
    TopicCounts,
    TopicSpread,
)
from porism.assess.choice_definitions import CHOICE_NAMES
from porism.assess.judgments.agreement import Agreement
from porism.model import Task, TopicId

MAX_TOPICS_LISTED = 3
"""At most this many topics that share an extreme are named."""

NO_VALUE = "–"


@dataclass(frozen=True, slots=True)
class StatisticsTable:
    """Columns with headings, and rows of formatted cells.

    ``name`` is unique among the tables; the first ``words`` columns are text, not numbers.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


def statistics_tables(statistics: AssessmentStatistics) -> tuple[StatisticsTable, ...]:
    """All tables that have rows, in display order."""
    tables = (
        counts_table(statistics),
        choices_table(statistics),
        times_table(statistics),
        agreement_table(statistics.agreement),
        pairs_table(statistics.agreement),
        annotations_table(statistics),
        topics_table(statistics),
        short_answers_table(statistics),
    )
    return tuple(table for table in tables if table.rows)


def counts_table(statistics: AssessmentStatistics) -> StatisticsTable:
    """Judged and relevant per topic: the mean, and the extremes with their topics."""
    what = "formulas" if statistics.task == Task.FORMULAS else "answers"
    spreads = {
        f"{what} judged": statistics.judged,
        "relevant (H+M)": statistics.relevant,
        "relevant (H+M+L)": statistics.relevant_at_all,
    }
    rows = tuple(
        (
            name,
            f"{spread.mean:.1f}",
            _extreme(spread.lowest, spread.lowest_topics),
            _extreme(spread.highest, spread.highest_topics),
        )
        for name, spread in spreads.items()
        if isinstance(spread, TopicSpread)
    )
    return StatisticsTable(
        "counts", "Judged and relevant per topic", ("number of", "mean", "lowest", "highest"), rows
    )


def _extreme(count: int, topics: tuple[TopicId, ...]) -> str:
    named = ", ".join(topics[:MAX_TOPICS_LISTED])
    others = (
        f" and {len(topics) - MAX_TOPICS_LISTED} more" if len(topics) > MAX_TOPICS_LISTED else ""
    )
    return f"{count} ({named}{others})"


def choices_table(statistics: AssessmentStatistics) -> StatisticsTable:
    """How often each choice was the final one."""
    total = sum(statistics.choices.values())
    rows = tuple(
        (name, str(statistics.choices[choice]), percentage_text(statistics.choices[choice] / total))
        for choice, name in CHOICE_NAMES.items()
        if total
    )
    return StatisticsTable("choices", "Choices", ("choice", "candidates", "share"), rows)


def times_table(statistics: AssessmentStatistics) -> StatisticsTable:
    """Seconds per judgment, by assessor, including those who withdrew all their judgments."""
    rows = [
        (name, *map(str, statistics.assessors.get(name, (0, 0))), *_time_cells(times))
        for name, times in statistics.times_by_assessor.items()
    ]
    if rows:
        candidates = sum(count for _, count in statistics.assessors.values())
        rows.append(
            ("all", str(len(statistics.counted)), str(candidates), *_time_cells(statistics.times))
        )
    columns = ("assessor", "topics", "judgments", "mean", "median", "breaks", "untimed")
    return StatisticsTable("times", "Seconds per judgment", columns, tuple(rows))


def _time_cells(times: JudgingTimes) -> tuple[str, ...]:
    return (_seconds(times.mean), _seconds(times.median), str(times.breaks), str(times.untimed))


def _seconds(seconds: float | None) -> str:
    return NO_VALUE if seconds is None else f"{seconds:.1f}"


def kappa_text(value: float | None) -> str:
    """A kappa with two digits, as in the lab's papers; a dash if undefined.

    >>> kappa_text(0.294), kappa_text(-0.001), kappa_text(None)
    ('0.29', '0.00', '–')
    """
    return NO_VALUE if value is None else f"{value:z.2f}"


def percentage_text(value: float | None) -> str:
    """A share in percent; a dash if there is none.

    >>> percentage_text(0.288)
    '28.8 %'
    """
    return NO_VALUE if value is None else f"{100 * value:.1f} %"


def agreement_table(agreement: Agreement) -> StatisticsTable:
    """The mean of Cohen's kappas by assessor, their total, and Fleiss' kappa over all."""
    rows: list[tuple[str, ...]] = []
    if agreement.pairs:
        for name in agreement.assessors:
            mean = agreement.of(name)
            pairs = sum(name in (pair.first, pair.second) for pair in agreement.pairs)
            rows.append((name, str(pairs), kappa_text(mean.four_way), kappa_text(mean.binary)))
        total = agreement.total
        rows.append(
            (
                "Total",
                str(len(agreement.pairs)),
                kappa_text(total.four_way),
                kappa_text(total.binary),
            )
        )
    if agreement.judged_by_all and len(agreement.assessors) > 2:
        rows.append(
            (
                f"Fleiss, {agreement.judged_by_all} judged by all",
                NO_VALUE,
                kappa_text(agreement.fleiss_four_way),
                kappa_text(agreement.fleiss_binary),
            )
        )
    columns = ("assessor", "pairs", "four-way", "H+M")
    return StatisticsTable("agreement", "Agreement (mean of Cohen's kappa)", columns, tuple(rows))


def pairs_table(agreement: Agreement) -> StatisticsTable:
    """Cohen's kappa of every two assessors who share candidates."""
    rows = tuple(
        (
            pair.first,
            pair.second,
            str(pair.shared),
            kappa_text(pair.four_way),
            kappa_text(pair.binary),
        )
        for pair in agreement.pairs
    )
    columns = ("assessor", "and", "candidates", "four-way", "H+M")
    return StatisticsTable("pairs", "Agreement by pair (Cohen's kappa)", columns, rows, words=2)


def annotations_table(statistics: AssessmentStatistics) -> StatisticsTable:
    """MG and UI of Task 3, by run and over all."""
    every: Mapping[str, AnnotationCounts] = {
        **statistics.annotations_by_run,
        "all": statistics.annotations,
    }
    rows = tuple(
        (
            name,
            str(max(each.annotated_machine_made, each.annotated_unrelated)),
            str(each.machine_made),
            percentage_text(each.machine_made_share),
            str(each.unrelated),
            percentage_text(each.unrelated_share),
        )
        for name, each in every.items()
        if each.annotated_machine_made or each.annotated_unrelated
    )
    columns = ("run", "annotated", "machine-generated", "MG", "unrelated information", "UI")
    return StatisticsTable("annotations", "Annotations of answers", columns, rows)


def topics_table(statistics: AssessmentStatistics) -> StatisticsTable:
    """All judged topics, with dropped ones marked."""
    columns = (
        "topic",
        "pooled",
        *CHOICE_NAMES.values(),
        "H+M",
        "H+M+L",
        "seconds",
    )
    return StatisticsTable("topics", "Topics", columns, tuple(_topic_rows(statistics)))


def _topic_rows(statistics: AssessmentStatistics) -> Iterator[tuple[str, ...]]:
    for topic in statistics.topics:
        times = statistics.times_by_topic.get(topic.topic_id)
        yield (*_topic_cells(topic), _seconds(None if times is None else times.mean))


def _topic_cells(topic: TopicCounts) -> tuple[str, ...]:
    return (
        f"{topic.topic_id} (dropped)" if topic.is_dropped else topic.topic_id,
        str(topic.pooled),
        *(str(topic.choices.get(choice, 0)) for choice in CHOICE_NAMES),
        str(topic.relevant),
        str(topic.relevant_at_all),
    )


def short_answers_table(statistics: AssessmentStatistics) -> StatisticsTable:
    """The short answers judged among the posts of each topic."""
    columns = ("topic", "pooled", *CHOICE_NAMES.values(), "H+M", "H+M+L")
    rows = tuple(map(_topic_cells, statistics.short_answers))
    return StatisticsTable("short", "Short answers", columns, rows)
