"""The findings of a validation: one for each fault, with its line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from porism.model import TopicId

Severity = Literal["error", "warning"]

EXCERPT_LENGTH = 60
"""Maximum length of a cell in a message, in characters."""


class FindingKind(StrEnum):
    """The kinds of faults. With an error, a run is not scored as intended."""

    UNREADABLE = "unreadable"
    NO_LINES = "no-lines"
    NOT_TEXT = "not-text"
    ENCODING = "encoding"
    DAMAGED = "damaged"
    COLUMNS = "columns"
    WRONG_FORM = "wrong-form"
    MIXED_FORMS = "mixed-forms"
    SHORT_FORM = "short-form"
    HEADER = "header"
    EMPTY_ID = "empty-id"
    RANK_NO_NUMBER = "rank-no-number"
    RANK_RANGE = "rank-range"
    RANKS_FROM_ZERO = "ranks-from-zero"
    RANK_TWICE = "rank-twice"
    RANK_MISSING = "rank-missing"
    SCORE_NO_NUMBER = "score-no-number"
    SCORE_NOT_FINITE = "score-not-finite"
    SCORE_TOO_LARGE = "score-too-large"
    SCORE_AGAINST_RANK = "score-against-rank"
    DOCUMENT_TWICE = "document-twice"
    DOCUMENT_UNKNOWN = "document-unknown"
    TOO_MANY_RESULTS = "too-many-results"
    TOO_MANY_TOPICS = "too-many-topics"
    TOPIC_UNKNOWN = "topic-unknown"
    TOPIC_MISSING = "topic-missing"
    TOPIC_OF_OTHER_TASK = "topic-of-other-task"
    TOPIC_SCATTERED = "topic-scattered"
    RUN_NAME_CHANGES = "run-name-changes"
    FILE_NAME = "file-name"
    ANSWER_TOO_LONG = "answer-too-long"
    ANSWER_TWICE = "answer-twice"
    ANSWER_EMPTY = "answer-empty"
    ANSWER_RANK = "answer-rank"
    ANSWER_HEADER = "answer-header"

    @property
    def severity(self) -> Severity:
        return "warning" if self in _WARNINGS else "error"


_WARNINGS = frozenset(
    {
        FindingKind.SHORT_FORM,
        FindingKind.RANKS_FROM_ZERO,
        FindingKind.RANK_TWICE,
        FindingKind.RANK_MISSING,
        FindingKind.SCORE_AGAINST_RANK,
        FindingKind.TOPIC_UNKNOWN,
        FindingKind.TOPIC_MISSING,
        FindingKind.TOPIC_OF_OTHER_TASK,
        FindingKind.TOPIC_SCATTERED,
        FindingKind.RUN_NAME_CHANGES,
        FindingKind.FILE_NAME,
        FindingKind.ANSWER_RANK,
        FindingKind.ANSWER_HEADER,
    }
)


@dataclass(frozen=True, slots=True)
class RunFinding:
    """A fault of a file; ``line`` is None for a fault of the whole file."""

    line: int | None
    severity: Severity
    kind: FindingKind
    message: str


def run_finding(kind: FindingKind, line: int | None, message: str) -> RunFinding:
    """A finding with the severity of its kind."""
    return RunFinding(line, kind.severity, kind, message)


def excerpt(text: str) -> str:
    """The text of a cell for a message, shortened to ``EXCERPT_LENGTH``."""
    return text if len(text) <= EXCERPT_LENGTH else f"{text[:EXCERPT_LENGTH]}..."


@dataclass(frozen=True, slots=True)
class RunChecks:
    """What a run is checked against; None means no check.

    ``knows`` says whether a document with that id exists; in Task 2 documents are formulas.
    """

    task: int | None = None
    topics: Collection[TopicId] | None = None
    knows: Callable[[str], bool] | None = None
    max_results: int = 1000


def limited_findings(findings: Iterable[RunFinding], each: int = 10) -> Iterator[RunFinding]:
    """The first ``each`` findings of every kind, then the number of the others by kind.

    This keeps the output of a broken file with a million lines short.
    """
    counts: Counter[FindingKind] = Counter()
    for finding in findings:
        counts[finding.kind] += 1
        if counts[finding.kind] <= each:
            yield finding
    for kind, count in counts.items():
        if count > each:
            yield run_finding(kind, None, f"{count - each:,} more of this kind ({kind})")
