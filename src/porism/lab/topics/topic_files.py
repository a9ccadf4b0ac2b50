"""The files that topics are handed out in, and the sheet on which people label them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from porism.errors import PorismError
from porism.formats.byte_streams import write_new_folder
from porism.formats.text_lines import open_atomic
from porism.formats.topics import write_topics
from porism.lab.topics.criteria import QuestionStatistic
from porism.lab.topics.topic_draw import DrawnTopic, TopicDraw
from porism.model import Content, DocId, TopicId, plain_text

TOPICS = "topics_task{task}.xml"
SHEET = "topic_information.csv"
DUPLICATES = "duplicates.tsv"
OWN_POSTS = "own_posts.tsv"
RECORD = "draw.json"

LABELS = ("Category", "Difficulty", "Dependency", "Multi-Part")
"""What people say of a topic, in the headings of the lab's topic information of 2022."""


def write_topic_draw(
    folder: Path, drawn: TopicDraw, settings: Mapping[str, object]
) -> tuple[str, ...]:
    """Write topics, sheet, links and the record of the draw to a new folder; the names written.

    The folder is there when all of it is written, or not at all.
    """
    if not write_new_folder(folder, lambda unfinished: _write_all(unfinished, drawn, settings)):
        raise PorismError(f"{folder}: is there already; name a new folder, or remove it first")
    return tuple(sorted(path.name for path in folder.iterdir()))


def _write_all(folder: Path, drawn: TopicDraw, settings: Mapping[str, object]) -> None:
    questions = [each.topic for each in drawn.topics]
    formulas = [each.formula_topic for each in drawn.topics if each.formula_topic is not None]
    # Task 3 has the topics of Task 1, ids and all (S3 section 6.1).
    for task, topics in ((1, questions), (2, formulas), (3, questions)):
        if topics:
            write_topics(folder / TOPICS.format(task=task), topics)
    with open_atomic(folder / SHEET) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows(sheet_rows(drawn.topics))
    _write_pairs(
        folder / DUPLICATES,
        ("topic", "question"),
        ((each.topic.id, each.candidate.duplicates) for each in drawn.topics),
    )
    if any(each.own_posts for each in drawn.topics):
        _write_pairs(
            folder / OWN_POSTS,
            ("topic", "post"),
            ((each.topic.id, each.own_posts) for each in drawn.topics),
        )
    with open_atomic(folder / RECORD) as file:
        json.dump(topic_draw_record(drawn, settings), file, ensure_ascii=False, indent=1)
        file.write("\n")


def _write_pairs(
    path: Path, header: tuple[str, str], pairs: Iterable[tuple[TopicId, tuple[DocId, ...]]]
) -> None:
    with open_atomic(path) as file:
        file.write("\t".join(header) + "\n")
        file.writelines(f"{topic}\t{post}\n" for topic, posts in pairs for post in posts)


def sheet_rows(topics: Iterable[DrawnTopic]) -> Iterator[list[str]]:
    """The rows of the sheet: labels that are still empty, and beside them what was measured.

    With the labels filled in, ``formats.qrels.read_topic_information`` reads it.
    """
    measured = [each.value.title().replace(" ", "") for each in QuestionStatistic]
    yield [
        "Topic",
        *LABELS,
        "post_id",
        "Title",
        "Tags",
        "Year",
        *measured,
        "Duplicates",
        "Related",
        "FormulaTopic",
        "Formula_Id",
        "Latex",
        "Complexity",
    ]
    for each in topics:
        candidate, asked = each.candidate, each.formula_topic
        yield [
            each.topic.id,
            *("" for _ in LABELS),
            candidate.id,
            _in_a_cell(one_line(each.topic.title)),
            " ".join(candidate.tags),
            "" if candidate.year is None else str(candidate.year),
            *(_number(candidate.values.get(name)) for name in QuestionStatistic),
            " ".join(candidate.duplicates),
            " ".join(candidate.related),
            "" if asked is None else asked.id,
            "" if asked is None or asked.focus is None else asked.focus.id,
            "" if asked is None or asked.focus is None else plain_text((asked.focus,)),
            "" if each.formula is None else each.formula.complexity,
        ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}" if value % 1 else str(int(value))


def _in_a_cell(text: str) -> str:
    """The text so that no spreadsheet takes it for a formula of its own and works it out."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def one_line(content: Content) -> str:
    """Prose and formulas in one line, formulas between dollars."""
    return " ".join(plain_text(content).split())


def topic_draw_record(drawn: TopicDraw, settings: Mapping[str, object]) -> dict[str, object]:
    """How the topics were drawn and what they are, for JSON."""
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
    formula, asked = each.formula, each.formula_topic
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
        if formula is None or asked is None or asked.focus is None
        else {
            "topic": asked.id,
            "id": asked.focus.id,
            "latex": asked.focus.latex,
            "symbols": formula.symbols,
            "complexity": formula.complexity,
        },
    }
