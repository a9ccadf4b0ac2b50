"""The faults of one file, in its name and its content, for all tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.evaluation.validation.answer_validation import answer_findings, looks_like_answers
from porism.evaluation.validation.finding import FindingKind, RunChecks, RunFinding, run_finding
from porism.evaluation.validation.run_lines import is_header, looks_like_ranking, run_columns
from porism.evaluation.validation.run_validation import run_findings
from porism.evaluation.validation.text_blocks import TextBlock, text_blocks

_FILE_ONLY = RunChecks()  # checks that need no task, topics or documents


def findings(path: Path, checks: RunChecks = _FILE_ONLY) -> Iterator[RunFinding]:
    """Every fault of a file, including that it cannot be opened; see ``_readable_findings``."""
    try:
        yield from _readable_findings(path, checks)
    except OSError as error:
        yield run_finding(
            FindingKind.UNREADABLE, None, f"cannot be read: {error.strerror or error}"
        )


def _readable_findings(path: Path, checks: RunChecks) -> Iterator[RunFinding]:
    """Every fault of a run of any task and form, plain or gzip.

    Without a task, the content decides between rankings and answers. Findings of one kind are in
    line order if the lines of each topic are contiguous; findings about the whole file come last.
    Memory is bounded, so a run may be larger than memory.
    """
    has_answers = _has_answers(path)
    is_answer_task = checks.task == 3 or (checks.task is None and has_answers is True)
    if fault := file_name_finding(path, 3 if is_answer_task else checks.task):
        yield fault
    if has_answers is not None and is_answer_task != has_answers:
        actual = "answers, the format of Task 3" if has_answers else "rankings"
        expected = "answers" if is_answer_task else "rankings"
        why = f"found {actual}: expected {expected} of Task {checks.task}"
        yield run_finding(FindingKind.WRONG_FORM, 1, why)
    elif is_answer_task:
        yield from answer_findings(path, checks)
    else:
        yield from run_findings(path, checks)


_NAME = re.compile(
    r"[^-]+-task(?P<task>[123])-.+-(?:auto|manual)-(?:text|math|both)"
    r"(?P<way>-(?:extract|generate))?-[PA]\.tsv(?:\.gz)?",
    re.IGNORECASE,
)


def file_name_finding(path: Path, task: int | None = None) -> RunFinding | None:
    """The finding that a file name breaks the lab's convention or names another task."""
    number = task or "N"
    way = "-{extract,generate}" if task == 3 else ""
    name = f"TEAM-task{number}-RUN-{{auto,manual}}-{{text,math,both}}{way}-{{P,A}}.tsv"
    match = _NAME.fullmatch(path.name)
    if match and (match["way"] is not None) == (match["task"] == "3"):
        if task is None or match["task"] == str(task):
            return None
        why = f"the file name says Task {match['task']}: expected Task {task}"
    else:
        why = f"the lab's file names have the form {name}"
    return run_finding(FindingKind.FILE_NAME, None, why)


def _has_answers(path: Path) -> bool | None:
    """Whether the first line after any header is one of Task 3; None if undecidable."""
    block = next((block for block in text_blocks(path) if isinstance(block, TextBlock)), None)
    lines = [line for _, line in block.numbered_lines()] if block else []
    if len(lines) > 1 and is_header(run_columns(lines[0])) and not looks_like_answers(lines[0]):
        lines.pop(0)
    if not lines:
        return None
    if looks_like_answers(lines[0]):
        return True
    return False if looks_like_ranking(run_columns(lines[0])) else None
