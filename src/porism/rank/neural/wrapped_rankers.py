"""Rankers around rankers: only the first documents, and a topic in other words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from porism.inverted import Filter
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import NOT_FOUND, Explanation
from porism.rank.neural.thread_texts import TopicText
from porism.rank.ranker import Ranker


@dataclass(frozen=True, slots=True)
class FirstHits:
    """At most the first ``depth`` documents of a ranker, and no others.

    So a fusion scales the scores of a second stage alone, without those of the documents below it.
    """

    ranker: Ranker
    depth: int

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return self.ranker.rank(topic, self.depth, within)[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        first = {hit.doc_id for hit in self.rank(topic, self.depth, within)}
        known = [doc_id for doc_id in doc_ids if doc_id in first]
        explained = dict(zip(known, self.ranker.explain(topic, known, within), strict=True))
        return [explained.get(doc_id, NOT_FOUND) for doc_id in doc_ids]

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return self.ranker.tokens(topic)


@dataclass(frozen=True, slots=True)
class Rephrased:
    """A ranker that is given a topic as one text, such as with its tags."""

    ranker: Ranker
    text: TopicText

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return self.ranker.rank(self._topic(topic), k, within)

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return self.ranker.explain(self._topic(topic), doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return self.ranker.tokens(self._topic(topic))

    def _topic(self, topic: Topic) -> Topic:
        return replace(topic, title=(self.text.of(topic),), body=())
