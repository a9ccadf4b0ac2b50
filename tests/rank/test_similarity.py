"""Formulas matched as a whole, against a twin that counts with sets."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.inverted.keys import Keys
from porism.model import Formula
from porism.rank.similarity import best_similarities, path_set, shared_path_counts
from porism.searchindex.components.forward_store import RowSpans, rows_of

SETS = st.sets(st.integers(1, 2**64 - 1) | st.integers(1, 40), max_size=12)


def keys(paths: set[int]) -> Keys:
    return np.array(sorted(paths), np.uint64)


def spans(sets: list[set[int]]) -> RowSpans:
    rows = rows_of([sorted(each) for each in sets])
    return RowSpans(rows.numbers, rows.starts[:-1], rows.starts[1:], np.arange(len(sets)))


@settings(max_examples=200, deadline=None)
@given(st.lists(SETS, max_size=5), st.lists(SETS, max_size=8))
def test_overlaps_are_sizes_of_intersections(
    asked: list[set[int]], formulas: list[set[int]]
) -> None:
    found = shared_path_counts([keys(each) for each in asked], spans(formulas))
    assert found.tolist() == [[len(one & other) for other in formulas] for one in asked]


def test_a_document_matches_as_well_as_its_best_formula() -> None:
    likeness = np.array([[0.1, 0.9, 0.3], [0.5, 0.2, 0.4]])
    documents = rows_of([[7, 8], [], [9, 7]])  # formulas 7, 8, 9 are columns 0, 1, 2
    best = best_similarities(likeness, documents, np.array([0, 1, 2, 0]))
    assert best.tolist() == [[0.9, 0.0, 0.3], [0.5, 0.0, 0.5]]


def test_an_empty_query_matches_nothing() -> None:
    assert shared_path_counts([], spans([{1}])).shape == (0, 1)
    assert best_similarities(np.zeros((0, 1)), rows_of([[1]]), np.array([0])).shape == (0, 1)


def test_the_paths_of_equal_sums_are_the_same() -> None:
    assert path_set(Formula("1", "a+b")).tolist() == path_set(Formula("2", "b + a")).tolist()
    assert len(path_set(Formula("3", "{" * 300))) == 0
