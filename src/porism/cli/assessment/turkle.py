"""``porism assess turkle-in``: import judgments made with Turkle."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.assessment.stores import batch_option, chosen_batch, db_option, open_existing_store
from porism.cli.command import PorismCommand
from porism.cli.options.inputs import PATH
from porism.cli.options.outputs import json_option
from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.assess.records import Judgment, NewJudgment


@click.command(
    "turkle-in",
    cls=PorismCommand,
    epilog="""
    porism assess turkle-in results.csv --db judgments.db
    """,
)
@db_option
@batch_option
@json_option
@click.argument("results", type=PATH)
def turkle_in(results: Path, db: Path, batch: str | None, as_json: bool) -> None:
    """Add the judgments in RESULTS, a CSV file that Turkle wrote, to FILE.

    The tasks are those of the export. Unknown assessors are added by their user names. The same
    file again adds nothing.
    """
    # Loads the database, which --help does not need.
    from porism.assess.turkle.results import TurkleImport, read_turkle_results

    store = open_existing_store(db)
    chosen = chosen_batch(store, batch).name
    judgments = read_turkle_results(results, TurkleImport(chosen, store.pool(chosen)))
    known = {each.name for each in store.assessors()}
    names = dict.fromkeys(each.assessor for each in judgments)
    new = [name for name in names if name not in known]
    added = store.import_judgments((each.assessor, _with_key(each)) for each in judgments)
    if as_json:
        record = {"batch": chosen, "read": len(judgments), "added": added, "new_assessors": new}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    click.echo(harmless(f"{chosen}: {added:,} of {len(judgments):,} judgments were new"))
    if new:
        note = f"added as assessors: {', '.join(new)}; porism assess assessor makes their tokens"
        click.echo(harmless(f"Note: {note}"), err=True)


def _with_key(judgment: Judgment) -> NewJudgment:
    """The judgment with a key derived from its content, so that it is added once."""
    from porism.assess.records import NewJudgment

    content = (
        judgment.batch,
        judgment.assessor,
        judgment.topic_id,
        judgment.doc_id,
        judgment.at,
        str(judgment.choice),
        judgment.comment,
        str(judgment.is_machine_made),
        str(judgment.is_unrelated),
        str(judgment.seconds),
    )
    digest = sha256(json.dumps(content).encode()).hexdigest()
    return NewJudgment(
        key=f"turkle {digest}",
        batch=judgment.batch,
        topic_id=judgment.topic_id,
        doc_id=judgment.doc_id,
        choice=judgment.choice,
        seconds=judgment.seconds,
        comment=judgment.comment,
        is_machine_made=judgment.is_machine_made,
        is_unrelated=judgment.is_unrelated,
        at=judgment.at,
    )
