"""Runs looked through for faults before they are scored; those that matter less are told too."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.evaluate.validation import Finding

SHOWN = 2
"""How many findings of a kind are told of a run; ``porism validate`` tells more."""

LARGE = 1 << 26
"""Bytes of runs from which on other processes look through them while this one scores."""

_TOLD = (
    *("rank-range", "ranks-from-zero", "rank-twice", "rank-missing", "score-against-rank"),
    *("too-many-results", "topic-of-other-task", "topic-scattered", "run-name-changes"),
    *("answer-too-long", "answer-empty", "answer-rank"),
)
"""Faults with which a run can be scored. Others the reader refuses in its own words, or they only
matter when a run is handed in."""


def told_faults(paths: Sequence[Path], task: int) -> Generator[None, None, None]:
    """For each run in turn, tell on standard error what is wrong with it but can be scored."""
    # Loads what starts processes, which --help can do without.
    from porism.parallel import in_order

    size = sum(path.stat().st_size for path in paths if path.is_file())
    work = [(path, task) for path in paths]
    for path, found in zip(paths, in_order(_findings, work, 2 if size > LARGE else 1), strict=True):
        for finding in found:
            where = f"{path}:{finding.line}" if finding.line else f"{path}"
            click.echo(harmless(f"{where}: {finding.severity}: {finding.message}"), err=True)
        yield


def _findings(work: tuple[Path, int]) -> list[Finding]:
    from porism.evaluate.validation import Checks, FindingKind, findings, limited

    path, task = work
    if not path.is_file():
        return []  # which the reader says better
    told = {FindingKind(name) for name in _TOLD}
    faults = (each for each in findings(path, Checks(task)) if each.kind in told)
    return list(limited(faults, SHOWN))
