"""``porism assess agreement``: agreement between assessors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porism.cli.assessment.report_text import agreement_record, statistics_lines
from porism.cli.assessment.stores import (
    any_batch_option,
    chosen_batch,
    db_option,
    open_existing_store,
)
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.terminal import harmless


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess agreement --db judgments.db
    porism assess agreement --db judgments.db --batch "round 1" --json
    """,
)
@db_option
@any_batch_option
@json_option
def agreement(db: Path, batch: str | None, as_json: bool) -> None:
    """Print the agreement of assessors in each batch: Cohen's kappa by pair, Fleiss' over all.

    Four-way, and binary (H+M).
    """
    # Loads the database, which --help does not need.
    from porism.assess.judgments.agreement import agreement as agreement_of
    from porism.assess.statistics_tables import agreement_table, pairs_table

    store = open_existing_store(db)
    names = [each.name for each in store.batches()]
    names = [chosen_batch(store, batch).name] if batch is not None else names
    agreements = {name: agreement_of(store.judgments(name)) for name in names}
    if as_json:
        record = {name: agreement_record(each) for name, each in agreements.items()}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    lines: list[str] = []
    for name, each in agreements.items():
        lines += ["", name] if lines else [name]
        tables = (agreement_table(each), pairs_table(each))
        lines += statistics_lines(tables) if each.pairs else ["no candidate was judged twice"]
    click.echo(harmless("\n".join(lines)))
