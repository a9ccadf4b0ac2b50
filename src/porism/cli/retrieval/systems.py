"""``porism systems``: the systems that rank answers and formulas, by name."""

from __future__ import annotations

import click

from porism.cli.command import PorismCommand


@click.command(
    cls=PorismCommand,
    epilog="""
    porism systems
    porism systems --json | jq -r '.systems[].name'
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def systems(as_json: bool) -> None:
    """List the systems: the tasks that each does (1 answers, 2 formulas), and what it is."""
    # Loads the systems and all they are made of, which --help can do without.
    from porism.catalog import DEFAULT, SYSTEMS
    from porism.formula.jsonl import json_line
    from porism.model import Task

    tasks = {
        name: [task for task in (Task.ANSWERS, Task.FORMULAS) if each.maker(task) is not None]
        for name, each in SYSTEMS.items()
    }
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
        told = "(the default) " if name == DEFAULT else ""
        click.echo(
            f"{name:<{width}}  {' '.join(map(str, tasks[name])):<5}  {told}{each.description}"
        )
