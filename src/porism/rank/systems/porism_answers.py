"""Porism's own system for answers: words, tuples, and formulas matched one by one.

Two fields, each with its own length, are asked at once: words, and L8 tuples. The first 1,000 are
then looked at more closely: for each formula of the topic, how well the best formula of the answer
matches it as a whole. ``docs/systems.md`` shows what each part gives, and how the constants were
chosen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis import ALL_PARTS, FieldSpec, FormulaTokens, keyword_query
from porism.index import BM25, Clause, Filter, Term
from porism.model import DocId, Hit, Ranking, Topic, ranked
from porism.rank.query_builder import IndexRanker, formula_tokens
from porism.rank.ranker import Ranker
from porism.rank.similarity import FormulaSimilarity, path_set
from porism.searchindex.forward_index import ForwardSpec
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

WORDS = FieldSpec("words", ALL_PARTS, PLAIN)
TUPLES = FieldSpec("tuples", ALL_PARTS, formula_tokens=(FormulaTokens.L8_FOLDED,))

NEEDS = (WORDS, TUPLES, ForwardSpec(FormulaTokens.PATHS))

TITLE_WEIGHT = 2.0
"""How much more the title of a topic counts than its body: words, tuples and whole formulas."""


@dataclass(frozen=True, slots=True)
class WordsAndTuples:
    """All words but stop words asked of the one field, tuples of formulas asked of the other.

    ``tuples`` weighs formulas against words. Choosing keywords by a vocabulary, as S4 does, gains
    nothing here, and would keep a person from finding a word that is in no title.
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
class WithSimilarity:
    """The first ``depth`` of a search, to whose scores is added how alike their formulas are.

    The scores of the search are divided by the highest first, because they grow with the length
    of a topic. What a formula of the topic adds is ``weight``, times the likeness of the answer's
    best formula, times the square root of the number of its own paths: a long formula says more
    than a short one, but not as much more as it is longer.
    """

    first: IndexRanker
    similarity: FormulaSimilarity
    weight: float = 0.08
    title: float = TITLE_WEIGHT
    depth: int = 1000

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        found = self.first.index.best(self.first.query_builder(topic), max(k, self.depth), where)
        if not found or k < 1:
            return ()
        firsts, doc_ids = zip(*found, strict=True)
        scores = np.array(firsts) / firsts[0]
        scores[: self.depth] += self.weight * self.formula_similarities(
            topic, doc_ids[: self.depth]
        )
        # What is added is never negative, so those that were not looked at stay below. Scores are
        # compared as 32-bit numbers, and of equal ones all go on to ``ranked``.
        rounded = scores.astype(np.float32)
        least = np.partition(rounded, -k)[-k] if k < len(rounded) else 0.0
        best = np.flatnonzero(rounded >= least).tolist()
        return ranked(Hit(doc_ids[place], float(scores[place])) for place in best)[:k]

    def formula_similarities(self, topic: Topic, doc_ids: Sequence[DocId]) -> NDArray[np.float64]:
        """How alike the formulas of each document are to those of the topic, over all of these."""
        query = keyword_query(topic, None, PLAIN)
        formulas = (*query.title.formulas, *query.body.formulas)
        weights = [self.title] * len(query.title.formulas) + [1.0] * len(query.body.formulas)
        asked = [path_set(formula) for formula in formulas]
        sizes = np.sqrt([len(paths) for paths in asked])
        best = self.similarity.of_documents(asked, doc_ids)
        return (np.array(weights) * sizes) @ best


def porism(library: SearchIndex) -> Ranker:
    """Words and L8 tuples in fields of their own, and formulas matched as a whole."""
    return WithSimilarity(
        IndexRanker(library.answers, WordsAndTuples()),
        FormulaSimilarity(library),
    )
