"""The faults of a run of Task 3: one short answer per topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from porism.errors import FormatError
from porism.evaluation.validation.finding import (
    FindingKind,
    RunChecks,
    RunFinding,
    excerpt,
    run_finding,
)
from porism.evaluation.validation.run_lines import looks_like_ranking, run_columns, score_fault
from porism.evaluation.validation.run_validation import missing_topics, unknown_topic
from porism.evaluation.validation.text_blocks import text_blocks
from porism.formats.answer_text import MAX_ANSWER_LENGTH
from porism.formats.run_scores import MAX_TOPICS
from porism.formats.text_lines import is_number, read_csv_rows, read_lines

_HEADER_NAMES = frozenset({"column1", "topic", "topic_id", "topicid", "query_id"})


def looks_like_answers(line: str) -> bool:
    """Whether a line has the columns of Task 3: topic and answer, with four or none in between.

    >>> looks_like_answers("A.301\\t1\\t0.5\\tmine\\t7\\tIt is so."), looks_like_answers("A.1,Yes")
    (True, True)
    >>> looks_like_answers("B.1\\t7\\t8\\t1\\t0.5\\tmine")
    False
    """
    if "\t" not in line:
        return "," in line.split(" ")[0] and not looks_like_ranking(run_columns(line))
    cells = line.split("\t")
    if len(cells) < 6:
        return len(cells) == 2
    if cells[0].lower() in _HEADER_NAMES:
        return cells[1].lower() == "rank"
    is_ranked = is_number(cells[1]) and is_number(cells[2])
    return is_ranked and not (is_number(cells[3]) and is_number(cells[4]))


def answer_findings(path: Path, checks: RunChecks) -> Iterator[RunFinding]:
    """The faults of a run of answers with six or two columns.

    If the encoding or the quoting is broken, that is the last finding: the start of the next answer
    is unknown.
    """
    faults = [block for block in text_blocks(path) if isinstance(block, RunFinding)]
    yield from faults
    if faults:
        return
    answers = _Answers(checks)
    try:
        _, first = next(read_lines(path), (1, ""))
        for line, row in read_csv_rows(path, "\t" if "\t" in first else ","):
            if any(map(str.strip, row)):
                yield from answers.add(line, row)
            if len(answers.topics) > MAX_TOPICS:
                why = f"found over {MAX_TOPICS:,} topics: expected the topic in the first column"
                yield run_finding(FindingKind.TOO_MANY_TOPICS, line, why)
                return
    except FormatError as error:
        yield run_finding(FindingKind.COLUMNS, error.line, error.why)
        return
    if not answers.rows:
        yield run_finding(
            FindingKind.NO_LINES, None, "the file has no answers: expected a run of Task 3"
        )
    yield from missing_topics(checks, answers.topics, "do not count in its means")


class _Answers:
    """The answers of a run read so far."""

    def __init__(self, checks: RunChecks) -> None:
        self.topics: set[str] = set()
        self.width = 0
        self.rows = 0  # without the header
        self._checks = checks
        self._run_name: str | None = None
        self._name_changed = False

    def add(self, line: int, row: list[str]) -> Iterator[RunFinding]:
        """Add a row and yield its faults."""
        is_first = not self.width
        self.rows += 1
        if len(row) not in (2, 6) or (not is_first and len(row) != self.width):
            expected = self.width or "6 (topic, rank, score, run, sources, answer), or 2"
            why = f"found a row with {len(row)} columns: expected {expected}"
            yield run_finding(FindingKind.COLUMNS, line, why)
            return
        self.width = len(row)
        if is_first and self.width == 2 and self._checks.task is not None:
            why = (
                "found only topics and answers: the lab also requires rank, score, run and sources"
            )
            yield run_finding(FindingKind.SHORT_FORM, line, why)
        if not self.topics and row[0].lower() in _HEADER_NAMES:
            why = f"found a header ({excerpt(', '.join(row))}): a run has none"
            self.rows -= 1
            yield run_finding(FindingKind.ANSWER_HEADER, line, why)
            return
        yield from self._check_topic(line, row[0].strip())
        yield from _check_text(line, row[-1])
        if self.width == 6:
            yield from self._check_columns(line, row)

    def _check_topic(self, line: int, topic_id: str) -> Iterator[RunFinding]:
        if not topic_id:
            why = "found an answer without a topic: expected a topic id in the first column"
            yield run_finding(FindingKind.EMPTY_ID, line, why)
        elif topic_id in self.topics:
            why = f"found a second answer to topic {excerpt(topic_id)}: expected one per topic"
            yield run_finding(FindingKind.ANSWER_TWICE, line, why)
        else:
            self.topics.add(topic_id)
            yield from unknown_topic(self._checks, topic_id, line)

    def _check_columns(self, line: int, row: list[str]) -> Iterator[RunFinding]:
        _, rank, score, name, _, _ = row
        if not (rank.isdecimal() and rank.isascii()):
            why = f"found rank {excerpt(rank)!r}: expected 1"
            yield run_finding(FindingKind.RANK_NO_NUMBER, line, why)
        elif rank.lstrip("0") != "1":
            why = f"found rank {excerpt(rank)}: expected 1, since a topic has one answer"
            yield run_finding(FindingKind.ANSWER_RANK, line, why)
        if fault := score_fault(score):
            why = f"found score {excerpt(score)!r}: expected a finite number"
            yield run_finding(fault, line, why)
        if self._run_name is None:
            self._run_name = name
        elif name != self._run_name and not self._name_changed:
            self._name_changed = True
            why = f"found run {excerpt(name)!r} after {excerpt(self._run_name)!r}"
            yield run_finding(FindingKind.RUN_NAME_CHANGES, line, f"{why}: a file holds one run")


def _check_text(line: int, answer: str) -> Iterator[RunFinding]:
    if len(answer) > MAX_ANSWER_LENGTH:
        why = f"the answer has {len(answer):,} characters: the lab allows {MAX_ANSWER_LENGTH:,}"
        yield run_finding(FindingKind.ANSWER_TOO_LONG, line, why)
    elif not answer.strip():
        yield run_finding(FindingKind.ANSWER_EMPTY, line, "the answer is empty: expected text")
