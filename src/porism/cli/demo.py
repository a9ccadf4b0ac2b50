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


@click.command(
    cls=Command,
    epilog="""
    porism demo | less
    porism demo -o demo.html
    """,
)
@click.option("-o", "--output", metavar="PAGE", help="Also write a web page, to PAGE.")
def demo(output: str | None) -> None:
    """Show a few formulas with their trees, features and MathML."""
    # Loads the parser and its tables, which --help can do without.
    from porism.cli.demo_page import demo_page
    from porism.cli.formula_text import as_text
    from porism.cli.output import open_output
    from porism.formula.latex import parse_latex

    if output is not None:
        with open_output(output) as out:
            out.write(demo_page(FORMULAS).encode())
        if output == "-":
            return
    for number, source in enumerate(FORMULAS, start=1):
        click.secho(f"Formula {number}: {source}", bold=True)
        click.echo()
        click.echo(as_text(source, parse_latex(source)))
        click.echo("\n")
    if output is not None:
        click.echo(f"See them as formulas: open {output} in a browser.")
    click.echo("Try your own:")
    click.echo(r"    .venv/bin/porism formula show '\frac{1}{2} + x^2'")
    click.echo("    .venv/bin/porism --help")
