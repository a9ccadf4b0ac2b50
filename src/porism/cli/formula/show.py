"""``porism formula show``: the trees and features of one formula."""

import sys

import click

from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option


@click.command(
    cls=PorismCommand,
    # A formula may start with a minus sign.
    context_settings={"ignore_unknown_options": True},
    epilog=r"""
    porism formula show '\frac{1}{2} + x^2'
    porism formula show --json 'a^2 + b^2 = c^2'
    porism formula show --query '?a^2 + ?b^2'
    echo '\int_0^1 f(x)\,dx' | porism formula show -
    """,
)
@json_option
@click.option("--query", "is_query", is_flag=True, help="Read ?x as a wildcard named x.")
@click.argument("latex")
def show(latex: str, as_json: bool, is_query: bool) -> None:
    """Show the trees, features and visual id of the formula LATEX.

    The layout tree has the edges a above, b below, o over, u under, c and d before, w within, e
    next cell. Problems lists what could not be parsed, with its place. LATEX is - to read the
    formula from standard input.
    """
    # Loads the parser and its tables, which --help does not need.
    from porism.cli.formula.formula_text import forms_record, forms_text
    from porism.formula.jsonl import json_line
    from porism.formula.latex import parse_latex, parse_query

    source = sys.stdin.read().strip("\n") if latex == "-" else latex
    parsed = parse_query(source) if is_query else parse_latex(source)
    if as_json:
        click.echo(json_line(forms_record(source, parsed)))
    else:
        click.echo(forms_text(source, parsed))
