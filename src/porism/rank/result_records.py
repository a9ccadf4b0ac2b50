"""What a search found as plain records, which the command and the web service print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from porism.index import TermScore
from porism.model import Formula, plain_text
from porism.rank.results import SearchResult, SearchResults
from porism.rank.snippets import SnippetFragment


def search_record(
    found: SearchResults, parts: Sequence[Sequence[TermScore]] = ()
) -> dict[str, object]:
    """The query as it was understood, times, and results; ``parts`` explain scores, if given."""
    explained = parts or ((),) * len(found.results)
    return {
        "text": plain_text(found.topic.title),
        "words": list(found.words),
        "formulas": [piece.latex for piece in found.topic.title if isinstance(piece, Formula)],
        "problems": [
            {"message": each.message, "source": each.source, "offset": each.offset}
            for each in found.problems
        ],
        "milliseconds": times_record(found),
        "results": [
            result_record(result, of_result)
            for result, of_result in zip(found.results, explained, strict=True)
        ],
    }


def times_record(found: SearchResults) -> dict[str, float]:
    """How many milliseconds ranking and reading took."""
    return {
        "search": round(1000 * found.rank_seconds, 2),
        "read": round(1000 * found.read_seconds, 2),
    }


def result_record(result: SearchResult, parts: Sequence[TermScore] = ()) -> dict[str, object]:
    """One result; the formula and the explanation are there only if there are such."""
    shown: dict[str, object] = {
        "rank": result.rank,
        "score": result.score,
        "post_id": result.post_id,
        "thread_id": result.thread_id,
        "kind": result.kind,
        "title": plain_text(result.title),
        "votes": result.votes,
        "is_accepted": result.is_accepted,
        "tags": list(result.tags),
        "created": result.created,
        "snippet": [_piece_record(piece) for piece in result.snippet],
    }
    if result.formula is not None:
        formula = result.formula
        shown["formula"] = {
            "id": formula.id,
            "latex": formula.latex,
            "visual_id": formula.visual_id,
        }
    if parts:
        shown["explanation"] = [asdict(part) for part in parts]
    return shown


def _piece_record(piece: SnippetFragment) -> dict[str, object]:
    return {
        "text": piece.text,
        "is_formula": isinstance(piece.content, Formula),
        "is_matched": piece.is_matched,
    }
