"""The lines of a run: checks of single lines, which report faults and continue.

Checks across lines are in ``run_validation``. Blocks of lines without faults are split column by
column, which is several times as fast as line by line; a run may have millions of lines.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porism.evaluation.validation.finding import (
    FindingKind,
    RunChecks,
    RunFinding,
    excerpt,
    run_finding,
)
from porism.evaluation.validation.text_blocks import TextBlock
from porism.formats.runs import (
    COLUMNS,
    ITERATIONS,
    MAX_SCORE,
    RunForm,
    columns_by_blanks,
    regular_columns,
)
from porism.formats.text_lines import columns, is_number

UNCHECKED = -1
"""Replaces a rank that is missing or already reported as wrong."""


@dataclass(frozen=True, slots=True)
class RunRows:
    """Columns of the lines of a run that name a topic and a document.

    A missing or wrong rank is UNCHECKED, a missing or wrong score NaN.
    """

    lines: Sequence[int]
    topics: Sequence[str]
    documents: Sequence[str]
    ranks: Sequence[int]
    scores: Sequence[float]


@dataclass(slots=True)
class RunLines:
    """Splits the blocks of a run into rows, and keeps what is known of the file so far."""

    checks: RunChecks
    form: RunForm | None = None
    run_name: str | None = None
    lines: int = 0
    _zeros: dict[str, int] = field(default_factory=dict)  # topics with a rank 0, and its line
    _has_last_rank: bool = False
    _header_line: int = 0
    _iterations: frozenset[str] = ITERATIONS
    _name_changed: bool = False
    _findings: list[RunFinding] = field(default_factory=list)

    def rows(self, block: TextBlock) -> Iterator[RunRows | RunFinding]:
        """The findings of a block's lines, then its rows."""
        if self.form is None:
            self._detect_form(block)
        rows = self._regular_rows(block) or self._rows_one_by_one(block)
        yield from self._findings
        self._findings = []
        yield rows

    def end(self) -> Iterator[RunFinding]:
        """Findings on ranks of 0, which are valid in a file without a last rank (from 0)."""
        if self._zeros and not self._has_last_rank:
            why = "ranks start at 0: the lab's start at 1 (scores do not depend on ranks)"
            yield run_finding(FindingKind.RANKS_FROM_ZERO, min(self._zeros.values()), why)
        elif self._zeros:
            for topic, line in self._zeros.items():
                yield self._out_of_range(line, topic, "0")

    def _report(self, kind: FindingKind, line: int | None, message: str) -> None:
        self._findings.append(run_finding(kind, line, message))

    def _detect_form(self, block: TextBlock) -> None:
        """Detect the form of the file from its first lines, and check that it fits the task."""
        numbered = [(number, run_columns(line)) for number, line in block.numbered_lines()]
        if not numbered:
            return
        if not self.lines and is_header(numbered[0][1]):
            self._header_line, header = numbered.pop(0)
            why = f"found a header ({excerpt(', '.join(header))}): a run has none; remove it"
            self._report(FindingKind.HEADER, self._header_line, why)
        rows = [row for _, row in numbered]
        self.form = _form(rows, self.checks.task)
        if self.form is None:
            return
        first = next(number for number, row in numbered if len(row) == COLUMNS[self.form])
        if self.form is RunForm.TREC:
            iteration = _commonest(row[1] for row in rows if len(row) == 6)
            self._iterations = ITERATIONS if iteration in ITERATIONS else frozenset({iteration})
        self._check_task(first, rows)

    def _check_task(self, line: int, rows: list[list[str]]) -> None:
        task = self.checks.task
        form = self.form
        if form is RunForm.SCORES and task is not None:
            why = f"found {form.description}: the lab also requires ranks and the name of the run"
            self._report(FindingKind.SHORT_FORM, line, why)
        if form in (RunForm.TASK1, RunForm.TASK2) and task is not None and form != f"task{task}":
            expected = RunForm(f"task{task}").description
            why = f"found {form.description}: expected {expected} or a TREC run"
            self._report(FindingKind.WRONG_FORM, line, why)
        posts = [row[2] for row in rows if len(row) == 6]
        if form is RunForm.TASK2 and task is None and not all(map(is_number, posts)):
            why = (
                "found six columns whose second varies, unlike TREC, and whose third is not a "
                "post number, unlike ARQMath Task 2: specify the task"
            )
            self._report(FindingKind.WRONG_FORM, line, why)

    def _regular_rows(self, block: TextBlock) -> RunRows | None:
        """The rows of a block without faults; None if it has or may have any."""
        form = self.form
        if form is None:
            return None
        cells = regular_columns(block.text, COLUMNS[form])
        if cells is None:
            return None
        topics = cells[0]
        documents = cells[2] if form is RunForm.TREC else cells[1]
        if "" in topics or "" in documents:
            return None
        if form is RunForm.TREC and not self._iterations.issuperset(cells[1]):
            return None
        if form is RunForm.TASK2 and ("Q0" in cells[1] or "" in cells[2]):
            return None
        scores = _finite_scores(cells[2] if form is RunForm.SCORES else cells[-2])
        if scores is None:
            return None
        if form is RunForm.SCORES:
            ranks = [UNCHECKED] * len(topics)
        else:
            ranks = _whole_ranks(cells[-3])
            if not ranks or max(ranks) > self.checks.max_results:
                return None
            self._note_ranks(block.first, topics, ranks)
            self._check_names(block.first, cells[-1])
        self.lines += len(topics)
        lines = range(block.first, block.first + len(topics))
        return RunRows(lines, topics, documents, ranks, scores)

    def _note_ranks(self, first: int, topics: Sequence[str], ranks: Sequence[int]) -> None:
        if 0 in ranks:
            for place, rank in enumerate(ranks):
                if rank == 0:
                    self._zeros.setdefault(topics[place], first + place)
        self._has_last_rank = self._has_last_rank or self.checks.max_results in ranks

    def _check_names(self, first: int, names: Sequence[str]) -> None:
        if self.run_name is None:
            self.run_name = names[0]
        if self._name_changed or names.count(self.run_name) == len(names):
            return
        place = next(place for place, name in enumerate(names) if name != self.run_name)
        self._name_changed = True
        why = f"found run {excerpt(names[place])!r} after {excerpt(self.run_name)!r}"
        self._report(FindingKind.RUN_NAME_CHANGES, first + place, f"{why}: a file holds one run")

    def _rows_one_by_one(self, block: TextBlock) -> RunRows:
        rows: list[tuple[int, str, str, int, float]] = []
        for number, line in block.numbered_lines():
            self.lines += 1
            if number == self._header_line:
                continue
            row = run_columns(line)
            if self.form is None or len(row) != COLUMNS[self.form]:
                self._report(FindingKind.COLUMNS, number, self._wrong_columns(row))
            elif self._fits(number, row):
                rows.append(self._row(number, row, self.form))
        lines, topics, documents, ranks, scores = zip(*rows, strict=True) if rows else ((),) * 5
        return RunRows(lines, topics, documents, ranks, scores)

    def _wrong_columns(self, row: list[str]) -> str:
        width = "a line with one column" if len(row) == 1 else f"a line with {len(row)} columns"
        if self.form is None:
            hint = ", the format of qrels" if len(row) == 4 else ""
            return f"found {width}{hint}: expected a run with 3, 5 or 6 columns"
        return f"found {width} in {self.form.description}"

    def _fits(self, number: int, row: list[str]) -> bool:
        """Whether the line has the form of the others and all ids; reports it if not."""
        if self.form is RunForm.TREC and row[1] not in self._iterations:
            expected = " or ".join(sorted(self._iterations))
            why = f"found {excerpt(row[1])!r} in the second column of a TREC run"
            self._report(FindingKind.MIXED_FORMS, number, f"{why}: expected {expected}")
            return False
        if self.form is RunForm.TASK2 and row[1] == "Q0":
            why = f"found a line of a TREC run in {self.form.description}: the file mixes forms"
            self._report(FindingKind.MIXED_FORMS, number, why)
            return False
        ids = row[:1] if self.form is RunForm.SCORES else row[:-3]
        if not all(ids) or not row[1]:
            why = "found an empty column: expected the ids of a topic and a document"
            self._report(FindingKind.EMPTY_ID, number, why)
            return False
        return True

    def _row(self, number: int, row: list[str], form: RunForm) -> tuple[int, str, str, int, float]:
        topic = row[0]
        text = row[2 if form is RunForm.SCORES else -2]
        score = math.nan
        if fault := score_fault(text):
            self._report(fault, number, f"found score {excerpt(text)!r}: expected a finite number")
        else:
            score = float(text)
        rank = UNCHECKED
        if form is not RunForm.SCORES:
            rank = self._rank(number, topic, row[-3])
            self._check_names(number, row[-1:])
        return number, topic, row[2 if form is RunForm.TREC else 1], rank, score

    def _rank(self, number: int, topic: str, text: str) -> int:
        digits = text.removeprefix("-")
        if not (digits.isdecimal() and digits.isascii()):
            why = f"found rank {excerpt(text)!r}: expected a whole number"
            self._report(FindingKind.RANK_NO_NUMBER, number, why)
            return UNCHECKED
        # So many digits are out of range anyway, and Python refuses to parse very many.
        rank = int(text) if len(text) < 19 else UNCHECKED
        if not 0 <= rank <= self.checks.max_results:
            self._findings.append(self._out_of_range(number, topic, text))
            return UNCHECKED
        self._note_ranks(number, [topic], [rank])
        return rank

    def _out_of_range(self, line: int, topic: str, rank: str) -> RunFinding:
        why = f"found rank {excerpt(rank)} in topic {excerpt(topic)}"
        expected = f"expected 1 to {self.checks.max_results:,}"
        return run_finding(FindingKind.RANK_RANGE, line, f"{why}: {expected}")


