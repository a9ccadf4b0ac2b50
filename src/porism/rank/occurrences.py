"""From visually distinct formulas to occurrences in posts, which is what Task 2 asks for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from porism.collection.looks import Occurrence, first_occurrences, occurrences
from porism.index import Where
from porism.indexing.library import IN_POST, Library
from porism.model import DocId, Hit, Ranking, Topic
from porism.rank.asking import narrowed
from porism.rank.ranker import Ranker
from porism.rank.reranking import descending


def fits(labels: Collection[str], where: Where | None) -> bool:
    """Whether a post with these labels is among those asked for."""
    return where is None or all(not set(group).isdisjoint(labels) for group in where.labels)


def labels_of(occurrence: Occurrence) -> tuple[str, ...]:
    """The labels of the post in which a formula occurs."""
    return (*(f"tag:{tag}" for tag in occurrence.tags), f"year:{occurrence.year}")


def may_be_found(occurrence: Occurrence, where: Where | None) -> bool:
    """Whether an occurrence is of a look, and in a post, that is asked for."""
    if where is None:
        return True
    is_look = where.documents is None or occurrence.visual_id in where.documents
    return is_look and fits(labels_of(occurrence), where)


def hits(found: Sequence[tuple[Occurrence, float]]) -> Ranking:
    """The occurrences in the order given, as a run has them."""
    return descending([(Hit(DocId(o.formula_id), 0, DocId(o.post_id)), s) for o, s in found])


@dataclass(frozen=True, slots=True)
class FirstOccurrences:
    """Of each visually distinct formula that ``looks`` finds, its first occurrence in a post."""

    library: Library = field(repr=False)
    looks: Ranker

    def rank(self, topic: Topic, k: int, where: Where | None = None) -> Ranking:
        looks = self.looks.rank(topic, k, narrowed(where, IN_POST))
        first = self._first(looks, where)
        return hits([(first[hit.doc_id], hit.score) for hit in looks if hit.doc_id in first])

    def _first(self, looks: Ranking, where: Where | None) -> Mapping[str, Occurrence]:
        collection = self.library.collection
        if where is None:
            return first_occurrences(collection, (hit.doc_id for hit in looks))
        return {
            each.visual_id: each
            for hit in looks
            for each in reversed(occurrences(collection, hit.doc_id))
            if may_be_found(each, where)
        }
