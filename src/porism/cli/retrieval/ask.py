"""``porism ask``: one short answer to a question, with its sources."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.filters import filter_options
from porism.cli.options.generation import generator_options
from porism.cli.options.inputs import index_argument, index_collection_option
from porism.cli.options.outputs import json_option
from porism.cli.options.systems import system_option
from porism.cli.terminal import harmless
from porism.generation.settings import GeneratorSettings
from porism.model import Task

if TYPE_CHECKING:
    from porism.rank.filters import PostFilter


@click.command(
    cls=PorismCommand,
    # A question may start with a minus sign.
    context_settings={"ignore_unknown_options": True},
    epilog=r"""
    porism ask sample/index 'why does $\sum_{n=1}^\infty \frac1n$ diverge?'
    porism ask sample/index 'is the determinant multiplicative?' --accepted --json
    porism ask math --endpoint http://localhost:11434/v1 --model qwen3 'what is $e^{i\pi}$?'
    porism ask math --model model.gguf 'why is $\sqrt2$ irrational?'
    porism ask math --system gpt3-prompt --model model.gguf 'why is $\sqrt2$ irrational?'
    """,
)
@system_option(
    "The system that answers; extract, or generate if a language model is named. porism systems "
    "lists them (task 3)."
)
@generator_options
@filter_options
@index_collection_option
@json_option
@index_argument
@click.argument("text")
def ask(
    index: Path,
    text: str,
    system: str | None,
    language_model: GeneratorSettings,
    post_filter: PostFilter,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Answer TEXT from the posts of INDEX: words, and formulas between dollars.

    The answer is the best passage of the best answer or, with a language model, a text that it
    writes from such passages and that cites them. It has at most 1,200 characters. Without a good
    source there is no answer; then the nearest results are listed and the exit status is 1. TEXT is
    - to read it from standard input.
    """
    # Loads the engine and the parser, which --help does not need.
    from porism import catalog
    from porism.answer.answerer import AnswerTools
    from porism.answer.records import answer_record
    from porism.answer.short_answer import SILENT
    from porism.cli.retrieval.answer_text import StreamedAnswer, answer_lines
    from porism.formula.jsonl import json_line
    from porism.generation.models import open_generator
    from porism.query.typed_topics import typed_answer_topic
    from porism.searchindex.index_folder import open_index

    question = sys.stdin.buffer.read().decode("utf-8", "replace") if text == "-" else text
    # Arguments from the shell need not be valid text.
    typed = typed_answer_topic(question.encode("utf-8", "replace").decode())
    name = system or ("generate" if language_model.is_named else catalog.DEFAULT_ANSWERER)
    is_terminal = sys.stdout.isatty() and not as_json
    with ExitStack() as opened:
        search_index = opened.enter_context(open_index(index, collection))
        notes = catalog.ranking_notes(name, Task.SHORT_ANSWERS, search_index)
        generator = None
        if catalog.system(name).needs_generator and language_model.is_named:
            generator = open_generator(language_model)
            opened.callback(generator.close)
        elif language_model.is_named:
            click.echo(f"Note: {name} uses no language model", err=True)
        answerer = catalog.answerer(name, search_index, AnswerTools(generator))
        draft = StreamedAnswer()
        with draft:
            listener = draft if is_terminal else SILENT
            answer = answerer.answer(typed.topic, post_filter.index_filter(), listener)
    if as_json:
        problems = [problem.message for problem in typed.problems]
        click.echo(json_line({"question": question, **answer_record(answer), "problems": problems}))
    else:
        for problem in typed.problems:
            click.echo(harmless(problem.message), err=True)
        if draft.has_text:
            click.echo()
        for line in answer_lines(answer):
            click.echo(line)
        if sys.stderr.isatty():
            for note in notes:
                click.echo(f"Note: {note}", err=True)
    if not answer.text:
        sys.exit(1)
