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


def told_faults(paths: Sequence[Path], task: int) -> Generator[None, None, None]:
    """For each run in turn, tell what is wrong with it on standard error.

    Nothing is refused here: what cannot be scored is refused by the reader, and what can is for
    the user to decide.
    """
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
    # What matters when a run is handed in, but not when it is scored.
    formal = (FindingKind.FILE_NAME, FindingKind.SHORT_FORM)
    faults = (each for each in findings(path, Checks(task)) if each.kind not in formal)
    return list(limited(faults, SHOWN))
