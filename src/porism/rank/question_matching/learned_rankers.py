"""Answers by learned weights of similarities and metadata: DPRL 2022 and MathDowsers 2020.

``dprl-svm`` (S3 Table 3, run SVM-Rank) orders the answers to similar questions by a weighted sum of
question similarity, answer similarity and metadata. ``porism train ranker`` fits the weights with a
linear SVM-rank. The lab's run, trained on the topics of 2020 and 2021, fell from .53 to .28 on
those of 2022; here there are eight features, and held-out scores are part of the weights' file. The
original's similarities came from models of its own and several texts of each question; here they
are the cosines of the index's vectors. On topics made of links it is a little above ``bm25`` and
below question similarity alone, for the reason that ``similar_questions`` gives.

``linear-regression`` (S1 Table A1, run alpha05; S4 section 1) re-ranks the first 1,000 of
``tangent-l-2020`` by a linear regression on metadata: shared tags, votes, reputation. It is fitted
to mock assessments, not to judgments: the answers to linked questions are taken as relevant
(``lab.ranker_learning``). The papers do not say whether the score of the first stage was a
variable. Here it is, divided by the highest of the topic, and the other weights are relative to its
own: without it the order would depend on the text only through the tags. The lab's run was worse
than the same without re-ranking (.278 against .345); here the two are equal within chance.

Weights that Porism ships were learned on a collection without votes, accepted answers and
reputations, so these count nothing; a collection that has them deserves weights of its own.
"""

from __future__ import annotations

from porism.rank.fusion import Fuse
from porism.rank.question_matching.answer_features import AnswerFactFeatures, fact_notes
from porism.rank.question_matching.ranker_weights import (
    FEATURES,
    REGRESSION,
    SVM,
    ranker_weights,
)
from porism.rank.question_matching.similar_questions import (
    DEPTH,
    QQ_QA,
    QQ_QA_AMR,
    by_questions,
)
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Add, Replace, Rerank
from porism.rank.structure.ltr import WeightedFeatures
from porism.rank.systems.tangent_l import TANGENT_L_2020
from porism.rank.vector_ranking import VectorRanker, required_vectors
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex

LABEL = "similarities and metadata"


def svm_candidates(search_index: SearchIndex) -> VectorRanker:
    """Return the first stage of ``dprl-svm``: answers by the similarity of their questions."""
    return by_questions(search_index, required_vectors(search_index))


def svm_features(search_index: SearchIndex) -> AnswerFactFeatures:
    """Return the features of ``dprl-svm``."""
    return AnswerFactFeatures(search_index, FEATURES[SVM], required_vectors(search_index))


def svm_ranker(search_index: SearchIndex) -> Ranker:
    """The answers to similar questions by learned weights."""
    weights = ranker_weights(search_index, SVM).weights
    return Rerank(
        svm_candidates(search_index),
        WeightedFeatures(svm_features(search_index), weights, LABEL),
        DEPTH,
        Replace(is_stable=False),
        is_prefix_stable=True,
    )


def regression_features(search_index: SearchIndex) -> AnswerFactFeatures:
    """Return the features of ``linear-regression`` besides the first score."""
    return AnswerFactFeatures(search_index, FEATURES[REGRESSION])


def regression_ranker(search_index: SearchIndex) -> Ranker:
    """The first 1,000 of ``tangent-l-2020`` by its score and metadata."""
    weights = ranker_weights(search_index, REGRESSION).weights
    scorer = WeightedFeatures(regression_features(search_index), weights, LABEL)
    return Rerank(TANGENT_L_2020.make(search_index), scorer, DEPTH, Add(1.0), is_prefix_stable=True)


def rrf_ranker(search_index: SearchIndex) -> Ranker:
    """The reciprocal ranks of similar questions, the same as graphs, and the learned ranker."""
    makers = (QQ_QA, QQ_QA_AMR, DPRL_SVM)
    return Fuse(tuple(maker.make(search_index) for maker in makers))


DPRL_SVM = Maker(
    svm_ranker, (VectorSpec(),), notes=lambda index: fact_notes(SVM, index, FEATURES[SVM])
)
DPRL_RRF = Maker(
    rrf_ranker,
    (VectorSpec(),),
    models=QQ_QA_AMR.models,
    notes=DPRL_SVM.notes,
)
LINEAR_REGRESSION = Maker(
    regression_ranker,
    TANGENT_L_2020.needs,
    notes=lambda index: fact_notes(REGRESSION, index, FEATURES[REGRESSION]),
)
