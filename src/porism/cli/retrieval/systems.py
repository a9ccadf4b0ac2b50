"""``porism systems``: list the retrieval systems."""

from __future__ import annotations

import click

from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option


@click.command(
    cls=PorismCommand,
    epilog="""
    porism systems
    porism systems --json | jq -r '.systems[].name'
    """,
)
@json_option
def systems(as_json: bool) -> None:
    """List the systems with their tasks (1 answers, 2 formulas) and descriptions."""
    # Loads the systems, which --help does not need.
    from porism.catalog import DEFAULT, SYSTEMS
    from porism.formula.jsonl import json_line

    tasks = {name: each.tasks for name, each in SYSTEMS.items()}
    if as_json:
        rows = [
            {
                "name": name,
                "tasks": tasks[name],
                "what": each.description,
                "is_default": name == DEFAULT,
            }
            for name, each in SYSTEMS.items()
        ]
        click.echo(json_line({"systems": rows}))
        return
    width = max(map(len, SYSTEMS))
    click.echo(f"{'name':<{width}}  tasks  what")
    for name, each in SYSTEMS.items():
        mark = "(the default) " if name == DEFAULT else ""
        click.echo(
            f"{name:<{width}}  {' '.join(map(str, tasks[name])):<5}  {mark}{each.description}"
        )
