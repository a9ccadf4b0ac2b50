"""Features of answers that learned rankers weigh: similarities, and what people say of a post.

Numbers without a bound count by their logarithms, ln(1 + x), of negative votes with their sign. A
fact that the collection does not have counts 0 for every answer, and so changes no ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign, log1p

import numpy as np

from porism.collection.answer_facts import AnswerFacts, answer_facts, known_facts
from porism.model import DocId, Topic
from porism.rank.rerank import Scores
from porism.rank.structure.pair_features import Matrix
from porism.rank.vector_ranking import VectorScorer
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import DocumentVectors
from porism.searchindex.index_folder import SearchIndex

_FACTS: Mapping[str, Callable[[AnswerFacts], float]] = {
    "votes": lambda facts: copysign(log1p(abs(facts.votes or 0)), facts.votes or 0),
    "accepted": lambda facts: float(facts.is_accepted),
    "reputation": lambda facts: log1p(max(0, facts.reputation or 0)),
    "comments": lambda facts: log1p(facts.comments),
    "length": lambda facts: log1p(facts.characters),
}

_KINDS = {"question similarity": TextKind.QUESTION, "answer similarity": TextKind.ANSWER}


@dataclass(frozen=True, slots=True)
class AnswerFactFeatures:
    """The named features of answers; ``vectors`` are needed for similarities only."""

    search_index: SearchIndex = field(repr=False)
    names: tuple[str, ...]
    vectors: DocumentVectors | None = field(default=None, repr=False)

    def of(self, topic: Topic, doc_ids: Sequence[DocId]) -> Matrix:
        """Return the features of answers, one row each."""
        facts = answer_facts(self.search_index.collection, doc_ids)
        table = np.zeros((len(doc_ids), len(self.names)))
        for column, name in enumerate(self.names):
            table[:, column] = self._column(name, topic, doc_ids, facts)
        return table

    def _column(
        self, name: str, topic: Topic, doc_ids: Sequence[DocId], facts: Sequence[AnswerFacts]
    ) -> Scores:
        if name in _KINDS:
            assert self.vectors is not None
            return VectorScorer(self.vectors, _KINDS[name]).of_documents(topic, doc_ids)
        if name == "shared tags":
            return shared_tags(topic, facts)
        return np.array([_FACTS[name](each) for each in facts])


def shared_tags(topic: Topic, facts: Sequence[AnswerFacts]) -> Scores:
    """Return the share of the topic's tags that the question of each answer has, too."""
    tags = frozenset(topic.tags)
    return np.array([len(tags & each.tags) for each in facts]) / max(1, len(tags))


def fact_notes(system: str, search_index: SearchIndex, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note on those of the features of a system that are 0 for all answers, if any."""
    known = known_facts(search_index.collection)
    is_known = {
        "votes": known.votes,
        "accepted": known.accepted,
        "reputation": known.reputation,
        "shared tags": known.tags,
    }
    missing = [name for name in names if not is_known.get(name, True)]
    if not missing:
        return ()
    return (f"{system}: the collection has no {', '.join(missing)}, which so count nothing",)
