"""``porism formula convert``: formulas in JSON Lines from one form to another."""

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
"""How many unreadable lines are told one by one; each also has its line in the output."""


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
    help="What the formulas are written in.",
)
@click.option(
    "--to",
    "target",
    type=click.Choice([target.value for target in ConversionTarget]),
    required=True,
    help="What to make of them.",
)
@jobs_option(default=1, show_default=True)
@output_stream_option
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True), default="-")
def convert(form: str, target: str, jobs: int, output: str, file: str) -> None:
    """Convert formulas, one a line, from one form to another.

    FILE, or standard input if it is not given, holds JSON Lines. A line in and its answer are

    \b
        {"id": ..., "latex": ...}     (or "mathml", "content-mathml")
        {"id": ..., "<target>": ..., "problems": [...]}

    A formula that is refused is answered by {"id": ..., "error": ...}. So is a line that cannot be
    read, which is told on standard error too, and the command then ends with status 1.
    """
    if target not in targets(FormulaForm(form)):
        possible = ", ".join(targets(FormulaForm(form)))
        raise click.UsageError(
            f"{form} says nothing about layout, so it cannot become {target}, only: {possible}"
        )
    # Loads the parser and its tables, which --help can do without.
    from porism.formula.jsonl import LineConversion, LineOutcome, converted_lines

    conversion = LineConversion(
        FormulaForm(form), ConversionTarget(target), "<stdin>" if file == "-" else file
    )
    outcomes: Counter[LineOutcome] = Counter()
    with (
        click.open_file(file, "rb") as lines,
        closing(converted_lines(lines, conversion, jobs)) as answers,
        open_output(output) as out,
    ):
        for answer in answers if _is_terminal(output) else with_progress(answers, "formulas"):
            out.write(answer.text + b"\n")
            outcomes[answer.outcome] += 1
            if (
                answer.outcome is LineOutcome.UNREADABLE
                and outcomes[answer.outcome] <= MOST_REPORTED_LINES
            ):
                click.echo(answer.error, err=True)
    if outcomes[LineOutcome.REFUSED]:
        click.echo(f"{outcomes[LineOutcome.REFUSED]:,} formulas refused, see their lines", err=True)
    if outcomes[LineOutcome.UNREADABLE]:
        raise click.ClickException(f"{outcomes[LineOutcome.UNREADABLE]:,} lines could not be read")


def _is_terminal(output: str) -> bool:
    """Whether the lines themselves go to the screen, where they show progress enough."""
    return output == "-" and sys.stdout.isatty()
