"""Runs in the formats of the ARQMath tasks, trec_eval and others, recognised by content.

The order of lines and the ranks in a file are ignored: rankings are made from the scores, as
trec_eval does.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from porism.errors import FormatError, PorismError
from porism.formats.text_lines import (
    check_ids,
    columns,
    file_stem,
    finite_number,
    is_number,
    open_atomic,
    read_lines,
)
from porism.model import DocId, Hit, Run, TopicId, ranked


class RunForm(StrEnum):
    """The columns of a run. Task 2 and TREC both have six; the second distinguishes them."""

    TASK1 = "task1"
    TASK2 = "task2"
    TREC = "trec"
    SCORES = "scores"

    @property
    def description(self) -> str:
        """The form as messages describe it."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    RunForm.TASK1: "an ARQMath Task 1 run (topic, post, rank, score, run)",
    RunForm.TASK2: "an ARQMath Task 2 run (topic, formula, post, rank, score, run)",
    RunForm.TREC: "a TREC run (topic, Q0, document, rank, score, run)",
    RunForm.SCORES: "a run of three columns (topic, document, score)",
}
_FORM_OF_COLUMNS = {5: RunForm.TASK1, 3: RunForm.SCORES}
COLUMNS = {RunForm.TASK1: 5, RunForm.TASK2: 6, RunForm.TREC: 6, RunForm.SCORES: 3}
"""The number of columns of each form."""

ITERATIONS = frozenset({"Q0", "0", "1"})
"""Values of the second column of TREC runs, unless it is the same word on every line."""

MAX_SCORE = 3.4028235e38
"""The largest 32-bit float; trec_eval would read a larger score as infinity."""


class _Line(NamedTuple):
    number: int
    columns: list[str]


class _PossibleForms(NamedTuple):
    forms: tuple[RunForm, ...]  # the likeliest first
    line: int  # the line that decided
    is_likely: bool = True  # False if there is no evidence for any of them


def run_form(path: Path, otherwise: RunForm | None = None) -> RunForm:
    """The form of a run, from as many of its first lines as it takes to decide.

    Six columns are TREC if the second is ``Q0``, ``0`` or ``1``, or the same word everywhere. They
    are Task 2 if it varies, or is another number, and post and rank are numbers. If neither holds,
    because posts have names, it is ``otherwise``, or an error if that is not possible.
    """
    possible = _possible_forms(path)
    if not possible.is_likely and otherwise in possible.forms:
        return otherwise
    if not possible.is_likely:
        raise FormatError(
            str(path),
            possible.line,
            "found six columns whose second varies, unlike TREC, and whose third is not a post "
            "number, unlike ARQMath Task 2: specify the form",
        )
    return possible.forms[0]


def read_run(path: Path, form: RunForm | None = None) -> Run:
    """The rankings of a file, plain or gzip, topics in the order of their first lines.

    A file of another form than ``form`` is an error. The run is named by the last column of its
    first line, or after its file if there is no such column.
    """
    if form is None:
        return _ranked_run(path, run_form(path))
    possible = _possible_forms(path)
    if form not in possible.forms:
        why = f"found {possible.forms[0].description}: expected {form.description}"
        raise FormatError(str(path), possible.line, why)
    return _ranked_run(path, form)


def _possible_forms(path: Path) -> _PossibleForms:
    seconds: set[str] = set()
    seen: set[tuple[str, str]] = set()
    number = 0
    for number, cells in _lines(path):
        if len(cells) in _FORM_OF_COLUMNS:
            return _PossibleForms((_FORM_OF_COLUMNS[len(cells)],), number)
        topic_id, second, post_id, rank = cells[:4]
        seconds.add(second)
        if not seconds <= ITERATIONS and (len(seconds) > 1 or is_number(second)):
            if is_number(post_id) and is_number(rank):
                return _PossibleForms((RunForm.TASK2,), number)
            return _PossibleForms((RunForm.TASK2, RunForm.TREC), number, is_likely=False)
        # A formula occurs once per topic, so a column with repetitions does not hold formulas.
        if second == "Q0" or (topic_id, second) in seen:
            return _PossibleForms((RunForm.TREC,), number)
        seen.add((topic_id, second))
    if not seconds:
        raise FormatError(str(path), 1, "the file has no lines: expected a run")
    return _PossibleForms((RunForm.TREC, RunForm.TASK2), number)


