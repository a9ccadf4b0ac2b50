"""MathDowsers' two systems for Task 2 of 2021 (S4 section 4): by formulas, and by documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from porism import deadlines
from porism.collection.formulas.occurrences import FormulaOccurrence, occurrences, occurrences_in
from porism.filters import IN_POST
from porism.inverted import Filter
from porism.model import DocId, Ranking, Topic
from porism.rank.explanations import NOT_FOUND, Explanation
from porism.rank.occurrences import explain_occurrences, occurrence_hits, occurrence_predicate
from porism.rank.query_builder import IndexRanker, filtered_by_labels
from porism.rank.ranker import Maker, Ranker, hits_by_id, joined_tokens
from porism.rank.systems.tangent_l import FULL, FULL_FORMULAS, RawScore, tangent_l_primary
from porism.searchindex.index_folder import SearchIndex

DEPTH = 10_000
"""How many answers of Task 1, and how many similar formulas, are considered."""


def post_ranks(search_index: SearchIndex, answers: Ranking) -> dict[str, int]:
    """Return the rank of each post: of an answer its own, of a question that of its best answer."""
    ranks: dict[str, int] = {}
    for rank, hit in enumerate(answers):
        ranks[hit.doc_id] = rank
        question = search_index.collection.parent(hit.doc_id)
        if question is not None:
            ranks.setdefault(question, rank)
    return ranks


@dataclass(frozen=True, slots=True)
class FormulaBase:
    """Visually distinct formulas by their similarity, each with its occurrences in the best posts.

    Each of the first ``heads`` formulas has up to ``each`` occurrences, the others have one; those
    in posts that Task 1 ranks high for the same topic come first (S4 section 4.1).
    """

    search_index: SearchIndex = field(repr=False)
    formula_ranker: Ranker
    answers: Ranker
    heads: int = 20
    each: int = 5

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        ranks = post_ranks(self.search_index, self.answers.rank(topic, DEPTH))
        chosen: list[tuple[FormulaOccurrence, float]] = []
        is_passing = occurrence_predicate(within)
        formulas = self.formula_ranker.rank(topic, k, filtered_by_labels(within, IN_POST))
        for place, formula in enumerate(formulas):
            deadlines.check()
            own = occurrences(self.search_index.collection, formula.doc_id)
            best = sorted(filter(is_passing, own), key=lambda each: ranks.get(each.post_id, DEPTH))
            count = self.each if place < self.heads else 1
            chosen += ((occurrence, formula.score) for occurrence in best[:count])
            if len(chosen) >= k:
                break
        return occurrence_hits(chosen[:k])

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return explain_occurrences(
            self.search_index, self, self.formula_ranker, topic, doc_ids, within
        )

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return joined_tokens((self.formula_ranker, self.answers), topic)


@dataclass(frozen=True, slots=True)
class DocBase:
    """The formulas of the best answers to a topic's question, if they are similar enough.

    Answers come in the order of Task 1. The formulas of an answer and its question count if their
    normalised similarity (equation 3 of S4) is at least ``threshold``, or if there is only one.
    """

    search_index: SearchIndex = field(repr=False)
    formula_ranker: IndexRanker
    answers: Ranker
    threshold: float = 0.8

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        similar = self.formula_ranker.rank(topic, DEPTH, filtered_by_labels(None, IN_POST))
        similarity: dict[str, float] = {hit.doc_id: hit.score / similar[0].score for hit in similar}
        chosen: dict[str, FormulaOccurrence] = {}
        is_passing = occurrence_predicate(within)
        for occurrence in self._candidates(topic, similarity):
            if is_passing(occurrence):
                chosen.setdefault(occurrence.formula_id, occurrence)
            if len(chosen) >= k:
                break
        # The order is that of the answers, so the score is only a function of the rank.
        return occurrence_hits(
            [(each, 1 / rank) for rank, each in enumerate(chosen.values(), start=1)]
        )[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        hits = hits_by_id(self, topic, doc_ids, within)
        label = "1 / rank {} among the similar formulas of the best answers"
        return [
            Explanation(label.format(round(1 / hits[doc_id].score)), hits[doc_id].score)
            if doc_id in hits
            else NOT_FOUND
            for doc_id in doc_ids
        ]

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return joined_tokens((self.formula_ranker, self.answers), topic)

    def _candidates(
        self, topic: Topic, similarity: dict[str, float]
    ) -> Iterator[FormulaOccurrence]:
        for hit in self.answers.rank(topic, DEPTH):
            deadlines.check()
            question = self.search_index.collection.parent(hit.doc_id)
            posts = [hit.doc_id] if question is None else [question, hit.doc_id]
            candidates = occurrences_in(self.search_index.collection, posts)
            if len(candidates) > 1:
                candidates = [
                    each
                    for each in candidates
                    if similarity.get(each.visual_id, 0.0) >= self.threshold
                ]
                candidates.sort(key=lambda each: -similarity.get(each.visual_id, 0.0))
            yield from candidates


def formula_base(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2021, formulaBase: similar formulas, in the posts that Task 1 ranks high."""
    formulas = IndexRanker(search_index.formulas, RawScore())
    return FormulaBase(search_index, formulas, tangent_l_primary(search_index))


FORMULA_BASE = Maker(formula_base, (FULL, FULL_FORMULAS))


def doc_base(search_index: SearchIndex) -> Ranker:
    """MathDowsers 2021, docBase: similar formulas of the answers that Task 1 ranks high."""
    formulas = IndexRanker(search_index.formulas, RawScore())
    return DocBase(search_index, formulas, tangent_l_primary(search_index))


DOC_BASE = Maker(doc_base, (FULL, FULL_FORMULAS))
