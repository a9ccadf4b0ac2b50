"""``porism formula convert``: convert formulas in JSON Lines."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing

import click

from porism.cli.command import PorismCommand
from porism.cli.options.jobs import jobs_option
from porism.cli.options.outputs import output_stream_option
from porism.cli.output import open_output
from porism.cli.progress import with_progress
from porism.formula.forms import ConversionTarget, FormulaForm, targets

MOST_REPORTED_LINES = 10
"""Unreadable lines that are reported one by one; each also has its line in the output."""


@click.command(
    cls=PorismCommand,
    epilog=r"""
    echo '{"id": 1, "latex": "x^2+1"}' | porism formula convert --from latex --to mathml
    porism formula convert --from latex --to l8 --jobs 2 formulas.jsonl -o features.jsonl
    porism formula convert --from content-mathml --to opt < formulas.jsonl
    """,
)
@click.option(
    "--from",
    "form",
    type=click.Choice([form.value for form in FormulaForm]),
    required=True,
    help="The form of the formulas.",
)
@click.option(
    "--to",
    "target",
    type=click.Choice([target.value for target in ConversionTarget]),
    required=True,
    help="The form to convert to.",
)
@jobs_option(default=1, show_default=True)
@output_stream_option
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
def convert(form: str, target: str, jobs: int, output: str, file: str) -> None:
    """Convert formulas, one per line, from one form to another.

    FILE, or standard input if not given, has JSON Lines. An input line and its output line are

    \b
        {"id": ..., "latex": ...}     (or "mathml", "content-mathml")
        {"id": ..., "<target>": ..., "problems": [...]}

    A formula that is refused gives {"id": ..., "error": ...}. So does a line that cannot be read,
    which is also reported on standard error; the command then exits with status 1.
    """
    if target not in targets(FormulaForm(form)):
        possible = ", ".join(targets(FormulaForm(form)))
        raise click.UsageError(
            f"{form} has no layout, so it cannot be converted to {target}, only to: {possible}"
        )
    # Loads the parser and its tables, which --help does not need.
    from porism.formula.jsonl import LineConversion, LineOutcome, converted_lines

    conversion = LineConversion(
        FormulaForm(form), ConversionTarget(target), "<stdin>" if file == "-" else file
    )
    outcomes: Counter[LineOutcome] = Counter()
    with (
        click.open_file(file, "rb") as lines,
        closing(converted_lines(lines, conversion, jobs)) as results,
        open_output(output) as out,
    ):
        for result in results if _is_terminal(output) else with_progress(results, "formulas"):
            out.write(result.text + b"\n")
            outcomes[result.outcome] += 1
            if (
                result.outcome is LineOutcome.UNREADABLE
                and outcomes[result.outcome] <= MOST_REPORTED_LINES
            ):
                click.echo(result.error, err=True)
    if outcomes[LineOutcome.REFUSED]:
        click.echo(
            f"{outcomes[LineOutcome.REFUSED]:,} formulas refused, see their lines in the output",
            err=True,
        )
    if outcomes[LineOutcome.UNREADABLE]:
        raise click.ClickException(f"{outcomes[LineOutcome.UNREADABLE]:,} lines could not be read")


def _is_terminal(output: str) -> bool:
    """Whether the output goes to a terminal, which shows progress by itself."""
    return output == "-" and sys.stdout.isatty()
