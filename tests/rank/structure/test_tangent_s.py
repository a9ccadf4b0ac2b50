"""Tangent-S on the sample: exact candidates, answers by their best formula, bounded queries."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.catalog import ranker
from porism.collection.formulas.occurrences import first_layouts, occurrences_in
from porism.collection.sample import sample_topics
from porism.filters import IN_POST
from porism.formats.topics import read_topics
from porism.formula.features import operand_pairs, symbol_pairs
from porism.formula.operators import operator_tree
from porism.inverted import Filter
from porism.model import DocId, Formula, Task, Topic, TopicId
from porism.rank.query_builder import filtered_by_labels
from porism.rank.structure.tangent_s import (
    ANSWER_DEPTH,
    CONSTANT,
    PairSearch,
    TangentS,
    TangentSAnswers,
    aligned_candidates,
    chosen_formula,
    pair_candidates,
    query_trees,
)
from porism.searchindex.components.feature_index import FeaturePart
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.structure.packed_features import PackedFeatures
from porism.structure.pair_overlap import pair_bag


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def topic(latex: str) -> Topic:
    return Topic(TopicId("B.1"), focus=Formula("q_1", latex))


def dice(one: list[str], other: list[str]) -> float:
    shared = (Counter(one) & Counter(other)).total()
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


@pytest.mark.parametrize("kind", [PackedFeatures.LAYOUT_PAIRS, PackedFeatures.OPERATOR_PAIRS])
def test_candidates_share_most_pairs_of_all_formulas(
    search_index: SearchIndex, kind: PackedFeatures
) -> None:
    doc_ids = list(search_index.formulas.doc_ids())
    layouts = first_layouts(search_index.collection, doc_ids)
    trees = {doc_id: layout for doc_id, layout in layouts.items() if layout.row}
    is_layout = kind is PackedFeatures.LAYOUT_PAIRS
    pairs = {
        doc_id: symbol_pairs(tree) if is_layout else operand_pairs(operator_tree(tree))
        for doc_id, tree in trees.items()
    }
    for each in list(read_topics(sample_topics(2)))[:4]:
        assert each.focus is not None
        layout, operators = query_trees(each.focus)
        query = symbol_pairs(layout) if is_layout else operand_pairs(operators)
        scored = [(dice(query, own), doc_id) for doc_id, own in pairs.items()]
        expected = [doc_id for score, doc_id in sorted(scored, reverse=True) if score][:50]
        within = filtered_by_labels(None, IN_POST)
        assert pair_candidates(search_index, kind, query, 50, within) == expected


ROWS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=5), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=3), st.lists(st.sampled_from("abcde"), min_size=1))
def test_the_best_rows_of_all_parts_are_found(
    parts: list[list[list[str]]], query: list[str]
) -> None:
    for k in (1, 3):
        search = PairSearch(pair_bag(query))
        found: list[float] = []
        for rows in parts:
            part = feature_part(rows)
            best = search(part, part.is_live, k)
            for row, score in zip(best.rows.tolist(), best.scores.tolist(), strict=True):
                assert score == dice(query, rows[row])
                found.append(score)
        every = [dice(query, row) for rows in parts for row in rows]
        expected = sorted((score for score in every if score), reverse=True)[:k]
        assert sorted(found, reverse=True)[:k] == expected


def feature_part(rows: list[list[str]]) -> FeaturePart:
    postings: dict[int, list[tuple[int, int]]] = {}
    for number, row in enumerate(rows):
        bag = pair_bag(row)
        for key, count in zip(bag.features.tolist(), bag.counts.tolist(), strict=True):
            postings.setdefault(key, []).append((number, count))
    features = sorted(postings)
    listed = [pair for key in features for pair in postings[key]]
    return FeaturePart(
        np.array(features, np.uint64),
        np.cumsum([0, *(len(postings[key]) for key in features)]),
        np.array([row for row, _ in listed], np.uint32),
        np.array([count for _, count in listed], np.uint8),
        np.array([[len(row)] for row in rows], np.uint32),
        np.ones(len(rows), np.uint8),
        np.zeros(0, np.uint64),
        np.zeros(0, np.int64),
    )


def test_a_formula_of_the_collection_is_found_first(search_index: SearchIndex) -> None:
    values = aligned_candidates(search_index, Formula("q", "x^2+y^2=z^2"), 50, None)
    ranking = TangentS(search_index).rank(topic("x^2+y^2=z^2"), 5)
    best = values[ranking[0].doc_id]
    weights = (0.0861, -0.1694, 1.8469, 0.9657, -0.0153, -0.3301)
    total = CONSTANT + sum(value * weight for value, weight in zip(best, weights, strict=True))
    assert ranking[0].score == pytest.approx(total, rel=1e-6)


def test_a_formula_found_by_one_tree_has_zeros_for_the_other(search_index: SearchIndex) -> None:
    values = aligned_candidates(search_index, Formula("q", r"\frac{1}{n}"), 5, None)
    assert any(not own[:3].any() for own in values.values())
    assert any(not own[3:].any() for own in values.values())


def test_wildcards_match_parts_of_formulas(search_index: SearchIndex) -> None:
    ranking = TangentS(search_index).rank(topic("?a^2+?b^2=?c^2"), 1)
    layouts = first_layouts(search_index.collection, [ranking[0].doc_id])
    assert [node.label for node in layouts[ranking[0].doc_id].nodes()].count("N!2") >= 2


def test_a_filter_restricts_candidates(search_index: SearchIndex) -> None:
    own = TangentS(search_index)
    every = own.rank(topic("x^2"), 30)
    allowed = frozenset(hit.doc_id for hit in every[::3])
    within = Filter((), allowed)
    assert own.rank(topic("x^2"), 30, within) == tuple(
        hit for hit in every if hit.doc_id in allowed
    )


def test_answers_have_the_score_of_their_best_formula(search_index: SearchIndex) -> None:
    question = next(iter(read_topics(sample_topics(1))))
    chosen = chosen_formula(question)
    assert chosen is not None
    formulas = TangentS(search_index, ANSWER_DEPTH).rank(
        Topic(question.id, focus=chosen), 2 * ANSWER_DEPTH
    )
    scores = {hit.doc_id: hit.score for hit in formulas}
    expected: dict[str, float] = {}
    doc_ids = list(search_index.answers.doc_ids())
    for each in occurrences_in(search_index.collection, doc_ids):
        score = scores.get(DocId(each.visual_id))
        if score is not None:
            expected[each.post_id] = max(expected.get(each.post_id, score), score)
    ranking = TangentSAnswers(search_index).rank(question, len(doc_ids))
    assert {hit.doc_id: hit.score for hit in ranking} == expected
    assert TangentSAnswers(search_index).rank(question, 7) == ranking[:7]


def test_the_largest_formula_of_the_title_is_chosen() -> None:
    small, large, other = (Formula(name, name) for name in ("x", "x+1", "y+1"))
    question = Topic(TopicId("A.1"), ("of", small, large, other), (Formula("b", "x+y+z"),))
    assert chosen_formula(question) == large
    assert chosen_formula(Topic(TopicId("A.1"), ("no formula",), (small, other))) == other
    assert chosen_formula(Topic(TopicId("A.1"), ("words",))) is None


def test_questions_without_formulas_find_nothing(search_index: SearchIndex) -> None:
    assert TangentSAnswers(search_index).rank(Topic(TopicId("A.1"), ("words",)), 10) == ()


MATRIX = r"\begin{matrix}" + r"\\".join(["&".join(["a"] * 20)] * 20) + r"\end{matrix}"


@pytest.mark.parametrize(
    "latex",
    ["x", "?a", "?a+?b", "+".join(["x_1"] * 700), MATRIX, "{" * 200 + "x", "", r"\frac"],
)
def test_any_formula_is_searched(search_index: SearchIndex, latex: str) -> None:
    for task in (Task.ANSWERS, Task.FORMULAS):
        found = ranker("tangent-s", task, search_index)
        query = topic(latex)
        ranking = found.rank(query, 20)
        assert len(ranking) <= 20
        found.explain(query, [hit.doc_id for hit in ranking[:2]])
        found.tokens(query)


def test_wildcards_alone_are_no_searchable_terms(search_index: SearchIndex) -> None:
    assert TangentS(search_index).tokens(topic("?a+?b")) == ()
    assert TangentS(search_index).rank(topic("?a+?b"), 10) == ()
    assert TangentS(search_index).tokens(topic("?a+1"))


def test_an_explanation_says_that_a_large_query_was_cut(search_index: SearchIndex) -> None:
    query = topic("+".join(f"x_{{{number}}}" for number in range(80)))
    ranking = TangentS(search_index).rank(query, 1)
    (explained,) = TangentS(search_index).explain(query, [ranking[0].doc_id])
    assert "the first 128 symbols of the query" in explained.details[1].label


def test_the_mean_with_tfidf_is_between_zero_and_one(search_index: SearchIndex) -> None:
    question = next(iter(read_topics(sample_topics(1))))
    ranking = ranker("tfidf-tangent-s", Task.ANSWERS, search_index).rank(question, 1000)
    assert 0.5 <= ranking[0].score <= 1
    assert ranking[-1].score >= 0
