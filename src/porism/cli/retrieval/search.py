"""``porism search``: answers to a question, or formulas like one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.collection import collection_option
from porism.cli.process_time import seconds_since_start
from porism.errors import PorismError


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
@click.option(
    "--tag", "tags", metavar="T", multiple=True, help="Only posts that have this tag; repeatable."
)
@click.option(
    "--since",
    metavar="YEAR",
    type=click.IntRange(1000, 9999),
    help="Only posts of that year or later.",
)
@click.option(
    "--until",
    metavar="YEAR",
    type=click.IntRange(1000, 9999),
    help="Only posts of that year or earlier.",
)
@click.option(
    "--votes",
    metavar="N",
    type=int,
    help="Only posts with at least so many votes; 100 at most can be asked for.",
)
@click.option(
    "--accepted",
    "is_accepted",
    is_flag=True,
    help="Only answers that the author of their question accepted.",
)
@click.option("--explain", "is_explained", is_flag=True, help="Show what each score is made of.")
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
    tags: tuple[str, ...],
    since: int | None,
    until: int | None,
    votes: int | None,
    is_accepted: bool,
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
    from porism.model import Task
    from porism.rank.filters import PostFilter
    from porism.rank.results import explained, search_results
    from porism.rank.typed_topics import typed_answer_topic, typed_formula_topic
    from porism.searchindex.index_folder import open_index

    asked = sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text
    # What the shell passes on need not be text.
    asked = asked.encode("utf-8", "replace").decode()
    typed = typed_formula_topic(asked) if is_formulas else typed_answer_topic(asked)
    try:
        narrowing = PostFilter(tags, since, until, votes, is_accepted)
    except PorismError as error:
        raise click.UsageError(str(error)) from error
    task = Task.FORMULAS if is_formulas else Task.ANSWERS
    with open_index(index, collection) as library:
        _, ranker = catalog.default_ranker(task, library, system)
        # The first search loads the compiled code; starting and searching are told apart.
        ranker.rank(typed.topic, 1)
        started = seconds_since_start()
        found = search_results(library, ranker, typed, k, narrowing)
        if is_explained:
            results = explained(ranker, typed.topic, found.results, narrowing)
            found = replace(found, results=results)
        shown = SearchOutput(found, library.collection_path, started)
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
