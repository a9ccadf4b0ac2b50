"""Systems by vectors of formulas and tree edit distance, on a small index."""

from pathlib import Path

import pytest

from porism.catalog import ranker
from porism.inverted import Filter
from porism.model import DocId, Formula, Hit, Ranking, Task, Topic, TopicId
from porism.rank.structure.tree_edit import TreeEditScorer
from porism.searchindex.components.tree_store import TreeSpec
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.structure import tree_edit_distance
from tests.searchindex.test_formula_vector_filling import CFT, NOTES, build, store, topic
from tests.searchindex.test_vector_filling import write_notes
from tests.structure.tiny_model import tiny_model


@pytest.fixture
def index(tmp_path: Path) -> Path:
    build(write_notes(tmp_path, NOTES), tmp_path / "index", CFT, TreeSpec())
    store(tmp_path / "collection", tmp_path / "index", tiny_model())
    return tmp_path / "index"


def ranked_latex(search_index: SearchIndex, name: str, query: Topic) -> list[str]:
    hits = ranker(name, Task.FORMULAS, search_index).rank(query, 10)
    return [search_index.collection.instance(hit.doc_id).formula.latex for hit in hits]


def all_formulas(search_index: SearchIndex) -> Ranking:
    return tuple(Hit(DocId(doc_id), 0.0) for doc_id in sorted(search_index.formulas.doc_ids()))


def test_the_same_formula_needs_no_edits(index: Path) -> None:
    with open_index(index) as search_index:
        scorer = TreeEditScorer(search_index)
        hits = all_formulas(search_index)
        for latex in ("a+b", "x^2+y^2=z^2"):
            scores = scorer.scores(topic(latex), hits)
            assert scores.max() == 1
            assert sum(scores == 1) == 1
        assert ranked_latex(search_index, "tangent-cft-ted", topic("a+c"))[0] == "a+b"


def test_renaming_costs_the_published_share(index: Path) -> None:
    with open_index(index) as search_index:
        hits = all_formulas(search_index)
        best = TreeEditScorer(search_index).scores(topic("a+c"), hits).max()
    # One of three nodes of the layout tree is renamed, and one of three of the operator tree.
    assert best == pytest.approx(0.75 * (1 - 0.4 / 6) + 0.25 * (1 - 0.2 / 6))


def test_the_score_is_explained_by_both_trees(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_index(index) as search_index:
        scorer = TreeEditScorer(search_index)
        hits = all_formulas(search_index)
        query = topic("x^2+y^2=1")
        scores = scorer.scores(query, hits)
        for score, explained in zip(scores, scorer.explain(query, hits), strict=True):
            assert explained.value == pytest.approx(score)
            assert len(explained.details) == 2
            assert "in part" not in explained.label
        monkeypatch.setattr(tree_edit_distance, "MAX_CELLS", 10)
        assert any("in part" in each.label for each in scorer.explain(query, hits))


def test_several_formulas_count_by_their_mean(index: Path) -> None:
    with open_index(index) as search_index:
        scorer = TreeEditScorer(search_index)
        hits = all_formulas(search_index)
        one, other = (scorer.scores(topic(latex), hits) for latex in ("a+b", "x"))
        both = Topic(TopicId("1"), (Formula("p", "a+b"), " and ", Formula("q", "x")))
        assert scorer.scores(both, hits) == pytest.approx((one + other) / 2)


@pytest.mark.parametrize("name", ["tangent-cft", "tangent-cft-ted"])
@pytest.mark.parametrize("latex", ["", "?a", r"\undefined{", "x" * 2_000, "x"])
def test_bad_queries_find_little_and_do_not_fail(index: Path, name: str, latex: str) -> None:
    with open_index(index) as search_index:
        assert len(ranked_latex(search_index, name, topic(latex))) <= 4


def test_a_filter_is_obeyed(index: Path) -> None:
    with open_index(index) as search_index:
        system = ranker("tangent-cft-ted", Task.FORMULAS, search_index)
        visual_id = search_index.collection.instance(
            system.rank(topic("a+b"), 2)[1].doc_id
        ).effective_visual_id
        within = Filter(documents=frozenset({visual_id}))
        (hit,) = system.rank(topic("a+b"), 10, within)
        assert search_index.collection.instance(hit.doc_id).effective_visual_id == visual_id
