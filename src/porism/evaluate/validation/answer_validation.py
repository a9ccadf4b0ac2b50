"""The faults of a run of Task 3: one short answer to each topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from porism.errors import FormatError
from porism.evaluate.short_answers.answer_text import LONGEST_ANSWER
from porism.evaluate.validation.finding import (
    FindingKind,
    RunChecks,
    RunFinding,
    excerpt,
    run_finding,
)
from porism.evaluate.validation.run_lines import looks_like_ranking, run_columns, score_fault
from porism.evaluate.validation.run_validation import missing_topics, unknown_topic
from porism.evaluate.validation.text_blocks import text_blocks
from porism.formats.run_scores import MAX_TOPICS
from porism.formats.text_lines import is_number, read_csv_rows, read_lines

_HEADINGS = frozenset({"column1", "topic", "topic_id", "topicid", "query_id"})


def looks_like_answers(line: str) -> bool:
    """Whether a line has the columns of Task 3: topic and answer, with four between them or none.

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
    if cells[0].lower() in _HEADINGS:
        return cells[1].lower() == "rank"
    is_ranked = is_number(cells[1]) and is_number(cells[2])
    return is_ranked and not (is_number(cells[3]) and is_number(cells[4]))


def answer_findings(path: Path, checks: RunChecks) -> Iterator[RunFinding]:
    """The faults of a run of answers, of six columns or of two.

    Where the text or its quotation marks cannot be read, that is all there is to find: nobody can
    tell where the next answer begins.
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
    yield from missing_topics(checks, answers.topics, "are left out of its means")


class _Answers:
    """The answers of a run, as far as it has been read."""

    def __init__(self, checks: RunChecks) -> None:
        self.topics: set[str] = set()
        self.width = 0
        self.rows = 0  # without that of headings
        self._checks = checks
        self._run_name: str | None = None
        self._name_changed = False

    def add(self, line: int, row: list[str]) -> Iterator[RunFinding]:
        """Take a row in, and tell what is wrong with it."""
        is_first = not self.width
        self.rows += 1
        if len(row) not in (2, 6) or (not is_first and len(row) != self.width):
            expected = self.width or "6 (topic, rank, score, run, sources, answer), or 2"
            why = f"found a row of {len(row)} columns: expected {expected}"
            yield run_finding(FindingKind.COLUMNS, line, why)
            return
        self.width = len(row)
        if is_first and self.width == 2 and self._checks.task is not None:
            why = (
                "found topics and answers alone: the lab asks for rank, score, run and sources, too"
            )
            yield run_finding(FindingKind.SHORT_FORM, line, why)
        if not self.topics and row[0].lower() in _HEADINGS:
            why = f"found a line of headings ({excerpt(', '.join(row))}): a run has none"
            self.rows -= 1
            yield run_finding(FindingKind.ANSWER_HEADER, line, why)
            return
        yield from self._of_topic(line, row[0].strip())
        yield from _of_text(line, row[-1])
        if self.width == 6:
            yield from self._of_columns(line, row)

    def _of_topic(self, line: int, topic_id: str) -> Iterator[RunFinding]:
        if not topic_id:
            why = "found an answer to no topic: expected the id of a topic in the first column"
            yield run_finding(FindingKind.EMPTY_ID, line, why)
        elif topic_id in self.topics:
            why = f"found a second answer to topic {excerpt(topic_id)}: expected one to each"
            yield run_finding(FindingKind.ANSWER_TWICE, line, why)
        else:
            self.topics.add(topic_id)
            yield from unknown_topic(self._checks, topic_id, line)

    def _of_columns(self, line: int, row: list[str]) -> Iterator[RunFinding]:
        _, rank, score, name, _, _ = row
        if not (rank.isdecimal() and rank.isascii()):
            why = f"found the rank {excerpt(rank)!r}: expected 1"
            yield run_finding(FindingKind.RANK_NO_NUMBER, line, why)
        elif rank.lstrip("0") != "1":
            why = f"found the rank {excerpt(rank)}: expected 1, because a topic has one answer"
            yield run_finding(FindingKind.ANSWER_RANK, line, why)
        if fault := score_fault(score):
            why = f"found the score {excerpt(score)!r}: expected a finite number"
            yield run_finding(fault, line, why)
        if self._run_name is None:
            self._run_name = name
        elif name != self._run_name and not self._name_changed:
            self._name_changed = True
            why = f"found the run {excerpt(name)!r} after {excerpt(self._run_name)!r}"
            yield run_finding(FindingKind.RUN_NAME_CHANGES, line, f"{why}: a file holds one run")


def _of_text(line: int, answer: str) -> Iterator[RunFinding]:
    if len(answer) > LONGEST_ANSWER:
        why = f"the answer has {len(answer):,} characters: the lab takes {LONGEST_ANSWER:,}"
        yield run_finding(FindingKind.ANSWER_TOO_LONG, line, why)
    elif not answer.strip():
        yield run_finding(FindingKind.ANSWER_EMPTY, line, "the answer is empty: expected a text")
