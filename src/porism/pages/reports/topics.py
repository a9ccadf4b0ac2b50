"""The section of a report that shows topics in detail, with the results of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from porism.model import Hit, Qrels, Run, Topic, TopicId
from porism.pages.html_tables import score_text
from porism.pages.reports.lineup import RunLineup
from porism.pages.topic_hits import ShowHit, no_text, topic_body_html, topic_title_html

GRADE_NAMES = {
    0: "not relevant",
    1: "low",
    2: "medium",
    3: "high",
    5: "system failure",
    6: "do not know",
}
"""The lab's names of grades and codes."""


@dataclass(frozen=True, slots=True)
class TopicResults:
    """Topics, hits and grades; ``answers`` is the number of hits shown of each run."""

    runs: Mapping[str, Run] = field(default_factory=dict)
    qrels: Qrels = field(default_factory=Qrels)
    topics: Mapping[TopicId, Topic] = field(default_factory=dict)
    posts: ShowHit = no_text
    answers: int = 4


def differing_topics_section(lineup: RunLineup, results: TopicResults, count: int) -> str:
    """The topics where runs differ most, or the hardest topics of a single run."""
    return "\n".join(
        _topic(lineup, results, topic, places) for topic, places in _most_different(lineup)[:count]
    )


def _most_different(lineup: RunLineup) -> list[tuple[TopicId, tuple[int, ...]]]:
    """Topics with the places of their best and worst run, or of the only one."""
    differences: list[tuple[float, TopicId, tuple[int, ...]]] = []
    by_run = [lineup.values(place) for place in range(len(lineup.runs))]
    for topic in lineup.evaluation.topics:
        values = {place: scores[topic] for place, scores in enumerate(by_run) if topic in scores}
        if len(lineup.runs) == 1 and values:
            differences.append((values[0], topic, (0,)))
        elif values:
            best = max(values, key=values.__getitem__)
            worst = min(values, key=values.__getitem__)
            if values[best] > values[worst]:
                differences.append((values[worst] - values[best], topic, (best, worst)))
    differences.sort(key=lambda each: each[0])
    return [(topic, places) for _, topic, places in differences]


def _topic(
    lineup: RunLineup, results: TopicResults, topic_id: TopicId, places: tuple[int, ...]
) -> str:
    topic = results.topics.get(topic_id)
    title = "" if topic is None else topic_title_html(topic)
    body = "" if topic is None else f'<div class="question">\n{topic_body_html(topic)}\n</div>'
    columns = "\n".join(_answers(lineup, results, topic_id, place) for place in places)
    return (
        f"<article>\n<h3>{escape(topic_id)}{': ' if title else ''}{title}</h3>\n{body}\n"
        f'<div class="beside">\n{columns}\n</div>\n</article>'
    )


def _answers(lineup: RunLineup, results: TopicResults, topic_id: TopicId, place: int) -> str:
    """The first hits of a run, each with its grade and its collapsed text."""
    value = score_text(lineup.values(place)[topic_id])
    heading = f"<h4>{lineup.label(place)}: {escape(lineup.measure)} {value}</h4>"
    run = results.runs.get(lineup.runs[place].run)
    if run is None:
        return f"<div>{heading}</div>"
    hits = run.rankings.get(topic_id, ())[: results.answers]
    if not hits:
        return f"<div>{heading}<p>No results.</p></div>"
    grades = results.qrels.grades.get(topic_id, {})
    items = "\n".join(
        f"<li>{_answer(hit, grades.get(hit.doc_id), results.posts)}</li>" for hit in hits
    )
    return f'<div>{heading}\n<ol class="answers">\n{items}\n</ol></div>'


def _answer(hit: Hit, grade: int | None, posts: ShowHit) -> str:
    about = f'{_badge(grade)} {escape(hit.doc_id)} <span class="meta">score {hit.score:.6g}</span>'
    text = posts(hit)
    if text is None:
        return f'<p class="no-text">{about}</p>'
    return f"<details><summary>{about}</summary>\n{text}\n</details>"


def _badge(grade: int | None) -> str:
    if grade is None:
        return '<span class="grade">unjudged</span>'
    name = f": {GRADE_NAMES[grade]}" if grade in GRADE_NAMES else ""
    kind = f" grade-{grade}" if grade in GRADE_NAMES else ""
    return f'<span class="grade{kind}">{grade}{name}</span>'
