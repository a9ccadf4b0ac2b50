"""Agreement, progress and statistics of an assessment as text and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from porism.cli.tables import OutputTable

if TYPE_CHECKING:
    from porism.assess.assessment_statistics import AssessmentStatistics, TopicCounts, TopicSpread
    from porism.assess.judgments.agreement import Agreement, Disagreement
    from porism.assess.judgments.progress import BatchProgress
    from porism.assess.statistics_tables import StatisticsTable
    from porism.model import Qrels


def statistics_lines(tables: Iterable[StatisticsTable]) -> list[str]:
    """Tables one below the other, text left-aligned and numbers right-aligned."""
    lines: list[str] = []
    for table in tables:
        rows = (table.columns, *table.rows)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += ["", table.title]
        for row in rows:
            cells = (
                cell.ljust(width) if place < table.words else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            lines.append("  ".join(cells).rstrip())
    return lines[1:]


def agreement_record(agreement: Agreement) -> dict[str, object]:
    """Agreement as JSON."""
    return {
        "assessors": {
            name: {"four_way": mean.four_way, "binary": mean.binary}
            for name in agreement.assessors
            for mean in (agreement.of(name),)
        },
        "total": {"four_way": agreement.total.four_way, "binary": agreement.total.binary},
        "fleiss": {
            "candidates": agreement.judged_by_all,
            "four_way": agreement.fleiss_four_way,
            "binary": agreement.fleiss_binary,
        },
        "pairs": [asdict(pair) for pair in agreement.pairs],
    }


def disagreement_table(listed: Sequence[Disagreement], earlier: Qrels) -> OutputTable:
    """Disagreements with all opinions, and earlier grades if known."""
    from porism.assess.choice_definitions import CHOICE_NAMES

    rows = tuple(
        (
            each.topic_id,
            each.doc_id,
            "; ".join(
                f"{opinion.assessor}: {CHOICE_NAMES[opinion.choice]}"
                + (f" ({' '.join(opinion.comment.split())})" if opinion.comment else "")
                for opinion in each.opinions
            ),
            CHOICE_NAMES[each.adjudicated] if each.adjudicated else "-",
            *((_earlier(each, earlier),) if earlier.grades else ()),
        )
        for each in listed
    )
    columns = ("topic", "candidate", "opinions", "adjudicated")
    return OutputTable((*columns, "earlier grade") if earlier.grades else columns, rows)


def _earlier(each: Disagreement, earlier: Qrels) -> int | None:
    return earlier.grades.get(each.topic_id, {}).get(each.doc_id)


def disagreement_records(listed: Sequence[Disagreement], earlier: Qrels) -> list[dict[str, object]]:
    """The same as JSON."""
    return [
        {
            "topic": each.topic_id,
            "document": each.doc_id,
            "opinions": [asdict(opinion) for opinion in each.opinions],
            "is_binary": each.is_binary,
            "spread": each.spread,
            "adjudicated": each.adjudicated,
            "earlier": _earlier(each, earlier),
        }
        for each in listed
    ]


def progress_tables(batch: str, progress: BatchProgress) -> tuple[OutputTable, ...]:
    """Progress of a batch, by assessor and by topic."""
    by_assessor = OutputTable(
        ("assessor", "topics", "done", "candidates", "judged", "seconds"),
        tuple(
            (
                each.assessor,
                each.topics,
                each.topics_done,
                each.candidates,
                each.judged,
                each.times.mean,
            )
            for each in progress.assessors
        ),
        f"{batch}: {progress.judged:,} of {progress.assigned:,} assigned judgments",
    )
    by_topic = OutputTable(
        ("topic", "candidates", "judged by"),
        tuple(
            (
                topic.topic_id,
                topic.candidates,
                ", ".join(f"{part.assessor} {part.judged}" for part in topic.parts) or "-",
            )
            for topic in progress.topics
        ),
    )
    return by_assessor, by_topic


def progress_record(progress: BatchProgress) -> dict[str, object]:
    """The same as JSON."""
    return {
        "judged": progress.judged,
        "assigned": progress.assigned,
        "assessors": [asdict(each) for each in progress.assessors],
        "topics": [asdict(each) for each in progress.topics],
    }


def statistics_record(statistics: AssessmentStatistics) -> dict[str, object]:
    """The statistics as JSON, with all digits."""
    return {
        "task": statistics.task,
        "topics": _topics(statistics.topics),
        "short_answers": _topics(statistics.short_answers),
        "judged": _spread(statistics.judged),
        "relevant": _spread(statistics.relevant),
        "relevant_at_all": _spread(statistics.relevant_at_all),
        "choices": dict(statistics.choices),
        "assessors": {
            name: {"topics": topics, "candidates": candidates}
            for name, (topics, candidates) in statistics.assessors.items()
        },
        "times": asdict(statistics.times),
        "times_by_assessor": {
            name: asdict(times) for name, times in statistics.times_by_assessor.items()
        },
        "agreement": agreement_record(statistics.agreement),
        "disputed": statistics.disputed,
        "adjudicated": statistics.adjudicated,
        "annotations": asdict(statistics.annotations),
    }


def _spread(spread: TopicSpread | None) -> dict[str, object] | None:
    return None if spread is None else asdict(spread)


def _topics(topics: Iterable[TopicCounts]) -> dict[str, object]:
    return {
        topic.topic_id: {
            "pooled": topic.pooled,
            "judged": topic.judged,
            "relevant": topic.relevant,
            "relevant_at_all": topic.relevant_at_all,
            "is_dropped": topic.is_dropped,
            "choices": dict(topic.choices),
        }
        for topic in topics
    }
