"""``porism demo``: a few formulas, to see at once what Porism makes of them."""

import click

from porism.cli.examples import Command

FORMULAS = (
    r"a^2 + b^2 = c^2",
    r"x_{1,2} = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}6",
    r"\int_0^1 f(x)\,dx \le \mypi",
)
"""The last one has a command that does not exist, to show how Porism goes on."""


@click.command(cls=Command, epilog="porism demo | less")
def demo() -> None:
    """Show a few formulas with their trees, features and MathML."""
    # Loads the parser and its tables, which --help can do without.
    from porism.cli.formula_text import as_text
    from porism.formula.convert import read_formula
    from porism.formula.forms import Form

    for number, source in enumerate(FORMULAS, start=1):
        click.secho(f"Formula {number}: {source}", bold=True)
        click.echo()
        click.echo(as_text(source, read_formula(source, Form.LATEX)))
        click.echo("\n")
    click.echo("Try your own:")
    click.echo(r"    .venv/bin/porism formula show '\frac{1}{2} + x^2'")
    click.echo("    .venv/bin/porism --help")
