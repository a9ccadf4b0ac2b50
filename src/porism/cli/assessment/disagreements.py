"""``porism assess disagreements``: candidates that assessors judged differently."""

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
from porism.pages.plurals import count_of


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess disagreements --db judgments.db
    porism assess disagreements --db judgments.db --batch "round 1" --json
    """,
)
@db_option
@batch_option
@click.option("--all", "is_all", is_flag=True, help="Include adjudicated candidates.")
@json_option
def disagreements(db: Path, batch: str | None, is_all: bool, as_json: bool) -> None:
    """List the candidates that assessors judged differently, with all opinions.

    In each topic, binary disagreements (H+M) come first. Administrators adjudicate in the browser.
    """
    # Loads the database, which --help does not need.
    from porism.assess.judgments.agreement import disagreements as disagreements_of

    store = open_existing_store(db)
    chosen = chosen_batch(store, batch).name
    places = {topic.id: place for place, topic in enumerate(store.pool(chosen).topics)}
    every = sorted(
        disagreements_of(store.judgments(chosen)), key=lambda each: places[each.topic_id]
    )
    listed = [each for each in every if is_all or each.adjudicated is None]
    earlier = store.earlier_grades(chosen)
    if as_json:
        record = {"batch": chosen, "disagreements": disagreement_records(listed, earlier)}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    adjudicated = sum(each.adjudicated is not None for each in every)
    lines = [f"{chosen}: {count_of(len(every), 'disagreement')}, {adjudicated:,} adjudicated"]
    lines += ["", *text_lines(disagreement_table(listed, earlier))] if listed else []
    click.echo(harmless("\n".join(lines)))
