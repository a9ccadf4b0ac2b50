"""Filters: the posts that a search may find, as a person says it and as an index knows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from porism.analysis.labels import ACCEPTED, MAX_VOTES, tag_label, votes_labels, year_labels
from porism.errors import PorismError
from porism.index import Filter

FIRST_YEAR, LAST_YEAR = 1000, 9999
"""The years that a filter may name."""


@dataclass(frozen=True, slots=True)
class PostFilter:
    """The posts that a search may find: all conditions must hold.

    A post must have all of ``tags``; an answer has those of its question. It must be written in
    the year ``since`` or later, and in ``until`` or earlier, and have at least ``votes`` votes, a
    number up to ``MAX_VOTES``. With ``is_accepted`` it must be an answer that the author of its
    question accepted.
    """

    tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    votes: int | None = None
    is_accepted: bool = False

    def __post_init__(self) -> None:
        if self.since is not None and self.until is not None and self.since > self.until:
            raise PorismError(
                f"no post is from {self.since} or later and also from {self.until} or earlier; "
                "the first year must not be after the last"
            )
        if self.votes is not None and not 0 <= self.votes <= MAX_VOTES:
            raise PorismError(f"votes must be from 0 to {MAX_VOTES}, not {self.votes}")

    def index_filter(self) -> Filter | None:
        """Return the filter as an index understands it; None if it lets everything pass."""
        groups: list[tuple[str, ...]] = [(tag_label(tag),) for tag in self.tags]
        if self.since is not None or self.until is not None:
            groups.append(self._years())
        if self.votes is not None:
            groups.append(votes_labels(self.votes))
        if self.is_accepted:
            groups.append((ACCEPTED,))
        return Filter(tuple(groups)) if groups else None

    def _years(self) -> tuple[str, ...]:
        first = FIRST_YEAR if self.since is None else self.since
        # Clocks differ, so a post may be from next year, but not from a later one.
        last = date.today().year + 1
        if self.until is not None:
            last = min(last, self.until)
        return year_labels(first, max(first, last))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of labels that the filter needs of an index.

        >>> PostFilter(("sets",), until=2015, is_accepted=True).kinds
        ('tag', 'year', 'acceptance')
        """
        used = {
            "tag": bool(self.tags),
            "year": self.since is not None or self.until is not None,
            "votes": self.votes is not None,
            "acceptance": self.is_accepted,
        }
        return tuple(kind for kind, is_used in used.items() if is_used)


NO_FILTER = PostFilter()
