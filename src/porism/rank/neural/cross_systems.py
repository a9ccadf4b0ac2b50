"""The lab's systems that re-rank by a cross-encoder: TU_DBS, and MIRMU of 2022.

Their weights are in no registry. An index gets a cross-encoder with ``porism index --model
cross-encoder=FOLDER``, such as one that ``porism train cross-encoder`` wrote; without one, late
interaction by the model of the vectors takes its place, which was trained for other texts and never
reads two texts together.
"""

from __future__ import annotations

from porism.rank.neural.compubert import answers_by_vectors
from porism.rank.neural.cross_scorer import pair_scorer
from porism.rank.neural.rank_bands import BANDS, RankBands
from porism.rank.neural.thread_texts import TopicText
from porism.rank.neural.wrapped_rankers import Rephrased
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Rerank
from porism.rank.systems.l8 import L8_ANSWERS
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole, VectorRole

DEPTH = 100
"""Documents that a second stage scores: a few seconds a topic on one core."""


def tu_dbs(search_index: SearchIndex) -> Ranker:
    """The first 100 of ``l8`` by a cross-encoder over the topic (title and body) and the answer.

    The lab's read the topic with each of 1.4 million answers, for hours on graphics cards. Ours
    re-ranks, since a core scores tens of pairs a second; the first stage is ``l8``, the best of the
    lab that needs no model, so everything neural in the ranking is the cross-encoder's.

    With a cross-encoder trained on the 2,707 answers of the mini collection it ranks below ``l8``,
    and in 2020 below ``bm25`` (on 32 topics). A likely reason, not tested: it learned to tell an
    answer from those to other questions, which orders the first 100 of ``l8`` little, yet replaces
    its scores.
    """
    return Rerank(
        L8_ANSWERS.make(search_index), pair_scorer(search_index), DEPTH, is_prefix_stable=True
    )


TU_DBS = Maker(tu_dbs, L8_ANSWERS.needs, uses_vectors=True, models=(ModelRole.CROSS_ENCODER,))


def mirmu_minilm_roberta(search_index: SearchIndex) -> Ranker:
    """Answers by a bi-encoder, the first 128 re-ranked within bands of ranks by a cross-encoder.

    The topic is its title, tags and body in one text. The lab's bi-encoder was MiniLM with 12
    layers, ours is the model of the vectors (MiniLM with 6), for the first 128 tokens of an answer;
    its cross-encoder was RoBERTa, trained on the judged topics of 2020.
    """
    first = answers_by_vectors(search_index, VectorRole.TEXTS)
    return Rerank(
        Rephrased(first, TopicText.TAGGED),
        pair_scorer(search_index, TopicText.TAGGED),
        BANDS[-1],
        RankBands(),
    )


MIRMU_MINILM_ROBERTA = Maker(
    mirmu_minilm_roberta, (VectorSpec(),), models=(ModelRole.CROSS_ENCODER,)
)