def run_columns(line: str) -> list[str]:
    """The columns of a line, split as by ``read_run``.

    A line that mixes tabs and spaces, or whose document id contains spaces, has six if rank and
    score are in their places.
    """
    row = columns(line)
    return row if len(row) in (3, 5, 6) else columns_by_blanks(line) or row


def is_header(row: list[str]) -> bool:
    """Whether a first line names columns: it has several, and none is a number."""
    words = all(score_fault(cell) is FindingKind.SCORE_NO_NUMBER for cell in row)
    return words and len(row) > 2 and "Q0" not in row


def looks_like_ranking(row: list[str]) -> bool:
    """Whether a line has the columns of a run, with numbers as rank and score."""
    if len(row) == 3:
        return is_number(row[2])
    return len(row) in (5, 6) and is_number(row[-2]) and is_number(row[-3])


def score_fault(text: str) -> FindingKind | None:
    """The fault of a score, if any.

    >>> [score_fault(text) for text in ("1.5", "nan", "1e39", "1,5")]
    [None, <FindingKind.SCORE_NOT_FINITE: 'score-not-finite'>, \
<FindingKind.SCORE_TOO_LARGE: 'score-too-large'>, <FindingKind.SCORE_NO_NUMBER: 'score-no-number'>]
    """
    try:
        score = float(text)
    except ValueError:
        return FindingKind.SCORE_NO_NUMBER
    if "_" in text:
        return FindingKind.SCORE_NO_NUMBER
    if not math.isfinite(score):
        # Python parses a number with very many digits as infinite.
        is_large = any(map(str.isdecimal, text))
        return FindingKind.SCORE_TOO_LARGE if is_large else FindingKind.SCORE_NOT_FINITE
    return FindingKind.SCORE_TOO_LARGE if abs(score) > MAX_SCORE else None


