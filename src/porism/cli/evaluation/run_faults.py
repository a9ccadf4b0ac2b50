"""Runs looked through for faults before they are scored; those that matter less are told too."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.evaluate.validation import RunFinding

FAULTS_PER_KIND = 2
"""How many findings of a kind are told of a run; ``porism validate`` tells more."""

LARGE_RUN_BYTES = 1 << 26
"""Bytes of runs from which on other processes look through them while this one scores."""

_REPORTED_KINDS = (
    *("rank-range", "ranks-from-zero", "rank-twice", "rank-missing", "score-against-rank"),
    *("too-many-results", "topic-of-other-task", "topic-scattered", "run-name-changes"),
    *("answer-too-long", "answer-empty", "answer-rank"),
)
"""Faults with which a run can be scored. Others the reader refuses in its own words, or they only
matter when a run is handed in."""


def print_run_faults(paths: Sequence[Path], task: int) -> Generator[None, None, None]:
    """For each run in turn, tell on standard error what is wrong with it but can be scored."""
    # Loads what starts processes, which --help can do without.
    from porism.parallel import map_in_order

    size = sum(path.stat().st_size for path in paths if path.is_file())
    work = [(path, task) for path in paths]
    for path, found in zip(
        paths, map_in_order(_findings, work, 2 if size > LARGE_RUN_BYTES else 1), strict=True
    ):
        for finding in found:
            where = f"{path}:{finding.line}" if finding.line else f"{path}"
            click.echo(harmless(f"{where}: {finding.severity}: {finding.message}"), err=True)
        yield


def _findings(work: tuple[Path, int]) -> list[RunFinding]:
    from porism.evaluate.validation import FindingKind, RunChecks, findings, limited_findings

    path, task = work
    if not path.is_file():
        return []  # which the reader says better
    told = {FindingKind(name) for name in _REPORTED_KINDS}
    faults = (each for each in findings(path, RunChecks(task)) if each.kind in told)
    return list(limited_findings(faults, FAULTS_PER_KIND))
