"""Formulas scored by their alignment with the query formula."""

from pathlib import Path

import pytest

from porism import catalog
from porism.analysis import query_layout
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.formula.latex import parse_latex
from porism.model import Task
from porism.rank.occurrences import FirstOccurrences
from porism.rank.rerank import Rerank
from porism.rank.systems.porism_formulas import (
    RENAMED,
    AlignmentScorer,
    WeightedLayout,
    aligned_share,
    weighted_layout,
)
from porism.searchindex.index_folder import open_index


def even(latex: str) -> WeightedLayout:
    """A query formula whose symbols weigh the same."""
    tree = query_layout(latex).tree
    return WeightedLayout(tree, [1.0] * len(list(tree.nodes())))


def share(query: str, result: str) -> float | None:
    return aligned_share([even(query)], parse_latex(result).tree)


def test_an_equal_formula_has_all_of_the_query() -> None:
    assert share("a^2+b^2", "a^2 + b^2") == 1.0
    assert share("a^2+b^2", "c+a^2+b^2=1") == 1.0


def test_a_consistently_renamed_formula_has_less_than_an_equal_one() -> None:
    # Three of five symbols are the same: two exponents and the sign.
    assert share("a^2+b^2", "x^2+y^2") == pytest.approx((3 + 2 * RENAMED) / 5)


def test_an_inconsistently_renamed_formula_has_less_than_a_consistently_renamed_one() -> None:
    consistent, inconsistent = share("a^2+ab", "x^2+xy"), share("a^2+ab", "x^2+yz")
    assert consistent is not None
    assert inconsistent is not None
    assert inconsistent < consistent


def test_an_unrelated_formula_has_nothing_of_the_query() -> None:
    assert share(r"\int f", r"\alpha\to 7") == 0.0


def test_the_share_counts_symbols_by_their_weights() -> None:
    tree = query_layout("xy+7").tree
    heavy_number = WeightedLayout(tree, [0.0, 0.0, 1.0, 3.0])
    assert aligned_share([heavy_number], parse_latex("xy+8").tree) == pytest.approx(0.25)


def test_several_query_formulas_share_one_sum() -> None:
    result = parse_latex("a+b").tree
    assert aligned_share([even("a+b"), even(r"\int 5")], result) == pytest.approx(3 / 5)


def test_two_large_formulas_have_no_known_share() -> None:
    large = "+".join(f"x_{{{number}}}" for number in range(40))
    assert share(large, large + "+1") is None
    assert share("x", large) is not None


def test_an_empty_query_has_no_known_share() -> None:
    assert share("", "x") is None
    assert aligned_share([], parse_latex("x").tree) is None


def test_symbols_weigh_by_rarity_and_wildcards_nothing(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        tree = query_layout(r"?a=\aleph").tree
        wildcard, equals, rare = weighted_layout(search_index.formulas, tree).weights
    assert wildcard == 0.0
    assert 0.0 < equals < rare


def test_alignment_changes_nothing_for_the_formula_of_the_topic(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        ranker = catalog.ranker("porism", Task.FORMULAS, search_index)
        assert isinstance(ranker, FirstOccurrences)
        assert isinstance(ranker.formula_ranker, Rerank)
        scorer = ranker.formula_ranker.scorer
        assert isinstance(scorer, AlignmentScorer)
        for topic in read_topics(sample_topics(Task.FORMULAS)):
            hits = ranker.formula_ranker.first.rank(topic, 100)
            gains = scorer.scores(topic, hits)
            shares = scorer.share_scorer.share
            whole = shares.index.scores(shares(topic), [hit.doc_id for hit in hits])
            assert (gains >= -1).all()
            assert (gains[whole > 1 - 1e-9] <= 1e-6).all()