def _commonest(words: Iterator[str]) -> str:
    return Counter(words).most_common(1)[0][0]


def _form(rows: list[list[str]], task: int | None) -> RunForm | None:
    """The form of most of the first lines; None if no line has the columns of any form."""
    widths = Counter(len(row) for row in rows if len(row) in (3, 5, 6))
    if not widths:
        return None
    width = widths.most_common(1)[0][0]
    if width != 6:
        return RunForm.TASK1 if width == 5 else RunForm.SCORES
    pairs = Counter((row[0], row[1]) for row in rows if len(row) == 6)
    seconds = Counter(second for _, second in pairs.elements())
    second, count = seconds.most_common(1)[0]
    # A topic has each formula once, so a column without repetitions may contain formulas.
    if task == 2 and "Q0" not in seconds and max(pairs.values()) == 1:
        return RunForm.TASK2
    is_iteration = second in ITERATIONS or not is_number(second)
    if is_iteration and (2 * count > pairs.total() or ITERATIONS.issuperset(seconds)):
        return RunForm.TREC
    return RunForm.TASK2


def _whole_ranks(texts: Sequence[str]) -> list[int]:
    """The ranks if all are whole numbers; otherwise an empty list."""
    joined = "".join(texts)
    if "" in texts or not (joined.isdecimal() and joined.isascii()):
        return []
    return list(map(int, texts)) if max(map(len, texts)) < 19 else []


def _finite_scores(texts: Sequence[str]) -> list[float] | None:
    try:
        scores = list(map(float, texts))
    except ValueError:
        return None
    # A sum that includes NaN or infinity is not finite.
    if not math.isfinite(sum(scores)) or max(scores) > MAX_SCORE or min(scores) < -MAX_SCORE:
        return None
    return None if "_" in "".join(texts) else scores
