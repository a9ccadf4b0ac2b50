"""Tangent-CFT and its re-ranking by tree edit distance (DPRL 2020), and JU_NITS 2022.

Each ranks visually distinct formulas by the cosine of vectors that ``porism train`` made.
"""

from __future__ import annotations

from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Rerank
from porism.rank.structure.formula_vectors import formula_vector_ranker
from porism.rank.structure.tree_edit import TreeEditScorer
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.components.tree_store import TreeSpec
from porism.searchindex.index_folder import SearchIndex

CFT = FormulaVectorSpec("cft")
NITS = FormulaVectorSpec("nits")


def tangent_cft(search_index: SearchIndex) -> Ranker:
    """The cosine of the sums of tuple vectors of layout, operators and layout types."""
    return FirstOccurrences(search_index, formula_vector_ranker(search_index, CFT.embedding))


def tangent_cft_ted(search_index: SearchIndex) -> Ranker:
    """The first 1,000 of that by the weighted edit distances of both trees alone."""
    first = formula_vector_ranker(search_index, CFT.embedding)
    return FirstOccurrences(search_index, Rerank(first, TreeEditScorer(search_index)))


def nits_embedding(search_index: SearchIndex) -> Ranker:
    """The cosine of the sums of sequence vectors of LaTeX, layout and operator strings."""
    return FirstOccurrences(search_index, formula_vector_ranker(search_index, NITS.embedding))


TANGENT_CFT = Maker(tangent_cft, (CFT,))
TANGENT_CFT_TED = Maker(tangent_cft_ted, (CFT, TreeSpec()))
NITS_EMBEDDING = Maker(nits_embedding, (NITS,))
