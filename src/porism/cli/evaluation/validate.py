"""``porism validate``: check run files for faults."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_option, runs_argument, topics_option
from porism.cli.options.outputs import json_option
from porism.cli.options.systems import task_option
from porism.cli.spool import regular_files

if TYPE_CHECKING:
    from porism.evaluation.validation import RunFinding

REMEMBERED_IDS = 1 << 17
"""Size of the cache of looked-up ids; topics have many in common."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism validate mine-task1-bm25-auto-both-P.tsv --task 1 --topics Topics_Task1_2022.xml
    porism validate runs/*.tsv.gz
    porism validate formulas.tsv --task 2 --collection arqmath --json | jq .files[].errors
    """,
)
@task_option(
    "The task of the runs: 1 finds answers, 2 finds formulas, 3 answers itself.", ("1", "2", "3")
)
@topics_option("The lab's topics of that task; unknown and missing ones are reported.")
@collection_option("Must have the results: answers in Task 1, formulas in Task 2.")
@json_option
@runs_argument("RUN...", required=True)
@click.pass_context
def validate(
    context: click.Context,
    runs: tuple[Path, ...],
    task: str | None,
    topics: Path | None,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Report the faults of each RUN with their lines; exit with status 1 if there are errors.

    An error prevents a run from being scored as intended; a warning does not. Ten faults of each
    kind are printed, and the number of the others.
    """
    # Loads the formats, which --help does not need.
    from porism.cli.terminal import harmless
    from porism.evaluation.validation import RunChecks, findings, limited_findings
    from porism.formats.topics import read_topics

    if collection is not None and task not in ("1", "2"):
        raise click.UsageError("--collection needs --task 1 or --task 2")
    known = dict.fromkeys(topic.id for topic in read_topics(topics)) if topics else None
    records = []
    with _membership(collection, task) as contains, regular_files(runs) as files:
        checks = RunChecks(None if task is None else int(task), known, contains)
        for path in files:
            counts: Counter[str] = Counter()
            reported = sorted(
                limited_findings(_counted(findings(path, checks), counts)), key=_place
            )
            records.append(_record(path, reported, counts))
            if not as_json:
                click.echo(harmless("\n".join(_lines(path, reported, counts))))
    if as_json:
        click.echo(json.dumps({"files": records}, ensure_ascii=False))
    context.exit(1 if any(each["errors"] for each in records) else 0)


def _counted(findings: Iterable[RunFinding], counts: Counter[str]) -> Iterator[RunFinding]:
    for finding in findings:
        counts[finding.severity] += 1
        yield finding


def _place(finding: RunFinding) -> tuple[bool, int]:
    """Sort key: by line, findings on the whole file last."""
    return finding.line is None, finding.line or 0


def _lines(path: Path, reported: list[RunFinding], counts: Counter[str]) -> Iterator[str]:
    for finding in reported:
        where = f"{path}:{finding.line}" if finding.line else f"{path}"
        yield f"{where}: {finding.severity}: {finding.message}"
    yield f"{path}: {_count_text(counts, 'error')}, {_count_text(counts, 'warning')}"


def _count_text(counts: Counter[str], severity: str) -> str:
    count = counts[severity]
    return f"1 {severity}" if count == 1 else f"{count:,} {severity}s"


def _record(path: Path, reported: list[RunFinding], counts: Counter[str]) -> dict[str, object]:
    return {
        "path": str(path),
        "errors": counts["error"],
        "warnings": counts["warning"],
        "findings": [
            {
                "line": finding.line,
                "severity": finding.severity,
                "kind": finding.kind,
                "message": finding.message,
            }
            for finding in reported
        ],
    }


@contextmanager
def _membership(
    collection: Path | None, task: str | None
) -> Iterator[Callable[[str], bool] | None]:
    """Whether the collection has a result of that task; None without a collection."""
    from porism.collection.store import open_collection

    if collection is None:
        yield None
        return
    with open_collection(collection) as opened:
        yield lru_cache(REMEMBERED_IDS)(opened.has_answer if task == "1" else opened.has_formula)
