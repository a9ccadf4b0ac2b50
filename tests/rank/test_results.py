"""Searching and describing results."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.model import Formula, PostKind, Task
from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
from porism.rank.results import (
    describe,
    explained,
    highlight_terms,
    read_results,
    search,
    search_results,
)
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.collection.small_site import POSTS, ingested_site, write_site

SYSTEMS = ("l8", "tfidf", "linked", "formula-base")


@pytest.fixture(scope="module")
def search_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    folder = tmp_path_factory.mktemp("results")
    with open_collection(ingested_site(folder)) as collection:
        plan = catalog.index_plan(SYSTEMS)
        build_index(collection, folder / "index", plan, IndexOptions(), lambda progress: None)
    with open_index(folder / "index") as opened:
        yield opened


def test_an_answer_is_described_with_its_question(search_index: SearchIndex) -> None:
    ranker = catalog.ranker("l8", Task.ANSWERS, search_index)
    typed = typed_answer_topic(r"positive $\frac{1}{2}$")
    first, second = search_results(search_index, ranker, typed, 10).results
    assert (first.rank, first.post_id, first.thread_id, first.kind) == (
        1,
        "2",
        "1",
        PostKind.ANSWER,
    )
    assert first.title[0] == "Is "
    assert (first.votes, first.tags, first.created) == (
        9,
        ("algebra", "real-numbers"),
        "2011-03-05T00:00:00.000",
    )
    assert [piece.text for piece in first.snippet] == [
        "Since ",
        "$a < b$",
        " we have ",
        r"$\frac{1}{2}$",
        ".",
    ]
    assert [piece.is_matched for piece in first.snippet] == [False, False, False, True, False]
    assert first.formula is None
    assert second.rank == 2


def test_a_formula_is_described_with_its_post(search_index: SearchIndex) -> None:
    ranker = catalog.ranker("l8", Task.FORMULAS, search_index)
    (found, *_) = search_results(search_index, ranker, typed_formula_topic("x^2"), 3).results
    assert found.formula is not None
    assert found.formula.latex == "x^2"
    assert found.kind is PostKind.QUESTION
    marked = [piece.content for piece in found.snippet if piece.is_matched]
    assert marked == [found.formula]  # it occurs in the title, so the passage is the title


def test_results_are_explained_on_demand(search_index: SearchIndex) -> None:
    for task, typed in (
        (Task.ANSWERS, typed_answer_topic("positive $x^2$")),
        (Task.FORMULAS, typed_formula_topic("x^2")),
    ):
        ranker = catalog.ranker("l8", task, search_index)
        found = search_results(search_index, ranker, typed, 3)
        assert {result.explanation for result in found.results} == {None}
        for result in explained(found.search, found.results):
            assert result.explanation is not None
            assert result.explanation.value == pytest.approx(result.score, rel=1e-6)
        assert explained(found.search, ()) == ()


def test_a_part_of_a_ranking_can_be_described(search_index: SearchIndex) -> None:
    ranker = catalog.ranker("l8", Task.ANSWERS, search_index)
    searched = search(search_index, ranker, typed_answer_topic(r"positive $\frac{1}{2}$"), 10)
    assert [hit.doc_id for hit in searched.ranking] == ["2", "3"]
    second = read_results(search_index, searched, searched.ranking[1:]).results
    assert [(result.rank, result.post_id) for result in second] == [(1, "3")]
    highlights = highlight_terms(searched.topic, searched.tokens)
    assert describe(search_index, searched.ranking[1:], highlights) == second
    assert second[0].passage == "".join(piece.text for piece in second[0].snippet)
    assert second[0].url is None


def test_a_search_reports_how_the_query_was_understood(search_index: SearchIndex) -> None:
    ranker = catalog.ranker("l8", Task.ANSWERS, search_index)
    found = search_results(search_index, ranker, typed_answer_topic("the positive $x^2"), 1)
    assert found.search.words == ("posit",)
    assert [each for each in found.search.topic.title if isinstance(each, Formula)]
    assert [problem.message[:13] for problem in found.problems] == ["a dollar sign"]
    assert len(found.results) == 1


def test_a_system_without_tokens_has_no_problem_with_stop_words(search_index: SearchIndex) -> None:
    ranker = catalog.ranker("linked", Task.ANSWERS, search_index)
    assert search_results(search_index, ranker, typed_answer_topic("the of"), 1).problems == ()


def test_deleted_posts_are_left_out_and_reported(search_index: SearchIndex, tmp_path: Path) -> None:
    posts = [row for row in POSTS if row["Id"] != 2]
    site = write_site(tmp_path / "site", posts)
    ingest(site, tmp_path / "collection", IngestOptions(jobs=1))
    with open_index(search_index.folder, tmp_path / "collection") as later:
        ranker = catalog.ranker("l8", Task.ANSWERS, later)
        found = search_results(later, ranker, typed_answer_topic("positive"), 5)
    assert [result.post_id for result in found.results] == ["3"]
    assert "1 of the posts found are no longer in the collection" in found.problems[0].message


def test_an_index_that_is_deleted_while_open_can_still_be_read(
    search_index: SearchIndex, tmp_path: Path
) -> None:
    copy = tmp_path / "index"
    shutil.copytree(search_index.folder, copy)
    with open_index(copy, search_index.collection_path) as opened:
        ranker = catalog.ranker("l8", Task.ANSWERS, opened)
        shutil.rmtree(copy)
        assert search_results(opened, ranker, typed_answer_topic("positive"), 5).results
        formulas = catalog.ranker("l8", Task.FORMULAS, opened)
        assert search_results(opened, formulas, typed_formula_topic("x^2"), 5).results
    with pytest.raises(PorismError, match="no index"):
        open_index(copy)