def _lines(path: Path) -> Iterator[_Line]:
    """The lines of a run of any form, each with 3, 5 or 6 columns."""
    for number, line in read_lines(path):
        cells = columns(line)
        width = len(cells)
        if width not in (3, 5, 6):
            cells = columns_by_blanks(line)
        if not cells:
            like = ", as in qrels" if width == 4 else ""
            why = f"found a line of {width} columns{like}: expected a run, of 3, 5 or 6 columns"
            raise FormatError(str(path), number, why)
        yield _Line(number, cells)


def regular_columns(text: str, width: int) -> list[list[str]] | None:
    """The columns of lines of ``width`` cells, all separated by tabs or all by single blanks.

    None for any other lines. The text is split at once, with line feeds as cells of their own,
    whose positions are then checked: a list for each line would be slow to create, and slower
    still to garbage-collect.

    >>> regular_columns("a\\t1\\nb\\t2", 2), regular_columns("a\\t1\\nb", 2)
    ([['a', 'b'], ['1', '2']], None)
    """
    separator = "\t"
    if " " in text:
        separator = " "
        if "\t" in text or any(blanks in f"\n{text}\n" for blanks in ("  ", "\n ", " \n")):
            return None
    cells = text.replace("\n", f"{separator}\n{separator}").split(separator)
    ends = cells[width :: width + 1]
    if len(cells) % (width + 1) != width or ends.count("\n") != text.count("\n"):
        return None
    return [cells[index :: width + 1] for index in range(width)]


def columns_by_blanks(line: str) -> list[str]:
    """The six columns of a line that mixes tabs and blanks, or whose document id has blanks.

    A run of NTCIR-12 has such lines. Empty if rank and score are not where they belong.
    """
    cells = line.split()
    if len(cells) >= 6 and is_number(cells[-3]) and is_number(cells[-2]):
        return [*cells[:2], " ".join(cells[2:-3]), *cells[-3:]]
    return []


def _ranked_run(path: Path, form: RunForm) -> Run:
    topics: dict[TopicId, dict[DocId, Hit]] = {}
    name = ""
    for line in read_hits(path, form):
        name = name or line.run
        hits = topics.setdefault(line.topic_id, {})
        if line.hit.doc_id in hits:
            raise duplicate_hit(path, line, form)
        hits[line.hit.doc_id] = line.hit
    rankings = {topic_id: ranked(hits.values()) for topic_id, hits in topics.items()}
    return Run(name or file_stem(path), rankings)


class HitLine(NamedTuple):
    """A line of a run, with its number in the file."""

    number: int
    topic_id: TopicId
    hit: Hit
    run: str


def read_hits(path: Path, form: RunForm) -> Iterator[HitLine]:
    """The lines of a run in order, each checked by itself; a document may still occur twice."""
    iteration = ""
    for number, line in _lines(path):
        iteration = iteration or line[1]
        try:
            _check_form(line, form, iteration)
            hit = _hit(line, form)
        except ValueError as error:
            raise FormatError(str(path), number, str(error)) from None
        run = file_stem(path) if form is RunForm.SCORES else line[-1]
        yield HitLine(number, TopicId(line[0]), hit, run)


def duplicate_hit(path: Path, line: HitLine, form: RunForm) -> FormatError:
    """The error for a document that its topic already has."""
    what = "formula" if form is RunForm.TASK2 else "document"
    return FormatError(
        str(path),
        line.number,
        f"{what} {line.hit.doc_id} is here for the second time in topic {line.topic_id}: expected "
        f"each once in {form.description}; keep the line with the higher score",
    )


def _check_form(line: list[str], form: RunForm, iteration: str) -> None:
    """Raise a ValueError for a line that belongs to a run of another form."""
    if len(line) != COLUMNS[form]:
        other = f"a line of {len(line)} columns"
    elif form is RunForm.TREC and line[1] not in ITERATIONS and line[1] != iteration:
        other = f"{line[1]!r} in the second column, where lines above have {iteration!r},"
    elif form is RunForm.TASK2 and line[1] == "Q0":
        other = "a line of a TREC run, with Q0 in the second column,"
    else:
        return
    raise ValueError(f"found {other} in {form.description}: the file mixes forms; split it")


