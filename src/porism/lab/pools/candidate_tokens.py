"""The tokens of pool candidates, from which an order of judging is learned."""

from __future__ import annotations

from collections.abc import Sequence

from porism.analysis import FormulaTokens, query_tokens
from porism.assess.records import Candidate
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.formats.markup import content
from porism.model import Content, Formula, Task
from porism.text import PLAIN


def candidate_tokens(
    candidate: Candidate, task: int, collection: Collection | None
) -> Sequence[str]:
    """The tokens of a candidate; none if its text is not available.

    A formula has its own tokens and those of its post.
    """
    return content_tokens(_content(candidate, task, collection))


def _content(candidate: Candidate, task: int, collection: Collection | None) -> Content:
    if candidate.text:
        return content(candidate.text)
    if collection is None:
        return ()
    try:
        post_id = candidate.post_id
        if task == Task.FORMULAS and post_id is None:
            post_id = collection.instance(candidate.doc_id).post_id
        post = collection.post(post_id or candidate.doc_id)
    except PorismError:  # the collection no longer has it
        return ()
    text = (*post.title, *post.body)
    own = tuple(each for each in text if isinstance(each, Formula) and each.id == candidate.doc_id)
    return (*own, *text)


def content_tokens(text: Content) -> Sequence[str]:
    """The stems of words and the tuples of formulas."""
    words = PLAIN("\n".join(each for each in text if isinstance(each, str)))
    formulas = (each for each in text if isinstance(each, Formula))
    return [
        *words,
        *(
            token
            for each in formulas
            for token in query_tokens(FormulaTokens.L8, each.latex, each.macros).tokens
        ),
    ]
