"""The soft cosine systems of MIRMU (2020) and of the SCM team (2022), and Formula2Vec (2020).

Both teams trained on arXiv and the whole of Math Stack Exchange; ours train on the collection
itself (``porism train fasttext`` and ``doc2vec``), so a small collection knows fewer similar terms.
None of them joins collocations to phrases, as MIRMU did in 2020.
"""

from __future__ import annotations

from porism.analysis import FieldSpec
from porism.inverted import SMART_DTB, WeightingModel
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Maker, Ranker
from porism.rank.soft_cosine.similarity_matrix import TermSimilarities, open_similarities
from porism.rank.soft_cosine.soft_fields import JOINT, JOINT_FORMULAS, TEXT, TUPLES, stream_of
from porism.rank.soft_cosine.soft_ranking import SoftCosineRanker, SoftField
from porism.rank.vector_ranking import VectorRanker, required_vectors
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole, VectorRole

LUCENE_BM25 = WeightingModel(saturation=1.0)
"""Lucene's BM25, whose numerator lacks k1 + 1: a factor that all documents would have."""

TEXT_ALPHA, TUPLES_ALPHA = 0.7, 0.0
"""The shares of similar spellings in the similarities of words and tuples (SCM 2022, tuned)."""

BETA = 0.7
"""The share of words in the score (SCM 2022, tuned)."""


def scm(search_index: SearchIndex) -> Ranker:
    """MIRMU 2020 (SCM): words and formulas in prefix notation by the soft cosine measure.

    Terms have SMART's weights dtb with slope 0.2, and similarities are the fourth power of the
    cosine of their vectors. The length of a document is counted in tokens, not in characters.

    On the mini collection it ranks below ``bm25``, which also reads the questions of answers, and
    below ``tfidf``, which it was above in the lab. Similarities are not the reason: without them it
    ranks the same. Formulas in prefix notation are bags of symbols here, where MIRMU joined symbols
    that often follow each other, and dtb itself ranks lower than Terrier's weights in 2021.
    """
    return SoftCosineRanker(search_index.answers, (_joint(search_index, JOINT),))


def scm_formulas(search_index: SearchIndex) -> Ranker:
    """MIRMU 2020 (SCM), Task 2: formulas in prefix notation by the soft cosine measure.

    Formulas are bags of symbols here, without their order, so it ranks below ``bm25``.
    """
    field = _joint(search_index, JOINT_FORMULAS)
    return FirstOccurrences(search_index, SoftCosineRanker(search_index.formulas, (field,)))


def _joint(search_index: SearchIndex, spec: FieldSpec) -> SoftField:
    similarities = _similarities(search_index, JOINT)
    return SoftField(spec, SMART_DTB, similarities, weighs_topic=True, reads_tags=True)


def _similarities(
    search_index: SearchIndex, spec: FieldSpec, alpha: float = 0.0
) -> TermSimilarities:
    """Return the similarities of the terms of a field by the index's model, which it has."""
    folder = search_index.model(ModelRole.FASTTEXT)
    assert folder is not None  # the catalog refuses the system without
    return open_similarities(folder, stream_of(spec), alpha)


SCM = Maker(scm, (JOINT,), models=(ModelRole.FASTTEXT,), requires_model=True)
SCM_FORMULAS = Maker(
    scm_formulas, (JOINT_FORMULAS,), models=(ModelRole.FASTTEXT,), requires_model=True
)


def scm_2022(search_index: SearchIndex) -> Ranker:
    """SCM 2022, interpolated text and Tangent-L: words and tuples by soft cosines over BM25.

    Words are similar by spelling (0.7) and by vectors (0.3), tuples by vectors alone; the title of
    the question counts twice among words and five times among tuples, and words have a share of
    0.7. These are the values that the team found after the lab (nDCG' .355 on 2022; .257 as
    submitted). Words are whole words and not RoBERTa's parts of words, tuples are L8's, and
    vectors are fastText's for words, where the team had word2vec's with weighted positions.
    """
    text = SoftField(TEXT, LUCENE_BM25, _similarities(search_index, TEXT, TEXT_ALPHA), weight=BETA)
    tuples = SoftField(
        TUPLES, LUCENE_BM25, _similarities(search_index, TUPLES, TUPLES_ALPHA), weight=1 - BETA
    )
    return SoftCosineRanker(search_index.answers, (text, tuples))


SCM_2022 = Maker(scm_2022, (TEXT, TUPLES), models=(ModelRole.FASTTEXT,), requires_model=True)


def formula2vec(search_index: SearchIndex) -> Ranker:
    """MIRMU 2020 (Formula2Vec): answers by the cosine of doc2vec vectors of whole texts.

    Formulas are in prefix notation. It was among the weakest systems of the lab (nDCG' .050), and
    ranks far below ``bm25`` here as well: a vector of a text that was inferred from its words says
    what the text is about, but not which formulas it has.
    """
    vectors = required_vectors(search_index, VectorRole.FORMULA2VEC)
    return VectorRanker(search_index.answers, vectors, question=0.0, answer=1.0)


FORMULA2VEC = Maker(formula2vec, (VectorSpec(role=VectorRole.FORMULA2VEC),))
