"""Results of Turkle, as CSV, read as judgments.

Turkle writes a row for each finished task: columns of its own, those of the task prefixed with
``Input.``, and the fields of the template prefixed with ``Answer.``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from html import unescape
from pathlib import Path

from porism.assess.judgments.assessors import check_name
from porism.assess.judgments.store import MAX_COMMENT_LENGTH
from porism.assess.records import CHOICE_BY_CODE, Choice, Judgment, Pool
from porism.errors import FormatError, PorismError
from porism.formats.text_lines import finite_number, read_csv_rows
from porism.model import DocId, TopicId

_OWN = (
    "HITId",
    "HITTypeId",
    "Title",
    "CreationTime",
    "MaxAssignments",
    "AssignmentDurationInSeconds",
    "AssignmentId",
    "WorkerId",
    "AcceptTime",
    "SubmitTime",
    "WorkTimeInSeconds",
    "Turkle.Username",
)
"""The columns that Turkle adds; the last one since version 2.1."""

_INPUTS = re.compile(r"Input\.(?:topic_id|title|question|(?:candidate|html|state)_[1-9][0-9]*)")
_ANSWERS = re.compile(r"Answer\.(?:choice|comment|machine_made|unrelated)_[1-9][0-9]*")
_NEEDED = ("SubmitTime", "WorkTimeInSeconds", "Input.topic_id", "Input.candidate_1")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of results, with its place for errors."""

    path: Path
    line: int
    cells: Mapping[str, str]

    def error(self, why: str) -> FormatError:
        return FormatError(str(self.path), self.line, why)


@dataclass(frozen=True, slots=True)
class TurkleImport:
    """The batch that results are imported into, and its pool."""

    batch: str
    pool: Pool


def read_turkle_results(path: Path, results: TurkleImport) -> tuple[Judgment, ...]:
    """The judgments in a file of results, numbered in the order of submission.

    Assessors are identified by their user name, or by the worker's id if there is none. The time of
    a task is divided evenly among its candidates. Unknown columns, choices and candidates are a
    FormatError.
    """
    known = {(each.topic_id, each.doc_id) for each in results.pool.candidates}
    by_time: list[tuple[datetime, list[Judgment]]] = []
    for row in _rows(path):
        submitted = _time(row)
        by_time.append((submitted, list(_judgments(row, results.batch, submitted, known))))
    ordered = [each for _, of_row in sorted(by_time, key=lambda one: one[0]) for each in of_row]
    return tuple(replace(judgment, number=number) for number, judgment in enumerate(ordered, 1))


def _rows(path: Path) -> Iterator[_Row]:
    rows = read_csv_rows(path, ",")
    line, header = next(rows, (1, []))
    _check_columns(path, line, header)
    for line, cells in rows:
        if len(cells) != len(header):
            why = f"found {len(cells)} cells: expected {len(header)}, as in the header"
            raise FormatError(str(path), line, why)
        yield _Row(path, line, dict(zip(header, cells, strict=True)))


def _check_columns(path: Path, line: int, header: Sequence[str]) -> None:
    def refuse(why: str) -> None:
        raise FormatError(str(path), line, why)

    unknown = [
        name
        for name in header
        if name not in _OWN and not _INPUTS.fullmatch(name) and not _ANSWERS.fullmatch(name)
    ]
    if unknown:
        refuse(
            f"found the columns {', '.join(map(repr, unknown[:5]))}, which are not in our template:"
            " expected results of Turkle, as downloaded, with Input.topic_id, Answer.choice_1, ..."
        )
    missing = [name for name in _NEEDED if name not in header]
    if missing or not {"Turkle.Username", "WorkerId"}.intersection(header):
        needed = missing or ["Turkle.Username or WorkerId"]
        refuse(f"the column {', '.join(needed)} is missing: expected results of Turkle")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        refuse(f"found the column {twice[0]} twice: expected each once")


def _judgments(
    row: _Row, batch: str, submitted: datetime, known: set[tuple[TopicId, DocId]]
) -> Iterator[Judgment]:
    assessor = (row.cells.get("Turkle.Username") or row.cells.get("WorkerId", "")).strip()
    if not assessor:
        raise row.error("found no assessor: expected a batch that requires signing in")
    try:
        check_name("an assessor", assessor)
    except PorismError as error:
        raise row.error(f"found the assessor {assessor[:100]!r}: {error}") from None
    places = _places(row)
    seconds = _seconds(row) / len(places)
    topic_id = TopicId(_input(row, "topic_id"))
    for place in places:
        doc_id = DocId(_input(row, f"candidate_{place}"))
        if (topic_id, doc_id) not in known:
            raise row.error(
                f"{doc_id} is not a candidate for topic {topic_id}: are these results of another "
                "pool?"
            )
        yield Judgment(
            number=0,
            batch=batch,
            assessor=assessor,
            topic_id=topic_id,
            doc_id=doc_id,
            choice=_choice(row, place),
            at=submitted.isoformat(timespec="milliseconds"),
            seconds=seconds,
            comment=_comment(row, place),
            is_machine_made=_yes_or_no(row, f"Answer.machine_made_{place}"),
            is_unrelated=_yes_or_no(row, f"Answer.unrelated_{place}"),
        )


