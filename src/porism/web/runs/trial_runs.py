"""Runs that visitors upload: validated and scored against the judgments of the explorer."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from porism.collection.store import Collection, is_collection, open_collection
from porism.errors import FormatError, PorismError
from porism.evaluation.validation import (
    FindingKind,
    RunChecks,
    RunFinding,
    findings,
    limited_findings,
)
from porism.model import Topic, TopicId
from porism.web.runs.scores import ExplorerJudgments, ExplorerRun, RunNames
from porism.web.runs.scoring_process import ScoringProcessFailed, run_in_process
from porism.web.runs.upload import UploadedRun

LARGE_RUN = 1_000_000
"""Bytes from which a run is scored by another process, which takes about a second to start."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TrialRun:
    """An uploaded run, and the problems found in its file."""

    run: ExplorerRun
    findings: tuple[RunFinding, ...]


class UnscorableRun(PorismError):
    """An uploaded run that cannot be scored; ``findings`` are the problems found in its file."""

    def __init__(self, message: str, run_findings: tuple[RunFinding, ...]) -> None:
        self.findings = run_findings
        super().__init__(message)


def score_upload(
    upload: UploadedRun,
    judgments: ExplorerJudgments,
    topics: Mapping[TopicId, Topic],
    collection: Path,
) -> TrialRun:
    """Validate and score an uploaded run; raises ``UnscorableRun`` if it is not a run."""
    if len(upload.data) >= LARGE_RUN:
        try:
            outcome = run_in_process(_outcome, upload, judgments, topics, collection)
        except ScoringProcessFailed as error:
            log.warning("a run is scored by the server itself (%s)", error)
            outcome = _outcome(upload, judgments, topics, collection)
        except TimeoutError as error:
            raise UnscorableRun(str(error), ()) from error
    else:
        outcome = _outcome(upload, judgments, topics, collection)
    if isinstance(outcome, _Refusal):
        raise UnscorableRun(*outcome)
    return outcome


class _Refusal(NamedTuple):
    message: str
    findings: tuple[RunFinding, ...]


def _outcome(
    upload: UploadedRun,
    judgments: ExplorerJudgments,
    topics: Mapping[TopicId, Topic],
    collection_path: Path,
) -> TrialRun | _Refusal:
    with (
        TemporaryDirectory(prefix="porism-") as folder,
        opened_collection(collection_path) as collection,
    ):
        path = Path(folder) / "run.tsv"
        path.write_bytes(upload.data)
        checks = RunChecks(judgments.task, topics or None)
        # The file name is ours, so findings about it are left out.
        found = (each for each in findings(path, checks) if each.kind != FindingKind.FILE_NAME)
        listed = tuple(sorted(limited_findings(found), key=_line_order))
        try:
            names = RunNames(secrets.token_urlsafe(), upload.name)
            return TrialRun(judgments.scored_run(path, names, collection), listed)
        except PorismError as error:
            return _Refusal(read_error(error, path), listed)


def _line_order(finding: RunFinding) -> tuple[bool, int]:
    """By line, and then those about the whole file."""
    return finding.line is None, finding.line or 0


@contextmanager
def opened_collection(path: Path) -> Iterator[Collection | None]:
    """The collection, opened for one thread; None if there is none."""
    with open_collection(path) if is_collection(path) else nullcontext() as collection:
        yield collection


def read_error(error: PorismError | OSError, path: Path) -> str:
    """The message for a file that cannot be read, without its folder."""
    if isinstance(error, FormatError):
        return f"line {error.line}: {error.why}"
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    return str(error).replace(str(path), path.name)