def _hit(line: list[str], form: RunForm) -> Hit:
    """The hit of a line; raises ValueError if the line is invalid."""
    document = line[2 if form is RunForm.TREC else 1]
    if not line[0] or not document:
        raise ValueError("found an empty column: expected the ids of a topic and of a document")
    text = line[2 if form is RunForm.SCORES else -2]
    try:
        score = finite_number(text)
    except ValueError:
        why = f"found the score {text!r}: expected a finite number{_HEADER_HINT}"
        raise ValueError(why) from None
    if abs(score) > MAX_SCORE:
        raise ValueError(f"found the score {text!r}: expected a 32-bit number")
    if form is RunForm.SCORES:
        return Hit(DocId(document), score)
    if not line[-3].isdecimal() and not is_number(line[-3]):
        raise ValueError(f"found the rank {line[-3]!r}: expected a number{_HEADER_HINT}")
    return Hit(DocId(document), score, DocId(line[2]) if form is RunForm.TASK2 else None)


_HEADER_HINT = " (a run has no header line)"


def write_run(path: Path, run: Run, form: RunForm) -> None:
    """Write the rankings so that they read back equal, separated by tabs, or by blanks for TREC.

    Topics without hits are left out, so a run without any hit is an error. Scores are written with
    as few digits as distinguish 32-bit floats, the precision of ``ranked``.
    """
    if not any(run.rankings.values()):
        raise PorismError(f"{path}: the run {run.name} has no hits, so there is nothing to write")
    _check_ids(path, (run.name,), form)
    separator = " " if form is RunForm.TREC else "\t"
    with open_atomic(path) as file:
        for topic_id, ranking in run.rankings.items():
            if len({hit.doc_id for hit in ranking}) < len(ranking):
                raise PorismError(f"{path}: the ranking of topic {topic_id} repeats a document")
            _check_ids(path, (topic_id,), form)
            for hit in ranking:
                _check_hit(path, topic_id, hit, form)
            for rank, hit in enumerate(ranked(ranking), start=1):
                file.write(separator.join(_cells(topic_id, rank, hit, run.name, form)) + "\n")


def _check_ids(path: Path, ids: Collection[str], form: RunForm) -> None:
    check_ids(path, ids)
    if form is RunForm.TREC:
        for text in ids:
            if len(text.split()) > 1:
                raise PorismError(
                    f"{path}: trec_eval would split {text!r} at its blank; write the run in "
                    "another form"
                )


def _check_hit(path: Path, topic_id: TopicId, hit: Hit, form: RunForm) -> None:
    _check_ids(path, (hit.doc_id,), form)
    where = f"{path}: document {hit.doc_id} of topic {topic_id}"
    if not abs(hit.score) <= MAX_SCORE:
        raise PorismError(f"{where} has the score {hit.score}: expected a finite number")
    if form is RunForm.TASK2:
        if hit.post_id is None:
            raise PorismError(f"{where} has no post, which a run of Task 2 needs for each formula")
        if hit.doc_id == "Q0":
            raise PorismError(f"{where} would make the file look like a TREC run")
        check_ids(path, (hit.post_id,))


def _cells(topic_id: TopicId, rank: int, hit: Hit, name: str, form: RunForm) -> tuple[str, ...]:
    score = score_text(hit.score)
    match form:
        case RunForm.TASK1:
            return topic_id, hit.doc_id, str(rank), score, name
        case RunForm.TASK2:
            return topic_id, hit.doc_id, hit.post_id or "", str(rank), score, name
        case RunForm.TREC:
            return topic_id, "Q0", hit.doc_id, str(rank), score, name
        case RunForm.SCORES:
            return topic_id, hit.doc_id, score


def score_text(score: float) -> str:
    """The shortest decimal number that reads back as the same 32-bit float as ``score``.

    >>> score_text(0.1), score_text(1612.0925), score_text(2.0)
    ('0.1', '1612.0925', '2.0')
    """
    as_float32 = _FLOAT32.pack(score)
    for digits in range(6, 9):
        text = f"{score:.{digits}g}"
        if _FLOAT32.pack(float(text)) == as_float32:
            break
    else:
        text = f"{score:.9g}"  # always enough
    return repr(float(text))


_FLOAT32 = struct.Struct("f")
