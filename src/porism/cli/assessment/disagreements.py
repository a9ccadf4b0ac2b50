"""``porism assess disagreements``: what assessors judged differently."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porism.cli.assessment.report_text import disagreement_records, disagreement_table
from porism.cli.assessment.stores import batch_option, chosen_batch, db_option, open_existing_store
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.tables import text_lines
from porism.cli.terminal import harmless


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess disagreements --db judgments.db
    porism assess disagreements --db judgments.db --batch "round 1" --json
    """,
)
@db_option
@batch_option
@click.option("--all", "is_all", is_flag=True, help="Also those that were decided.")
@json_option
def disagreements(db: Path, batch: str | None, is_all: bool, as_json: bool) -> None:
    """List what assessors judged differently, with what each said, to talk about it.

    What some find relevant and some do not stands first in each topic. It is decided in the
    browser, by who administers.
    """
    # Loads the database, which --help can do without.
    from porism.assess.judgments.agreement import disagreements as disagreements_of

    store = open_existing_store(db)
    chosen = chosen_batch(store, batch).name
    places = {topic.id: place for place, topic in enumerate(store.pool(chosen).topics)}
    every = sorted(
        disagreements_of(store.judgments(chosen)), key=lambda each: places[each.topic_id]
    )
    found = [each for each in every if is_all or each.adjudicated is None]
    earlier = store.earlier(chosen)
    if as_json:
        record = {"batch": chosen, "disagreements": disagreement_records(found, earlier)}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    decided = sum(each.adjudicated is not None for each in every)
    lines = [f"{chosen}: {len(every):,} disagreements, {decided:,} of them decided"]
    lines += ["", *text_lines(disagreement_table(found, earlier))] if found else []
    click.echo(harmless("\n".join(lines)))
