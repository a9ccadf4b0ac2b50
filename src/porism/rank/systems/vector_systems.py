"""Systems that rank by sentence vectors: alone, by tokens, and mixed with ``l8``."""

from __future__ import annotations

from porism.rank.fusion import CombSum, Fuse
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Rerank
from porism.rank.systems.l8 import L8_ANSWERS
from porism.rank.systems.late_interaction import MaxSimScorer
from porism.rank.vector_ranking import VectorRanker, required_vectors
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex


def minilm(search_index: SearchIndex, question: float = 0.5, answer: float = 0.5) -> VectorRanker:
    """Cosines of questions with questions and with answers, mixed."""
    return VectorRanker(search_index.answers, required_vectors(search_index), question, answer)


def minilm_maxsim(search_index: SearchIndex) -> Ranker:
    """The first 1,000 of ``minilm`` by the vectors of single tokens."""
    return Rerank(minilm(search_index), MaxSimScorer(search_index, required_vectors(search_index)))


def hybrid(search_index: SearchIndex) -> Ranker:
    """Both scaled from 0 to 1, as in the lab's best mixtures of sparse and dense systems."""
    rankers = (L8_ANSWERS.make(search_index), minilm(search_index))
    return Fuse(rankers, (0.3, 0.7), CombSum())


MINILM = Maker(minilm, (VectorSpec(),))
MINILM_QUESTIONS = Maker(lambda index: minilm(index, 1.0, 0.0), (VectorSpec(),))
MINILM_ANSWERS = Maker(lambda index: minilm(index, 0.0, 1.0), (VectorSpec(),))
MINILM_MAXSIM = Maker(minilm_maxsim, (VectorSpec(),))
HYBRID = Maker(hybrid, (*L8_ANSWERS.needs, VectorSpec()))
