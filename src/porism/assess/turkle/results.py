"""Assessment by Turkle instead of our own pages: its results, as CSV, read as judgments.

Turkle writes a row for each task that somebody finished: columns of its own, those of the task with
``Input.`` before their names, and what was chosen with ``Answer.`` before the names of the
template's fields.
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
"""The columns that Turkle adds; the last one since its version 2.1."""

_INPUTS = re.compile(r"Input\.(?:topic_id|title|question|(?:candidate|html|state)_[1-9][0-9]*)")
_ANSWERS = re.compile(r"Answer\.(?:choice|comment|machine_made|unrelated)_[1-9][0-9]*")
_NEEDED = ("SubmitTime", "WorkTimeInSeconds", "Input.topic_id", "Input.candidate_1")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of results, with the place that an error tells."""

    path: Path
    line: int
    cells: Mapping[str, str]

    def wrong(self, why: str) -> FormatError:
        return FormatError(str(self.path), self.line, why)


@dataclass(frozen=True, slots=True)
class TurkleImport:
    """Where results are read into: the batch and its pool."""

    batch: str
    pool: Pool


def read_turkle_results(path: Path, results: TurkleImport) -> tuple[Judgment, ...]:
    """The judgments in a file of results, numbered in the order in which they were sent.

    An assessor is called by their user name, or where Turkle told none by the worker's id. The
    time of a task is shared out evenly among its candidates. Unknown columns and choices, and
    candidates that the pool does not have, are a FormatError.
    """
    known = {(each.topic_id, each.doc_id) for each in results.pool.candidates}
    found: list[tuple[datetime, list[Judgment]]] = []
    for row in _rows(path):
        sent = _time(row)
        found.append((sent, list(_judgments(row, results.batch, sent, known))))
    ordered = [each for _, of_row in sorted(found, key=lambda one: one[0]) for each in of_row]
    return tuple(replace(judgment, number=number) for number, judgment in enumerate(ordered, 1))


def _rows(path: Path) -> Iterator[_Row]:
    rows = read_csv_rows(path, ",")
    line, header = next(rows, (1, []))
    _check_columns(path, line, header)
    for line, cells in rows:
        if len(cells) != len(header):
            why = f"found {len(cells)} cells: expected {len(header)}, as the header has them"
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
            f"found the columns {', '.join(map(repr, unknown[:5]))}, which are not of our template:"
            " expected results of Turkle, as downloaded, with Input.topic_id, Answer.choice_1, ..."
        )
    missing = [name for name in _NEEDED if name not in header]
    if missing or not {"Turkle.Username", "WorkerId"}.intersection(header):
        wanted = missing or ["Turkle.Username or WorkerId"]
        refuse(f"the column {', '.join(wanted)} is missing: expected results of Turkle")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        refuse(f"found the column {twice[0]} twice: expected each once")


def _judgments(
    row: _Row, batch: str, sent: datetime, known: set[tuple[TopicId, DocId]]
) -> Iterator[Judgment]:
    assessor = (row.cells.get("Turkle.Username") or row.cells.get("WorkerId", "")).strip()
    if not assessor:
        raise row.wrong("nobody is named who judged: expected a batch for which one must sign in")
    try:
        check_name("an assessor", assessor)
    except PorismError as error:
        raise row.wrong(f"{assessor[:100]!r} judged: {error}") from None
    places = _places(row)
    seconds = _seconds(row) / len(places)
    topic_id = TopicId(_given(row, "topic_id"))
    for place in places:
        doc_id = DocId(_given(row, f"candidate_{place}"))
        if (topic_id, doc_id) not in known:
            raise row.wrong(
                f"{doc_id} is no candidate for topic {topic_id}: are the results of another pool?"
            )
        yield Judgment(
            number=0,
            batch=batch,
            assessor=assessor,
            topic_id=topic_id,
            doc_id=doc_id,
            choice=_choice(row, place),
            at=sent.isoformat(timespec="milliseconds"),
            seconds=seconds,
            comment=_comment(row, place),
            is_machine_made=_yes_or_no(row, f"Answer.machine_made_{place}"),
            is_unrelated=_yes_or_no(row, f"Answer.unrelated_{place}"),
        )


