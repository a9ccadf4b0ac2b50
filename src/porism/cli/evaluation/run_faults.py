"""Runs checked for faults before they are scored."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.evaluation.validation import RunFinding

FAULTS_PER_KIND = 2
"""Findings of a kind that are reported for a run; ``porism validate`` reports more."""

LARGE_RUN_BYTES = 1 << 26
"""Larger runs are checked by other processes while this one scores."""

_REPORTED_KINDS = (
    *("rank-range", "ranks-from-zero", "rank-twice", "rank-missing", "score-against-rank"),
    *("too-many-results", "topic-of-other-task", "topic-scattered", "run-name-changes"),
    *("answer-too-long", "answer-empty", "answer-rank"),
)
"""Faults with which a run can be scored. The reader refuses others, or they matter only for
submission."""


def print_run_faults(paths: Sequence[Path], task: int) -> Generator[None, None, None]:
    """For each run in turn, report on standard error the faults with which it can be scored."""
    # Starts processes, which --help does not need.
    from porism.parallel import map_in_order

    size = sum(path.stat().st_size for path in paths if path.is_file())
    work = [(path, task) for path in paths]
    for path, run_findings in zip(
        paths, map_in_order(_findings, work, 2 if size > LARGE_RUN_BYTES else 1), strict=True
    ):
        for finding in run_findings:
            where = f"{path}:{finding.line}" if finding.line else f"{path}"
            click.echo(harmless(f"{where}: {finding.severity}: {finding.message}"), err=True)
        yield


def _findings(work: tuple[Path, int]) -> list[RunFinding]:
    from porism.evaluation.validation import FindingKind, RunChecks, findings, limited_findings

    path, task = work
    if not path.is_file():
        return []  # the reader has a better message
    reported = {FindingKind(name) for name in _REPORTED_KINDS}
    faults = (each for each in findings(path, RunChecks(task)) if each.kind in reported)
    return list(limited_findings(faults, FAULTS_PER_KIND))
