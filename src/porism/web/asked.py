"""What is asked of the search page, as its address says it, and the addresses of other searches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

LONGEST_TEXT = 2_000
"""Characters that may be typed; the longest title of a question has 150."""

LONGEST_TAG, MOST_TAGS = 100, 10
MOST_PAGES = 50


class What(StrEnum):
    """What is looked for."""

    ANSWERS = "answers"
    QUESTIONS = "questions"
    FORMULAS = "formulas"


@dataclass(frozen=True, slots=True)
class Asked:
    """A search and the page of its results; ``explain`` is the rank of a result to explain."""

    text: str = ""
    what: What = What.ANSWERS
    tags: tuple[str, ...] = ()
    since: int | None = None
    page: int = 1
    explain: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.text.strip()

    @property
    def address(self) -> str:
        r"""The address of this search; what is as always is not said.

        >>> Asked("x & y", What.FORMULAS, ("sets",), page=2).address
        '/?q=x+%26+y&what=formulas&tag=sets&page=2'
        """
        said: list[tuple[str, str]] = [("q", self.text)] if self.text else []
        if self.what is not What.ANSWERS:
            said.append(("what", self.what))
        said += (("tag", tag) for tag in self.tags)
        if self.since is not None:
            said.append(("since", str(self.since)))
        if self.page != 1:
            said.append(("page", str(self.page)))
        if self.explain is not None:
            said.append(("explain", str(self.explain)))
        return f"/?{urlencode(said)}" if said else "/"

    def on_page(self, page: int) -> str:
        """The address of another page of the results."""
        return replace(self, page=page, explain=None).address

    def explaining(self, rank: int) -> str:
        """The address of this page with one of its results explained."""
        return replace(self, explain=rank).address

    def with_tag(self, tag: str) -> str:
        """The address of the search among posts that have this tag too."""
        tags = tuple(dict.fromkeys((*self.tags, tag)))
        return replace(self, tags=tags, page=1, explain=None).address


def similar_address(latex: str) -> str | None:
    """Where formulas like this one are found; None if it is too long to be searched for."""
    latex = latex.strip()
    return Asked(latex, What.FORMULAS).address if 0 < len(latex) <= LONGEST_TEXT else None


@dataclass(frozen=True, slots=True)
class ReadAsked:
    """What an address asks for, and in words for a person what of it cannot be done."""

    asked: Asked
    faults: tuple[str, ...]


def read_asked(said: QueryParams) -> ReadAsked:
    """The search of an address. What is empty or not known to us counts as not said."""
    faults: list[str] = []
    text = said.get("q", "").replace("\r\n", "\n")  # forms send both, scripts one
    if len(text) > LONGEST_TEXT:
        faults.append(
            f"The text has {len(text):,} characters, and at most {LONGEST_TEXT:,} can be searched "
            "for. Leave out what matters least."
        )
    asked = Asked(
        text=text,
        what=_what(said.get("what", ""), faults),
        tags=_tags(said.getlist("tag"), faults),
        since=_number(said.get("since", ""), range(1000, 10_000), _NOT_A_YEAR, faults),
        page=_number(said.get("page", ""), range(1, MOST_PAGES + 1), _NOT_A_PAGE, faults) or 1,
        explain=_number(said.get("explain", ""), range(1, 10_000), _NOT_A_RANK, faults),
    )
    return ReadAsked(asked, tuple(faults))


_NOT_A_YEAR = "“Since” takes a year of four digits, such as 2015."
_NOT_A_PAGE = f"“page” takes a number from 1 to {MOST_PAGES}: no more results are shown."
_NOT_A_RANK = "“explain” takes the number of a result."


def _what(name: str, faults: list[str]) -> What:
    if name and name not in set(What):
        faults.append(f"What can be looked for are {', '.join(What)}.")
    return What(name) if name in set(What) else What.ANSWERS


def _tags(said: list[str], faults: list[str]) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(tag.strip() for tag in said if tag.strip()))
    if len(tags) > MOST_TAGS or any(len(tag) > LONGEST_TAG for tag in tags):
        faults.append(
            f"At most {MOST_TAGS} tags can be asked for, each of at most {LONGEST_TAG} characters."
        )
        return ()
    return tags


def _number(said: str, allowed: range, why_not: str, faults: list[str]) -> int | None:
    said = said.strip()
    if not said:
        return None
    # What is longer than any allowed number need not be converted.
    number = int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else -1
    if number not in allowed:
        faults.append(why_not)
        return None
    return number
