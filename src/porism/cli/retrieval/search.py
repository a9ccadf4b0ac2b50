"""``porism search``: find answers to a question, or formulas similar to one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.filters import filter_options
from porism.cli.options.inputs import index_argument, index_collection_option
from porism.cli.options.outputs import color_option, json_option
from porism.cli.options.systems import results_option, system_option
from porism.cli.process_time import seconds_since_start
from porism.model import Task

if TYPE_CHECKING:
    from porism.rank.filters import PostFilter


@click.command(
    cls=PorismCommand,
    # A formula may start with a minus sign.
    context_settings={"ignore_unknown_options": True},
    epilog=r"""
    porism search sample/index 'why does $\sum_{n=1}^\infty \frac1n$ diverge?'
    porism search sample/index 'eigenvalues' --tag linear-algebra --since 2013 -k 3
    porism search sample/index 'eigenvalues' --accepted --votes 10 --until 2016
    porism search sample/index --formulas '\sum_{n=1}^\infty \frac{1}{n^2}'
    porism search sample/index --system tangent-l --explain '$a^2 + b^2 = c^2$'
    porism open 3
    """,
)
@click.option("--formulas", "is_formulas", is_flag=True, help="Find formulas instead of answers.")
@system_option("The system that ranks; the best that the index has if not given.")
@results_option("Number of results.", default=10, most=1000)
@filter_options
@click.option("--explain", "is_explained", is_flag=True, help="Print how each score is composed.")
@click.option("--latex", "is_latex", is_flag=True, help="Print formulas as LaTeX.")
@color_option
@click.option(
    "--pager/--no-pager",
    "is_paged",
    default=True,
    help="Whether results that are longer than the terminal go to a pager; they do if not given.",
)
@index_collection_option
@json_option
@index_argument
@click.argument("text")
def search(
    index: Path,
    text: str,
    is_formulas: bool,
    system: str | None,
    k: int,
    post_filter: PostFilter,
    is_explained: bool,
    is_latex: bool,
    is_coloured: bool,
    is_paged: bool,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Search INDEX for answers to TEXT: words, and formulas between dollars.

    With --formulas, TEXT is a formula without dollars, ?x in it is a wildcard, and the results are
    similar formulas, each in a post. TEXT is - to read it from standard input.

    The results are numbered: porism open 3 opens the third.
    """
    from porism.searchindex.index_folder import open_index
    from porism.searchindex.text_encoders import open_in_background

    query = sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text
    # Arguments from the shell need not be valid text.
    query = query.encode("utf-8", "replace").decode()
    task = Task.FORMULAS if is_formulas else Task.ANSWERS
    with open_index(index, collection) as search_index:
        # The model is opened while the rest of the engine is imported.
        vectors = search_index.vectors
        if task is Task.ANSWERS and system is None and vectors is not None:
            open_in_background(vectors.model)

        # Loads the engine and the parser, which --help does not need.
        from porism import catalog
        from porism.cli.retrieval.last_search import remember_results
        from porism.cli.retrieval.search_text import (
            SearchOutput,
            is_longer_than_terminal,
            output_record,
            problem_lines,
            result_lines,
            times_message,
        )
        from porism.cli.retrieval.text_style import style_of_output
        from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
        from porism.rank.results import explained, search_results

        typed = typed_formula_topic(query) if is_formulas else typed_answer_topic(query)
        name, ranker = catalog.typed_search(task, search_index, system)
        notes = catalog.ranking_notes(name, task, search_index)
        # The first search loads the compiled code, which counts as starting.
        ranker.rank(typed.topic, 1)
        started = seconds_since_start()
        results = search_results(search_index, ranker, typed, k, post_filter)
        if is_explained:
            results = replace(results, results=explained(results.search, results.results))
        output = SearchOutput(results, search_index.collection_path, started)
    if as_json:
        from porism.formula.jsonl import json_line  # with all forms that formulas have

        click.echo(json_line(output_record(output)))
        return
    for line in problem_lines(output):
        click.echo(line, err=True)
    remember_results(output.collection, results.results)
    style = style_of_output(is_coloured, is_latex)
    lines = list(result_lines(output, style))
    if is_paged and sys.stdin.isatty() and is_longer_than_terminal(lines):
        # Without an opinion on colours, click has less show them.
        click.echo_via_pager("\n".join(lines), color=None if is_coloured else False)
    else:
        for line in lines:
            click.echo(line, color=is_coloured)
    if sys.stderr.isatty():
        for note in notes:
            click.echo(f"Note: {note}", err=True)
        click.echo(times_message(output), err=True)
