"""The lines of a run, read so that a fault is a finding and does not end the reading.

Knows what can be seen in one line. What lines say together is left to ``run_validation``. Lines
go by in blocks, which are taken apart a column at a time as long as nothing is wrong with them:
that is several times as fast as line by line, and a run may have millions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porism.evaluate.validation.finding import (
    FindingKind,
    RunChecks,
    RunFinding,
    excerpt,
    run_finding,
)
from porism.evaluate.validation.text_blocks import TextBlock
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
"""Stands for a rank that is not there, or has been found wrong already."""


@dataclass(frozen=True, slots=True)
class RunRows:
    """Columns of a run, for lines that name a topic and a document.

    ``ranks`` are UNCHECKED, and ``scores`` NaN, where there is none or it is wrong.
    """

    lines: Sequence[int]
    topics: Sequence[str]
    documents: Sequence[str]
    ranks: Sequence[int]
    scores: Sequence[float]


@dataclass(slots=True)
class RunLines:
    """Takes the blocks of a run apart, and knows what the lines so far have said of the file."""

    checks: RunChecks
    form: RunForm | None = None
    run_name: str | None = None
    lines: int = 0
    _zeros: dict[str, int] = field(default_factory=dict)  # topics with a rank 0, and its line
    _has_last_rank: bool = False
    _heading: int = 0
    _iterations: frozenset[str] = ITERATIONS
    _name_changed: bool = False
    _found: list[RunFinding] = field(default_factory=list)

    def rows(self, block: TextBlock) -> Iterator[RunRows | RunFinding]:
        """The findings in the lines of a block, then its rows."""
        if self.form is None:
            self._begin(block)
        rows = self._regular_rows(block) or self._rows_one_by_one(block)
        yield from self._found
        self._found = []
        yield rows

    def end(self) -> Iterator[RunFinding]:
        """What can be told of ranks when all have been seen: 0 is one if none is the last."""
        if self._zeros and not self._has_last_rank:
            told = "ranks count from 0: the lab has them from 1 (no score depends on them)"
            yield run_finding(FindingKind.RANKS_FROM_ZERO, min(self._zeros.values()), told)
        elif self._zeros:
            for topic, line in self._zeros.items():
                yield self._out_of_range(line, topic, "0")

    def _tell(self, kind: FindingKind, line: int | None, message: str) -> None:
        self._found.append(run_finding(kind, line, message))

    def _begin(self, block: TextBlock) -> None:
        """See from the first lines what form the file has, and whether that fits the task."""
        numbered = [(number, run_columns(line)) for number, line in block.numbered_lines()]
        if not numbered:
            return
        if not self.lines and is_heading(numbered[0][1]):
            self._heading, heading = numbered.pop(0)
            told = f"found a line of headings ({excerpt(', '.join(heading))})"
            self._tell(FindingKind.HEADER, self._heading, f"{told}: a run has none; remove it")
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
            told = f"found {form.description}: the lab asks for ranks and the name of the run, too"
            self._tell(FindingKind.SHORT_FORM, line, told)
        if form in (RunForm.TASK1, RunForm.TASK2) and task is not None and form != f"task{task}":
            wanted = RunForm(f"task{task}").description
            told = f"found {form.description}: expected {wanted} or a TREC run"
            self._tell(FindingKind.WRONG_FORM, line, told)
        posts = [row[2] for row in rows if len(row) == 6]
        if form is RunForm.TASK2 and task is None and not all(map(is_number, posts)):
            told = (
                "found six columns whose second varies, unlike TREC, and whose third is no "
                "number of a post, unlike ARQMath Task 2: say which task it is of"
            )
            self._tell(FindingKind.WRONG_FORM, line, told)

    def _regular_rows(self, block: TextBlock) -> RunRows | None:
        """The rows of a block in which nothing is wrong; None if something is, or seems so."""
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
        told = f"found the run {excerpt(names[place])!r} after {excerpt(self.run_name)!r}"
        self._tell(FindingKind.RUN_NAME_CHANGES, first + place, f"{told}: a file holds one run")

    def _rows_one_by_one(self, block: TextBlock) -> RunRows:
        rows: list[tuple[int, str, str, int, float]] = []
        for number, line in block.numbered_lines():
            self.lines += 1
            if number == self._heading:
                continue
            row = run_columns(line)
            if self.form is None or len(row) != COLUMNS[self.form]:
                self._tell(FindingKind.COLUMNS, number, self._wrong_columns(row))
            elif self._fits(number, row):
                rows.append(self._row(number, row, self.form))
        lines, topics, documents, ranks, scores = zip(*rows, strict=True) if rows else ((),) * 5
        return RunRows(lines, topics, documents, ranks, scores)

    def _wrong_columns(self, row: list[str]) -> str:
        many = "a line of one column" if len(row) == 1 else f"a line of {len(row)} columns"
        if self.form is None:
            like = ", as qrels have them" if len(row) == 4 else ""
            return f"found {many}{like}: expected a run, of 3, 5 or 6 columns"
        return f"found {many} in {self.form.description}"

    def _fits(self, number: int, row: list[str]) -> bool:
        """Whether the line is of the form of the others and names what it is about."""
        if self.form is RunForm.TREC and row[1] not in self._iterations:
            expected = " or ".join(sorted(self._iterations))
            told = f"found {excerpt(row[1])!r} in the second column of a TREC run"
            self._tell(FindingKind.MIXED_FORMS, number, f"{told}: expected {expected}")
            return False
        if self.form is RunForm.TASK2 and row[1] == "Q0":
            told = f"found a line of a TREC run in {self.form.description}: the file mixes forms"
            self._tell(FindingKind.MIXED_FORMS, number, told)
            return False
        ids = row[:1] if self.form is RunForm.SCORES else row[:-3]
        if not all(ids) or not row[1]:
            told = "found an empty column: expected the ids of a topic and of a document"
            self._tell(FindingKind.EMPTY_ID, number, told)
            return False
        return True

    def _row(self, number: int, row: list[str], form: RunForm) -> tuple[int, str, str, int, float]:
        topic = row[0]
        text = row[2 if form is RunForm.SCORES else -2]
        score = math.nan
        if fault := score_fault(text):
            self._tell(
                fault, number, f"found the score {excerpt(text)!r}: expected a finite number"
            )
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
            told = f"found the rank {excerpt(text)!r}: expected a whole number"
            self._tell(FindingKind.RANK_NO_NUMBER, number, told)
            return UNCHECKED
        # Many digits are too large whatever they are, and Python refuses to read very many.
        rank = int(text) if len(text) < 19 else UNCHECKED
        if not 0 <= rank <= self.checks.max_results:
            self._found.append(self._out_of_range(number, topic, text))
            return UNCHECKED
        self._note_ranks(number, [topic], [rank])
        return rank

    def _out_of_range(self, line: int, topic: str, rank: str) -> RunFinding:
        told = f"found the rank {excerpt(rank)} in topic {excerpt(topic)}"
        expected = f"expected 1 to {self.checks.max_results:,}"
        return run_finding(FindingKind.RANK_RANGE, line, f"{told}: {expected}")


def run_columns(line: str) -> list[str]:
    """The columns of a line as ``read_run`` takes it apart.

    A line that mixes tabs and blanks, or whose document has blanks in it, has six if rank and score
    are where they belong.
    """
    row = columns(line)
    return row if len(row) in (3, 5, 6) else columns_by_blanks(line) or row


def is_heading(row: list[str]) -> bool:
    """Whether a first line names columns: it has several, and in none anything like a number."""
    words = all(score_fault(cell) is FindingKind.SCORE_NO_NUMBER for cell in row)
    return words and len(row) > 2 and "Q0" not in row


def looks_like_ranking(row: list[str]) -> bool:
    """Whether a line has the columns of a run, with numbers where its rank and score should be."""
    if len(row) == 3:
        return is_number(row[2])
    return len(row) in (5, 6) and is_number(row[-2]) and is_number(row[-3])


def score_fault(text: str) -> FindingKind | None:
    """What is wrong with a score, if anything.

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
        # A number of so many digits that Python takes it for infinite.
        is_large = any(map(str.isdecimal, text))
        return FindingKind.SCORE_TOO_LARGE if is_large else FindingKind.SCORE_NOT_FINITE
    return FindingKind.SCORE_TOO_LARGE if abs(score) > MAX_SCORE else None


