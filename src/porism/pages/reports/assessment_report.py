"""The statistics of an assessment as one HTML file: counts, choices, times, agreement, rounds.

The page has no scripts and loads nothing; text from files and assessors is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from porism.assess.assessment_statistics import AssessmentStatistics
from porism.assess.choice_definitions import CHOICE_NAMES
from porism.assess.judgments.agreement import Agreement, Disagreement
from porism.assess.statistics_tables import (
    StatisticsTable,
    agreement_table,
    annotations_table,
    choices_table,
    counts_table,
    kappa_text,
    pairs_table,
    short_answers_table,
    times_table,
    topics_table,
)
from porism.assess.training import RoundResult
from porism.pages.html_tables import collapsible, row, table
from porism.pages.plurals import count_of
from porism.pages.reports.kappa_bars import KappaBar, kappa_bars, kappa_legend
from porism.pages.reports.sections import Section, about_html, sections_page


@dataclass(frozen=True, slots=True)
class AssessmentReport:
    """The contents of the page; training rounds and notes are optional."""

    title: str
    statistics: AssessmentStatistics
    rounds: tuple[RoundResult, ...] = ()
    notes: tuple[str, ...] = ()


def assessment_report_page(report: AssessmentReport) -> str:
    """The report as one HTML file; equal reports give equal bytes."""
    return sections_page(report.title, _about(report), _sections(report), _STYLE)


def _about(report: AssessmentReport) -> str:
    statistics = report.statistics
    facts = (
        f"Task {statistics.task}",
        count_of(len(statistics.counted), "topic"),
        count_of(len(statistics.assessors), "assessor"),
        count_of(sum(count for _, count in statistics.assessors.values()), "judgment"),
    )
    notes = [*report.notes]
    if statistics.dropped:
        notes.append(
            f"dropped, too few relevant (H+M): {', '.join(statistics.dropped)}; not counted below"
            f"{', except their short answers' if statistics.short_answers else ''}"
        )
    if statistics.disputed:
        notes.append(
            f"{count_of(statistics.disputed, 'candidate')} with an unresolved disagreement"
        )
    if statistics.adjudicated:
        notes.append(f"{count_of(statistics.adjudicated, 'candidate')} decided by adjudication")
    return about_html(facts, notes)


def _sections(report: AssessmentReport) -> list[Section]:
    statistics = report.statistics
    return [
        (
            "counts",
            "Judged and relevant per topic",
            _table("Judged and relevant per topic", counts_table(statistics)),
        ),
        ("choices", "Choices", _table("Choices", choices_table(statistics))),
        ("times", "Seconds per judgment", _times(statistics)),
        ("agreement", "Agreement", agreement_section("agreement", statistics.agreement)),
        (
            "annotations",
            "Annotations of answers",
            _table("Annotations of answers", annotations_table(statistics)),
        ),
        ("rounds", "Training rounds", _rounds(report.rounds)),
        ("topics", "Topics", _table("Topics", topics_table(statistics))),
        ("short", "Short answers", _table("Short answers", short_answers_table(statistics))),
    ]


def _table(label: str, statistics: StatisticsTable) -> str:
    if not statistics.rows:
        return ""
    rows = (row(escape(heading), map(escape, cells)) for heading, *cells in statistics.rows)
    return table(label, [escape(name) for name in statistics.columns], rows)


def _times(statistics: AssessmentStatistics) -> str:
    html = _table("Time per judgment", times_table(statistics))
    breaks = statistics.times.breaks
    if not html or not breaks:
        return html
    minutes = statistics.times.break_seconds / 60
    return (
        f'{html}\n<p class="meta">{count_of(breaks, "judgment")} counted as breaks '
        f"({minutes:,.0f} minutes in total) and excluded from the means.</p>"
    )


def agreement_section(key: str, agreement: Agreement) -> str:
    """Kappa by assessor and in total, as bars and tables; empty if no candidate is shared."""
    return f"{_KAPPA_NOTE}\n{_by_assessor(key, agreement)}" if agreement.pairs else ""


_KAPPA_NOTE = (
    "<p>For each assessor, the mean of Cohen's kappa with all others who judged the same "
    "candidates: 1 is full agreement, 0 is agreement by chance.</p>"
)


def _by_assessor(key: str, agreement: Agreement) -> str:
    if not agreement.pairs:
        return ""
    bars = [_bar(name, agreement) for name in agreement.assessors]
    total = agreement.total
    bars.append(KappaBar("Total", total.four_way, total.binary))
    title = "Mean of Cohen's kappa by assessor"
    return "\n".join(
        (
            kappa_legend(),
            f"<figure>{kappa_bars(f'{key}-bars', title, bars)}</figure>",
            _table(title, agreement_table(agreement)),
            collapsible("By pair", _table("Agreement by pair", pairs_table(agreement))),
        )
    )


def _bar(name: str, agreement: Agreement) -> KappaBar:
    mean = agreement.of(name)
    return KappaBar(name, mean.four_way, mean.binary)


def _rounds(rounds: tuple[RoundResult, ...]) -> str:
    if not rounds:
        return ""
    bars = [
        KappaBar(each.batch, each.agreement.fleiss_four_way, each.agreement.fleiss_binary)
        for each in rounds
    ]
    columns = ("round", "assessors", "judged by all", "four-way", "H+M", "disagreements")
    plot = kappa_bars("rounds-bars", "Fleiss' kappa by round", bars)
    rows = (
        row(
            escape(each.batch),
            (
                str(len(each.agreement.assessors)),
                str(each.agreement.judged_by_all),
                kappa_text(each.agreement.fleiss_four_way),
                kappa_text(each.agreement.fleiss_binary),
                str(len(each.disagreements)),
            ),
        )
        for each in rounds
    )
    return "\n".join(
        (
            "<p>Fleiss' kappa of all assessors over the candidates that all of them graded, then "
            "for each round and assessor the mean of Cohen's kappa with all others.</p>",
            kappa_legend(),
            f"<figure>{plot}</figure>",
            table("Agreement by training round", columns, rows),
            *(_round(number, each) for number, each in enumerate(rounds, 1)),
        )
    )


def _round(number: int, result: RoundResult) -> str:
    body = _by_assessor(f"round-{number}", result.agreement)
    rows = _disagreement_table(result)
    return f"<h3>{escape(result.batch)}</h3>\n{body}\n" + (
        collapsible(count_of(len(result.disagreements), "disagreement"), rows) if rows else ""
    )


def _disagreement_table(result: RoundResult) -> str:
    """The candidates on which assessors differ, with each opinion; empty if there are none."""
    if not result.disagreements:
        return ""
    names = result.agreement.assessors
    earlier = ["earlier grade"] if result.grades else []
    columns = ["topic", "candidate", *map(escape, names), *earlier]
    rows = (_disagreement(each, names, result) for each in result.disagreements)
    return table(f"Disagreements in {result.batch}", columns, rows, kind="opinions")


def _disagreement(each: Disagreement, names: Iterable[str], result: RoundResult) -> str:
    opinions = {opinion.assessor: opinion for opinion in each.opinions}
    cells = [escape(each.doc_id)]
    for name in names:
        opinion = opinions.get(name)
        if opinion is None:
            cells.append("")
        else:
            comment = f'<br><span class="meta">{escape(opinion.comment)}</span>'
            cells.append(CHOICE_NAMES[opinion.choice] + (comment if opinion.comment else ""))
    if result.grades:
        grade = result.grades.get((each.topic_id, each.doc_id))
        cells.append("" if grade is None else str(grade))
    return row(escape(each.topic_id), cells, kind="binary" if each.is_binary else "")


_STYLE = """figure svg { max-width: 100%; min-width: 20rem; }
.wide .opinions td { text-align: left; }
.binary th { font-weight: 600; }
.square { height: .8rem; vertical-align: middle; width: .8rem; }
"""
