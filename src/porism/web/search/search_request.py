"""A search as the address of its page, and the addresses of related searches."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from porism.errors import PorismError
from porism.filters import FilterValues
from porism.model import Task
from porism.query.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.rank.filters import PostFilter
from porism.web.search.filter_parameters import (
    filter_chips,
    filter_pairs,
    read_filters,
    read_number,
)

LONGEST_TEXT = 30_000
"""Characters of a query: those of the longest questions, with their text."""

LONGEST_CARRIED_TEXT = 2_000
"""Characters of a query that links to threads carry, so that matches are marked there."""

MOST_LITERAL, LONGEST_LITERAL = 20, 1_000
"""Parts of a query that can be switched to words, and characters of each."""

LONGEST_ID = 300
MOST_PAGES = 50


class SearchTarget(StrEnum):
    """What a search looks for."""

    ANSWERS = "answers"
    QUESTIONS = "questions"
    FORMULAS = "formulas"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search and the page of its results; ``explain`` is the rank of a result to explain.

    ``filters`` are the values of ``porism.filters``. ``excluded_thread`` is a question that is left
    out with its answers, as when the search looks for its duplicates. ``literal`` are parts of the
    text that are read as words, although they look like formulas or operators.
    """

    text: str = ""
    target: SearchTarget = SearchTarget.ANSWERS
    filters: FilterValues = field(default_factory=dict)
    excluded_thread: str = ""
    page: int = 1
    explain: int | None = None
    literal: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.text.strip()

    @property
    def task(self) -> Task:
        """The task whose systems rank the results."""
        return Task.FORMULAS if self.target is SearchTarget.FORMULAS else Task.ANSWERS

    @property
    def topic(self) -> TypedTopic:
        """What was typed; raises ``PorismError`` if the search is empty."""
        read = typed_formula_topic if self.target is SearchTarget.FORMULAS else typed_answer_topic
        return read(self.text, self.literal)

    @property
    def post_filter(self) -> PostFilter:
        """Which posts may be returned."""
        return PostFilter(**self.filters)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that posts must have."""
        tags = self.filters.get("tag", ())
        assert isinstance(tags, tuple)
        return tags

    @property
    def chips(self) -> tuple[tuple[str, str], ...]:
        """Each filter in words, with the address of the search without it.

        >>> SearchRequest("x", filters={"tag": ("sets",), "votes": 5}).chips
        (('tag sets', '/?q=x&votes=5'), ('at least 5 votes', '/?q=x&tag=sets'))
        """
        chips = [(text, replace(self, filters=rest)) for text, rest in filter_chips(self.filters)]
        if self.excluded_thread:
            chips.append(
                (f"without thread {self.excluded_thread}", replace(self, excluded_thread=""))
            )
        return tuple((text, without.on_page(1)) for text, without in chips)

    @property
    def address(self) -> str:
        r"""The address of this search, without default values.

        >>> SearchRequest("x & y", SearchTarget.FORMULAS, {"tag": ("sets",)}, page=2).address
        '/?q=x+%26+y&what=formulas&tag=sets&page=2'
        """
        pairs = [
            ("q", self.text),
            ("what", "" if self.target is SearchTarget.ANSWERS else self.target),
            *filter_pairs(self.filters),
            *(("words", source) for source in self.literal),
            ("besides", self.excluded_thread),
            ("page", "" if self.page == 1 else str(self.page)),
            ("explain", "" if self.explain is None else str(self.explain)),
        ]
        query = urlencode([(name, value) for name, value in pairs if value])
        return f"/?{query}" if query else "/"

    def on_page(self, page: int) -> str:
        """The address of another page of the results."""
        return replace(self, page=page, explain=None).address

    def explaining(self, rank: int) -> str:
        """The address of this page with one of its results explained."""
        return replace(self, explain=rank).address

    def with_text(self, text: str) -> str:
        """The address of the same search for another text."""
        return replace(self, text=text).on_page(1)

    def reading(self, source: str, *, as_words: bool) -> str:
        """The address of the search in which a part of the text is read as words, or not.

        >>> SearchRequest("group $G$").reading("$G$", as_words=True)
        '/?q=group+%24G%24&words=%24G%24'
        """
        others = tuple(each for each in self.literal if each != source)
        return replace(self, literal=(*others, source) if as_words else others).on_page(1)

    def with_tag(self, tag: str) -> str:
        """The address of the search among posts that have this tag too."""
        tags = tuple(dict.fromkeys((*self.tags, tag)))
        return replace(self, filters={**self.filters, "tag": tags}).on_page(1)


def formula_search(latex: str, macros: str = "") -> SearchRequest:
    r"""The search for formulas similar to one, with the macros that it needs before it.

    >>> formula_search(r"\R^n", r"\def\R{\mathbb R}").text
    '\\def\\R{\\mathbb R}\n\\R^n'
    """
    return SearchRequest(
        "\n".join(filter(None, (macros.strip(), latex.strip()))), SearchTarget.FORMULAS
    )


def similar_address(latex: str, macros: str = "") -> str:
    """The address of the search for similar formulas; empty if the formula is too long for it."""
    search = formula_search(latex, macros)
    return search.address if latex.strip() and len(search.text) <= LONGEST_CARRIED_TEXT else ""


@dataclass(frozen=True, slots=True)
class ParsedSearchRequest:
    """The search of an address, and messages for a person about what is wrong with it."""

    search: SearchRequest
    errors: tuple[str, ...]


def parse_search_request(query: QueryParams) -> ParsedSearchRequest:
    """The search of an address. Empty and unknown parameters are ignored."""
    errors: list[str] = []
    text = query.get("q", "").replace("\r\n", "\n")  # forms send both, scripts one
    if len(text) > LONGEST_TEXT:
        errors.append(
            f"The text has {len(text):,} characters, but a search takes at most {LONGEST_TEXT:,}, "
            "and nothing was searched for. Leave out what matters least."
        )
    search = SearchRequest(
        text=text,
        target=_target(query.get("what", ""), errors),
        filters=read_filters(query, errors),
        excluded_thread=query.get("besides", "")[:LONGEST_ID],
        page=read_number(query.get("page", ""), range(1, MOST_PAGES + 1), _NOT_A_PAGE, errors) or 1,
        explain=read_number(query.get("explain", ""), range(1, 10_000), _NOT_A_RANK, errors),
        literal=_literal(query, text),
    )
    try:
        _ = search.post_filter
    except PorismError as error:
        message = str(error)
        errors.append(f"{message[:1].upper()}{message[1:]}.")
    return ParsedSearchRequest(search, tuple(errors))


def _literal(query: QueryParams, text: str) -> tuple[str, ...]:
    """The parts that are read as words, as far as the text still has them."""
    sources = dict.fromkeys(source.replace("\r\n", "\n") for source in query.getlist("words"))
    fitting = (each for each in sources if each.strip() and len(each) <= LONGEST_LITERAL)
    return tuple(each for each in fitting if each in text)[:MOST_LITERAL]


_NOT_A_PAGE = f"“page” takes a number from 1 to {MOST_PAGES}; no more results are shown."
_NOT_A_RANK = "“explain” takes the rank of a result."


def _target(name: str, errors: list[str]) -> SearchTarget:
    if name and name not in set(SearchTarget):
        errors.append(f"“what” takes one of {', '.join(SearchTarget)}.")
    return SearchTarget(name) if name in set(SearchTarget) else SearchTarget.ANSWERS
