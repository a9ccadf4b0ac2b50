"""The lab's oracle: answers to questions that people marked as duplicates of a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from porism.analysis import post_labels
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic, TopicId, ranked
from porism.rank.explanations import NOT_FOUND, Explanation
from porism.rank.occurrences import label_predicate
from porism.rank.ranker import Maker, Ranker, hits_by_id
from porism.searchindex.index_folder import SearchIndex


@dataclass(frozen=True, slots=True)
class LinkedAnswers:
    """All answers to a topic's duplicates by their votes; a topic without duplicates has none.

    The links of topics are not part of a collection, so they must be given (S1 section 4.3).
    """

    search_index: SearchIndex = field(repr=False)
    duplicates: Mapping[TopicId, tuple[DocId, ...]]

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        collection = self.search_index.collection
        threads = map(collection.thread, self.duplicates.get(topic.id, ()))
        is_passing = label_predicate(within)
        return ranked(
            Hit(answer.id, float(answer.score or 0))
            for thread in threads
            for answer in thread.answers
            if is_passing(post_labels(answer, thread.question, thread.author(answer)))
            if within is None or within.documents is None or answer.id in within.documents
        )[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        hits = hits_by_id(self, topic, doc_ids, within)
        label = "votes of an answer to a duplicate question"
        return [
            Explanation(label, hits[doc_id].score) if doc_id in hits else NOT_FOUND
            for doc_id in doc_ids
        ]

    def tokens(self, topic: Topic) -> None:
        return None


def linked_answers(search_index: SearchIndex) -> Ranker:
    """Answers to the duplicates of a topic by votes; needs the topics' duplicates."""
    return LinkedAnswers(search_index, search_index.duplicates)


LINKED_ANSWERS = Maker(linked_answers)
