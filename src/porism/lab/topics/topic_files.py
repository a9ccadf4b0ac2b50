"""The files of drawn topics, and the sheet on which people label them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from porism.errors import PorismError
from porism.formats.byte_streams import write_new_folder
from porism.formats.text_lines import open_atomic
from porism.formats.topic_links import write_topic_links
from porism.formats.topics import write_topics
from porism.lab.topics.criteria import QuestionStatistic
from porism.lab.topics.topic_draw import DrawnTopic, TopicDraw
from porism.model import Content, plain_text

TOPICS = "topics_task{task}.xml"
SHEET = "topic_information.csv"
DUPLICATES = "duplicates.tsv"
OWN_POSTS = "own_posts.tsv"
RECORD = "draw.json"

LABELS = ("Category", "Difficulty", "Dependency", "Multi-Part")
"""The labels of a topic, named as in the lab's topic information of 2022."""


def write_topic_draw(
    folder: Path, drawn: TopicDraw, settings: Mapping[str, object]
) -> tuple[str, ...]:
    """Write topics, sheet, links and the record of the draw to a new folder; return the file names.

    The folder is created atomically.
    """
    if not write_new_folder(folder, lambda draft: _write_all(draft, drawn, settings)):
        raise PorismError(f"{folder} already exists; name a new folder or remove it first")
    return tuple(sorted(path.name for path in folder.iterdir()))


def _write_all(folder: Path, drawn: TopicDraw, settings: Mapping[str, object]) -> None:
    questions = [each.topic for each in drawn.topics]
    formulas = [each.formula_topic for each in drawn.topics if each.formula_topic is not None]
    # Task 3 has the topics of Task 1, with the same ids (S3 section 6.1).
    for task, topics in ((1, questions), (2, formulas), (3, questions)):
        if topics:
            write_topics(folder / TOPICS.format(task=task), topics)
    with open_atomic(folder / SHEET) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows(sheet_rows(drawn.topics))
    write_topic_links(
        folder / DUPLICATES,
        "question",
        ((each.topic.id, each.candidate.duplicates) for each in drawn.topics),
    )
    if any(each.own_posts for each in drawn.topics):
        write_topic_links(
            folder / OWN_POSTS,
            "post",
            ((each.topic.id, each.own_posts) for each in drawn.topics),
        )
    with open_atomic(folder / RECORD) as file:
        json.dump(topic_draw_record(drawn, settings), file, ensure_ascii=False, indent=1)
        file.write("\n")


def sheet_rows(topics: Iterable[DrawnTopic]) -> Iterator[list[str]]:
    """The rows of the sheet: empty labels, followed by statistics.

    With the labels filled in, ``formats.qrels.read_topic_information`` reads it.
    """
    statistics = [each.value.title().replace(" ", "") for each in QuestionStatistic]
    yield [
        "Topic",
        *LABELS,
        "post_id",
        "Title",
        "Tags",
        "Year",
        *statistics,
        "Duplicates",
        "Related",
        "FormulaTopic",
        "Formula_Id",
        "Latex",
        "Complexity",
    ]
    for each in topics:
        candidate, formula_topic = each.candidate, each.formula_topic
        focus = None if formula_topic is None else formula_topic.focus
        yield [
            each.topic.id,
            *("" for _ in LABELS),
            candidate.id,
            _cell_text(one_line(each.topic.title)),
            " ".join(candidate.tags),
            "" if candidate.year is None else str(candidate.year),
            *(_number(candidate.values.get(name)) for name in QuestionStatistic),
            " ".join(candidate.duplicates),
            " ".join(candidate.related),
            "" if formula_topic is None else formula_topic.id,
            "" if focus is None else focus.id,
            "" if focus is None else plain_text((focus,)),
            "" if each.formula is None else each.formula.complexity,
        ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}" if value % 1 else str(int(value))


def _cell_text(text: str) -> str:
    """The text, quoted if a spreadsheet would evaluate it as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def one_line(content: Content) -> str:
    """Text and formulas on one line, formulas between dollars."""
    return " ".join(plain_text(content).split())


def topic_draw_record(drawn: TopicDraw, settings: Mapping[str, object]) -> dict[str, object]:
    """The topics and how they were drawn, for JSON."""
    return {
        "settings": dict(settings),
        "questions": drawn.questions,
        "removed": [
            {
                "criterion": each.criterion,
                "removed": each.removed,
                "unknown": each.unknown,
                "left": each.left,
            }
            for each in drawn.removed
        ],
        "candidates": drawn.candidates,
        "alike": drawn.similar,
        "topics": [_topic_record(each) for each in drawn.topics],
    }


def _topic_record(each: DrawnTopic) -> dict[str, object]:
    formula, formula_topic = each.formula, each.formula_topic
    return {
        "topic": each.topic.id,
        "post_id": each.candidate.id,
        "title": one_line(each.topic.title),
        "tags": list(each.candidate.tags),
        "year": each.candidate.year,
        **{name.replace(" ", "_"): each.candidate.values.get(name) for name in QuestionStatistic},
        "duplicates": list(each.candidate.duplicates),
        "related": list(each.candidate.related),
        "own_posts": list(each.own_posts),
        "formula": None
        if formula is None or formula_topic is None or formula_topic.focus is None
        else {
            "topic": formula_topic.id,
            "id": formula_topic.focus.id,
            "latex": formula_topic.focus.latex,
            "symbols": formula.symbols,
            "complexity": formula.complexity,
        },
    }