def _commonest(words: Iterator[str]) -> str:
    return Counter(words).most_common(1)[0][0]


def _form(rows: list[list[str]], task: int | None) -> RunForm | None:
    """The form that most of the first lines have; None if no line has the columns of any."""
    widths = Counter(len(row) for row in rows if len(row) in (3, 5, 6))
    if not widths:
        return None
    width = widths.most_common(1)[0][0]
    if width != 6:
        return RunForm.TASK1 if width == 5 else RunForm.SCORES
    pairs = Counter((row[0], row[1]) for row in rows if len(row) == 6)
    seconds = Counter(second for _, second in pairs.elements())
    second, count = seconds.most_common(1)[0]
    # No formula is found twice for a topic, so a column without such may hold formulas.
    if task == 2 and "Q0" not in seconds and max(pairs.values()) == 1:
        return RunForm.TASK2
    is_iteration = second in ITERATIONS or not is_number(second)
    if is_iteration and (2 * count > pairs.total() or ITERATIONS.issuperset(seconds)):
        return RunForm.TREC
    return RunForm.TASK2


def _whole_ranks(texts: Sequence[str]) -> list[int]:
    """The ranks if all are whole numbers; else none."""
    together = "".join(texts)
    if "" in texts or not (together.isdecimal() and together.isascii()):
        return []
    return list(map(int, texts)) if max(map(len, texts)) < 19 else []


def _finite_scores(texts: Sequence[str]) -> list[float] | None:
    try:
        scores = list(map(float, texts))
    except ValueError:
        return None
    # A sum with NaN in it is NaN, and one with infinity is no finite number.
    if not math.isfinite(sum(scores)) or max(scores) > MAX_SCORE or min(scores) < -MAX_SCORE:
        return None
    return None if "_" in "".join(texts) else scores
