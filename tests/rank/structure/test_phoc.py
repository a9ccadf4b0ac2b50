"""XY-PHOC on the sample: exact cosines, explanations, filters and queries without symbols."""

from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import pytest

from porism.analysis import query_layout
from porism.catalog import ranker
from porism.collection.formulas.visual_groups import visual_formulas
from porism.filters import IN_POST
from porism.inverted import Filter
from porism.model import Formula, Task, Topic, TopicId
from porism.rank.structure.phoc import PositionRanker
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.structure.position_masks import XY5, XY7O4, PyramidVariant, symbol_masks


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def topic(*formulas: str) -> Topic:
    content = tuple(Formula(f"q_{place}", latex) for place, latex in enumerate(formulas))
    return Topic(TopicId("B.1"), content, focus=content[0] if len(content) == 1 else None)


Masks = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def masks(search_index: SearchIndex) -> Masks:
    """The masks of all formulas of the collection, by visual id."""
    of: Masks = {}
    for each in visual_formulas(search_index.collection):
        formula = search_index.collection.formula(each.formula)
        assert formula is not None
        of[each.visual_id] = symbol_masks(formula.layout())
    return of


def slow_cosines(masks: Masks, latex: str, variant: PyramidVariant) -> dict[str, float]:
    """The cosines of all formulas, from explicit vectors of (symbol, bit)."""
    bits = [bit for bit in range(64) if variant.bits >> bit & 1]

    def vector(formula: dict[str, int]) -> set[tuple[str, int]]:
        return {
            (symbol, bit) for symbol, mask in formula.items() for bit in bits if mask >> bit & 1
        }

    query = vector(symbol_masks(query_layout(latex).tree))
    symbols = {symbol for symbol, _ in query}
    cosines = {}
    for visual_id, formula in masks.items():
        if not symbols.isdisjoint(formula) and (common := len(query & (stored := vector(formula)))):
            cosines[visual_id] = common / sqrt(len(stored) * len(query))
    return cosines


@pytest.mark.parametrize("variant", [XY7O4, XY5], ids=lambda each: each.name)
@pytest.mark.parametrize("latex", [r"\sum_{n=1}^\infty n x^n", "?a^2+1", "x"])
def test_all_formulas_have_their_cosines(
    search_index: SearchIndex, masks: Masks, variant: PyramidVariant, latex: str
) -> None:
    ranking = PositionRanker(search_index, variant).rank(topic(latex), 100_000)
    cosines = slow_cosines(masks, latex, variant)
    assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(cosines)
    assert len(PositionRanker(search_index, variant).rank(topic(latex), 5)) == 5


def test_an_equal_formula_is_first_with_cosine_1(search_index: SearchIndex) -> None:
    instance = search_index.collection.instance("1000000013700000")
    (first,) = PositionRanker(search_index).rank(topic(instance.formula.latex), 1)
    assert first.score == pytest.approx(1)
    assert first.doc_id == instance.formula.visual_id


def test_explanations_sum_to_the_score(search_index: SearchIndex) -> None:
    query = topic("x^2+1", r"\frac{1}{n}")
    ranking = PositionRanker(search_index).rank(query, 20)
    explained = PositionRanker(search_index).explain(query, [hit.doc_id for hit in ranking])
    assert [each.value for each in explained] == pytest.approx([hit.score for hit in ranking])
    assert "regions" in explained[0].details[0].label
    system = ranker("xy-phoc", Task.FORMULAS, search_index)
    hits = system.rank(query, 5)
    values = [each.value for each in system.explain(query, [hit.doc_id for hit in hits])]
    assert values == pytest.approx([hit.score for hit in hits])


def test_several_formulas_count_by_the_mean_of_their_cosines(
    search_index: SearchIndex, masks: Masks
) -> None:
    both = {h.doc_id: h.score for h in PositionRanker(search_index).rank(topic("x", "y^2"), 10_000)}
    x, y = (slow_cosines(masks, latex, XY7O4) for latex in ("x", "y^2"))
    for doc_id, score in both.items():
        assert score == pytest.approx((x.get(doc_id, 0.0) + y.get(doc_id, 0.0)) / 2)


def test_only_what_passes_a_filter_is_found(search_index: SearchIndex) -> None:
    whole = PositionRanker(search_index).rank(topic("x^2"), 10_000)
    wanted = frozenset(hit.doc_id for hit in whole[5:10])
    within = Filter(((IN_POST,),), wanted)
    ranking = PositionRanker(search_index).rank(topic("x^2"), 10, within)
    assert {hit.doc_id for hit in ranking} <= wanted
    assert ranking


@pytest.mark.parametrize("latex", ["?x", "?x?y", "{" * 200, ""])
def test_a_query_without_symbols_finds_nothing_and_has_no_tokens(
    search_index: SearchIndex, latex: str
) -> None:
    query = topic(latex)
    assert PositionRanker(search_index).rank(query, 10) == ()
    assert PositionRanker(search_index).tokens(query) == ()


def test_tokens_are_the_symbols(search_index: SearchIndex) -> None:
    assert PositionRanker(search_index).tokens(topic("x^2+x")) == ("[x]", "[2]", "[+]")
