"""Judgments, and the small tables that the ARQMath labs published beside them.

A line of qrels is topic, iteration, document, grade. Grades are kept as the file has them: what 5
(system failure) and 6 (do not know) count is for the evaluation to say. Documents are posts,
formulas, visual ids or answers by the file, which does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from porism.errors import FormatError
from porism.formats.text_lines import (
    check_ids,
    columns,
    finite_number,
    is_number,
    open_atomic,
    read_csv_rows,
    read_lines,
)
from porism.model import DocId, Qrels, TopicId


def read_qrels(path: Path) -> Qrels:
    """The judgments of a file, plain or gzip, topics and documents in the order of the file.

    A judgment that stands there twice is taken once; two that disagree are refused.
    """
    grades: dict[TopicId, dict[DocId, int]] = {}
    for number, line in read_lines(path):
        judged = columns(line)
        if len(judged) != 4:
            raise FormatError(str(path), number, _no_qrels(line, judged))
        topic_id, document, grade = TopicId(judged[0]), DocId(judged[2]), _grade(judged[3])
        if grade is None or not topic_id or not document:
            raise FormatError(
                str(path),
                number,
                f"found {line[:80]!r}, whose grade is no whole number or whose ids are empty: "
                f"{_EXPECTED}",
            )
        of_topic = grades.setdefault(topic_id, {})
        if of_topic.setdefault(document, grade) != grade:
            raise FormatError(
                str(path),
                number,
                f"document {document} of topic {topic_id} is graded {grade} here and "
                f"{of_topic[document]} above: remove one of the two lines",
            )
    if not grades:
        raise FormatError(str(path), 1, f"the file has no judgments: {_EXPECTED}")
    return Qrels(grades)


_EXPECTED = "expected qrels, whose lines are topic, 0, document, grade, as in 'A.1 0 2190525 2'"


def _grade(text: str) -> int | None:
    """The grade, which some files write as ``2.0``; None if it is no whole number."""
    try:
        number = finite_number(text)
    except ValueError:
        return None
    return int(number) if number == int(number) else None


def _no_qrels(line: str, found: list[str]) -> str:
    if len(found) in (3, 5, 6) and is_number(found[2 if len(found) == 3 else -2]):
        return f"found a line of {len(found)} columns, as runs have them: {_EXPECTED}"
    if line.count(",") > 3 and "\t" not in line:
        what = "topic information" if line.startswith("Topic,") else "values"
        return f"found {what} separated by commas: {_EXPECTED}"
    return f"found a line of {len(found)} columns: {_EXPECTED}"


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write judgments between tabs, as the lab does; topics without any leave no trace."""
    with open_atomic(path) as file:
        for topic_id, of_topic in qrels.grades.items():
            check_ids(path, (topic_id, *of_topic))
            file.writelines(
                f"{topic_id}\t0\t{document}\t{grade}\n" for document, grade in of_topic.items()
            )


class TopicInformation(NamedTuple):
    """What the assessors said of a topic.

    ``category`` is Computation, Concept or Proof, or two of them joined by ``&``; ``difficulty``
    is Low, Medium or High; ``dependency`` says what the question rests on: Text, Formula or Both.
    ``multi_part`` is Yes or No, and empty before 2022, when nobody said.
    """

    topic_id: TopicId
    category: str
    difficulty: str
    dependency: str
    multi_part: str = ""


_HEADINGS = {
    "category": ("Category", "TopicType"),
    "difficulty": ("Difficulty",),
    "dependency": ("Dependency", "Dependence"),
}
_WORDS = {"Calculation": "Computation", "Easy": "Low", "Hard": "High"}
"""Words that mean the same in different years, by the word of 2022."""


def read_topic_information(path: Path) -> Iterator[TopicInformation]:
    """The topics of ``Task1_ARQMath*_Topic_Information.csv``, of all years in the words of 2022."""
    rows = read_csv_rows(path, ",")
    number, header = next(rows, (1, [""]))
    places = [_place(header, names) for names in (("Topic",), *_HEADINGS.values())]
    parts = _place(header, ("Multi-Part",))
    if None in places:
        wanted = ", ".join(["Topic", *(" or ".join(names) for names in _HEADINGS.values())])
        why = (
            f"found the header {','.join(header)[:80]!r}: expected topic information with {wanted}"
        )
        raise FormatError(str(path), number, why)
    for number, row in rows:
        if not any(row):
            continue
        if len(row) != len(header):
            why = f"found {len(row)} values: expected {len(header)}, as the header has them"
            raise FormatError(str(path), number, why)
        topic_id, *told = (row[place] for place in places if place is not None)
        category, difficulty, dependency = (_WORDS.get(word, word) for word in told)
        multi_part = "" if parts is None else row[parts]
        yield TopicInformation(TopicId(topic_id), category, difficulty, dependency, multi_part)


def _place(header: list[str], names: tuple[str, ...]) -> int | None:
    return next((place for place, name in enumerate(header) if name.strip() in names), None)


class RunAnswerId(NamedTuple):
    """Which answer, by the id it has in the qrels of Task 3, a run gave to a topic."""

    run: str
    topic_id: TopicId
    answer_id: DocId


def read_answer_ids(path: Path) -> Iterator[RunAnswerId]:
    """The lines of ``task3_2022_teams_answer_id.tsv``; equal answers of two runs share an id."""
    for number, line in read_lines(path):
        found = columns(line)
        if len(found) != 3 or not all(found):
            why = f"found {line[:80]!r}: expected run, topic and answer id, between tabs"
            raise FormatError(str(path), number, why)
        run, topic_id, answer_id = found
        if number == 1 and "topic" in topic_id.lower():
            continue  # headings, which the lab's file does not have
        yield RunAnswerId(run, TopicId(topic_id), DocId(answer_id))


class VisualIdRow(NamedTuple):
    """What formulas with a visual id of 2020 (the first numbering) have in common.

    That is either their layout tree as Tangent writes it or their LaTeX without blanks; the other
    is empty.
    """

    visual_id: str
    slt: str
    latex: str


def read_visual_ids(path: Path) -> Iterator[VisualIdRow]:
    """The lines of ``task2_2020_visual_id_v1_file.tsv``."""
    for number, line in read_lines(path):
        found = ["" if column == "None" else column for column in line.split("\t")]
        if len(found) != 3 or not found[0].isdecimal() or not (found[1] or found[2]):
            why = f"found {line[:80]!r}: expected visual id, layout tree or None, LaTeX or None"
            raise FormatError(str(path), number, why)
        yield VisualIdRow(*found)
