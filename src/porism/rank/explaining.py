"""What a system asked of its indexes for a topic, and what each term gave to a score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from porism.index import Index, Part
from porism.model import Topic
from porism.rank.asking import Search
from porism.rank.ranker import Ranker


def searches(ranker: object) -> Iterator[Search]:
    """The searches that a system is made of, however it combines them.

    One that is no search at all, such as one that counts votes, has none.
    """
    if isinstance(ranker, Search):
        yield ranker
    elif isinstance(ranker, tuple):
        for each in ranker:
            yield from searches(each)
    elif is_dataclass(ranker):
        for part in fields(ranker):
            yield from searches(getattr(ranker, part.name))


def asked_tokens(ranker: Ranker, topic: Topic) -> tuple[str, ...]:
    """All tokens that a system searches with for a topic, each once, words as their stems."""
    clauses = (clause for search in searches(ranker) for clause in search.asking(topic))
    return tuple(dict.fromkeys(term.token for clause in clauses for term in clause.terms))


def explanation(ranker: Ranker, topic: Topic, index: Index, doc_id: str) -> tuple[Part, ...]:
    """What each term gave to the score of a document of an index, the largest part first.

    Of a system that combines several searches of the index, these are the parts of all of them.
    """
    parts = (
        part
        for search in searches(ranker)
        if search.index is index
        for part in search.index.explain(search.asking(topic), doc_id)
    )
    return tuple(sorted(parts, key=lambda part: -part.score))
