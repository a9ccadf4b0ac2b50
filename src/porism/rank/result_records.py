"""Search results as plain records, which the command and the web service print."""

from __future__ import annotations

from porism.model import Formula, Location, plain_text
from porism.query.parts import QueryPart
from porism.rank.explanations import Explanation
from porism.rank.results import SearchResult, SearchResults
from porism.rank.snippets import SnippetFragment


def search_record(found: SearchResults) -> dict[str, object]:
    """Return the query as it was understood, times in milliseconds, and the results."""
    topic = found.search.topic
    return {
        "text": plain_text(topic.title),
        "words": list(found.search.words),
        "formulas": [piece.latex for piece in topic.title if isinstance(piece, Formula)],
        "interpretation": [part_record(part) for part in found.search.interpretation.parts],
        "suggestion": found.search.suggestion,
        "is_corrected": found.search.is_corrected,
        "problems": [
            {"message": each.message, "source": each.source, "offset": each.offset}
            for each in found.problems
        ],
        "milliseconds": times_record(found),
        "results": [result_record(result) for result in found.results],
    }


def part_record(part: QueryPart) -> dict[str, object]:
    """Return a part of a query, with the syntax if it is a formula."""
    return {
        "kind": part.kind.value,
        "source": part.source,
        "value": part.value,
        "syntax": part.syntax.value if part.syntax else None,
    }


def times_record(found: SearchResults) -> dict[str, float]:
    """Return the milliseconds that ranking and reading took."""
    return {
        "search": round(1000 * found.search.seconds, 2),
        "read": round(1000 * found.read_seconds, 2),
    }


def result_record(result: SearchResult) -> dict[str, object]:
    """Return one result; keys such as ``location`` and ``formula`` only if it has them."""
    record: dict[str, object] = {
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
        "snippet": [_fragment_record(fragment) for fragment in result.snippet],
    }
    if result.location is not None:
        record["location"] = location_record(result.location)
    if result.formula is not None:
        formula = result.formula
        record["formula"] = {
            "id": formula.id,
            "latex": formula.latex,
            "visual_id": formula.visual_id,
        }
    if result.comparison is not None:
        record["alignment"] = result.comparison.record()
    if result.explanation is not None:
        record["explanation"] = explanation_record(result.explanation)
    if result.reasons:
        record["why"] = [plain_text(reason) for reason in result.reasons]
    return record


def location_record(location: Location) -> dict[str, object]:
    """Return where a document is in its file."""
    return {
        "path": location.path,
        "headings": list(location.headings),
        "anchor": location.anchor,
        "line": location.line,
        "label": location.label,
    }


def explanation_record(explanation: Explanation) -> dict[str, object]:
    """Return an explanation as nested records."""
    return {
        "label": explanation.label,
        "value": explanation.value,
        "details": [explanation_record(detail) for detail in explanation.details],
    }


def _fragment_record(fragment: SnippetFragment) -> dict[str, object]:
    return {
        "text": fragment.text,
        "is_formula": isinstance(fragment.content, Formula),
        "is_matched": fragment.is_matched,
    }
