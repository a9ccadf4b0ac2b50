"""CompuBERT: answers by the cosine of a bi-encoder trained on questions and their answers.

MIRMU's of 2020 reads formulas in prefix notation and was trained to predict the votes of answers;
its run was broken (nDCG' .009, S1). MSM's of 2022 reads LaTeX. Their weights are not published, so
both run on the model of the index: MiniLM, or a folder that ``porism train bi-encoder`` wrote
(``--formulas prefix`` for the first). The lab encoded whole answers; ours encodes their first 128
tokens, as all vectors of an index, and, as the lab did, uses no vectors of questions.

In prefix notation a model that was trained on LaTeX and prose meets names without their signs, so
without training ``compubert`` ranks below ``minilm-answers``. Both compare answers alone, and so
rank below ``bm25`` on topics from links, where the questions are what is alike:
``minilm-questions`` does not.
"""

from __future__ import annotations

from porism.rank.ranker import Maker
from porism.rank.vector_ranking import VectorRanker, required_vectors
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import VectorRole


def answers_by_vectors(search_index: SearchIndex, role: VectorRole) -> VectorRanker:
    """Answers by the cosine of their text with the topic, both by the model of a role."""
    vectors = required_vectors(search_index, role)
    return VectorRanker(search_index.answers, vectors, question=0.0, answer=1.0)


COMPUBERT = Maker(
    lambda index: answers_by_vectors(index, VectorRole.COMPUBERT),
    (VectorSpec(role=VectorRole.COMPUBERT),),
)
COMPUBERT22 = Maker(lambda index: answers_by_vectors(index, VectorRole.TEXTS), (VectorSpec(),))
