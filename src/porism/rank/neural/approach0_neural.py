"""Structure search with neural models: Approach0 with ColBERT (2022), and MABOWDOR (2023).

The weights of both are in no registry. Late interaction runs on the model of the vectors, or on one
that the index was given (``--model colbert=FOLDER``), and is a second stage: token vectors of all
answers would take a hundred times the room of sentence vectors. The lab's queries for structure
search were made by hand; ours are whole topics.
"""

from __future__ import annotations

from porism.rank.fusion import CombSum, Fuse
from porism.rank.neural.cross_systems import DEPTH
from porism.rank.neural.sparse_scorer import SparseScorer
from porism.rank.neural.wrapped_rankers import FirstHits
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Rerank
from porism.rank.structure.approach0 import APPROACH0
from porism.rank.systems.late_interaction import MaxSimScorer
from porism.rank.systems.vector_systems import minilm
from porism.rank.vector_ranking import required_vectors
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole


def token_scorer(search_index: SearchIndex) -> MaxSimScorer:
    """Late interaction by the model that an index has for it, or by that of its vectors."""
    model = search_index.model(ModelRole.LATE_INTERACTION)
    return MaxSimScorer(search_index, required_vectors(search_index), model)


def approach0_colbert(search_index: SearchIndex, alpha: float = 0.5) -> Ranker:
    """Structure search and late interaction, scaled from 0 to 1 and mixed (*fusion_alpha05*).

    ColBERT searched all answers; ours re-ranks the first 100 of the nearest vectors, and answers
    that are not among them get nothing from it, as those beyond ColBERT's thousand.
    """
    nearest = Rerank(minilm(search_index), token_scorer(search_index), DEPTH)
    rankers = (APPROACH0.make(search_index), FirstHits(nearest, DEPTH))
    return Fuse(rankers, (1 - alpha, alpha), CombSum())


def approach0_colbert_rerank(search_index: SearchIndex) -> Ranker:
    """The first 100 of structure search by late interaction (*rerank_nostemer*)."""
    return Rerank(APPROACH0.make(search_index), token_scorer(search_index), DEPTH)


MABOWDOR_WEIGHTS = (0.4, 0.4, 0.2)
WEIGHTS_WITHOUT_SPARSE = (0.4, 0.6)
"""As published, for structure search and dense retrieval alone."""


def mabowdor(search_index: SearchIndex) -> Ranker:
    """Structure search, dense and learned-sparse retrieval, scaled from 0 to 1 and mixed.

    The lab's dense model was trained on questions and answers of Math Stack Exchange; ours is that
    of the vectors. The learned-sparse model, which the index must be given (``--model
    sparse=FOLDER``), re-ranks the first 100 of the other two; without one it is omitted, and the
    others have the weights that were published for them alone.
    """
    rankers = (APPROACH0.make(search_index), minilm(search_index))
    both = Fuse(rankers, WEIGHTS_WITHOUT_SPARSE, CombSum())
    model = search_index.model(ModelRole.SPARSE)
    if model is None:
        return both
    sparse = Rerank(both, SparseScorer(search_index, model), DEPTH)
    return Fuse((*rankers, FirstHits(sparse, DEPTH)), MABOWDOR_WEIGHTS, CombSum())


_NEEDS = (*APPROACH0.needs, VectorSpec())

APPROACH0_COLBERT = Maker(approach0_colbert, _NEEDS, models=(ModelRole.LATE_INTERACTION,))
APPROACH0_COLBERT_RERANK = Maker(
    approach0_colbert_rerank, _NEEDS, models=(ModelRole.LATE_INTERACTION,)
)
MABOWDOR = Maker(mabowdor, _NEEDS, models=(ModelRole.SPARSE,))
