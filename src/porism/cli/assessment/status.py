"""``porism assess status``: the progress of an assessment."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porism.cli.assessment.report_text import progress_record, progress_tables
from porism.cli.assessment.stores import (
    any_batch_option,
    chosen_batch,
    db_option,
    open_existing_store,
)
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.tables import text_lines
from porism.cli.terminal import harmless


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess status --db judgments.db
    porism assess status --db judgments.db --batch "round 1" --json
    """,
)
@db_option
@any_batch_option
@json_option
def status(db: Path, batch: str | None, as_json: bool) -> None:
    """Print the progress of each batch, by assessor and topic, and the time of judgments."""
    # Loads the statistics, which --help does not need.
    from porism.assess.judgments.progress import stored_progress

    store = open_existing_store(db)
    batches = store.batches() if batch is None else (chosen_batch(store, batch),)
    rows = [(each, stored_progress(store, each.name)) for each in batches]
    if as_json:
        record = {
            "assessors": [
                {"name": each.name, "is_admin": each.is_admin} for each in store.assessors()
            ],
            "batches": {
                each.name: {"kind": each.kind, "since": each.at, **progress_record(progress)}
                for each, progress in rows
            },
        }
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    names = [
        f"{each.name} (administrator)" if each.is_admin else each.name for each in store.assessors()
    ]
    count = "1 batch" if len(batches) == 1 else f"{len(batches)} batches"
    lines = [f"{count}; assessors: {', '.join(names) or 'none'}"]
    for each, progress in rows:
        for table in progress_tables(f"{each.name} ({each.kind})", progress):
            lines += ["", *text_lines(table, digits=1)]
    click.echo(harmless("\n".join(lines)))
