"""``porism search``: answers to a question, or formulas like one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.collection import collection_option
from porism.cli.options.filters import filter_options
from porism.cli.process_time import seconds_since_start

if TYPE_CHECKING:
    from porism.rank.filters import PostFilter


@click.command(
    cls=PorismCommand,
    # A formula may begin with a minus sign.
    context_settings={"ignore_unknown_options": True},
    epilog=r"""
    porism search sample/index 'why does $\sum_{n=1}^\infty \frac1n$ diverge?'
    porism search sample/index 'eigenvalues' --tag linear-algebra --since 2013 -k 3
    porism search sample/index 'eigenvalues' --accepted --votes 10 --until 2016
    porism search sample/index --formulas '\sum_{n=1}^\infty \frac{1}{n^2}'
    porism search sample/index --system tangent-l --explain '$a^2 + b^2 = c^2$'
    """,
)
@click.option("--formulas", "is_formulas", is_flag=True, help="Find formulas instead of answers.")
@click.option(
    "--system",
    metavar="NAME",
    help="The system that ranks, as porism systems lists them; the best the index has if none.",
)
@click.option(
    "-k",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many results.",
)
@filter_options
@click.option("--explain", "is_explained", is_flag=True, help="Show each term's part in the score.")
@collection_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.argument("index", type=click.Path(path_type=Path))
@click.argument("text")
def search(
    index: Path,
    text: str,
    is_formulas: bool,
    system: str | None,
    k: int,
    post_filter: PostFilter,
    is_explained: bool,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Search INDEX for answers to TEXT: words, and formulas between dollars.

    With --formulas, TEXT is a formula, which needs no dollars, and formulas like it are found, each
    in a post; ?x in it is a wildcard. TEXT is - to read it from standard input.
    """
    # Loads the engine and the parser, which --help can do without.
    from porism import catalog
    from porism.cli.retrieval.search_text import (
        SearchOutput,
        output_record,
        problem_lines,
        result_lines,
        times_message,
    )
    from porism.rank.results import score_explanations, search_results
    from porism.rank.typed_topics import typed_answer_topic, typed_formula_topic
    from porism.searchindex.index_folder import open_index

    asked = sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text
    # What the shell passes on need not be text.
    asked = asked.encode("utf-8", "replace").decode()
    typed = typed_formula_topic(asked) if is_formulas else typed_answer_topic(asked)
    task = catalog.FORMULAS_TASK if is_formulas else catalog.ANSWERS_TASK
    with open_index(index, collection) as library:
        name = system or catalog.default_system_name(task, library)
        ranker = catalog.ranker(name, task, library)
        # The first search loads the compiled code; starting and searching are told apart.
        ranker.rank(typed.topic, 1)
        started = seconds_since_start()
        found = search_results(library, ranker, typed, k, post_filter)
        parts = (
            score_explanations(library, ranker, typed.topic, found.results) if is_explained else ()
        )
        shown = SearchOutput(found, library.collection_path, parts, started)
    if as_json:
        from porism.formula.jsonl import json_line  # with all forms that formulas have

        click.echo(json_line(output_record(shown)))
        return
    for line in problem_lines(shown):
        click.echo(line, err=True)
    for line in result_lines(shown, sys.stdout.isatty()):
        click.echo(line)
    if sys.stderr.isatty():
        click.echo(times_message(shown), err=True)
