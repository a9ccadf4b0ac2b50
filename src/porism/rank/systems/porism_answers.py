"""Porism's own system for answers: words, tuples, and formulas matched as a whole.

The first stage searches two fields, each with its own length: words and L8 tuples. The first 1,000
answers are re-ranked by how well their best formula matches each formula of the topic as a whole.
``docs/systems.md`` shows what each part gives, and how the constants were chosen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis import ALL_PARTS, FieldSpec, FormulaTokens, keyword_query
from porism.inverted import BM25, Clause, Term
from porism.inverted.keys import Keys
from porism.model import DocId, Formula, Ranking, Topic, plain_text
from porism.rank.explanations import Explanation, summed
from porism.rank.query_builder import IndexRanker, formula_tokens
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Add, Rerank, Scores
from porism.rank.similarity import FormulaSimilarity, path_set
from porism.searchindex.components.forward_index import ForwardSpec
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

WORDS = FieldSpec("words", ALL_PARTS, PLAIN)
TUPLES = FieldSpec("tuples", ALL_PARTS, formula_tokens=(FormulaTokens.L8_FOLDED,))

TITLE_WEIGHT = 2.0
"""Weight of the title of a topic against its body: words, tuples and whole formulas."""


@dataclass(frozen=True, slots=True)
class WordsAndTuples:
    """All words but stop words in one field, tuples of formulas in the other.

    ``tuples`` weighs formulas against words. Choosing keywords by a vocabulary, as S4 does, gains
    nothing here, and would keep people from finding a word that is in no title.
    """

    tuples: float = 0.12
    title: float = TITLE_WEIGHT

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = keyword_query(topic, None, PLAIN)
        words: Weights = defaultdict(float)
        tuples: Weights = defaultdict(float)
        for bag, weight in ((query.title, self.title), (query.body, 1.0), (query.tags, 1.0)):
            for word in bag.words:
                words[word] += weight
            for token in formula_tokens(bag.formulas, FormulaTokens.L8_FOLDED):
                tuples[token] += weight
        return (
            Clause(WORDS.name, _terms(words), BM25, 1 - self.tuples),
            Clause(TUPLES.name, _terms(tuples), BM25, self.tuples),
        )


Weights = dict[str, float]


def _terms(weights: Weights) -> tuple[Term, ...]:
    return tuple(Term(token, weight) for token, weight in weights.items())


@dataclass(frozen=True, slots=True)
class SimilarityScorer:
    """How well the formulas of a document match those of the topic, each as a whole.

    A formula of the topic adds the similarity of the document's best formula, times the square
    root of the number of its own paths: a long formula says more than a short one, but not as much
    more as it is longer.
    """

    similarity: FormulaSimilarity
    title: float = TITLE_WEIGHT

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        return self.of_documents(topic, [hit.doc_id for hit in hits])

    def of_documents(self, topic: Topic, doc_ids: Sequence[DocId]) -> Scores:
        """Return the similarity of each document, over all formulas of the topic."""
        _, path_sets, weights = self._query(topic)
        return weights @ self.similarity.of_documents(path_sets, doc_ids)

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        formulas, path_sets, weights = self._query(topic)
        best = self.similarity.of_documents(path_sets, [hit.doc_id for hit in hits])
        return [
            summed(
                "formula similarity",
                (
                    Explanation(
                        f"{plain_text((formula,))} (best match {match:.3f} × {weight:.3f})",
                        match * weight,
                    )
                    for formula, match, weight in zip(
                        formulas, of_hit.tolist(), weights.tolist(), strict=True
                    )
                    if match
                ),
            )
            for of_hit in best.T
        ]

    def _query(self, topic: Topic) -> tuple[list[Formula], list[Keys], NDArray[np.float64]]:
        """Return the formulas of a topic, their paths, and what a full match of each is worth."""
        query = keyword_query(topic, None, PLAIN)
        formulas = [*query.title.formulas, *query.body.formulas]
        weights = [self.title] * len(query.title.formulas) + [1.0] * len(query.body.formulas)
        path_sets = [path_set(formula) for formula in formulas]
        return formulas, path_sets, np.array(weights) * np.sqrt([len(each) for each in path_sets])


def porism(search_index: SearchIndex) -> Ranker:
    """Words and L8 tuples in fields of their own, and formulas matched as a whole."""
    return Rerank(
        IndexRanker(search_index.answers, WordsAndTuples()),
        SimilarityScorer(FormulaSimilarity(search_index)),
        combine=Add(weight=0.08),
    )


ANSWERS = Maker(porism, (WORDS, TUPLES, ForwardSpec(FormulaTokens.PATHS)))
