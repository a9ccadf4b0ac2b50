"""From visually distinct formulas to occurrences in posts, which is what Task 2 asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from porism import deadlines
from porism.collection.visual_formulas import FormulaOccurrence, first_occurrences, occurrences
from porism.filters import IN_POST, fact_labels
from porism.index import Filter
from porism.model import DocId, Hit, Ranking, Topic
from porism.rank.query_builder import filtered_by_labels
from porism.rank.ranker import Ranker
from porism.rank.rerank import descending
from porism.searchindex.index_folder import SearchIndex


def label_predicate(where: Filter | None) -> Callable[[Collection[str]], bool]:
    """Tells of the labels of a post whether it is among those asked for."""
    # Sets that are made once: a group may have a label for each of a thousand years.
    groups = [frozenset(group) for group in where.labels] if where else []
    return lambda labels: all(not group.isdisjoint(labels) for group in groups)


def occurrence_predicate(where: Filter | None) -> Callable[[FormulaOccurrence], bool]:
    """Tells of an occurrence whether it is of a look, and in a post, that is asked for."""
    if where is None:
        return lambda occurrence: True
    documents, is_passing = where.documents, label_predicate(where)

    def told(occurrence: FormulaOccurrence) -> bool:
        is_look = documents is None or occurrence.visual_id in documents
        return is_look and is_passing(fact_labels(occurrence))

    return told


def occurrence_hits(found: Sequence[tuple[FormulaOccurrence, float]]) -> Ranking:
    """The occurrences in the order given, as a run has them."""
    return descending([(Hit(DocId(o.formula_id), 0, DocId(o.post_id)), s) for o, s in found])


MIN_FILTERED_DEPTH = 2_000
"""So many formulas that pass a filter are found, to have as many as are wanted in the end."""

MAX_READ = 20_000
"""So many occurrences are read for that: some formulas stand in a hundred thousand posts."""


@dataclass(frozen=True, slots=True)
class FirstOccurrences:
    """Of each visually distinct formula that ``looks`` finds, its first occurrence in a post.

    The labels of a formula are those of all its posts. So a filter may let one pass of which no
    single post has all that is asked for; it is left out, and one behind it takes its place.
    """

    library: SearchIndex = field(repr=False)
    formula_ranker: Ranker

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        if where is not None:
            looks = self.formula_ranker.rank(
                topic, max(k, MIN_FILTERED_DEPTH), filtered_by_labels(where, IN_POST)
            )
            return occurrence_hits(list(islice(self._passing(looks, where), k)))
        looks = self.formula_ranker.rank(topic, k, filtered_by_labels(None, IN_POST))
        first = first_occurrences(self.library.collection, (hit.doc_id for hit in looks))
        return occurrence_hits(
            [(first[hit.doc_id], hit.score) for hit in looks if hit.doc_id in first]
        )

    def _passing(self, looks: Ranking, where: Filter) -> Iterator[tuple[FormulaOccurrence, float]]:
        """The first occurrence of each that passes the filter; read only as far as one goes on."""
        is_found = occurrence_predicate(where)
        left = MAX_READ
        for hit in looks:
            deadlines.check()
            for each in islice(occurrences(self.library.collection, hit.doc_id), left):
                left -= 1
                if is_found(each):
                    yield each, hit.score
                    break
            if not left:
                return
