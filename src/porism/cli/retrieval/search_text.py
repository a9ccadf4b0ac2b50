"""Search results as text, or as one record for JSON."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import click

from porism.cli.formula.comparison_text import comparison_lines
from porism.cli.retrieval.text_style import TextStyle
from porism.cli.terminal import harmless
from porism.errors import message_with_excerpt
from porism.query.typed_topics import QueryProblem
from porism.rank.explanations import Explanation, largest_details
from porism.rank.result_records import search_record, times_record
from porism.rank.results import SearchResult, SearchResults
from porism.rank.snippets import Snippet

INDENT = " " * 4
MOST_PARTS = 20
"""Details of a part of a score that are listed; the rest is summed up."""

# Matches are between these until they are styled.
_BEGIN, _END = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class SearchOutput:
    """Search results, their collection, and the start-up time."""

    results: SearchResults
    collection: Path
    start_seconds: float = 0.0


def problem_lines(output: SearchOutput) -> Iterator[str]:
    """Problems of the query with their places, and a line if there are no results."""
    for problem in output.results.problems:
        yield harmless(_problem_message(problem))
    if not output.results.results:
        yield "no results"


def result_lines(output: SearchOutput, style: TextStyle) -> Iterator[str]:
    """Each result in a few lines; matches have a colour, or are between « and » without colours."""
    for result in output.results.results:
        if result.rank > 1:
            yield ""
        first, *rest = style.lines(style.text(result.title)) or [""]
        yield style.title(f"{result.rank:>2}. {first}")
        yield from (style.title(INDENT + line) for line in rest)
        yield INDENT + style.faint(harmless(_facts(result)))
        yield from (INDENT + line for line in _passage(result.snippet, style))
        if result.comparison is not None:
            lines = comparison_lines(result.comparison, style.is_coloured, style.latex)
            yield from (INDENT + line for line in lines)
        command = f"porism show {quote(str(output.collection))} thread {quote(result.post_id)}"
        yield INDENT + style.faint(harmless(command))
        if result.explanation is not None:
            lines = explanation_lines(result.explanation)
            yield from (INDENT + harmless(line) for line in lines)


def is_longer_than_terminal(lines: Sequence[str]) -> bool:
    """Whether lines on standard output would scroll, with a line for the prompt."""
    if not sys.stdout.isatty():
        return False
    columns, rows = shutil.get_terminal_size()
    height = sum(max(1, -(-len(click.unstyle(line)) // columns)) for line in lines)
    return height >= rows


def explanation_lines(explanation: Explanation, level: int = 0) -> Iterator[str]:
    """A score as an indented tree: the largest parts first, and the others summed up."""
    yield f"{'  ' * level}{explanation.value:>8.4f}  {explanation.label}"
    largest, others = largest_details(explanation, MOST_PARTS)
    for detail in largest:
        yield from explanation_lines(detail, level + 1)
    if others is not None:
        yield from explanation_lines(others, level + 1)


def times_message(output: SearchOutput) -> str:
    """The times; starting Python and loading compiled code are separate."""
    results = output.results
    number = len(results.results)
    return (
        f"{number} {'result' if number == 1 else 'results'}; started in "
        f"{output.start_seconds:.2f} s, searched in {1000 * results.search.seconds:.1f} ms, "
        f"read in {1000 * results.read_seconds:.0f} ms"
    )


def output_record(output: SearchOutput) -> dict[str, object]:
    """The query as parsed, times, and results, for JSON."""
    times = {"start": round(1000 * output.start_seconds), **times_record(output.results)}
    return {**search_record(output.results), "milliseconds": times}


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
    line = ", ".join(fact for fact in facts if fact)
    line += f" {where}" if result.formula is not None else f", {where}"
    return f"{line}; {', '.join(result.tags)}" if result.tags else line


def _passage(snippet: Snippet, style: TextStyle) -> Iterator[str]:
    """The lines of a passage; a match that crosses lines is styled in each."""
    text = "".join(
        f"{_BEGIN}{style.text((piece.content,))}{_END}"
        if piece.is_matched
        else style.text((piece.content,))
        for piece in snippet
    )
    begin, end = style.match_ends
    is_open = False
    for line in style.lines(text):
        goes_on = line.count(_BEGIN) + is_open > line.count(_END)
        if style.is_coloured:  # a colour would cross the margin
            line = (_BEGIN if is_open else "") + line + (_END if goes_on else "")
        is_open = goes_on
        yield line.replace(_BEGIN, begin).replace(_END, end)
