"""Judgments, and the small tables that the ARQMath labs published with them.

A line of qrels has topic, iteration, document and grade. Grades are kept unchanged: the evaluation
decides what 5 (system failure) and 6 (do not know) mean. Documents are posts, formulas, visual ids
or answers, depending on the file, which does not say.
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

    A repeated judgment counts once; two that disagree are an error.
    """
    grades: dict[TopicId, dict[DocId, int]] = {}
    for number, line in read_lines(path):
        cells = columns(line)
        if len(cells) != 4:
            raise FormatError(str(path), number, _wrong_columns(line, cells))
        topic_id, document, grade = TopicId(cells[0]), DocId(cells[2]), _grade(cells[3])
        if grade is None or not topic_id or not document:
            raise FormatError(
                str(path),
                number,
                f"found {line[:80]!r}, whose grade is not an integer or whose ids are empty: "
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


_EXPECTED = "expected qrels with the columns topic, 0, document, grade, as in 'A.1 0 2190525 2'"


def _grade(text: str) -> int | None:
    """The grade, which some files write as ``2.0``; None if it is not an integer."""
    try:
        number = finite_number(text)
    except ValueError:
        return None
    return int(number) if number == int(number) else None


def _wrong_columns(line: str, cells: list[str]) -> str:
    if len(cells) in (3, 5, 6) and is_number(cells[2 if len(cells) == 3 else -2]):
        return f"found a line of {len(cells)} columns, as in a run: {_EXPECTED}"
    if line.count(",") > 3 and "\t" not in line:
        what = "topic information" if line.startswith("Topic,") else "values"
        return f"found {what} separated by commas: {_EXPECTED}"
    return f"found a line of {len(cells)} columns: {_EXPECTED}"


def write_qrels(path: Path, qrels: Qrels) -> None:
    """Write judgments separated by tabs, as the lab does; topics without any are left out."""
    with open_atomic(path) as file:
        for topic_id, of_topic in qrels.grades.items():
            check_ids(path, (topic_id, *of_topic))
            file.writelines(
                f"{topic_id}\t0\t{document}\t{grade}\n" for document, grade in of_topic.items()
            )


class TopicInformation(NamedTuple):
    """A topic as the assessors classified it.

    ``category`` is Computation, Concept or Proof, or two of them joined by ``&``; ``difficulty``
    is Low, Medium or High; ``dependency`` is what the question depends on: Text, Formula or Both.
    ``multi_part`` is Yes or No, and empty before 2022.
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
"""Synonyms of earlier years, mapped to the word of 2022."""


def read_topic_information(path: Path) -> Iterator[TopicInformation]:
    """The topics of ``Task1_ARQMath*_Topic_Information.csv``, of any year, in the words of 2022."""
    rows = read_csv_rows(path, ",")
    number, header = next(rows, (1, [""]))
    indexes = [_column(header, names) for names in (("Topic",), *_HEADINGS.values())]
    parts = _column(header, ("Multi-Part",))
    if None in indexes:
        names = ", ".join(["Topic", *(" or ".join(names) for names in _HEADINGS.values())])
        why = f"found the header {','.join(header)[:80]!r}: expected topic information with {names}"
        raise FormatError(str(path), number, why)
    for number, row in rows:
        if not any(row):
            continue
        if len(row) != len(header):
            why = f"found {len(row)} values: expected {len(header)}, as in the header"
            raise FormatError(str(path), number, why)
        topic_id, *words = (row[index] for index in indexes if index is not None)
        category, difficulty, dependency = (_WORDS.get(word, word) for word in words)
        multi_part = "" if parts is None else row[parts]
        yield TopicInformation(TopicId(topic_id), category, difficulty, dependency, multi_part)


def _column(header: list[str], names: tuple[str, ...]) -> int | None:
    return next((index for index, name in enumerate(header) if name.strip() in names), None)


class RunAnswerId(NamedTuple):
    """The answer of a run to a topic, by its id in the qrels of Task 3."""

    run: str
    topic_id: TopicId
    answer_id: DocId


def read_answer_ids(path: Path) -> Iterator[RunAnswerId]:
    """The lines of ``task3_2022_teams_answer_id.tsv``; equal answers of two runs share an id."""
    for number, line in read_lines(path):
        cells = columns(line)
        if len(cells) != 3 or not all(cells):
            why = f"found {line[:80]!r}: expected run, topic and answer id, separated by tabs"
            raise FormatError(str(path), number, why)
        run, topic_id, answer_id = cells
        if number == 1 and "topic" in topic_id.lower():
            continue  # a header, which the lab's file does not have
        yield RunAnswerId(run, TopicId(topic_id), DocId(answer_id))


class VisualIdRow(NamedTuple):
    """What formulas with one visual id of 2020 (the first numbering) share.

    This is either their layout tree in Tangent's notation or their LaTeX without blanks; the other
    is empty.
    """

    visual_id: str
    slt: str
    latex: str


def read_visual_ids(path: Path) -> Iterator[VisualIdRow]:
    """The lines of ``task2_2020_visual_id_v1_file.tsv``."""
    for number, line in read_lines(path):
        cells = ["" if column == "None" else column for column in line.split("\t")]
        if len(cells) != 3 or not cells[0].isdecimal() or not (cells[1] or cells[2]):
            why = f"found {line[:80]!r}: expected visual id, layout tree or None, LaTeX or None"
            raise FormatError(str(path), number, why)
        yield VisualIdRow(*cells)