def _input(row: _Row, name: str) -> str:
    """An id as in the pool; in the file it is HTML."""
    return unescape(row.cells[f"Input.{name}"])


def _places(row: _Row) -> list[int]:
    """The numbers of the candidates of a task; an answer for any other is refused."""
    numbers = sorted(
        int(name.rpartition("_")[2])
        for name, cell in row.cells.items()
        if name.startswith("Input.candidate_") and cell
    )
    if not numbers:
        raise row.error("the task has no candidate: expected one in Input.candidate_1")
    answered = {
        int(name.rpartition("_")[2])
        for name, cell in row.cells.items()
        if name.startswith("Answer.choice_") and cell
    }
    extra = sorted(answered.difference(numbers))
    if extra:
        raise row.error(
            f"found Answer.choice_{extra[0]}, but the task has no candidate {extra[0]}: expected "
            f"one in Input.candidate_{extra[0]}"
        )
    return numbers


def _choice(row: _Row, place: int) -> Choice:
    name = f"Answer.choice_{place}"
    text = row.cells.get(name, "").strip()
    if text in _LAB_CHOICES:
        return _LAB_CHOICES[text]
    try:
        return Choice(text)
    except ValueError:
        value = f"{name} is {text[:40]!r}" if text else f"{name} is empty"
        raise row.error(
            f"{value}: expected one of {', '.join(Choice)}, or the lab's numbers for these, "
            f"{', '.join(_LAB_CHOICES)}"
        ) from None


_LAB_CHOICES = {str(code): choice for code, choice in CHOICE_BY_CODE.items()}
"""Templates that send numbers, as in the lab's qrels, are accepted as well."""


def _comment(row: _Row, place: int) -> str:
    """The comment, with the CRLF of browsers replaced."""
    name = f"Answer.comment_{place}"
    text = row.cells.get(name, "").replace("\r\n", "\n").strip()
    if len(text) > MAX_COMMENT_LENGTH:
        raise row.error(
            f"{name} has {len(text):,} characters: expected at most {MAX_COMMENT_LENGTH:,}"
        )
    return text


def _yes_or_no(row: _Row, name: str) -> bool | None:
    text = row.cells.get(name, "").strip()
    if text not in ("", "yes", "no"):
        raise row.error(f"{name} is {text[:40]!r}: expected yes or no")
    return None if not text else text == "yes"


def _seconds(row: _Row) -> float:
    text = row.cells["WorkTimeInSeconds"]
    try:
        seconds = finite_number(text)
    except ValueError:
        seconds = -1.0
    if seconds < 0:
        raise row.error(f"WorkTimeInSeconds is {text[:40]!r}: expected a number of seconds")
    return seconds


_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_TIME = re.compile(
    rf"(?P<day>{'|'.join(_DAYS)}) (?P<month>{'|'.join(_MONTHS)}) (?P<date>[0-9]{{1,2}}) "
    r"(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2}) (?:UTC|GMT) (?P<year>[0-9]{4})"
)


def _time(row: _Row) -> datetime:
    """When a task was submitted; month names are English in every locale."""
    text = row.cells["SubmitTime"].strip()
    match = _TIME.fullmatch(text)
    expected = "expected a time such as 'Mon Mar 02 12:00:00 UTC 2026'"
    if match is None:
        raise row.error(f"SubmitTime is {text[:40]!r}: {expected}")
    month = _MONTHS.index(match["month"]) + 1
    date = f"{match['year']}-{month:02}-{int(match['date']):02}"
    try:
        time = datetime.fromisoformat(f"{date}T{match['time']}+00:00")
    except ValueError:
        raise row.error(f"SubmitTime is {text[:40]!r}, which does not exist: {expected}") from None
    if _DAYS[time.weekday()] != match["day"]:
        # Old versions write the number of the month in place of the day.
        raise row.error(
            f"SubmitTime is {text[:40]!r}, which was a {_DAYS[time.weekday()]}: old versions of "
            "Turkle write wrong days; update it and download the results again"
        )
    return time
