"""Statistics of a collection."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.stats import (
    CollectionStats,
    FrequentText,
    YearCounts,
    collection_stats,
    formula_sizes,
)
from porism.collection.store import open_collection
from tests.collection.small_site import POSTS, Row, ingested_site, write_site


def stats_of(collection: Path) -> CollectionStats:
    with open_collection(collection) as opened:
        return collection_stats(opened)


def test_a_small_site_is_counted(tmp_path: Path) -> None:
    stats = stats_of(ingested_site(tmp_path))
    assert (stats.questions, stats.answers, stats.documents) == (2, 2, 0)
    assert (stats.comments, stats.links, stats.tags, stats.users, stats.votes) == (1, 2, 2, 1, 2)
    assert stats.years == (YearCounts("2011", 1, 1, 0), YearCounts("2012", 1, 1, 0))
    assert stats.top_tags == (FrequentText("algebra", 2), FrequentText("real-numbers", 1))
    assert stats.top_formulas[0] == FrequentText("x^2", 3)
    # "a < b" and "a<b" are two strings that look alike.
    assert (stats.instances, stats.formulas, stats.visual_formulas) == (8, 6, 5)
    assert stats.answered == {0: 1, 2: 1}
    assert (stats.refused, stats.undated) == (0, 0)


def test_sizes_count_the_symbols_of_distinct_formulas(tmp_path: Path) -> None:
    sizes = stats_of(ingested_site(tmp_path)).sizes
    # x^2 has 2 symbols; 1/2, with its bar, a<b and a < b have 3; x^2 >= 0 has 4; the integral 6.
    assert {each.least: each.formulas for each in sizes.classes if each.formulas} == {
        2: 1,
        3: 4,
        5: 1,
    }
    assert (sizes.median, sizes.ninetieth, sizes.largest) == (3, 6, 6)


def test_refused_formulas_and_undated_posts_are_counted(tmp_path: Path) -> None:
    deep = "{" * 300 + "x" + "}" * 300
    body = f'<p><span class="math-container">{deep}</span> $\\def\\a{{b}}$</p>'
    post: Row = {"Id": 9, "PostTypeId": 1, "Body": body}
    posts = [*POSTS, post]
    ingest(write_site(tmp_path / "site", posts), tmp_path / "collection", IngestOptions(jobs=1))
    stats = stats_of(tmp_path / "collection")
    assert (stats.refused, stats.undated) == (1, 1)
    assert stats.sizes.classes[0].formulas == 1  # the definition has no symbols


def test_an_empty_collection_has_only_zeros(tmp_path: Path) -> None:
    ingest(write_site(tmp_path / "site", []), tmp_path / "collection", IngestOptions(jobs=1))
    stats = stats_of(tmp_path / "collection")
    assert (stats.questions, stats.instances, stats.years, stats.answered) == (0, 0, (), {})
    assert (stats.sizes.median, stats.sizes.largest) == (0, 0)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=50))
def test_quantiles_are_those_of_the_sorted_list(sizes: list[int]) -> None:
    stats = formula_sizes({size: sizes.count(size) for size in sizes})
    ordered = sorted(sizes)
    assert stats.median == ordered[(len(sizes) + 1) // 2 - 1]
    assert stats.ninetieth == ordered[-(-9 * len(sizes) // 10) - 1]
    assert stats.largest == ordered[-1]
    assert sum(each.formulas for each in stats.classes) == len(sizes)
