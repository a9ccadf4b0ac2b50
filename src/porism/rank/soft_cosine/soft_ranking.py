"""Ranking by soft cosine measures, exactly, through the inverted index.

The score of a document d for a topic q is the sum over fields of

    weight * q'Sd * sqrt(q'q / q'Sq) * sqrt(d'd / d'Sd)

where S has the similarities of terms. That is how both systems of MIRMU normalise (their published
code): a vector keeps its own length, which the weights of its terms have normalised already, when
the axes of the space are no longer at right angles. q'S is a query of weighted terms, in which each
term of the topic stands for the similar ones too, so an ordinary search finds q'Sd. The last
factor is at most 1, and so the search need only go on until the scores without it are below the
last one with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log2

import numpy as np
from numpy.typing import NDArray

from porism.analysis import DocumentPart, FieldSpec, TermBag, Unit, word_query
from porism.inverted import Clause, Filter, Index, Term, WeightingModel
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.explanations import Explanation, scaled, summed
from porism.rank.query_builder import explained_terms, focus_formulas, formula_tokens
from porism.rank.soft_cosine.document_factors import document_factors
from porism.rank.soft_cosine.similarity_matrix import TermSimilarities, norm_ratio
from porism.text import UNSTEMMED

GROWTH = 4
"""How much deeper each further search goes, if the one before does not prove its ranking."""


@dataclass(frozen=True, slots=True)
class SoftField:
    """A field as a space of vectors, with the similarities of its terms.

    ``weight`` is its share of the score. With ``weighs_topic`` the terms of a topic have weights
    like those of documents, without it their counts. The title of a topic counts as often as that
    of a document; its tags count if ``reads_tags``.
    """

    spec: FieldSpec
    model: WeightingModel
    similarities: TermSimilarities = field(repr=False)
    weight: float = 1.0
    weighs_topic: bool = False
    reads_tags: bool = False

    def topic_weights(self, index: Index, topic: Topic) -> dict[str, float]:
        """Return the vector of a topic, by the terms that documents have or that are similar."""
        counts = Counter(self.topic_tokens(topic))
        if not self.weighs_topic:
            return {token: float(count) for token, count in counts.items()}
        having = index.frequencies(self.spec.name, tuple(counts)).tolist()
        return {
            token: (1.0 + log2(1.0 + log2(count))) * self.model.idf(index.documents, number)
            for (token, count), number in zip(counts.items(), having, strict=True)
            if number
        }

    def topic_tokens(self, topic: Topic) -> list[str]:
        """Return the tokens of a topic, or those of the formula that a formula topic is about."""
        kinds = self.spec.formula_tokens
        if self.spec.unit is Unit.FORMULAS:
            return formula_tokens(focus_formulas(topic), *kinds)
        analyzer = self.spec.analyzer
        query = word_query(topic, analyzer or UNSTEMMED)

        def tokens(bag: TermBag) -> list[str]:
            words = bag.words if analyzer is not None else ()
            return [*words, *formula_tokens(bag.formulas, *kinds)]

        times = max(1, self.spec.weight(DocumentPart.TITLE))
        tags = tokens(query.tags) if self.reads_tags else []
        return tokens(query.title) * times + tokens(query.body) + tags

    def clause(self, index: Index, topic: Topic) -> Clause:
        """Return the query of a topic, with the similar terms of each term."""
        weights = self.topic_weights(index, topic)
        expanded = self.similarities.expanded(weights)
        return Clause(
            self.spec.name,
            tuple(Term(token, weight) for token, weight in expanded.items()),
            self.model,
            self.weight * norm_ratio(weights, expanded),
        )

    def factors(self, index: Index, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """Return what the scores of documents are multiplied by."""
        return document_factors(index, self.spec, self.model, self.similarities, doc_ids)


@dataclass(frozen=True, slots=True)
class SoftCosineRanker:
    """Documents of an index by the sum of soft cosine measures over fields."""

    index: Index = field(repr=False)
    fields: tuple[SoftField, ...]

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        clauses = self._clauses(topic)
        depth = GROWTH * k
        while True:
            candidates = self.index.search(clauses, depth, within)
            doc_ids = [hit.doc_id for hit in candidates]
            scores = self._scores(clauses, doc_ids).tolist()
            ranking = ranked(map(Hit, doc_ids, scores))[:k]
            is_complete = len(candidates) < depth
            if is_complete or candidates[-1].score < ranking[-1].score:
                return ranking
            depth *= GROWTH

    def _clauses(self, topic: Topic) -> tuple[Clause, ...]:
        return tuple(each.clause(self.index, topic) for each in self.fields)

    def _scores(self, clauses: Iterable[Clause], doc_ids: Sequence[DocId]) -> NDArray[np.float64]:
        total = np.zeros(len(doc_ids))
        for each, clause in zip(self.fields, clauses, strict=True):
            total += self.index.scores([clause], doc_ids) * each.factors(self.index, doc_ids)
        return total

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        clauses = self._clauses(topic)
        factors = [each.factors(self.index, doc_ids).tolist() for each in self.fields]
        return [
            summed(
                "soft cosine",
                (
                    self._explained(clause, doc_id, of_field[place])
                    for clause, of_field in zip(clauses, factors, strict=True)
                ),
            )
            for place, doc_id in enumerate(doc_ids)
        ]

    def _explained(self, clause: Clause, doc_id: DocId, factor: float) -> Explanation:
        terms = explained_terms(self.index.explain([clause], doc_id))
        label = f"terms in field {clause.field}, × {factor:.4f} for similar terms of the document"
        return scaled(terms, factor, label)

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(token for each in self.fields for token in each.topic_tokens(topic))
        )
