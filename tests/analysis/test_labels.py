"""Labels: what a post has meets what is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis.labels import MAX_VOTES, labels, votes_labels, year_labels


@given(votes=st.none() | st.integers(-50, 5000), least=st.integers(0, MAX_VOTES))
def test_a_post_has_a_label_that_is_asked_for_if_it_has_so_many_votes(
    votes: int | None, least: int
) -> None:
    met = set(labels((), (), votes, False)) & set(votes_labels(least))
    assert bool(met) is (votes is not None and votes >= least)


@given(year=st.integers(1000, 9999), first=st.integers(1000, 9999), last=st.integers(1000, 9999))
def test_a_year_meets_those_around_it(year: int, first: int, last: int) -> None:
    met = set(labels((), (str(year),), None, False)) & set(year_labels(first, last))
    assert bool(met) is (first <= year <= last)


@pytest.mark.parametrize("votes", [None, -1])
def test_without_votes_there_is_no_label_of_them(votes: int | None) -> None:
    assert labels(("sets", "sets"), (), votes, False) == ("tag:sets",)
