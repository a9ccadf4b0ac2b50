"""``porism assess assessor``: add an assessor."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porism.cli.assessment.stores import db_option, open_existing_store
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess assessor Ann --db judgments.db
    porism assess assessor Eve --db judgments.db --admin
    """,
)
@db_option
@click.option("--admin", "is_admin", is_flag=True, help="Make the assessor an administrator.")
@json_option
@click.argument("name")
def assessor(name: str, db: Path, is_admin: bool, as_json: bool) -> None:
    """Add the assessor NAME, and print the token to sign in with.

    The token is printed only once. An existing assessor gets a new one, and the old one is revoked.
    """
    store = open_existing_store(db)
    token = store.add_assessor(name, is_admin)
    if as_json:
        record = {"name": name, "is_admin": is_admin, "token": token}
        click.echo(json.dumps(record, ensure_ascii=False))
    else:
        click.echo(f"Token of {name} (shown only once): {token}")
