"""What is asked of the search page, as its address says it, and the addresses of other searches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from porism.analysis.labels import MAX_VOTES
from porism.errors import PorismError
from porism.rank.filters import FIRST_YEAR, LAST_YEAR, PostFilter

LONGEST_TEXT = 2_000
"""Characters that may be typed; the longest title of a question has 150."""

LONGEST_TAG, MOST_TAGS = 100, 10
LONGEST_ID = 300
MOST_PAGES = 50


class SearchTarget(StrEnum):
    """What is looked for."""

    ANSWERS = "answers"
    QUESTIONS = "questions"
    FORMULAS = "formulas"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search and the page of its results; ``explain`` is the rank of a result to explain.

    ``besides`` is a question that is not looked for, nor its answers: the one that is asked with.
    """

    text: str = ""
    what: SearchTarget = SearchTarget.ANSWERS
    tags: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    votes: int | None = None
    is_accepted: bool = False
    besides: str = ""
    page: int = 1
    explain: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.text.strip()

    @property
    def post_filter(self) -> PostFilter:
        """Which posts may be found."""
        return PostFilter(self.tags, self.since, self.until, self.votes, self.is_accepted)

    @property
    def filters(self) -> tuple[tuple[str, str], ...]:
        """Each filter in words, with the address of the search without it.

        >>> SearchRequest("x", tags=("sets",), votes=5).filters
        (('tag sets', '/?q=x&votes=5'), ('at least 5 votes', '/?q=x&tag=sets'))
        """
        told = [
            (f"tag {tag}", replace(self, tags=tuple(each for each in self.tags if each != tag)))
            for tag in self.tags
        ]
        if self.since is not None:
            told.append((f"since {self.since}", replace(self, since=None)))
        if self.until is not None:
            told.append((f"until {self.until}", replace(self, until=None)))
        if self.votes is not None:
            noun = "vote" if self.votes == 1 else "votes"
            told.append((f"at least {self.votes} {noun}", replace(self, votes=None)))
        if self.is_accepted:
            told.append(("accepted", replace(self, is_accepted=False)))
        if self.besides:
            told.append((f"besides thread {self.besides}", replace(self, besides="")))
        return tuple((words, without.on_page(1)) for words, without in told)

    @property
    def address(self) -> str:
        r"""The address of this search; what is as always is not said.

        >>> SearchRequest("x & y", SearchTarget.FORMULAS, ("sets",), page=2).address
        '/?q=x+%26+y&what=formulas&tag=sets&page=2'
        """
        said: list[tuple[str, str]] = [("q", self.text)] if self.text else []
        if self.what is not SearchTarget.ANSWERS:
            said.append(("what", self.what))
        said += (("tag", tag) for tag in self.tags)
        if self.besides:
            said.append(("besides", self.besides))
        numbers = {
            "since": self.since,
            "until": self.until,
            "votes": self.votes,
            "accepted": 1 if self.is_accepted else None,
            "page": self.page if self.page != 1 else None,
            "explain": self.explain,
        }
        said += ((name, str(number)) for name, number in numbers.items() if number is not None)
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


def formula_search(latex: str, macros: str = "") -> SearchRequest:
    r"""The search for formulas like one; the definitions that it needs are typed before it.

    >>> formula_search(r"\R^n", r"\def\R{\mathbb R}").text
    '\\def\\R{\\mathbb R}\n\\R^n'
    """
    return SearchRequest(
        "\n".join(filter(None, (macros.strip(), latex.strip()))), SearchTarget.FORMULAS
    )


def similar_address(latex: str, macros: str = "") -> str:
    """Where formulas like this one are found; empty if it is too long to be searched for."""
    asked = formula_search(latex, macros)
    return asked.address if latex.strip() and len(asked.text) <= LONGEST_TEXT else ""


@dataclass(frozen=True, slots=True)
class ParsedSearchRequest:
    """What an address asks for, and in words for a person what of it cannot be done."""

    asked: SearchRequest
    faults: tuple[str, ...]


def parse_search_request(said: QueryParams) -> ParsedSearchRequest:
    """The search of an address. What is empty or not known to us counts as not said."""
    faults: list[str] = []
    text = said.get("q", "").replace("\r\n", "\n")  # forms send both, scripts one
    if len(text) > LONGEST_TEXT:
        faults.append(
            f"The text has {len(text):,} characters, and at most {LONGEST_TEXT:,} can be searched "
            "for. Leave out what matters least."
        )
    asked = SearchRequest(
        text=text,
        what=_target(said.get("what", ""), faults),
        tags=_tags(said.getlist("tag"), faults),
        since=_number(said.get("since", ""), _YEARS, _NOT_A_YEAR.format("Since"), faults),
        until=_number(said.get("until", ""), _YEARS, _NOT_A_YEAR.format("Until"), faults),
        votes=_number(said.get("votes", ""), range(MAX_VOTES + 1), _NOT_VOTES, faults),
        is_accepted=_number(said.get("accepted", ""), range(2), _NOT_ACCEPTED, faults) == 1,
        besides=said.get("besides", "")[:LONGEST_ID],
        page=_number(said.get("page", ""), range(1, MOST_PAGES + 1), _NOT_A_PAGE, faults) or 1,
        explain=_number(said.get("explain", ""), range(1, 10_000), _NOT_A_RANK, faults),
    )
    try:
        _ = asked.post_filter
    except PorismError as error:
        why = str(error)
        faults.append(f"{why[:1].upper()}{why[1:]}.")
    return ParsedSearchRequest(asked, tuple(faults))


_YEARS = range(FIRST_YEAR, LAST_YEAR + 1)
_NOT_A_YEAR = "“{}” takes a year of four digits, such as 2015."
_NOT_VOTES = f"“votes” takes a number from 0 to {MAX_VOTES}."
_NOT_ACCEPTED = "“accepted” takes 1 for accepted answers only, and 0 for all."
_NOT_A_PAGE = f"“page” takes a number from 1 to {MOST_PAGES}: no more results are shown."
_NOT_A_RANK = "“explain” takes the number of a result."


def _target(name: str, faults: list[str]) -> SearchTarget:
    if name and name not in set(SearchTarget):
        faults.append(f"What can be looked for are {', '.join(SearchTarget)}.")
    return SearchTarget(name) if name in set(SearchTarget) else SearchTarget.ANSWERS


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
