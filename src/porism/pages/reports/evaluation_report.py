"""The report of an evaluation: one HTML file with scores, plots, and what was found.

Runs stand in the order of the first measure, best first, and keep their colours throughout. Every
plot has its numbers in a table. The page runs nothing and fetches nothing, and what comes from
files is only text on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from porism.evaluate.records import Evaluation
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
    """What a report is made of; all but the evaluation may be left out.

    ``runs`` are by the names that the evaluation has, and speak of documents by the same ids as
    ``qrels``: without them there are no curves and no answers. ``breakdowns`` are by the name of a
    category. ``differing_topics_section`` is how many topics are shown at length, ``answers`` how many hits of a
    run with each.
    """

    title: str
    evaluation: Evaluation
    runs: Mapping[str, Run] = field(default_factory=dict)
    qrels: Qrels = field(default_factory=Qrels)
    breakdowns: Mapping[str, Breakdown] = field(default_factory=dict)
    topics: Mapping[TopicId, Topic] = field(default_factory=dict)
    posts: ShowHit = no_text
    notes: tuple[str, ...] = ()
    differing: int = 8
    answers: int = 4


def evaluation_report_page(report: EvaluationReport) -> str:
    """The report as one HTML file; the same report gives the same bytes."""
    return sections_page(report.title, _about(report), _sections(report), _STYLE)


def _about(report: EvaluationReport) -> str:
    """What was evaluated, and what is to be known of it."""
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
    runs = run_lineup(report.evaluation)
    if not runs.runs or not runs.measure:
        return []
    found = TopicResults(report.runs, report.qrels, report.topics, report.posts, report.answers)
    # Task 3 has one answer for a topic, and no ranking along which there could be a curve.
    along = "" if report.evaluation.task == 3 else curves_section(runs, report.runs, report.qrels)
    is_alone = len(runs.runs) == 1
    at_length = "The topics that were hardest" if is_alone else "The topics where runs differ most"
    return [
        ("scores", "Scores", score_table(runs)),
        ("topics", f"{runs.measure} by topic", topic_scores_section(runs)),
        ("curves", "Recall-precision and gain curves", along),
        ("spread", f"{runs.measure}: spread over the topics", spread_section(runs)),
        ("categories", "By category", categories_section(runs, report.breakdowns)),
        ("differing", at_length, differing_topics_section(runs, found, report.differing)),
        ("values", "All topics", all_scores_section(runs)),
    ]


_STYLE = """body { max-width: 70rem; }
section { margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
nav ul { columns: 18rem; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { display: block; height: auto; width: 100%; }
figure svg * { stroke-linejoin: round; }
figure svg text { fill: currentColor; font-family: system-ui, sans-serif; }
.wide { margin: 1rem 0; max-height: 80vh; overflow: auto; }
.wide table { font-size: .9rem; font-variant-numeric: tabular-nums; }
.wide th { font-weight: normal; text-align: left; }
.wide thead th { background: Canvas; font-weight: 600; position: sticky; top: 0; z-index: 1; }
.wide tbody th { background: Canvas; left: 0; max-width: 22rem; position: sticky; }
.wide td { text-align: right; }
.upright thead th { vertical-align: bottom; }
.upright thead th + th > span { max-height: 14rem; transform: rotate(180deg);
  writing-mode: vertical-rl; }
.ceiling { color: color-mix(in srgb, CanvasText 65%, Canvas); font-style: italic; }
.run { color: inherit; text-decoration: none; }
.run:hover, .run:focus { text-decoration: underline; }
tr:target { outline: 2px solid #8889; }
.swatch { height: .5rem; vertical-align: middle; width: 1.4rem; }
.legend { font-size: .9rem; list-style: none; padding: 0; }
.legend li { display: inline-block; margin: 0 1.2rem .2rem 0; }
.level { display: inline-block; height: .8rem; vertical-align: middle; width: 1.4rem; }
.beside { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.beside > * { min-width: 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
.asked { border-left: 3px solid #8886; max-width: 48rem; padding-left: 1rem; }
.answers > li { border-top: 1px solid #8883; padding: .3rem 0; }
.answers .unshown { margin: 0; }
.answers details { margin: 0; }
.answers details, .asked { overflow: auto hidden; }
.grade { background: #8883; border-radius: 3px; font-size: .85rem; padding: 0 .4rem;
  white-space: nowrap; }
.grade-3 { background: #009e73; color: #000; }
.grade-2 { background: #56b4e9; color: #000; }
.grade-1 { background: #f0e442; color: #000; }
.grade-0 { background: #555; color: #fff; }
@media print {
  figure, .answers > li, tr { break-inside: avoid; }
  .wide { max-height: none; overflow: visible; }
  .wide thead th, .wide tbody th { position: static; }
}
"""
