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
    porism formula show '?a^2 + ?b^2 = ?c^2' 'x^2 + y^2 = r^2'
    echo '\int_0^1 f(x)\,dx' | porism formula show -
    """,
)
@json_option
@click.option("--query", "is_query", is_flag=True, help="Read ?x as a wildcard named x.")
@click.argument("latex")
@click.argument("other", required=False)
def show(latex: str, other: str | None, as_json: bool, is_query: bool) -> None:
    """Show the trees, features and visual id of the formula LATEX.

    The layout tree has the edges a above, b below, o over, u under, c and d before, w within, e
    next cell. Problems lists what could not be parsed, with its place. LATEX is - to read the
    formula from standard input.

    With OTHER, show instead what the two formulas share: matched parts, in one colour on both
    sides of a terminal, renamed variables, and what is missing or extra in OTHER. ?x in LATEX is
    then a wildcard.
    """
    # Loads the parser and its tables, which --help does not need.
    from porism.cli.formula.comparison_text import comparison_text
    from porism.cli.formula.formula_text import forms_record, forms_text
    from porism.formula.comparison import compare_formulas
    from porism.formula.jsonl import json_line
    from porism.formula.latex import parse_latex, parse_query

    source = sys.stdin.read().strip("\n") if latex == "-" else latex
    parsed = parse_query(source) if is_query else parse_latex(source)
    if other is not None:
        comparison = compare_formulas(parse_query(source).tree, parse_latex(other).tree)
        if as_json:
            click.echo(json_line({"query": source, "result": other, **comparison.record()}))
        else:
            click.echo(comparison_text(comparison, sys.stdout.isatty()))
        return
    if as_json:
        click.echo(json_line(forms_record(source, parsed)))
    else:
        click.echo(forms_text(source, parsed))
