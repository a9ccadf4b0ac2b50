"""Porism's own system for answers: few features, each bounded, with learned weights.

The first stage searches two fields, each with its own length: words and L8 tuples. The documents
nearest to the topic by their vectors join its candidates. The score of a candidate is

    lexical / best + formulas * F + question * Q + answer * A

where ``lexical`` is its score in the first stage and ``best`` the highest of the topic, F says how
well its formulas match those of the topic, each as a whole, and Q and A are the cosines of its
question and its answer with the topic. An index without vectors is searched without Q and A, with
weights learned for that. ``docs/systems.md`` shows what each part gives, and what was tried.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import ALL_PARTS, FieldSpec, FormulaTokens, keyword_query
from porism.inverted import BM25, Clause, Filter, Idf, Index, Term
from porism.inverted.keys import Keys
from porism.model import DocId, Formula, Ranking, Topic, plain_text
from porism.rank.explanations import Explanation, scaled, summed
from porism.rank.query_builder import IndexRanker, QueryBuilder, formula_tokens
from porism.rank.ranker import Maker, Ranker, best_hits
from porism.rank.rerank import Add, Rerank, Scores
from porism.rank.similarity import FormulaSimilarity, path_set
from porism.rank.systems.answer_weights import FeatureWeights, answer_weights
from porism.rank.systems.weighted_scorers import WeightedScorer, WeightedScorers
from porism.rank.vector_ranking import VectorRanker, VectorScorer, usable_vectors
from porism.searchindex.components.forward_index import ForwardSpec
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import DocumentVectors
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

# Long documents are threads with much discussion, not padding: so their length counts less than
# the usual b of 0.75 has it, and a repeated term soon says little more.
WORDS = FieldSpec("words", ALL_PARTS, PLAIN, k1=0.9, b=0.4)
TUPLES = FieldSpec("tuples", ALL_PARTS, formula_tokens=(FormulaTokens.L8_FOLDED,), k1=0.9, b=0.4)

TITLE_WEIGHT = 2.0
"""Weight of the title of a topic against its body: words, tuples and whole formulas."""


NEAREST = 200
"""Documents with the nearest questions that join the candidates."""


@dataclass(frozen=True, slots=True)
class WordsAndTuples:
    """All words but stop words in one field, tuples of formulas in the other.

    ``tuples`` weighs formulas against words. Choosing keywords by a vocabulary, as S4 does, gains
    nothing here, and would keep people from finding a word that is in no title.
    """

    tuples: float = 0.08
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


class _QueryFormula(NamedTuple):
    formula: Formula
    readings: tuple[Keys, ...]
    worth: float


def one_reading(formula: Formula) -> tuple[Formula, ...]:
    """Return a formula alone: it means what it says."""
    return (formula,)


@dataclass(frozen=True, slots=True)
class SimilarityScorer:
    """How well the formulas of a document match those of the topic, each as a whole; below 1.

    A formula of the topic adds the similarity of the document's best formula, times the square
    root of the number of its own paths, times the rarity of its rarest tuple: a long formula says
    more than a short one, but not as much more as it is longer, and ``n`` says nearly nothing. The
    sum x becomes x / (x + ``half``), so that a topic with many formulas does not outweigh its
    words. If a formula has several ``readings``, the one that matches best counts.
    """

    similarity: FormulaSimilarity
    index: Index = field(repr=False)
    title: float = TITLE_WEIGHT
    half: float = 5.0
    readings: Callable[[Formula], tuple[Formula, ...]] = field(default=one_reading, repr=False)

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        formulas = self._query(topic)
        worths = np.array([each.worth for each in formulas])
        sums = worths @ self._matches(formulas, hits)
        return sums / (sums + self.half)

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        formulas = self._query(topic)
        explanations: list[Explanation] = []
        for matches in self._matches(formulas, hits).T:
            whole = summed(
                "",
                (
                    Explanation(
                        f"{plain_text((each.formula,))} "
                        f"(best match {match:.3f} × {each.worth:.3f})",
                        match * each.worth,
                    )
                    for each, match in zip(formulas, matches.tolist(), strict=True)
                    if match
                ),
            )
            divisor = whole.value + self.half
            label = f"formula similarity, {whole.value:.3f} divided by {divisor:.3f}"
            explanations.append(scaled(whole, 1 / divisor, label))
        return explanations

    def _matches(self, formulas: Sequence[_QueryFormula], hits: Ranking) -> NDArray[np.float64]:
        """Return the best match of each formula (rows) in each document (columns)."""
        doc_ids = [hit.doc_id for hit in hits]
        path_sets = [paths for each in formulas for paths in each.readings]
        matches = self.similarity.of_documents(path_sets, doc_ids)
        if len(path_sets) == len(formulas):
            return matches
        firsts = np.cumsum([0, *(len(each.readings) for each in formulas[:-1])])
        return np.maximum.reduceat(matches, firsts, axis=0)

    def _query(self, topic: Topic) -> list[_QueryFormula]:
        """Return the formulas of a topic, each once, and what a full match of each is worth."""
        query = keyword_query(topic, None, PLAIN)
        weights = {formula.latex: 1.0 for formula in query.body.formulas}
        weights |= {formula.latex: self.title for formula in query.title.formulas}
        formulas = {each.latex: each for each in (*query.title.formulas, *query.body.formulas)}
        readings = {
            latex: tuple(map(path_set, self.readings(formula)))
            for latex, formula in formulas.items()
        }
        return [
            _QueryFormula(
                formula,
                readings[latex],
                weights[latex] * len(readings[latex][0]) ** 0.5 * self._rarity(formula),
            )
            for latex, formula in formulas.items()
        ]

    def _rarity(self, formula: Formula) -> float:
        """Return the idf of the rarest tuple of a formula, 1 if no document has it."""
        tuples = tuple(dict.fromkeys(formula_tokens((formula,), FormulaTokens.L8_FOLDED)))
        if not tuples:
            return 0.0
        rarest = int(self.index.frequencies(TUPLES.name, tuples).min())
        documents = max(1, self.index.documents)
        return Idf.LUCENE(documents, rarest) / Idf.LUCENE(documents, 0)


@dataclass(frozen=True, slots=True)
class WithNearest:
    """The best of a search, and beyond these the documents nearest to the topic by vectors.

    All have the score of the search. Where the search finds nothing, nothing is near either: every
    text has neighbours, also one that is no text.
    """

    first: IndexRanker
    nearest: VectorRanker
    number: int = NEAREST

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        clauses = self.first.query_builder(topic)
        best = self.first.index.best(clauses, k, within)
        if not best:
            return ()
        scores, doc_ids = map(list, zip(*best, strict=True))
        known = frozenset(doc_ids)
        near = self.nearest.rank(topic, self.number, within)
        others = [hit.doc_id for hit in near if hit.doc_id not in known]
        every = np.concatenate([scores, self.first.index.scores(clauses, others)])
        return best_hits([*doc_ids, *others], every, len(every))

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return self.first.explain(topic, doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return self.first.tokens(topic)


def porism(search_index: SearchIndex) -> Ranker:
    """Words, tuples, whole formulas and, if the index has them, vectors."""
    weights = answer_weights(search_index)
    vectors = usable_vectors(search_index)
    if vectors is None:
        return weighted_answers(search_index, weights.without_vectors, None)
    return weighted_answers(search_index, weights.with_vectors, vectors)


def weighted_answers(
    search_index: SearchIndex,
    weights: FeatureWeights,
    vectors: DocumentVectors | None,
    query_builder: QueryBuilder | None = None,
    readings: Callable[[Formula], tuple[Formula, ...]] = one_reading,
) -> Rerank:
    """Return the system with given weights; without vectors, those of cosines are not used.

    ``query_builder`` is one in the place of ``WordsAndTuples``, ``readings`` are those of formulas.
    """
    index = search_index.answers
    words_and_tuples = IndexRanker(index, query_builder or WordsAndTuples(weights.tuples))
    formulas = SimilarityScorer(FormulaSimilarity(search_index), index, readings=readings)
    scorers = [WeightedScorer("formulas", formulas, weights.formulas)]
    if vectors is None:
        return Rerank(words_and_tuples, WeightedScorers(tuple(scorers)), combine=Add(1.0))
    question, answer = (
        VectorScorer(vectors, kind) for kind in (TextKind.QUESTION, TextKind.ANSWER)
    )
    scorers += (
        WeightedScorer("question_vector", question, weights.question_vector),
        WeightedScorer("answer_vector", answer, weights.answer_vector),
    )
    first = WithNearest(
        words_and_tuples, VectorRanker(index, vectors, question=1.0, answer=0.0, depth=NEAREST)
    )
    return Rerank(first, WeightedScorers(tuple(scorers)), combine=Add(1.0))


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """The features of the candidates of a topic: a value for each document.

    ``words`` and ``tuples`` are scores of the first stage by one field alone.
    """

    doc_ids: tuple[DocId, ...]
    words: Scores
    tuples: Scores
    formulas: Scores
    question_vector: Scores | None
    answer_vector: Scores | None

    def columns(self, tuples: float, with_vectors: bool) -> NDArray[np.float64]:
        """Return the features as columns: the lexical score, formulas and, if wanted, cosines.

        ``tuples`` is the share of tuples in the lexical score, which is divided by its highest
        value.
        """
        lexical = (1 - tuples) * self.words + tuples * self.tuples
        columns = [lexical / max(float(lexical.max(initial=0.0)), 1e-9)]
        columns.append(self.formulas)
        if with_vectors:
            assert self.question_vector is not None
            assert self.answer_vector is not None
            columns += [self.question_vector, self.answer_vector]
        return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """The features of documents one by one, from which weights are learned."""

    search_index: SearchIndex
    vectors: DocumentVectors | None
    depth: int = 1000

    @property
    def first(self) -> Ranker:
        """The ranker of candidates."""
        return self._ranker.first

    @property
    def _ranker(self) -> Rerank:
        weights = FeatureWeights(WordsAndTuples().tuples, 1.0, 1.0, 1.0)
        return weighted_answers(self.search_index, weights, self.vectors)

    def of(self, topic: Topic, hits: Ranking) -> FeatureTable:
        """Return the features of candidates."""
        doc_ids = tuple(hit.doc_id for hit in hits)
        index = self.search_index.answers
        words, tuples = (
            index.scores((replace(clause, weight=1.0),), doc_ids)
            for clause in WordsAndTuples()(topic)
        )
        scorers = self._ranker.scorer
        assert isinstance(scorers, WeightedScorers)
        formulas, *cosines = (part.scorer.scores(topic, hits) for part in scorers.parts)
        question, answer = cosines or (None, None)
        return FeatureTable(doc_ids, words, tuples, formulas, question, answer)


ANSWERS = Maker(porism, (WORDS, TUPLES, ForwardSpec(FormulaTokens.PATHS)), uses_vectors=True)
