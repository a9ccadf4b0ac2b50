"""A short answer as JSON values, for the command and the REST interface alike."""

from __future__ import annotations

from dataclasses import asdict

from porism.answer.short_answer import AnswerSource, ShortAnswer
from porism.model import plain_text


def answer_record(answer: ShortAnswer) -> dict[str, object]:
    """Return all of an answer; ``answer`` is null and ``reason`` a text if there is none."""
    verification = answer.verification
    return {
        "answer": answer.text or None,
        "reason": answer.reason or None,
        "system": answer.system,
        "kind": str(answer.kind),
        "model": answer.model or None,
        "score": answer.score,
        "notes": list(answer.notes),
        "sources": [source_record(each) for each in answer.sources],
        "sentences": [asdict(each) for each in answer.sentences],
        "verification": {
            "check": None if verification.check is None else asdict(verification.check),
            "contradictions": [asdict(each) for each in verification.contradictions],
        },
        "milliseconds": {name: round(value, 1) for name, value in asdict(answer.timings).items()},
    }


def source_record(source: AnswerSource) -> dict[str, object]:
    """Return a source, with its title as text."""
    return {
        "number": source.number,
        "id": source.doc_id,
        "thread_id": source.thread_id,
        "kind": str(source.kind),
        "title": plain_text(source.title),
        "passage": source.passage,
        "score": source.score,
        "votes": source.votes,
        "is_accepted": source.is_accepted,
        "url": source.url,
    }
