"""Filters: which posts a search may find, as a person says it and as an index knows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from porism.analysis.labels import ACCEPTED, MAX_VOTES, tag_label, votes_labels, year_labels
from porism.errors import PorismError
from porism.index import Filter

FIRST_YEAR, LAST_YEAR = 1000, 9999
"""The years that can be asked for."""


@dataclass(frozen=True, slots=True)
class PostFilter:
    """Which posts may be found: those of which all holds that is said here.

    They have all of ``tags``, an answer having its question's. They were written in the year
    ``since`` or later, and in ``until`` or earlier. They have at least ``votes`` votes, of which at
    most ``MAX_VOTES`` can be asked for. With ``is_accepted`` they are answers that the author of
    their question accepted.
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
            raise PorismError(f"votes can be asked for from 0 to {MAX_VOTES}, not {self.votes}")

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
        # Clocks differ, so the year to come is not ruled out; of later ones there is nothing.
        last = date.today().year + 1
        if self.until is not None:
            last = min(last, self.until)
        return year_labels(first, max(first, last))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of labels that this asks an index for.

        >>> PostFilter(("sets",), until=2015, is_accepted=True).kinds
        ('tag', 'year', 'acceptance')
        """
        asked = {
            "tag": bool(self.tags),
            "year": self.since is not None or self.until is not None,
            "votes": self.votes is not None,
            "acceptance": self.is_accepted,
        }
        return tuple(kind for kind, is_asked in asked.items() if is_asked)


NO_FILTER = PostFilter()