def _given(row: _Row, name: str) -> str:
    """An id as the pool has it; in the file it is HTML."""
    return unescape(row.cells[f"Input.{name}"])


def _places(row: _Row) -> list[int]:
    """The numbers of the candidates that a task has; an answer to any other is refused."""
    numbers = sorted(
        int(name.rpartition("_")[2])
        for name, cell in row.cells.items()
        if name.startswith("Input.candidate_") and cell
    )
    if not numbers:
        raise row.wrong("the task has no candidate: expected one in Input.candidate_1")
    answered = {
        int(name.rpartition("_")[2])
        for name, cell in row.cells.items()
        if name.startswith("Answer.choice_") and cell
    }
    beyond = sorted(answered.difference(numbers))
    if beyond:
        raise row.wrong(
            f"Answer.choice_{beyond[0]} is given, and the task has no candidate {beyond[0]}: "
            "expected one in Input.candidate_" + str(beyond[0])
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
        found = f"{name} is {text[:40]!r}" if text else f"{name} is empty"
        raise row.wrong(
            f"{found}: expected one of {', '.join(Choice)}, or the lab's numbers for these, "
            f"{', '.join(_LAB_CHOICES)}"
        ) from None


_LAB_CHOICES = {str(code): choice for code, choice in CHOICE_BY_CODE.items()}
"""Templates that send numbers, as the lab's qrels have them, are understood as well."""


def _comment(row: _Row, place: int) -> str:
    """What was written, with line ends as everywhere; browsers send them as CRLF."""
    name = f"Answer.comment_{place}"
    text = row.cells.get(name, "").replace("\r\n", "\n").strip()
    if len(text) > MAX_COMMENT_LENGTH:
        raise row.wrong(
            f"{name} has {len(text):,} characters: expected at most {MAX_COMMENT_LENGTH:,}"
        )
    return text


def _yes_or_no(row: _Row, name: str) -> bool | None:
    text = row.cells.get(name, "").strip()
    if text not in ("", "yes", "no"):
        raise row.wrong(f"{name} is {text[:40]!r}: expected yes or no")
    return None if not text else text == "yes"


def _seconds(row: _Row) -> float:
    text = row.cells["WorkTimeInSeconds"]
    try:
        seconds = finite_number(text)
    except ValueError:
        seconds = -1.0
    if seconds < 0:
        raise row.wrong(f"WorkTimeInSeconds is {text[:40]!r}: expected a number of seconds")
    return seconds


_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_TIME = re.compile(
    rf"(?P<day>{'|'.join(_DAYS)}) (?P<month>{'|'.join(_MONTHS)}) (?P<date>[0-9]{{1,2}}) "
    r"(?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2}) (?:UTC|GMT) (?P<year>[0-9]{4})"
)


def _time(row: _Row) -> datetime:
    """When a task was sent. The names of months are English, wherever we are."""
    text = row.cells["SubmitTime"].strip()
    found = _TIME.fullmatch(text)
    expected = "expected a time such as 'Mon Mar 02 12:00:00 UTC 2026'"
    if found is None:
        raise row.wrong(f"SubmitTime is {text[:40]!r}: {expected}")
    month = _MONTHS.index(found["month"]) + 1
    date = f"{found['year']}-{month:02}-{int(found['date']):02}"
    try:
        time = datetime.fromisoformat(f"{date}T{found['time']}+00:00")
    except ValueError:
        raise row.wrong(f"SubmitTime is {text[:40]!r}, which never was: {expected}") from None
    if _DAYS[time.weekday()] != found["day"]:
        # Old versions write the number of the month where the day should be.
        raise row.wrong(
            f"SubmitTime is {text[:40]!r}, which was a {_DAYS[time.weekday()]}: old versions of "
            "Turkle write wrong days; update it and download the results again"
        )
    return time
