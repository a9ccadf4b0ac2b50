"""By what a search is narrowed: tags, years, votes and acceptance of posts, as labels.

An index knows labels as tokens and filters by groups of them, of each of which a document must have
one. So a post has a label for the very number of its votes, and whoever wants at least so many asks
for that number or any greater.
"""

from __future__ import annotations

from collections.abc import Iterable

LABEL_KINDS = ("acceptance", "kind", "tag", "votes", "year")
"""The kinds of labels that documents get now; an index says which kinds its documents have."""

ACCEPTED = "accepted"
"""The label of an answer that the author of its question accepted."""

IN_POST = "in:post"
"""The label of formulas that occur in a question or an answer, not only in comments."""

MAX_VOTES = 100
"""The most votes that can be asked for: posts with more are labelled as if they had so many."""


def tag_label(tag: str) -> str:
    """The label of posts with a tag."""
    return f"tag:{tag}"


def year_labels(first: int, last: int) -> tuple[str, ...]:
    """The labels of posts written in these years, or between them."""
    return tuple(f"year:{year}" for year in range(first, last + 1))


def votes_labels(least: int) -> tuple[str, ...]:
    """The labels of posts with at least so many votes, up to ``MAX_VOTES``, and none below 0."""
    return tuple(f"votes:{votes}" for votes in range(least, MAX_VOTES + 1))


def labels(
    tags: Iterable[str], years: Iterable[str], votes: int | None, is_accepted: bool
) -> tuple[str, ...]:
    """Each label once. Posts without votes, or with more against them than for, have none of these.

    >>> labels(["sets"], ["2015"], 1234, True)
    ('tag:sets', 'year:2015', 'votes:100', 'accepted')
    """
    found = [*map(tag_label, tags), *(f"year:{year}" for year in years)]
    if votes is not None and votes >= 0:
        found.append(f"votes:{min(votes, MAX_VOTES)}")
    if is_accepted:
        found.append(ACCEPTED)
    return tuple(dict.fromkeys(found))
