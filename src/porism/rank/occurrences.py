"""From visually distinct formulas to their occurrences in posts, which Task 2 asks for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from porism import deadlines
from porism.collection.formulas.occurrences import FormulaOccurrence, first_occurrences, occurrences
from porism.filters import IN_POST, fact_labels
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Topic
from porism.rank.explanations import NOT_FOUND, Explanation, with_tie_break
from porism.rank.query_builder import filtered_by_labels
from porism.rank.ranker import Ranker, hits_by_id
from porism.rank.rerank import descending
from porism.searchindex.index_folder import SearchIndex


def label_predicate(within: Filter | None) -> Callable[[Collection[str]], bool]:
    """Return a function that says whether a post with given labels passes a filter."""
    # Sets that are made once: a group may have a label for each of a thousand years.
    groups = [frozenset(group) for group in within.labels] if within else []
    return lambda labels: all(not group.isdisjoint(labels) for group in groups)


def occurrence_predicate(within: Filter | None) -> Callable[[FormulaOccurrence], bool]:
    """Return a function that says whether an occurrence passes a filter: formula and post."""
    if within is None:
        return lambda occurrence: True
    documents, is_passing = within.documents, label_predicate(within)

    def passes(occurrence: FormulaOccurrence) -> bool:
        is_wanted = documents is None or occurrence.visual_id in documents
        return is_wanted and is_passing(fact_labels(occurrence))

    return passes


def occurrence_hits(scored: Sequence[tuple[FormulaOccurrence, float]]) -> Ranking:
    """Return occurrences as hits, in the order given."""
    return descending([(Hit(DocId(o.formula_id), 0, DocId(o.post_id)), s) for o, s in scored])


def explain_occurrences(
    search_index: SearchIndex,
    ranker: Ranker,
    formula_ranker: Ranker,
    topic: Topic,
    formula_ids: Sequence[DocId],
    within: Filter | None,
) -> list[Explanation]:
    """Explain occurrences that have the scores of their visually distinct formulas.

    ``ranker`` found the occurrences, and ``formula_ranker`` scored the formulas.
    """
    hits = hits_by_id(ranker, topic, formula_ids, within)
    instances = search_index.collection.instance
    visual_ids = [
        DocId(instances(each).effective_visual_id) for each in formula_ids if each in hits
    ]
    scores = iter(formula_ranker.explain(topic, visual_ids, filtered_by_labels(within, IN_POST)))
    return [
        with_tie_break(next(scores), hits[each].score) if each in hits else NOT_FOUND
        for each in formula_ids
    ]


FILTERED_DEPTHS = (1_000, 2_000)
"""Formulas to find for a filtered search, since not every one has an occurrence that passes."""

MAX_READ = 20_000
"""Occurrences to read for that: some formulas occur in a hundred thousand posts."""


@dataclass(frozen=True, slots=True)
class FirstOccurrences:
    """The first occurrence in a post of each visually distinct formula that a ranker finds.

    The labels of a formula are those of all its posts. So a formula may pass a filter although no
    single post of it does; it is left out, and the next one takes its place.
    """

    search_index: SearchIndex = field(repr=False)
    formula_ranker: Ranker

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        labelled = filtered_by_labels(within, IN_POST)
        if within is not None:
            candidates = self._candidates(topic, k, labelled)
            return occurrence_hits(list(islice(self._passing(candidates, within), k)))
        formulas = self.formula_ranker.rank(topic, k, labelled)
        first = first_occurrences(self.search_index.collection, (hit.doc_id for hit in formulas))
        return occurrence_hits(
            [(first[hit.doc_id], hit.score) for hit in formulas if hit.doc_id in first]
        )

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return explain_occurrences(
            self.search_index, self, self.formula_ranker, topic, doc_ids, within
        )

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return self.formula_ranker.tokens(topic)

    def _candidates(self, topic: Topic, k: int, labelled: Filter) -> Iterator[Hit]:
        """Yield formulas, best first; the deeper ranking is made only if it is needed."""
        seen: set[DocId] = set()
        for depth in sorted({max(k, depth) for depth in FILTERED_DEPTHS}):
            formulas = self.formula_ranker.rank(topic, depth, labelled)
            yield from (hit for hit in formulas if hit.doc_id not in seen)
            if len(formulas) < depth:
                return
            seen.update(hit.doc_id for hit in formulas)

    def _passing(
        self, formulas: Iterable[Hit], within: Filter
    ) -> Iterator[tuple[FormulaOccurrence, float]]:
        """Yield the first occurrence of each formula that passes, reading only as far as needed."""
        is_passing = occurrence_predicate(within)
        left = MAX_READ
        for hit in formulas:
            deadlines.check()
            for each in islice(occurrences(self.search_index.collection, hit.doc_id), left):
                left -= 1
                if is_passing(each):
                    yield each, hit.score
                    break
            if not left:
                return
