"""PSU 2020: the terms of "more like this", and fusion by reciprocal ranks."""

from collections import Counter
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.analysis import FormulaTokens, word_query
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.inverted import TF_IDF
from porism.model import DocId, Hit
from porism.rank.ensembles.psu import MoreLikeThis
from porism.rank.fusion import ReciprocalRanks
from porism.rank.query_builder import formula_tokens
from porism.rank.systems.baselines import RAW
from porism.searchindex.index_folder import open_index
from porism.text import TERRIER


def test_more_like_this_searches_the_terms_with_the_highest_tf_idf(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        index = search_index.answers
        for topic in read_topics(sample_topics(1)):
            (clause,) = MoreLikeThis(index, most_terms=5)(topic)
            query = word_query(topic, TERRIER)
            counts = Counter([*query.words, *formula_tokens(query.formulas, FormulaTokens.LATEX)])

            def tf_idf(token: str, counts: Counter[str] = counts) -> float:
                having = index.frequency(RAW.name, token)
                return counts[token] * (1 + log((index.documents + 1) / (having + 1)))

            known = [token for token in counts if index.frequency(RAW.name, token)]
            best = sorted(map(tf_idf, known), reverse=True)[:5]
            assert (clause.field, clause.model) == (RAW.name, TF_IDF)
            assert [tf_idf(term.token) for term in clause.terms] == pytest.approx(best)
            assert {term.weight for term in clause.terms} == {1.0}
            (repeated,) = MoreLikeThis(index, least_count=2)(topic)
            assert {term.token for term in repeated.terms} <= {
                token for token, count in counts.items() if count > 1
            }


@given(
    st.lists(st.permutations("abcdef").map(lambda each: each[:4]), min_size=1, max_size=4),
    st.floats(min_value=1, max_value=100),
)
@settings(max_examples=40)
def test_reciprocal_ranks_are_those_of_the_definition(runs: list[list[str]], k: float) -> None:
    rankings = [
        tuple(Hit(DocId(doc_id), -place) for place, doc_id in enumerate(run)) for run in runs
    ]
    added = ReciprocalRanks(k).contributions(rankings, [1.0] * len(runs))
    for doc_id in map(DocId, "abcdef"):
        expected = sum(1 / (k + run.index(doc_id) + 1) for run in runs if doc_id in run)
        assert sum(each.get(doc_id, 0.0) for each in added) == pytest.approx(expected)
