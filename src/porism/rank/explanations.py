"""What a system asked of its indexes for a topic, and what each term gave to a score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from porism import deadlines
from porism.index import Index, TermScore
from porism.model import Topic
from porism.rank.query_builder import IndexRanker
from porism.rank.ranker import Ranker


def index_rankers(ranker: object) -> Iterator[IndexRanker]:
    """The searches that a system is made of, however it combines them.

    One that is no search at all, such as one that counts votes, has none.
    """
    if isinstance(ranker, IndexRanker):
        yield ranker
    elif isinstance(ranker, tuple):
        for each in ranker:
            yield from index_rankers(each)
    elif is_dataclass(ranker):
        for part in fields(ranker):
            yield from index_rankers(getattr(ranker, part.name))


def search_tokens(ranker: Ranker, topic: Topic) -> tuple[str, ...]:
    """All tokens that a system searches with for a topic, each once, words as their stems."""
    clauses = (clause for search in index_rankers(ranker) for clause in search.query_builder(topic))
    return tuple(dict.fromkeys(term.token for clause in clauses for term in clause.terms))


def explanations(
    ranker: Ranker, topic: Topic, index: Index, doc_ids: Sequence[str]
) -> Iterator[tuple[TermScore, ...]]:
    """For each document of an index what each term gave to its score, the largest part first.

    Of a system that combines several searches of the index, these are the parts of all of them.
    """
    asked = [
        search.query_builder(topic) for search in index_rankers(ranker) if search.index is index
    ]
    for doc_id in doc_ids:
        deadlines.check()
        parts = (part for clauses in asked for part in index.explain(clauses, doc_id))
        yield tuple(sorted(parts, key=lambda part: -part.score))
