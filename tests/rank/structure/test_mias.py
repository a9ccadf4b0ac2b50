"""MIaS and NLP_NITS on the sample: weights of terms, and the scores that they give."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.analysis import FormulaTokens, query_tokens
from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.inverted import TF_IDF
from porism.model import Formula, Task, Topic, TopicId
from porism.rank.query_builder import IndexRanker
from porism.rank.structure.mias import (
    SUBFORMULAS,
    MiasFormulas,
    SubformulaWeights,
    WholeFormulas,
)
from porism.rank.structure.nits import PositionBits
from porism.searchindex.index_folder import SearchIndex, open_index


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def topic(latex: str) -> Topic:
    return Topic(TopicId("B.1"), focus=Formula("q_1", latex))


def test_weights_are_those_of_the_paper() -> None:
    weights = SubformulaWeights()
    assert weights.weight(0, "") == 1
    assert weights.weight(1, "") == 0.55
    assert weights.weight(2, "v") == pytest.approx(0.55**2 * 0.8)
    assert weights.weight(0, "vc") == pytest.approx(0.8 * 0.7)
    assert weights.weight(0, "vco") == pytest.approx(0.8 * 0.7 * 0.75)


def test_a_formula_is_searched_for_at_each_depth_and_not_split(search_index: SearchIndex) -> None:
    index = search_index.formulas
    clause = WholeFormulas(index).clause([Formula("q", "x^2")])
    tokens = {term.token for term in clause.terms}
    assert {"~0:SUP(x,2)", "~1:SUP(x,2)", "~1v:SUP(#1,2)", "~1vc:SUP(#1,#)"} <= tokens
    assert all(":SUP" in token for token in tokens)


def test_all_depths_of_a_term_have_one_idf(search_index: SearchIndex) -> None:
    index = search_index.formulas
    clause = WholeFormulas(index).clause([Formula("q", "x^2")])
    weights = {term.token: term.weight for term in clause.terms}
    idfs = set()
    for token, weight in weights.items():
        head, _, _ = token.partition(":")
        if head[2:] == "v":
            frequency = index.frequency(SUBFORMULAS.name, token)
            factor = SubformulaWeights().weight(int(head[1]), "v")
            idfs.add(round(weight * TF_IDF.idf(index.documents, frequency) / factor, 9))
    assert len(idfs) == 1


def test_an_equal_formula_is_before_one_that_has_it_as_a_part(search_index: SearchIndex) -> None:
    index = search_index.formulas
    query_builder = MiasFormulas(WholeFormulas(index))
    ranking = IndexRanker(index, query_builder).rank(topic("x^2"), 1000)
    for hit, is_whole in ((ranking[0], True), (ranking[-1], False)):
        terms = index.explain(query_builder(topic("x^2")), hit.doc_id)
        assert any(term.token.startswith("~0:") for term in terms) == is_whole


def test_explanations_sum_to_the_scores(search_index: SearchIndex) -> None:
    questions = list(read_topics(sample_topics(1)))[:2]
    for name, task, topics in (
        ("mias", Task.ANSWERS, questions),
        ("mias", Task.FORMULAS, [topic("x^2"), topic("?a+1")]),
        ("nits-bits", Task.FORMULAS, [topic("x^2+1"), topic("?a+1")]),
    ):
        system = ranker(name, task, search_index)
        for each in topics:
            ranking = system.rank(each, 5)
            assert ranking
            explained = system.explain(each, [hit.doc_id for hit in ranking])
            assert [e.value for e in explained] == pytest.approx([h.score for h in ranking])


def test_answers_are_found_by_words_and_by_formulas(search_index: SearchIndex) -> None:
    system = ranker("mias", Task.ANSWERS, search_index)
    question = next(read_topics(sample_topics(1)))
    tokens = system.tokens(question) or ()
    assert any(token.startswith("~") for token in tokens)
    assert any(token.isalpha() for token in tokens)


@pytest.mark.parametrize("latex", ["?x", "{" * 200, "", "x" * 5000])
@pytest.mark.parametrize("name", ["mias", "nits-bits"])
def test_odd_queries_find_little_and_fail_nowhere(
    search_index: SearchIndex, name: str, latex: str
) -> None:
    system = ranker(name, Task.FORMULAS, search_index)
    assert len(system.rank(topic(latex), 10)) <= 10


def test_the_score_of_bits_is_the_share_of_the_query(search_index: SearchIndex) -> None:
    index = search_index.formulas
    latex = r"\sum_{n=1}^{\infty} n x^n"
    wanted = set(query_tokens(FormulaTokens.POSITIONS, latex).tokens)
    system = IndexRanker(index, PositionBits(index))
    ranking = system.rank(topic(latex), 50)
    assert ranking[0].score == pytest.approx(1.0)
    for hit in ranking:
        shared = index.explain(system.query_builder(topic(latex)), hit.doc_id)
        assert {each.token for each in shared} <= wanted
        assert hit.score == pytest.approx(len(shared) / len(wanted))


def test_wildcards_move_positions_and_have_no_bit() -> None:
    assert query_tokens(FormulaTokens.POSITIONS, "?a+b").tokens == ["#2:+", "#3:V!b"]
