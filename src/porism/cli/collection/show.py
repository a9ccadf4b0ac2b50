"""``porism show``: show a post, thread or formula of a collection."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument
from porism.cli.options.outputs import json_option, output_stream_option


@click.command(
    cls=PorismCommand,
    epilog="""
    porism show sample post 101
    porism show sample thread 101 --html -o thread.html
    porism show sample formula 1000000010100000 --json
    porism show sample formula 1000000010100000 1000000010100001
    porism show formula '?a^2 + ?b^2' 'x^2 + y^2 = 1'
    """,
)
@json_option
@click.option("--html", "as_html", is_flag=True, help="Write a thread as a web page.")
@output_stream_option
@collection_argument
@click.argument("what", metavar="WHAT", type=click.Choice(["post", "thread", "formula"]))
@click.argument("id_", metavar="ID")
@click.argument("other", metavar="[OTHER]", required=False)
def show(
    collection: Path,
    what: str,
    id_: str,
    other: str | None,
    as_json: bool,
    as_html: bool,
    output: str,
) -> None:
    """Show a post, thread or formula of COLLECTION.

    WHAT is "post" (ID of a question or answer, or name of a document), "thread" (ID of any post in
    it) or "formula" (ID of an occurrence, as porism show COLLECTION post ID lists them). With
    OTHER, another formula, it shows what the two share.

    porism show formula A B compares two formulas in LaTeX, like porism formula show A B.
    """
    if other is not None and what != "formula":
        raise click.UsageError(f"OTHER is for formulas, not for a {what}")
    if as_html and (what != "thread" or as_json):
        raise click.UsageError("--html is for threads, and excludes --json")
    # Loads the store and the parser, which --help does not need.
    from porism.cli.collection.show_text import (
        formula_record,
        formula_text,
        post_text,
        record,
        thread_text,
    )
    from porism.cli.formula.comparison_text import comparison_text
    from porism.cli.output import open_output
    from porism.collection.store import open_collection
    from porism.formula.comparison import compare_formulas
    from porism.formula.jsonl import json_line
    from porism.pages.thread import thread_page

    with open_collection(collection) as opened:
        if what == "thread":
            thread = opened.thread(id_)
            if as_html:
                text = thread_page(thread, opened).encode()
            else:
                text = json_line(record(thread)) if as_json else thread_text(thread).encode()
        elif what == "post":
            post = opened.post(id_)
            text = json_line(record(post)) if as_json else post_text(post).encode()
        elif other is not None:
            instances = opened.instance(id_), opened.instance(other)
            comparison = compare_formulas(*(each.formula.layout() for each in instances))
            text = (
                json_line({"query": id_, "result": other, **comparison.record()})
                if as_json
                else comparison_text(comparison, output == "-" and sys.stdout.isatty()).encode()
            )
        else:
            instance = opened.instance(id_)
            record_ = formula_record(instance)
            text = json_line(record_) if as_json else formula_text(instance).encode()
    with open_output(output) as out:
        out.write(text.rstrip(b"\n") + b"\n")
