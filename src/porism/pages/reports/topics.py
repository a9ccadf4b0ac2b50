"""The section of a report that shows topics at length, with what two runs found for them."""

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
"""The lab's words for its grades and codes."""


@dataclass(frozen=True, slots=True)
class TopicResults:
    """What was asked, found and judged; ``answers`` is how many hits of a run are shown."""

    runs: Mapping[str, Run] = field(default_factory=dict)
    qrels: Qrels = field(default_factory=Qrels)
    topics: Mapping[TopicId, Topic] = field(default_factory=dict)
    posts: ShowHit = no_text
    answers: int = 4


def differing_topics_section(lineup: RunLineup, found: TopicResults, count: int) -> str:
    """The topics where runs are widest apart, or those that were hardest for a run alone."""
    return "\n".join(
        _topic(lineup, found, topic, places) for topic, places in _widest_apart(lineup)[:count]
    )


def _widest_apart(lineup: RunLineup) -> list[tuple[TopicId, tuple[int, ...]]]:
    """Topics with the places of their best run and their worst, or of the only one."""
    apart: list[tuple[float, TopicId, tuple[int, ...]]] = []
    for topic in lineup.evaluation.topics:
        of_runs = [(place, lineup.values(place)) for place in range(len(lineup.runs))]
        values = {place: by_topic[topic] for place, by_topic in of_runs if topic in by_topic}
        if len(lineup.runs) == 1 and values:
            apart.append((values[0], topic, (0,)))
        elif values:
            best = max(values, key=values.__getitem__)
            worst = min(values, key=values.__getitem__)
            if values[best] > values[worst]:
                apart.append((values[worst] - values[best], topic, (best, worst)))
    apart.sort(key=lambda each: each[0])
    return [(topic, places) for _, topic, places in apart]


def _topic(
    lineup: RunLineup, found: TopicResults, topic_id: TopicId, places: tuple[int, ...]
) -> str:
    topic = found.topics.get(topic_id)
    title = "" if topic is None else topic_title_html(topic)
    body = "" if topic is None else f'<div class="asked">\n{topic_body_html(topic)}\n</div>'
    columns = "\n".join(_answers(lineup, found, topic_id, place) for place in places)
    return (
        f"<article>\n<h3>{escape(topic_id)}{': ' if title else ''}{title}</h3>\n{body}\n"
        f'<div class="beside">\n{columns}\n</div>\n</article>'
    )


def _answers(lineup: RunLineup, found: TopicResults, topic_id: TopicId, place: int) -> str:
    """The first hits of a run, each with its grade and, folded, its text."""
    value = score_text(lineup.values(place)[topic_id])
    heading = f"<h4>{lineup.named(place)}: {escape(lineup.measure)} {value}</h4>"
    run = found.runs.get(lineup.runs[place].run)
    if run is None:
        return f"<div>{heading}</div>"
    hits = run.rankings.get(topic_id, ())[: found.answers]
    if not hits:
        return f"<div>{heading}<p>It found nothing.</p></div>"
    grades = found.qrels.grades.get(topic_id, {})
    items = "\n".join(
        f"<li>{_answer(hit, grades.get(hit.doc_id), found.posts)}</li>" for hit in hits
    )
    return f'<div>{heading}\n<ol class="answers">\n{items}\n</ol></div>'


def _answer(hit: Hit, grade: int | None, posts: ShowHit) -> str:
    about = f'{_badge(grade)} {escape(hit.doc_id)} <span class="meta">score {hit.score:.6g}</span>'
    text = posts(hit)
    if text is None:
        return f'<p class="unshown">{about}</p>'
    return f"<details><summary>{about}</summary>\n{text}\n</details>"


def _badge(grade: int | None) -> str:
    if grade is None:
        return '<span class="grade">not judged</span>'
    word = f": {GRADE_NAMES[grade]}" if grade in GRADE_NAMES else ""
    kind = f" grade-{grade}" if grade in GRADE_NAMES else ""
    return f'<span class="grade{kind}">{grade}{word}</span>'
