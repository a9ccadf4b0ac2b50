"""The lab's oracle: answers of the questions that people marked as duplicates of a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from porism.analysis import post_labels
from porism.index import Filter
from porism.model import DocId, Hit, Ranking, Topic, TopicId, ranked
from porism.rank.occurrences import label_predicate
from porism.rank.ranker import Maker, Ranker
from porism.searchindex.index_folder import SearchIndex


@dataclass(frozen=True, slots=True)
class LinkedAnswers:
    """All answers of a topic's duplicates, by their votes; nothing for a topic without any.

    Links of topics are not part of a collection, so they must be given (S1 section 4.3).
    """

    search_index: SearchIndex = field(repr=False)
    duplicates: Mapping[TopicId, tuple[DocId, ...]]

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        collection = self.search_index.collection
        threads = map(collection.thread, self.duplicates.get(topic.id, ()))
        is_passing = label_predicate(where)
        return ranked(
            Hit(answer.id, float(answer.score or 0))
            for thread in threads
            for answer in thread.answers
            if is_passing(post_labels(answer, thread.question))
            if where is None or where.documents is None or answer.id in where.documents
        )[:k]


def linked_answers(search_index: SearchIndex) -> Ranker:
    """Answers of the questions that a topic repeats, by votes; needs the topics' duplicates."""
    return LinkedAnswers(search_index, search_index.duplicates)


LINKED_ANSWERS = Maker(linked_answers)
