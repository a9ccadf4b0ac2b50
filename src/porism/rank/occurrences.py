"""From visually distinct formulas to occurrences in posts, which is what Task 2 asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from porism.analysis.labels import labels
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
    years = filter(None, [occurrence.year])
    return labels(occurrence.tags, years, occurrence.votes, occurrence.is_accepted)


def may_be_found(occurrence: Occurrence, where: Where | None) -> bool:
    """Whether an occurrence is of a look, and in a post, that is asked for."""
    if where is None:
        return True
    is_look = where.documents is None or occurrence.visual_id in where.documents
    return is_look and fits(labels_of(occurrence), where)


def hits(found: Sequence[tuple[Occurrence, float]]) -> Ranking:
    """The occurrences in the order given, as a run has them."""
    return descending([(Hit(DocId(o.formula_id), 0, DocId(o.post_id)), s) for o, s in found])


DEEPEST = 2_000
"""So many formulas that pass a filter are found, to have as many as are wanted in the end."""


@dataclass(frozen=True, slots=True)
class FirstOccurrences:
    """Of each visually distinct formula that ``looks`` finds, its first occurrence in a post.

    The labels of a formula are those of all its posts. So a filter may let one pass of which no
    single post has all that is asked for; it is left out, and one behind it takes its place.
    """

    library: Library = field(repr=False)
    looks: Ranker

    def rank(self, topic: Topic, k: int, where: Where | None = None) -> Ranking:
        if where is not None:
            looks = self.looks.rank(topic, max(k, DEEPEST), narrowed(where, IN_POST))
            return hits(list(islice(self._passing(looks, where), k)))
        looks = self.looks.rank(topic, k, narrowed(None, IN_POST))
        first = first_occurrences(self.library.collection, (hit.doc_id for hit in looks))
        return hits([(first[hit.doc_id], hit.score) for hit in looks if hit.doc_id in first])

    def _passing(self, looks: Ranking, where: Where) -> Iterator[tuple[Occurrence, float]]:
        """The first occurrence of each that passes the filter; read only as far as one goes on."""
        for hit in looks:
            for each in occurrences(self.library.collection, hit.doc_id):
                if may_be_found(each, where):
                    yield each, hit.score
                    break
