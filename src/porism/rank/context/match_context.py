"""What surrounds a result in its thread: its question, and matches outside of its own text.

An answer may be found because of its question, or of a comment. A reader should see which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from porism import deadlines
from porism.collection.store import Collection
from porism.model import Content, DocId
from porism.rank.results import SearchResult
from porism.rank.snippets import (
    HighlightTerms,
    Snippet,
    SnippetFragment,
    TupleCounter,
    beginning,
    snippet,
)

QUESTION_LENGTH = 160
"""Characters of a question above its answer."""

COMMENT_LENGTH = 120


class MatchPlace(StrEnum):
    """Where in a thread something matches."""

    TITLE = "title"
    QUESTION = "question"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class MatchContext:
    """The first lines of the question of an answer, and the best match outside of the passage.

    ``place`` says where ``match`` is; it is set only if the passage of the result matches nothing.
    """

    question: Snippet = ()
    place: MatchPlace | None = None
    match: Snippet = ()


NO_CONTEXT = MatchContext()


def match_context(
    collection: Collection,
    result: SearchResult,
    highlights: HighlightTerms,
    tuples_of: TupleCounter,
) -> MatchContext:
    """Return what to say of a result besides its passage."""
    deadlines.check()
    is_answer = result.thread_id != result.post_id
    body = collection.post(result.thread_id).body if is_answer else ()
    question = beginning(body, highlights, tuples_of, QUESTION_LENGTH)
    if _is_matched(result.snippet):
        return MatchContext(question)
    if _is_matched(question):
        return MatchContext(question, MatchPlace.QUESTION)
    in_question = snippet(body, highlights, tuples_of, None, QUESTION_LENGTH)
    if _is_matched(in_question):
        return MatchContext(question, MatchPlace.QUESTION, in_question)
    for comment in _comments(collection, dict.fromkeys((result.post_id, result.thread_id))):
        in_comment = snippet(comment, highlights, tuples_of, None, COMMENT_LENGTH)
        if _is_matched(in_comment):
            return MatchContext(question, MatchPlace.COMMENT, in_comment)
    in_title = snippet(result.title, highlights, tuples_of)
    return MatchContext(question, MatchPlace.TITLE if _is_matched(in_title) else None)


def _comments(collection: Collection, post_ids: Iterable[DocId]) -> Iterator[Content]:
    for post_id in post_ids:
        for comment in collection.comments(post_id):
            yield comment.text


def _is_matched(fragments: Iterable[SnippetFragment]) -> bool:
    return any(fragment.is_matched for fragment in fragments)
