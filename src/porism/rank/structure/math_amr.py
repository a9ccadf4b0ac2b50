"""MathAMR (DPRL 2022): formulas by the meaning of the sentences around them, formulas included.

The first ``DEPTH`` formulas of ``approach0`` are scored again by the cosine of two lines: the
sentence of the query formula and that of the candidate's first occurrence, each with the sentence
before and after, as graphs with operator trees in place of the formulas (``analysis.
sentence_graphs``). The lines are encoded by the model of the index's vectors when they are needed,
and kept in memory.

How ours differs from the lab's: the graphs are made by rules, unless the index has a model for
``amrlib``; the model was not trained on such lines; the first stage was TangentCFT2, and is
``approach0`` here, which needs no training and is the best structure search there is. The lab's run
ranked by the cosine alone and fell from .62 to .32 in 2022, while the same fused with the structure
search had .64 (S3 Table 4). So here the cosine is added to the score of the first stage, which is
divided by the highest, with the weight ``WEIGHT``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis.sentence_graphs import (
    SentenceParser,
    linearised,
    multi_sentence,
    sentences_around,
)
from porism.collection.schema import InstancePlace
from porism.embed import ModelIdentity, WindowSpec, first_window
from porism.model import Content, Formula, Ranking, Topic
from porism.rank.explanations import Explanation
from porism.rank.query_builder import focus_formulas
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Add, Rerank, Scores, explained_values
from porism.rank.structure.amr_parser import sentence_parser
from porism.rank.structure.approach0 import APPROACH0_FORMULAS
from porism.rank.systems.late_interaction import TokenVectorCache
from porism.rank.vector_ranking import required_vectors
from porism.searchindex.components.vector_index import DocumentVectors, VectorSpec
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.model_roles import ModelRole

DEPTH = 100
"""Formulas that are scored again."""

WEIGHT = 0.1
"""What a cosine of 1 counts beside the best structural match; more is worse on 2020 and 2021."""


MAX_VECTORS = 64 << 20
"""Bytes of vectors that a process keeps of a model: about 80,000 lines."""


@cache
def _line_vectors(identity: ModelIdentity, windows: WindowSpec) -> TokenVectorCache:
    """Return the vectors of the beginnings of lines that all systems of the process share."""
    return TokenVectorCache(MAX_VECTORS)


@dataclass(frozen=True, slots=True)
class GraphLines:
    """Sentences as lines of their graphs, compared by the model of the vectors."""

    vectors: DocumentVectors = field(repr=False)
    parser: SentenceParser

    def line(self, sentences: Sequence[Content]) -> str:
        """Return the line of sentences; empty if there are none."""
        return linearised(multi_sentence(self.parser.graphs(sentences))) if sentences else ""

    def cosines(self, query: str, lines: Sequence[str]) -> Scores:
        """Return the cosine of a line with each of others, at least 0."""
        spec = self.vectors.component.spec
        known = _line_vectors(self.vectors.encoder().identity, spec.windows)
        first, *others = known.encoded([query, *lines], self._encoded)
        if not others:
            return np.zeros(0)
        return np.maximum(np.array(others, np.float64) @ first.astype(np.float64), 0.0)

    def _encoded(self, lines: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of the beginnings of lines, as long as those of the index's texts."""
        encoder, windows = self.vectors.encoder(), self.vectors.component.spec.windows
        return encoder.encode([first_window(line, encoder, windows) for line in lines])


def graph_lines(search_index: SearchIndex) -> GraphLines:
    """Return the lines by the parser that an index has a model for, or by rules."""
    parser = sentence_parser(search_index.model(ModelRole.AMR))
    return GraphLines(required_vectors(search_index), parser)


@dataclass(frozen=True, slots=True)
class MathAmrScorer:
    """The cosine of the sentences around the query formula with those around an occurrence.

    A formula without a text around it is compared alone.
    """

    search_index: SearchIndex = field(repr=False)
    lines: GraphLines

    def scores(self, topic: Topic, hits: Ranking) -> Scores:
        formulas = focus_formulas(topic)
        if not formulas:
            return np.zeros(len(hits))
        query = self._line((*topic.title, "\n\n", *topic.body), formulas[0])
        return self.lines.cosines(query, [self._occurrence_line(hit.doc_id) for hit in hits])

    def explain(self, topic: Topic, hits: Ranking) -> Sequence[Explanation]:
        return explained_values("cosine of the sentences around", self.scores(topic, hits))

    def _occurrence_line(self, formula_id: str) -> str:
        deadlines.check()
        collection = self.search_index.collection
        instance = collection.instance(formula_id)
        stored = instance.formula
        formula = Formula(formula_id, stored.latex, macros=stored.macros)
        if instance.place is InstancePlace.COMMENT:
            comments = collection.comments(instance.post_id)
            texts = [each.text for each in comments if each.id == instance.comment_id]
            return self._line(texts[0] if texts else (), formula)
        post = collection.post(instance.post_id)
        content = post.title if instance.place is InstancePlace.TITLE else post.body
        return self._line(content, formula)

    def _line(self, content: Content, formula: Formula) -> str:
        return self.lines.line(sentences_around(content, formula.id) or [(formula,)])


def math_amr(search_index: SearchIndex) -> Ranker:
    """The first formulas of ``approach0`` by their sentences, too."""
    scorer = MathAmrScorer(search_index, graph_lines(search_index))
    return Rerank(APPROACH0_FORMULAS.make(search_index), scorer, DEPTH, Add(WEIGHT))


MATH_AMR = Maker(math_amr, (*APPROACH0_FORMULAS.needs, VectorSpec()), models=(ModelRole.AMR,))
