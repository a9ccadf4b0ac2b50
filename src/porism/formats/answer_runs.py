"""Runs of ARQMath Task 3, in which a system answers each topic with a text.

A line has topic, rank, score, run, sources and answer, separated by tabs, with the answer quoted as
in CSV. Answers also circulate as two columns, topic and answer, separated by tabs or commas.
"""

from __future__ import annotations

from pathlib import Path

from porism.errors import FormatError, PorismError
from porism.formats.text_lines import (
    check_ids,
    file_stem,
    finite_number,
    open_atomic,
    read_csv_rows,
    read_lines,
)
from porism.model import AnswerRun, RunAnswer, TopicId

_HEADINGS = frozenset({"column1", "topic", "topic_id", "topicid", "query_id"})
_EXPECTED = (
    "expected an ARQMath Task 3 run with the tab-separated columns topic, rank, score, run, sources"
    " and answer, or topic and answer"
)


def is_answer_run(path: Path) -> bool:
    """Whether a file looks like a run of Task 3 and not like one of another task.

    Its first line has two columns, or six of which the last is quoted, as in the lab's files.
    """
    _, first = next(read_lines(path), (1, ""))
    cells = first.split("\t")
    if len(cells) == 6:
        return cells[5].startswith('"')
    return len(cells) == 2 or ("\t" not in first and "," in first)


def read_answer_run(path: Path, encoding: str = "utf-8") -> AnswerRun:
    """The answers of a file, plain or gzip; a header line is skipped.

    The run is named by the fourth of six columns, or after its file if there are two. ``encoding``
    is for files that are not UTF-8, such as ``cp1252``.
    """
    _, first = next(read_lines(path, encoding), (1, ""))
    answers: dict[TopicId, RunAnswer] = {}
    name = ""
    width = 0
    for number, row in read_csv_rows(path, "\t" if "\t" in first else ",", encoding):
        if not any(map(str.strip, row)):
            continue
        width = width or len(row)
        if len(row) not in (2, 6) or len(row) != width:
            other = f", after lines of {width}" if len(row) != width else ""
            why = f"found a line of {len(row)} columns{other}: {_EXPECTED}"
            raise FormatError(str(path), number, why)
        if not answers and row[0].lower() in _HEADINGS:
            continue
        topic_id = TopicId(row[0].strip())
        if not topic_id or topic_id in answers:
            what = f"a second answer to topic {topic_id}" if topic_id else "an answer to no topic"
            raise FormatError(str(path), number, f"found {what}: expected one answer to each topic")
        try:
            answers[topic_id] = _answer(row)
        except ValueError as error:
            why = f"found a rank or a score that is not a number ({error}): {_EXPECTED}"
            raise FormatError(str(path), number, why) from None
        name = name or (row[3] if width == 6 else file_stem(path))
    if not answers:
        raise FormatError(str(path), 1, f"the file has no answers: {_EXPECTED}")
    return AnswerRun(name or file_stem(path), answers)


def _answer(row: list[str]) -> RunAnswer:
    if len(row) == 2:
        return RunAnswer(row[1])
    _, rank, score, _, sources, text = row
    return RunAnswer(text, finite_number(score), int(rank), sources)


def write_answer_run(path: Path, run: AnswerRun) -> None:
    """Write the answers in the six columns of the lab, so that they read back equal."""
    if not run.answers:
        raise PorismError(f"{path}: the run {run.name} has no answers, so nothing to write")
    check_ids(path, (run.name, *run.answers))
    first = next(iter(run.answers))
    if first.lower() in _HEADINGS:
        raise PorismError(f"{path}: the topic {first} would be read as a heading")
    with open_atomic(path) as file:
        for topic_id, answer in run.answers.items():
            try:
                score = repr(finite_number(repr(float(answer.score))))
            except ValueError:
                why = f"has the score {answer.score}: expected a finite number"
                raise PorismError(f"{path}: the answer to topic {topic_id} {why}") from None
            cells = (topic_id, str(answer.rank), score, run.name, answer.sources)
            file.write("\t".join(_quoted_where_needed(cell) for cell in cells))
            file.write(f"\t{_quoted(answer.text)}\n")


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _quoted_where_needed(text: str) -> str:
    return _quoted(text) if any(char in text for char in '"\t\r\n') else text
