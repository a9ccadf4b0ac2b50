"""formula-graph: what it finds, explanations, filters, and formulas of any form."""

from pathlib import Path

import pytest

from porism.collection.formulas.visual_groups import visual_formulas
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.inverted import Filter
from porism.model import DocId, Formula, Topic, TopicId
from porism.rank.rerank import Rerank
from porism.rank.structure.formula_graph import (
    FORMULA_GRAPH,
    GRAPH_FEATURES,
    SYMBOL_RUNS,
    WEIGHTS,
    formula_graph,
    fused_ranker,
    graph_features,
)
from porism.rank.structure.pair_features import TREE_FEATURES
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.components import ComponentSpec
from porism.searchindex.components.tree_store import TreeSpec
from porism.searchindex.formula_vector_filling import fill_formula_vectors
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.test_vector_filling import write_notes

NOTES = {
    "0": r"A theorem: $x^2+y^2=z^2$.",
    "1": r"The same: $a^2+b^2=c^2$.",
    "2": r"Part: $x^2+y^2$, $\frac{x}{y}$ and $x$.",
    "3": r"Other: $\int_0^1 \ln t\,dt$ and $\sum_{n=1}^\infty \frac{1}{n^2}$.",
}


def build(folder: Path, specs: tuple[ComponentSpec, ...]) -> Path:
    with open_collection(write_notes(folder, NOTES)) as collection:
        build_index(collection, folder / "index", specs, IndexOptions(), lambda progress: None)
        fill_formula_vectors(collection, folder / "index", IndexOptions(), lambda progress: None)
    return folder / "index"


@pytest.fixture(scope="module")
def search_index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    index = build(tmp_path_factory.mktemp("graph"), FORMULA_GRAPH.needs)
    return open_index(index)


def topic(*formulas: str) -> Topic:
    pieces = tuple(Formula(str(number), latex) for number, latex in enumerate(formulas))
    return Topic(TopicId("1"), pieces, focus=pieces[0] if len(pieces) == 1 else None)


def found(search_index: SearchIndex, *formulas: str) -> list[str]:
    """The LaTeX of the formulas that are found, best first."""
    hits = formula_graph(search_index).rank(topic(*formulas), 10)
    collection = search_index.collection
    return [collection.instance(hit.doc_id).formula.latex for hit in hits]


def test_an_index_gets_the_shipped_model_without_training(search_index: SearchIndex) -> None:
    vectors = search_index.formula_vectors("graph")
    assert vectors is not None
    assert vectors.is_complete
    assert len(vectors) == len(list(visual_formulas(search_index.collection)))


def test_equal_renamed_and_partial_formulas_come_first(search_index: SearchIndex) -> None:
    results = found(search_index, "x^2+y^2=z^2")
    assert results[0] == "x^2+y^2=z^2"
    assert set(results[1:3]) == {"a^2+b^2=c^2", "x^2+y^2"}


def test_explanations_sum_up_to_the_scores(search_index: SearchIndex) -> None:
    ranker = formula_graph(search_index)
    query = topic("x^2+y^2=z^2")
    hits = ranker.rank(query, 10)
    explained = ranker.explain(query, [hit.doc_id for hit in hits])
    assert [each.value for each in explained] == pytest.approx([hit.score for hit in hits])
    (explanation,) = ranker.explain(query, [hits[0].doc_id])
    assert explanation.value == pytest.approx(hits[0].score)


def test_a_filter_holds_for_both_rankings(search_index: SearchIndex) -> None:
    hits = fused_ranker(search_index).rank(topic("x^2+y^2=z^2"), 10)
    wanted = hits[1].doc_id
    within = Filter((), frozenset({wanted}))
    assert [hit.doc_id for hit in fused_ranker(search_index).rank(topic("x+y"), 10, within)] == [
        wanted
    ]


@pytest.mark.parametrize(
    "latex",
    [
        "x",
        "+".join(["x^2"] * 700),
        "?x",
        "?x+?y",
        r"\begin{pmatrix}" + r"\\".join(["&".join(["a"] * 20)] * 20) + r"\end{pmatrix}",
    ],
)
def test_formulas_of_any_form_are_ranked(search_index: SearchIndex, latex: str) -> None:
    ranker = formula_graph(search_index)
    hits = ranker.rank(topic(latex), 10)
    assert hits == ranker.rank(topic(latex), 10)
    explained = ranker.explain(topic(latex), [hit.doc_id for hit in hits])
    assert [each.value for each in explained] == pytest.approx([hit.score for hit in hits])


def test_a_refused_formula_finds_nothing(search_index: SearchIndex) -> None:
    assert found(search_index, "{" * 5_000 + "x") == []
    assert formula_graph(search_index).rank(Topic(TopicId("1"), ("words",)), 10) == ()


def test_several_formulas_are_searched_together(search_index: SearchIndex) -> None:
    results = found(search_index, "x^2+y^2=z^2", r"\frac{x}{y}")
    assert {"x^2+y^2=z^2", r"\frac{x}{y}"} <= set(results)


def test_features_have_names_and_weights(search_index: SearchIndex) -> None:
    features = graph_features(search_index)
    assert tuple(WEIGHTS) == GRAPH_FEATURES == features.names
    hits = fused_ranker(search_index).rank(topic("x^2+y^2=z^2"), 10)
    visual_ids = [hit.doc_id for hit in hits]
    table = features.of(topic("x^2+y^2=z^2"), visual_ids)
    assert table.shape == (len(hits), len(GRAPH_FEATURES))
    own = dict(
        zip(GRAPH_FEATURES[len(TREE_FEATURES) :], table.T[len(TREE_FEATURES) :], strict=True)
    )
    best = int(own["graph cosine"].argmax())
    assert own["graph cosine"][best] == pytest.approx(1, abs=0.01)
    assert own["symbols"][best] == pytest.approx(1)
    assert own["size"][best] == 1
    assert (own["larger"] >= 0).all()
    # One formula has the features that it has among others.
    (alone,) = features.of(topic("x^2+y^2=z^2"), visual_ids[1:2])
    assert alone == pytest.approx(table[1])


def test_the_rest_of_a_ranking_follows_below(search_index: SearchIndex) -> None:
    first = fused_ranker(search_index)
    ranker = formula_graph(search_index)
    reranked = getattr(ranker, "formula_ranker", None)
    assert isinstance(reranked, Rerank)
    short = Rerank(first, reranked.scorer, 2, reranked.combine)
    hits = short.rank(topic("x^2+y^2=z^2"), 10)
    assert {hit.doc_id for hit in hits[:2]} == {
        hit.doc_id for hit in first.rank(topic("x^2+y^2=z^2"), 2)
    }
    assert len(hits) == len(first.rank(topic("x^2+y^2=z^2"), 10))


def test_an_index_without_vectors_says_how_it_gets_them(tmp_path: Path) -> None:
    with (
        open_index(build(tmp_path, (SYMBOL_RUNS, TreeSpec()))) as opened,
        pytest.raises(PorismError, match=r"has no graph vectors; porism train graph .* adds them"),
    ):
        formula_graph(opened)


def test_ids_of_hits_are_those_of_occurrences(search_index: SearchIndex) -> None:
    hits = formula_graph(search_index).rank(topic("x^2+y^2=z^2"), 1)
    assert hits[0].post_id == DocId(search_index.collection.instance(hits[0].doc_id).post_id)
