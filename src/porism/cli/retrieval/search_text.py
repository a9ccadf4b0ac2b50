"""Results of a search for a person to read, or as one record for a program."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import click

from porism.cli.terminal import WIDTH, harmless
from porism.errors import message_with_excerpt
from porism.model import plain_text
from porism.rank.explanations import Explanation, largest_details
from porism.rank.result_records import search_record, times_record
from porism.rank.results import SearchResult, SearchResults
from porism.rank.snippets import Snippet
from porism.rank.typed_topics import QueryProblem

INDENT = " " * 4
MOST_PARTS = 20
"""How many details of a part of a score are shown before the rest is summed up."""

# What is matched stands between these, until it is known how to show it.
_BEGIN, _END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class SearchOutput:
    """A search that was done, and where; what starting took."""

    found: SearchResults
    collection: Path
    start_seconds: float = 0.0


def problem_lines(shown: SearchOutput) -> Iterator[str]:
    """What was not understood, with its place, and that nothing was found."""
    for problem in shown.found.problems:
        yield harmless(_problem_message(problem))
    if not shown.found.results:
        yield "no results"


def result_lines(shown: SearchOutput, is_terminal: bool) -> Iterator[str]:
    """Each result in a few lines; what matched is bold on a terminal, else between « and »."""
    for result in shown.found.results:
        if result.rank > 1:
            yield ""
        title = textwrap.wrap(harmless(plain_text(result.title)), WIDTH - 4) or [""]
        yield click.style(f"{result.rank:>2}. {title[0]}", bold=True)
        yield from (click.style(INDENT + line, bold=True) for line in title[1:])
        yield INDENT + harmless(_facts(result))
        yield from (INDENT + line for line in _passage(result.snippet, is_terminal))
        shown_by = f"porism show {quote(str(shown.collection))} thread {quote(result.post_id)}"
        yield INDENT + click.style(harmless(shown_by), dim=True)
        if result.explanation is not None:
            lines = explanation_lines(result.explanation)
            yield from (INDENT + harmless(line) for line in lines)


def explanation_lines(explanation: Explanation, level: int = 0) -> Iterator[str]:
    """Yield a score as an indented tree: the largest parts first, and the others summed up."""
    yield f"{'  ' * level}{explanation.value:>8.4f}  {explanation.label}"
    shown, others = largest_details(explanation, MOST_PARTS)
    for detail in shown:
        yield from explanation_lines(detail, level + 1)
    if others is not None:
        yield from explanation_lines(others, level + 1)


def times_message(shown: SearchOutput) -> str:
    """How long it took, with what Python and compiled code need to start apart."""
    found = shown.found
    number = len(found.results)
    return (
        f"{number} {'result' if number == 1 else 'results'}; started in "
        f"{shown.start_seconds:.2f} s, searched in {1000 * found.search.seconds:.1f} ms, "
        f"read in {1000 * found.read_seconds:.0f} ms"
    )


def output_record(shown: SearchOutput) -> dict[str, object]:
    """The query as it was understood, times, and results, for a program."""
    times = {"start": round(1000 * shown.start_seconds), **times_record(shown.found)}
    return {**search_record(shown.found), "milliseconds": times}


def _problem_message(problem: QueryProblem) -> str:
    if not problem.source:
        return problem.message
    return message_with_excerpt(problem.source, problem.offset, problem.message)


def _facts(result: SearchResult) -> str:
    votes = "vote" if result.votes == 1 else "votes"
    facts = [
        f"score {result.score:.4f}",
        f"{result.votes:,} {votes}" if result.votes is not None else "",
        "accepted" if result.is_accepted else "",
        result.created[:4] if result.created else "",
        f"formula {result.formula.id} in" if result.formula is not None else "",
    ]
    where = f"{result.kind} {result.post_id}"
    told = ", ".join(fact for fact in facts if fact)
    told += f" {where}" if result.formula is not None else f", {where}"
    return f"{told}; {', '.join(result.tags)}" if result.tags else told


def _passage(snippet: Snippet, is_terminal: bool) -> Iterator[str]:
    """The lines of a passage; what is marked at the end of a line is marked on in the next."""
    text = "".join(
        f"{_BEGIN}{harmless(piece.text)}{_END}" if piece.is_matched else harmless(piece.text)
        for piece in snippet
    )
    begin, end = (_STYLE_ON, _STYLE_OFF) if is_terminal else ("«", "»")
    is_open = False
    for line in textwrap.wrap(
        text.strip(), WIDTH - 4, break_long_words=False, break_on_hyphens=False
    ):
        goes_on = line.count(_BEGIN) + is_open > line.count(_END)
        if is_terminal:  # a style would go over the margin
            line = (_BEGIN if is_open else "") + line + (_END if goes_on else "")
        is_open = goes_on
        yield line.replace(_BEGIN, begin).replace(_END, end)


_STYLE_ON, _STYLE_OFF = click.style("\0", bold=True, underline=True).split("\0")
