"""PSU 2020: BM25, "more like this" and sentence vectors, fused by reciprocal ranks (S1 Table A1).

The team searched with Anserini's BM25 and with Elasticsearch's query "more like this", fused both
by reciprocal ranks, and fused in the cosines of vectors by a RoBERTa that was further trained on
the posts of the collection. That model is in no registry, so the vectors are those of the index, by
whichever model; one of the user's own is given to ``porism index --model``.

What the paper leaves open, and what is assumed here: BM25 is that of ``bm25``, over questions with
answers, because most indexes have its field. "More like this" searches answers as Terrier reads
them, by the 25 terms of the topic with the highest tf-idf, each with weight 1; both are
Elasticsearch's defaults. Its defaults that a term must occur twice in the topic and that a document
must have 30 % of the terms are left out, because a topic is short. All three rankings count the
same, with k = 60.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log

from porism.analysis import FormulaTokens, word_query
from porism.inverted import TF_IDF, Clause, Index, Term
from porism.model import Topic
from porism.rank.fusion import Fuse
from porism.rank.query_builder import IndexRanker, formula_tokens
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems.baselines import BM25_STRINGS, RAW
from porism.rank.systems.vector_systems import MINILM_ANSWERS
from porism.searchindex.index_folder import SearchIndex
from porism.text import TERRIER


@dataclass(frozen=True, slots=True)
class MoreLikeThis:
    """The terms of a topic with the highest tf-idf, each with weight 1, scored by TF-IDF.

    The idf that chooses them is Lucene's ``1 + ln((N + 1) / (n + 1))``; of equal terms the first in
    the topic is chosen. ``least_count`` is how often a term must occur in the topic.
    """

    index: Index = field(repr=False)
    most_terms: int = 25
    least_count: int = 1

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        query = word_query(topic, TERRIER)
        counts = Counter([*query.words, *formula_tokens(query.formulas, FormulaTokens.LATEX)])
        having = self.index.frequencies(RAW.name, tuple(counts)).tolist()
        weights = {
            token: count * (1 + log((self.index.documents + 1) / (number + 1)))
            for (token, count), number in zip(counts.items(), having, strict=True)
            if number and count >= self.least_count
        }
        chosen = sorted(weights, key=lambda token: -weights[token])[: self.most_terms]
        return (Clause(RAW.name, tuple(map(Term, chosen)), TF_IDF),)


def psu(search_index: SearchIndex) -> Ranker:
    """PSU 2020: BM25, "more like this" and the vectors of answers by reciprocal ranks."""
    rankers = (
        BM25_STRINGS.make(search_index),
        IndexRanker(search_index.answers, MoreLikeThis(search_index.answers)),
        MINILM_ANSWERS.make(search_index),
    )
    return Fuse(rankers, names=("bm25", "more like this", "vectors"))


PSU = Maker(psu, (*BM25_STRINGS.needs, RAW, *MINILM_ANSWERS.needs))
