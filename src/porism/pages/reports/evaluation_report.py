"""The report of an evaluation: one HTML file with scores, plots and results.

Runs are ordered by the first measure, best first, and keep their colours throughout. The numbers
of every plot are also in a table. The page has no scripts and loads nothing; text from files is
escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from porism.evaluation.records import Evaluation
from porism.model import Qrels, Run, Topic, TopicId
from porism.pages.plurals import count_of
from porism.pages.reports.curves import curves_section
from porism.pages.reports.lineup import run_lineup
from porism.pages.reports.scores import (
    Breakdown,
    all_scores_section,
    categories_section,
    score_table,
    spread_section,
    topic_scores_section,
)
from porism.pages.reports.sections import Section, about_html, sections_page
from porism.pages.reports.topics import TopicResults, differing_topics_section
from porism.pages.topic_hits import ShowHit, no_text


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The contents of a report; everything but title and evaluation is optional.

    ``runs`` has the evaluation's names as keys and the document ids of ``qrels``; without runs
    there are no curves and no answers. ``breakdowns`` has categories as keys. ``differing_topics``
    is the number of topics shown in detail, ``answers`` the number of hits of each run there.
    """

    title: str
    evaluation: Evaluation
    runs: Mapping[str, Run] = field(default_factory=dict)
    qrels: Qrels = field(default_factory=Qrels)
    breakdowns: Mapping[str, Breakdown] = field(default_factory=dict)
    topics: Mapping[TopicId, Topic] = field(default_factory=dict)
    posts: ShowHit = no_text
    notes: tuple[str, ...] = ()
    differing_topics: int = 8
    answers: int = 4


def evaluation_report_page(report: EvaluationReport) -> str:
    """The report as one HTML file; equal reports give equal bytes."""
    return sections_page(report.title, _about(report), _sections(report), _STYLE)


def _about(report: EvaluationReport) -> str:
    """Task, topics, runs and measures, with the notes on them."""
    evaluation = report.evaluation
    facts = (
        f"Task {evaluation.task}",
        count_of(len(evaluation.topics), "topic"),
        count_of(len(evaluation.runs), "run"),
        ", ".join(evaluation.measures),
    )
    notes = dict.fromkeys((*report.notes, *evaluation.notes))
    return about_html(facts, notes)


def _sections(report: EvaluationReport) -> list[Section]:
    lineup = run_lineup(report.evaluation)
    if not lineup.runs or not lineup.measure:
        return []
    results = TopicResults(report.runs, report.qrels, report.topics, report.posts, report.answers)
    # A run of Task 3 has one answer per topic, so there is no ranking to draw a curve of.
    is_ranked = report.evaluation.task != 3
    curves = curves_section(lineup, report.runs, report.qrels) if is_ranked else ""
    is_single = len(lineup.runs) == 1
    heading = "The hardest topics" if is_single else "The topics where runs differ most"
    details = differing_topics_section(lineup, results, report.differing_topics)
    return [
        ("scores", "Scores", score_table(lineup)),
        ("topics", f"{lineup.measure} by topic", topic_scores_section(lineup)),
        ("curves", "Recall-precision and gain curves", curves),
        ("spread", f"{lineup.measure}: spread over the topics", spread_section(lineup)),
        ("categories", "By category", categories_section(lineup, report.breakdowns)),
        ("differing", heading, details),
        ("values", "All topics", all_scores_section(lineup)),
    ]


_STYLE = """figure svg { width: 100%; }
figure svg * { stroke-linejoin: round; }
.wide tbody th { background: Canvas; left: 0; max-width: 22rem; position: sticky; }
.upright thead th { vertical-align: bottom; }
.upright thead th + th > span { max-height: 14rem; transform: rotate(180deg);
  writing-mode: vertical-rl; }
.ceiling { color: color-mix(in srgb, CanvasText 65%, Canvas); font-style: italic; }
.run { color: inherit; text-decoration: none; }
.run:hover, .run:focus { text-decoration: underline; }
tr:target { outline: 2px solid #8889; }
.swatch { height: .5rem; vertical-align: middle; width: 1.4rem; }
.level { display: inline-block; height: .8rem; vertical-align: middle; width: 1.4rem; }
.beside { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.beside > * { min-width: 0; }
.question { border-left: 3px solid #8886; max-width: 48rem; padding-left: 1rem; }
.answers > li { border-top: 1px solid #8883; padding: .3rem 0; }
.answers .no-text { margin: 0; }
.answers details { margin: 0; }
.answers details, .question { overflow: auto hidden; }
.grade { background: #8883; border-radius: 3px; font-size: .85rem; padding: 0 .4rem;
  white-space: nowrap; }
.grade-3 { background: #009e73; color: #000; }
.grade-2 { background: #56b4e9; color: #000; }
.grade-1 { background: #f0e442; color: #000; }
.grade-0 { background: #555; color: #fff; }
@media print {
  .answers > li { break-inside: avoid; }
  .wide tbody th { position: static; }
}
"""
