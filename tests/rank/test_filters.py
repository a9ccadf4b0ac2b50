"""Filters: results equal those of a search without one, with posts checked one by one."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism import catalog
from porism.collection.formulas.occurrences import FormulaOccurrence, occurrences
from porism.collection.formulas.visual_groups import visual_formulas
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.sample import sample_source
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.inverted import Filter
from porism.model import Post, Task
from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
from porism.rank import occurrences as occurrences_module
from porism.rank.filters import PostFilter
from porism.rank.results import search_results
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.manifest import read_manifest, write_manifest

EVERYTHING = 100_000
"""More than there is in the sample."""


@pytest.fixture(scope="module")
def search_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    folder = tmp_path_factory.mktemp("post_filter")
    ingest(sample_source(), folder / "sample", IngestOptions(jobs=1))
    with open_collection(folder / "sample") as collection:
        build_index(
            collection,
            folder / "index",
            catalog.index_plan(["l8"]),
            IndexOptions(),
            lambda progress: None,
        )
    with open_index(folder / "index") as opened:
        yield opened


YEARS = st.none() | st.integers(2010, 2019)


@st.composite
def post_filters(draw: st.DrawFn) -> PostFilter:
    """Filters that some posts of the sample pass, and others do not."""
    since, until = draw(YEARS), draw(YEARS)
    if since is not None and until is not None:
        since, until = sorted((since, until))
    return PostFilter(
        tag=draw(st.sampled_from(((), (), ("linear-algebra",), ("calculus", "integration")))),
        since=since,
        until=until,
        votes=draw(st.none() | st.integers(0, 60)),
        accepted=draw(st.booleans()),
    )


def passes(post_filter: PostFilter, post_id: str, posts: Mapping[str, Post]) -> bool:
    """Whether a post passes, by its own facts and those of its question."""
    values: Mapping[str, Any] = post_filter.values  # Any: of several types
    post = posts[post_id]
    question = posts[post.parent_id or post_id]
    year = int((post.created or "0")[:4])
    return (
        set(values.get("tag", ())) <= set(question.tags)
        and values.get("since", 0) <= year <= values.get("until", 9999)
        and ("votes" not in values or (post.score or 0) >= values["votes"])
        and ("accepted" not in values or question.accepted_id == post.id)
    )


@pytest.fixture(scope="module")
def posts(search_index: SearchIndex) -> dict[str, Post]:
    return {post.id: post for post in search_index.collection.posts()}


ANSWERS = typed_answer_topic("show that the sum of the matrix $x^2$ is a number").topic
FORMULAS = typed_formula_topic("x^2 + n").topic


@settings(max_examples=50)
@given(post_filter=post_filters(), k=st.sampled_from((3, EVERYTHING)))
def test_answers_found_are_those_that_pass_the_filter(
    search_index: SearchIndex, posts: dict[str, Post], post_filter: PostFilter, k: int
) -> None:
    ranker = catalog.ranker("l8", Task.ANSWERS, search_index)
    found = [hit.doc_id for hit in ranker.rank(ANSWERS, k, post_filter.index_filter())]
    everything = [hit.doc_id for hit in ranker.rank(ANSWERS, EVERYTHING)]
    assert found == [each for each in everything if passes(post_filter, each, posts)][:k]


@pytest.fixture(scope="module")
def like_formulas(search_index: SearchIndex) -> list[list[FormulaOccurrence]]:
    """All occurrences of each formula that is found, the most similar first."""
    collection = search_index.collection
    hits = catalog.ranker("l8", Task.FORMULAS, search_index).rank(FORMULAS, EVERYTHING)
    found = (collection.instance(hit.doc_id).formula.visual_id for hit in hits)
    return [list(occurrences(collection, str(visual_id))) for visual_id in found]


@settings(max_examples=25)
@given(post_filter=post_filters(), k=st.sampled_from((3, EVERYTHING)))
def test_formulas_found_are_those_with_a_post_that_passes(
    search_index: SearchIndex,
    posts: dict[str, Post],
    like_formulas: list[list[FormulaOccurrence]],
    post_filter: PostFilter,
    k: int,
) -> None:
    found = catalog.ranker("l8", Task.FORMULAS, search_index).rank(
        FORMULAS, k, post_filter.index_filter()
    )
    passing = (
        [each for each in own if passes(post_filter, each.post_id, posts)] for own in like_formulas
    )
    assert [hit.doc_id for hit in found] == [own[0].formula_id for own in passing if own][:k]


def test_a_formula_without_a_single_passing_post_is_replaced_by_the_next(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranker = catalog.ranker("l8", Task.FORMULAS, search_index)
    both = PostFilter(votes=20, since=2013, until=2014, accepted=True)
    everything = ranker.rank(FORMULAS, EVERYTHING, both.index_filter())
    assert len(everything) > 5
    assert ranker.rank(FORMULAS, 5, both.index_filter()) == everything[:5]
    monkeypatch.setattr(occurrences_module, "FILTERED_DEPTHS", (5,))
    assert len(ranker.rank(FORMULAS, 5, both.index_filter())) < 5


def test_a_formula_counts_with_the_post_that_has_most_votes(search_index: SearchIndex) -> None:
    collection = search_index.collection
    for formula in visual_formulas(collection):
        own = list(occurrences(collection, formula.visual_id))
        votes = [each.votes for each in own if each.votes is not None]
        assert formula.votes == max(votes, default=None)
        assert formula.is_accepted == any(each.is_accepted for each in own)


# As an index knows it.


def test_a_post_filter_becomes_groups_of_labels() -> None:
    assert PostFilter().index_filter() is None
    assert PostFilter(tag=("a", "b")).index_filter() == Filter((("tag:a",), ("tag:b",)))
    assert PostFilter(since=9999).index_filter() == Filter((("year:9999",),))
    assert PostFilter(since=2014, until=2015).index_filter() == Filter(
        (("year:2014", "year:2015"),)
    )
    assert PostFilter(votes=99, accepted=True).index_filter() == Filter(
        (("votes:99", "votes:100"), ("accepted",))
    )


def test_a_missing_first_or_last_year_leaves_that_side_open() -> None:
    later = PostFilter(since=2010).index_filter()
    assert later is not None
    assert {"year:2010", "year:2026"} <= set(later.labels[0])
    assert "year:2009" not in later.labels[0]
    earlier = PostFilter(until=2010).index_filter()
    assert earlier is not None
    assert {"year:1000", "year:2010"} <= set(earlier.labels[0])
    assert "year:2011" not in earlier.labels[0]


@pytest.mark.parametrize("votes", [-1, 101])
def test_votes_out_of_range_are_refused(votes: int) -> None:
    with pytest.raises(PorismError, match=f"votes must be from 0 to 100, not {votes}"):
        PostFilter(votes=votes)


def test_a_first_year_after_the_last_is_refused() -> None:
    with pytest.raises(PorismError, match="the year range from 2016 to 2015 is empty"):
        PostFilter(since=2016, until=2015)


def test_an_index_without_the_labels_of_a_filter_is_reported(
    search_index: SearchIndex, tmp_path: Path
) -> None:
    old = tmp_path / "index"
    shutil.copytree(search_index.folder, old)
    contents = read_manifest(old)
    write_manifest(old, replace(contents, labels=("kind", "tag", "year")))
    with open_index(old, search_index.collection_path) as opened:
        ranker = catalog.ranker("l8", Task.ANSWERS, opened)
        typed = typed_answer_topic("matrix")
        lacking = search_results(
            opened, ranker, typed, 5, PostFilter(votes=1, accepted=True)
        ).problems
        assert [problem.message for problem in lacking] == [
            "this index was made before posts could be filtered by votes and acceptance; make it "
            "again with porism update"
        ]
        assert search_results(opened, ranker, typed, 5, PostFilter(until=2015)).problems == ()
    assert (
        search_results(search_index, ranker, typed, 5, PostFilter(votes=1, accepted=True)).problems
        == ()
    )


def test_a_filter_that_no_post_passes_is_reported(
    search_index: SearchIndex, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "sums.md").write_text("# Sums of matrices\n\nThe sum $x^2$.\n")
    ingest(tmp_path / "notes", tmp_path / "made", IngestOptions(jobs=1))
    with open_collection(tmp_path / "made") as made:
        build_index(
            made,
            tmp_path / "index",
            catalog.index_plan(["l8"]),
            IndexOptions(),
            lambda progress: None,
        )
    both = PostFilter(votes=0, accepted=True)
    with open_index(tmp_path / "index") as notes:
        ranker = catalog.ranker("l8", Task.ANSWERS, notes)
        found = search_results(notes, ranker, typed_answer_topic("matrices"), 5, both)
    assert found.results == ()
    assert [problem.message for problem in found.problems] == [
        "no post has 0 votes or more",
        "no answer is marked as accepted",
    ]
    most = search_results(
        search_index,
        catalog.ranker("l8", Task.ANSWERS, search_index),
        typed_answer_topic("sum"),
        5,
        PostFilter(votes=90),
    )
    assert [problem.message for problem in most.problems] == ["no post has 90 votes or more"]
