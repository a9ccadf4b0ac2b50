"""The first rankings of a typed search: answers and notes, and the questions that join them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import QUESTION_FORMULAS, Unit
from porism.inverted import Clause, Filter, Term
from porism.inverted.query import LABELS
from porism.model import DocId
from porism.rank.query_builder import IndexRanker
from porism.rank.rerank import Add, Rerank
from porism.rank.similarity import FormulaSimilarity
from porism.rank.systems.answer_weights import answer_weights
from porism.rank.systems.porism_answers import (
    WORDS,
    SimilarityScorer,
    WordsAndTuples,
    weighted_answers,
)
from porism.rank.systems.weighted_scorers import WeightedScorer, WeightedScorers
from porism.rank.typed.query import Phrase, TypedQuery
from porism.rank.typed.readings import WithVariants, near_formulas
from porism.rank.typed.word_order import WordSequences
from porism.rank.vector_ranking import usable_vectors
from porism.searchindex.index_folder import SearchIndex
from porism.text import PLAIN

DEPTH = 1_000
"""Answers of the first ranking."""

QUESTIONS = 200
"""Questions that are found by words and formulas."""

EQUAL = 50
"""Questions that are found by an equal formula."""

CALIBRATION = 20
"""Questions, the first ones, by which those without answers are compared with answers."""

PHRASE_DEPTH = 2_000
"""Posts that are examined for a phrase, those first that have its words most often."""


class Stages(NamedTuple):
    """The rankers of answers and of questions that a typed search begins with."""

    answers: Rerank
    questions: Rerank


def first_stages(index: SearchIndex, query: TypedQuery) -> Stages:
    """Return the rankers for a query: ``porism``, and the same for questions without vectors."""
    weights = answer_weights(index)
    vectors = usable_vectors(index)
    chosen = weights.without_vectors if vectors is None else weights.with_vectors
    builder = WithVariants(WordsAndTuples(chosen.tuples), query.expansions)
    similarity = FormulaSimilarity(index, unit=Unit.QUESTIONS)
    scorer = SimilarityScorer(similarity, index.questions, readings=near_formulas)
    return Stages(
        weighted_answers(index, chosen, vectors, builder, near_formulas),
        Rerank(
            IndexRanker(index.questions, builder),
            WeightedScorers((WeightedScorer("formulas", scorer, chosen.formulas),)),
            depth=QUESTIONS,
            combine=Add(1.0),
        ),
    )


@dataclass(frozen=True, slots=True)
class Candidates:
    """Posts of the first rankings, with their scores there.

    ``questions`` are those of which no answer was found. Their scores were multiplied by
    ``factor``: so much higher, in the median, is the best answer to a question than the question
    without it. ``threads`` are the questions of answers; a note or question is its own. ``exact``
    are the threads whose title is the query, and ``close`` those whose question is close to it.
    ``within`` is the filter that the posts passed.
    """

    answers: Mapping[DocId, float]
    questions: Mapping[DocId, float]
    threads: Mapping[DocId, DocId]
    exact: frozenset[DocId]
    close: frozenset[DocId]
    within: Filter | None
    factor: float = 1.0


def candidates(
    index: SearchIndex,
    stages: Stages,
    query: TypedQuery,
    formulas: Sequence[str],
    depth: int,
    within: Filter | None,
) -> Candidates:
    """Return the posts that are found; ``formulas`` are linear tokens of formulas of the query."""
    if query.phrases:
        within = _with_phrases(index, query.phrases, within)
        if not within.documents:
            return Candidates({}, {}, {}, frozenset(), frozenset(), within)
    answers = {hit.doc_id: hit.score for hit in stages.answers.rank(query.topic, depth, within)}
    asked = {hit.doc_id: hit.score for hit in stages.questions.rank(query.topic, QUESTIONS, within)}
    exact = _exact_titles(index, query.titles, within)
    answers |= {each: 0.0 for each in exact if each not in answers and index.answers.contains(each)}
    equal = _equal_formulas(index, formulas, within)
    asked |= {each: 0.0 for each in (*exact, *equal) if each not in asked and each not in answers}
    if query.excluded:
        banned = _having_any(index, query.excluded, list(answers), list(asked))
        answers = {each: score for each, score in answers.items() if each not in banned}
        asked = {each: score for each, score in asked.items() if each not in banned}
    parents = index.collection.parents(answers)
    threads = {each: parents.get(each, each) for each in (*answers, *asked)}
    best: dict[DocId, float] = {}
    for doc_id, score in answers.items():
        thread = threads[doc_id]
        if thread not in best or best[thread] < score:
            best[thread] = score
    compared = [each for each in list(asked)[:CALIBRATION] if best.get(each) and asked[each]]
    factor = median(best[each] / asked[each] for each in compared) if compared else 1.0
    return Candidates(
        answers,
        {each: factor * score for each, score in asked.items() if each not in best},
        threads,
        exact,
        frozenset(asked) | exact,
        within,
        factor,
    )


def _exact_titles(
    index: SearchIndex, labels: tuple[str, ...], within: Filter | None
) -> frozenset[DocId]:
    """Return the questions and notes with one of these labels of titles."""
    wanted = Filter((*(within.labels if within else ()), labels))
    allowed = None if within is None else within.documents
    return frozenset(
        DocId(doc_id)
        for each in (index.questions, index.answers)
        if labels and each.frequencies(LABELS, labels).any()
        for doc_id in each.doc_ids(wanted)
        if allowed is None or doc_id in allowed
    )


def _equal_formulas(
    index: SearchIndex, formulas: Sequence[str], within: Filter | None
) -> list[DocId]:
    """Return the questions with most of these formulas, and with the fewest others."""
    clause = Clause(QUESTION_FORMULAS.name, tuple(map(Term, formulas)))
    return [hit.doc_id for hit in index.questions.search((clause,), EQUAL, within)]


def _with_phrases(index: SearchIndex, phrases: Sequence[Phrase], within: Filter | None) -> Filter:
    """Return a filter that only posts with all phrases pass, an answer with its question."""
    terms = tuple(Term(token) for phrase in phrases for token in PLAIN(phrase.text))
    clauses = (Clause(WORDS.name, terms),)
    answers = [hit.doc_id for hit in index.answers.search(clauses, PHRASE_DEPTH, within)]
    questions = [hit.doc_id for hit in index.questions.search(clauses, PHRASE_DEPTH, within)]
    having = np.flatnonzero(_phrases_of(index, phrases, answers, questions).all(axis=0))
    posts = (*answers, *questions)
    passing = frozenset(posts[place] for place in having.tolist())
    return Filter(within.labels if within else (), passing)


def _having_any(
    index: SearchIndex,
    phrases: Sequence[Phrase],
    answers: Sequence[DocId],
    questions: Sequence[DocId],
) -> frozenset[DocId]:
    having = np.flatnonzero(_phrases_of(index, phrases, answers, questions).any(axis=0))
    posts = (*answers, *questions)
    return frozenset(posts[place] for place in having.tolist())


def _phrases_of(
    index: SearchIndex,
    phrases: Sequence[Phrase],
    answers: Sequence[DocId],
    questions: Sequence[DocId],
) -> NDArray[np.bool_]:
    """Return which posts (columns) have which phrases (rows), an answer with its question."""
    parents = index.collection.parents(answers)
    asked = list(dict.fromkeys((*parents.values(), *questions)))
    places = {question: place for place, question in enumerate(asked)}
    own = _sequences(index, Unit.ANSWERS, answers)
    of_questions = _sequences(index, Unit.QUESTIONS, asked)
    # The last place is that of no question, for notes.
    parent_places = np.array(
        [places.get(parents.get(each, each), len(asked)) for each in answers], np.int64
    )
    question_places = np.array([places[each] for each in questions], np.int64)
    rows: list[NDArray[np.bool_]] = []
    for phrase in phrases:
        there = np.append(of_questions.having(phrase.words), False)
        here = own.having(phrase.words) | there[parent_places]
        rows.append(np.concatenate([here, there[question_places]]))
    return np.array(rows).reshape(len(phrases), len(answers) + len(questions))


def _sequences(index: SearchIndex, unit: Unit, doc_ids: Iterable[DocId]) -> WordSequences:
    return WordSequences.of(index.texts(unit).of(list(doc_ids)).words)
