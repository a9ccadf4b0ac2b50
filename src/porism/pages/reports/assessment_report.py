"""The statistics of an assessment as one HTML file: counts, choices, times, agreement, rounds.

The page runs nothing and fetches nothing, and what comes from files and assessors is only text on
it.
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
    """What the page is made of; training rounds and notes may be left out."""

    title: str
    statistics: AssessmentStatistics
    rounds: tuple[RoundResult, ...] = ()
    notes: tuple[str, ...] = ()


def assessment_report_page(report: AssessmentReport) -> str:
    """The page; the same report gives the same bytes."""
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
            f"dropped for too few relevant (H+M): {', '.join(statistics.dropped)}; they are counted"
            f" no further{', but for their short answers' if statistics.short_answers else ''}"
        )
    if statistics.disputed:
        notes.append(
            f"{count_of(statistics.disputed, 'candidate')} on which assessors differ and nobody "
            "has decided"
        )
    if statistics.adjudicated:
        notes.append(f"{count_of(statistics.adjudicated, 'candidate')} decided by adjudication")
    return about_html(facts, notes)


def _sections(report: AssessmentReport) -> list[Section]:
    statistics = report.statistics
    return [
        (
            "counts",
            "Judged and relevant a topic",
            _shown("Judged and relevant a topic", counts_table(statistics)),
        ),
        ("choices", "Choices", _shown("Choices", choices_table(statistics))),
        ("times", "Seconds a judgment", _times(statistics)),
        ("agreement", "Agreement", agreement_section("agreement", statistics.agreement)),
        (
            "annotations",
            "Annotations of answers",
            _shown("Annotations of answers", annotations_table(statistics)),
        ),
        ("rounds", "Training rounds", _rounds(report.rounds)),
        ("topics", "Topics", _shown("Topics", topics_table(statistics))),
        ("short", "Short answers", _shown("Short answers", short_answers_table(statistics))),
    ]


def _shown(label: str, shown: StatisticsTable) -> str:
    if not shown.rows:
        return ""
    rows = (row(escape(heading), map(escape, cells)) for heading, *cells in shown.rows)
    return table(label, [escape(name) for name in shown.columns], rows)


def _times(statistics: AssessmentStatistics) -> str:
    shown = _shown("Time for each judgment", times_table(statistics))
    breaks = statistics.times.breaks
    if not shown or not breaks:
        return shown
    minutes = statistics.times.break_seconds / 60
    return (
        f'{shown}\n<p class="meta">{count_of(breaks, "judgment")} took so long that somebody '
        f"must have paused, {minutes:,.0f} minutes together; the means do without them.</p>"
    )


def agreement_section(key: str, agreement: Agreement) -> str:
    """Bars by assessor with their total, and the numbers; empty if nobody shares a candidate."""
    return f"{_MEANT}\n{_by_assessor(key, agreement)}" if agreement.pairs else ""


_MEANT = (
    "<p>The mean of Cohen's kappa of each assessor with all others who judged the same "
    "candidates. At 1 they always agree, at 0 no more than by chance.</p>"
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
            _shown(title, agreement_table(agreement)),
            collapsible("By pair", _shown("Agreement by pair", pairs_table(agreement))),
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
    heads = ("round", "assessors", "judged by all", "four-way", "H+M", "disagreements")
    drawn = kappa_bars("rounds-bars", "Fleiss' kappa by round", bars)
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
            "<p>Fleiss' kappa over all assessors, of the candidates that all have graded. Below, "
            "by round, the mean of Cohen's kappa of each assessor with all others.</p>",
            kappa_legend(),
            f"<figure>{drawn}</figure>",
            table("Agreement by training round", heads, rows),
            *(_round(place, each) for place, each in enumerate(rounds, 1)),
        )
    )


def _round(place: int, result: RoundResult) -> str:
    body = _by_assessor(f"round-{place}", result.agreement)
    listed = disagreement_table(result)
    return f"<h3>{escape(result.batch)}</h3>\n{body}\n" + (
        collapsible(count_of(len(result.disagreements), "disagreement"), listed) if listed else ""
    )


def disagreement_table(result: RoundResult) -> str:
    """The candidates on which assessors differ, with who said what; empty if there are none."""
    if not result.disagreements:
        return ""
    names = result.agreement.assessors
    heads = ["topic", "candidate", *map(escape, names), *(["before"] if result.grades else [])]
    rows = (_disagreement(each, names, result) for each in result.disagreements)
    return table(f"Disagreements in {result.batch}", heads, rows, kind="said")


def _disagreement(each: Disagreement, names: Iterable[str], result: RoundResult) -> str:
    said = {opinion.assessor: opinion for opinion in each.opinions}
    cells = [escape(each.doc_id)]
    for name in names:
        opinion = said.get(name)
        if opinion is None:
            cells.append("")
        else:
            comment = f'<br><span class="meta">{escape(opinion.comment)}</span>'
            cells.append(CHOICE_NAMES[opinion.choice] + (comment if opinion.comment else ""))
    if result.grades:
        grade = result.grades.get((each.topic_id, each.doc_id))
        cells.append("" if grade is None else str(grade))
    return row(escape(each.topic_id), cells, kind="apart" if each.is_binary else "")


_STYLE = """body { max-width: 70rem; }
section { margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
nav ul { columns: 18rem; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { display: block; height: auto; max-width: 100%; min-width: 20rem; }
figure svg text { fill: currentColor; font-family: system-ui, sans-serif; }
.wide { margin: 1rem 0; max-height: 80vh; overflow: auto; }
.wide table { font-size: .9rem; font-variant-numeric: tabular-nums; }
.wide th { font-weight: normal; text-align: left; }
.wide thead th { background: Canvas; font-weight: 600; position: sticky; top: 0; z-index: 1; }
.wide td { text-align: right; }
.wide .said td { text-align: left; }
.apart th { font-weight: 600; }
.legend { font-size: .9rem; list-style: none; padding: 0; }
.legend li { display: inline-block; margin: 0 1.2rem .2rem 0; }
.square { height: .8rem; vertical-align: middle; width: .8rem; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
@media print {
  figure, tr { break-inside: avoid; }
  .wide { max-height: none; overflow: visible; }
  .wide thead th { position: static; }
}
"""
