"""Addresses of results."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from porism.formula.latex import parse_latex
from porism.model import DocId, Formula, PostKind
from porism.query.typed_topics import typed_formula_topic
from porism.rank.results import SearchResult
from porism.web.search.highlights import query_trees
from porism.web.search.result_html import thread_address
from porism.web.search.search_request import (
    LONGEST_CARRIED_TEXT,
    SearchRequest,
    SearchTarget,
    similar_address,
)

POST = SearchResult(
    rank=1,
    score=1.0,
    doc_id=DocId("2"),
    post_id=DocId("12"),
    thread_id=DocId("7"),
    kind=PostKind.ANSWER,
    title=(),
    votes=None,
    tags=(),
    created=None,
    snippet=(),
)
FORMULA = replace(POST, formula=Formula("300", "x"))
ALL = SearchRequest(
    "a sum",
    SearchTarget.QUESTIONS,
    {"tag": ("sets", "series"), "since": 2011, "until": 2015, "votes": 3, "accepted": True},
    page=2,
    explain=11,
)


@pytest.mark.parametrize(
    ("result", "search", "address"),
    [
        (POST, SearchRequest("a sum"), "/threads/7?q=a+sum#post-12"),
        (
            FORMULA,
            SearchRequest("x", SearchTarget.FORMULAS),
            "/threads/7?q=x&what=formulas#formula-300",
        ),
        # A formula of a comment is nowhere in the thread, but others like it may be.
        (POST, SearchRequest("x", SearchTarget.FORMULAS), "/threads/7?q=x&what=formulas#post-12"),
        (POST, ALL, f"/threads/7{replace(ALL, explain=None).address[1:]}#post-12"),
    ],
)
def test_a_result_links_to_its_place_in_its_thread(
    result: SearchResult, search: SearchRequest, address: str
) -> None:
    assert thread_address(result, search) == address


def test_a_query_that_is_too_long_is_left_out_of_thread_addresses() -> None:
    assert "?q=x" in thread_address(
        FORMULA, SearchRequest("x" * LONGEST_CARRIED_TEXT, SearchTarget.FORMULAS)
    )
    too_long = SearchRequest("x" * (LONGEST_CARRIED_TEXT + 1), SearchTarget.FORMULAS)
    assert thread_address(FORMULA, too_long) == "/threads/7#formula-300"


def test_macros_are_put_before_the_formula_that_needs_them() -> None:
    address = similar_address(r" \foo{z} ", r"\def\foo#1{\sqrt{#1}}")
    (text,) = parse_qs(urlsplit(address).query)["q"]
    understood = typed_formula_topic(text)
    assert understood.problems == ()
    assert query_trees(understood.topic) == (parse_latex(r"\sqrt{z}").tree,)
    assert similar_address("x^2") == "/?q=x%5E2&what=formulas"


def test_a_formula_that_is_too_long_has_no_search_address() -> None:
    assert similar_address("x" * LONGEST_CARRIED_TEXT)
    assert similar_address("x" * LONGEST_CARRIED_TEXT, r"\def\x{y}") == ""
    assert similar_address(" ", r"\def\x{y}") == ""
