"""``porism assess serve``: judge a pool in the browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.assessment.stores import db_option, open_or_create_store, pool_argument
from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_option
from porism.cli.options.outputs import json_option
from porism.cli.options.server import host_names, host_option, port_option, trust_options
from porism.cli.terminal import harmless
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.assess.judgments.store import JudgmentStore


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess serve pool --db judgments.db --collection math
    porism assess serve --db judgments.db --collection math --host 0.0.0.0 --port 8080
    """,
)
@db_option
@collection_option("The collection to show posts from.")
@click.option("--name", metavar="NAME", help="Name of the batch; that of the folder if not given.")
@click.option(
    "--admin",
    metavar="NAME",
    default="admin",
    show_default=True,
    help="Administrator to add if there is none; the token is printed once.",
)
@click.option(
    "--visual-match",
    "same_look",
    type=click.Choice(["by-context", "always-high"]),
    help="The rule for formulas visually identical to the query, for assessors from now on; "
    "initially by-context.",
)
@click.option(
    "--annotations/--no-annotations",
    default=None,
    help="Whether assessors annotate, from now on, if an answer is machine-made or unrelated; "
    "initially off.",
)
@host_option
@port_option()
@trust_options
@json_option
@pool_argument
def serve(
    pool: Path | None,
    db: Path,
    collection: Path | None,
    name: str | None,
    admin: str,
    same_look: str | None,
    annotations: bool | None,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    is_behind_proxy: bool,
    as_json: bool,
) -> None:
    """Serve POOL to be judged in the browser, and store the judgments in FILE.

    Without POOL the batches in FILE are served. Assessors sign in with tokens made by porism assess
    assessor.
    """
    from porism.web.assessment.server import AssessmentCallbacks, run_assessment_server
    from porism.web.assessment.settings import AssessmentSettings

    store = _prepared(db, pool, name)
    for line in _set_instructions(store, same_look, annotations):
        click.echo(line, err=True)
    settings = AssessmentSettings(
        store=db,
        collection=collection,
        hosts=host_names(host, hosts),
        is_behind_proxy=is_behind_proxy,
    )

    def print_address(address: str) -> None:
        # The token is made when the server is reachable: one that is never printed is lost.
        token = _admin_token(store, admin)
        store.close()
        if as_json:
            record = {"address": address, **({"admin": admin, "token": token} if token else {})}
            click.echo(json.dumps(record))
            return
        if token:
            click.echo(f"Token of the administrator {admin} (shown only once): {token}")
        click.echo(f"The assessment is at {address} (Ctrl+C stops it)")

    def print_warning(line: str) -> None:
        click.echo(harmless(line), err=True)

    run_assessment_server(settings, host, port, AssessmentCallbacks(print_address, print_warning))


def _prepared(db: Path, folder: Path | None, name: str | None) -> JudgmentStore:
    """The store with the pool in it; nothing is written if the pool cannot be read."""
    from porism.assess.pools.pool_folder import read_pool
    from porism.assess.records import BatchKind

    if folder is None and name is not None:
        raise click.UsageError("--name needs a POOL")
    if folder is None and not db.is_file():
        raise PorismError(f"{db} does not exist yet: pass the POOL to be judged")
    pool = None if folder is None else read_pool(folder)
    store = open_or_create_store(db)
    if folder is not None and pool is not None:
        store.add_batch(name or folder.resolve().name, BatchKind.OFFICIAL, pool)
    return store


def _set_instructions(
    store: JudgmentStore, same_look: str | None, annotations: bool | None
) -> Iterator[str]:
    """Set the instructions from now on; a change after judgments were made is noted."""
    from porism.assess.records import VisualMatchRule

    before = store.instructions()[-1]
    after = store.set_instructions(
        None if same_look is None else VisualMatchRule(same_look), annotations
    )
    is_late = any(store.judgments(batch.name) for batch in store.batches())
    if after != before and is_late:
        yield "Note: judgments were made with other instructions before; the export counts them"


def _admin_token(store: JudgmentStore, name: str) -> str:
    """A token for a first administrator; empty if there is one."""
    if any(each.is_admin for each in store.assessors()):
        return ""
    return store.add_assessor(name, is_admin=True)
