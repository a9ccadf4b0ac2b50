r"""The search page, its parts for scripts that change it in place, and the preview of a text.

The address says all of a search. With ``fragment=results`` it gives the results alone, with
``fragment=why`` the explanation of one of them, so that a script has nothing to make itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from porism.analysis.labels import MAX_VOTES
from porism.rank.explanations import Explanation
from porism.rank.filters import FIRST_YEAR, LAST_YEAR
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.search.highlights import query_trees
from porism.web.search.result_html import (
    ExplanationPart,
    Passages,
    ProblemExcerpt,
    explanation_part,
    post_address,
    problem_excerpt,
    thread_address,
    typed_html,
)
from porism.web.search.result_page import PAGE, ResultEntry, ResultPage, result_page, typed_topic
from porism.web.search.search_request import (
    LONGEST_TAG,
    LONGEST_TEXT,
    MOST_PAGES,
    SearchRequest,
    SearchTarget,
    parse_search_request,
    similar_address,
)
from porism.web.server.guard import EDITOR_POLICY
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

EXAMPLES = (
    SearchRequest(r"why does the harmonic series $\sum_{n=1}^\infty \frac1n$ diverge?"),
    SearchRequest(r"integral of $e^{-x^2}$ without an antiderivative"),
    SearchRequest(r"$\det(AB) = \det(A)\det(B)$ and eigenvalues"),
    SearchRequest(r"\int_0^\infty \frac{\sin x}{x}\,dx", SearchTarget.FORMULAS),
    SearchRequest(r"?a^2 + ?b^2", SearchTarget.FORMULAS),
    SearchRequest("probability that nobody gets his own hat back", SearchTarget.QUESTIONS),
)
"""Searches that a visitor can try, of each kind."""

SYMBOLS = (
    ("fraction", r"\frac{a}{b}", r"\frac{|}{}"),
    ("power", "x^n", "^{|}"),
    ("index", "x_n", "_{|}"),
    ("square root", r"\sqrt{x}", r"\sqrt{|}"),
    ("sum", r"\sum_{k}^{n}", r"\sum_{|}^{}"),
    ("product", r"\prod_{k}^{n}", r"\prod_{|}^{}"),
    ("integral", r"\int_a^b", r"\int_{|}^{}"),
    ("limit", r"\lim", r"\lim_{|}"),
    ("binomial coefficient", r"\binom{n}{k}", r"\binom{|}{}"),
    ("matrix", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", r"\begin{pmatrix}|&\\&\end{pmatrix}"),
    ("infinity", r"\infty", r"\infty"),
    ("partial derivative", r"\partial", r"\partial "),
    ("alpha", r"\alpha", r"\alpha "),
    ("beta", r"\beta", r"\beta "),
    ("epsilon", r"\varepsilon", r"\varepsilon "),
    ("theta", r"\theta", r"\theta "),
    ("lambda", r"\lambda", r"\lambda "),
    ("pi", r"\pi", r"\pi "),
    ("phi", r"\varphi", r"\varphi "),
    ("less or equal", r"\le", r"\le "),
    ("greater or equal", r"\ge", r"\ge "),
    ("not equal", r"\ne", r"\ne "),
    ("congruent", r"\equiv", r"\equiv "),
    ("element of", r"\in", r"\in "),
    ("subset", r"\subset", r"\subset "),
    ("to", r"\to", r"\to "),
    ("real numbers", r"\mathbb{R}", r"\mathbb{R}"),
    ("integers", r"\mathbb{Z}", r"\mathbb{Z}"),
    ("wildcard for any symbol", "?x", "?x"),
)
"""The palette: a name, what is shown, and what is typed, with ``|`` where one types on."""


@router.get("/")
def search(request: Request) -> HTMLResponse:
    """The page, or the part of it that a script asks for."""
    read = parse_search_request(request.query_params)
    asked, fragment = read.asked, request.query_params.get("fragment", "")
    results = None
    if not read.faults and not asked.is_empty:
        library = index_of_request(request)
        found = result_page(library, asked)
        passages = Passages(library.collection, query_trees(found.found.search.topic))
        results = _results(asked, found, passages)
    status = 400 if read.faults else 200
    if fragment == "why":
        return _why(request, results)
    values: dict[str, object] = {
        "asked": asked,
        "faults": read.faults,
        "results": results,
        "examples": _examples(),
    }
    if fragment == "results":
        return render(request, "_results.html", status, **values)
    has_mathlive = getattr(request.app.state, "has_mathlive", False)
    page = render(
        request,
        "search.html",
        status,
        **values,
        kinds=tuple(SearchTarget),
        longest=LONGEST_TEXT,
        longest_tag=LONGEST_TAG,
        first_year=FIRST_YEAR,
        last_year=LAST_YEAR,
        most_votes=MAX_VOTES,
        preview="" if read.faults else _preview(asked),
        symbols=_symbols(),
        has_mathlive=has_mathlive,
    )
    if has_mathlive:
        page.headers["Content-Security-Policy"] = EDITOR_POLICY
    return page


@router.get("/preview")
def preview(request: Request) -> HTMLResponse:
    """What is typed, with its formulas drawn, as a fragment of HTML; empty if there is none."""
    read = parse_search_request(request.query_params)
    return HTMLResponse(
        Markup(" ").join(read.faults) if read.faults else _preview(read.asked),
        status_code=400 if read.faults else 200,
    )


@dataclass(frozen=True, slots=True)
class _Card:
    """A result as the template shows it."""

    entry: ResultEntry
    address: str
    answer_address: str | None
    title: Markup
    passage: Markup
    similar: str
    explanation: ExplanationPart | None


@dataclass(frozen=True, slots=True)
class _Results:
    page: ResultPage
    cards: tuple[_Card, ...]
    problems: tuple[ProblemExcerpt, ...]
    told: str
    next_page: int | None
    is_cut: bool


def _results(asked: SearchRequest, page: ResultPage, passages: Passages) -> _Results:
    has_more = page.number > PAGE * asked.page or not page.is_all
    return _Results(
        page=page,
        cards=tuple(_card(asked, entry, page.explanation, passages) for entry in page.entries),
        problems=tuple(map(problem_excerpt, page.found.problems)),
        told=_summary(page),
        next_page=asked.page + 1 if has_more and asked.page < MOST_PAGES else None,
        is_cut=has_more and asked.page == MOST_PAGES,
    )


def _card(
    asked: SearchRequest, entry: ResultEntry, explanation: Explanation | None, passages: Passages
) -> _Card:
    result = entry.result
    answer = entry.answer_id
    formula = result.formula
    is_explained = asked.explain == result.rank
    return _Card(
        entry=entry,
        address=thread_address(result, asked),
        answer_address=post_address(result.thread_id, answer, asked) if answer else None,
        title=passages.title(result.title),
        passage=passages.passage(result.snippet),
        similar=similar_address(formula.latex, formula.macros) if formula else "",
        explanation=explanation_part(explanation) if explanation and is_explained else None,
    )


def _summary(page: ResultPage) -> str:
    """How many results there are and what that took."""
    took = f"{1000 * page.seconds:,.0f} ms"
    if not page.entries:
        return f"No results, {took}"
    first, last = page.entries[0].result.rank, page.entries[-1].result.rank
    number = f"{page.number:,}" if page.is_all else f"more than {page.number:,}"
    return f"Results {first:,}–{last:,} of {number}, {took}"


def _why(request: Request, results: _Results | None) -> HTMLResponse:
    for card in results.cards if results else ():
        if card.explanation is not None:
            return render(request, "_why.html", card=card)
    raise RequestRefused(404, "there is no such result to explain")


def _preview(asked: SearchRequest) -> Markup:
    return Markup() if asked.is_empty else typed_html(typed_topic(asked).topic.title)


@cache
def _examples() -> tuple[tuple[SearchRequest, Markup], ...]:
    return tuple((asked, _preview(asked)) for asked in EXAMPLES)


@cache
def _symbols() -> tuple[tuple[str, Markup, str], ...]:
    return tuple(
        (name, _preview(SearchRequest(shown, SearchTarget.FORMULAS)), inserted)
        for name, shown, inserted in SYMBOLS
    )
