r"""The search page, its fragments for scripts, and the preview of a query.

The address holds the whole search. ``fragment=results`` returns the results alone and
``fragment=why`` the explanation of one result, so that scripts render nothing themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from porism.filters import FILTERS
from porism.rank.explanations import Explanation
from porism.web.answers.extracts import extract_view
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.search.filter_parameters import filter_pairs
from porism.web.search.highlights import query_trees
from porism.web.search.result_html import (
    ExplanationPart,
    Passages,
    ProblemExcerpt,
    comparison_markup,
    explanation_part,
    post_address,
    problem_excerpt,
    thread_address,
    typed_html,
)
from porism.web.search.result_page import PAGE, ResultEntry, ResultPage, result_page, typed_topic
from porism.web.search.search_request import (
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
"""Searches to try, for each target."""

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
"""The palette: name, LaTeX shown, and LaTeX inserted, with ``|`` at the cursor."""


@router.get("/")
def search_page(request: Request) -> HTMLResponse:
    """The page, or the fragment of it that a script requests."""
    parsed = parse_search_request(request.query_params)
    search, fragment = parsed.search, request.query_params.get("fragment", "")
    results, extract = None, None
    if not parsed.errors and not search.is_empty:
        search_index = index_of_request(request)
        page = result_page(search_index, search)
        passages = Passages(search_index.collection, query_trees(page.results.search.topic))
        results = _results(search, page, passages)
        if fragment != "why":
            extract = extract_view(search_index, search, page, passages)
    status = 400 if parsed.errors else 200
    if fragment == "why":
        return _why(request, results)
    values: dict[str, object] = {
        "search": search,
        "errors": parsed.errors,
        "results": results,
        "extract": extract,
        "ask": _ask_form(request, search) if extract else None,
        "examples": _examples(),
    }
    if fragment == "results":
        return render(request, "_results.html", status, **values)
    has_mathlive = getattr(request.app.state, "has_mathlive", False)
    html = render(
        request,
        "search.html",
        status,
        **values,
        targets=tuple(SearchTarget),
        longest=LONGEST_TEXT,
        filter_specs=FILTERS,
        preview="" if parsed.errors else _preview(search),
        symbols=_symbols(),
        has_mathlive=has_mathlive,
    )
    if has_mathlive:
        html.headers["Content-Security-Policy"] = EDITOR_POLICY
    return html


@router.get("/preview")
def preview(request: Request) -> HTMLResponse:
    """The typed text with its formulas rendered, as a fragment of HTML."""
    parsed = parse_search_request(request.query_params)
    return HTMLResponse(
        Markup(" ").join(parsed.errors) if parsed.errors else _preview(parsed.search),
        status_code=400 if parsed.errors else 200,
    )


@dataclass(frozen=True, slots=True)
class _AskForm:
    """The model that can answer a question, and the fields of the form that asks it."""

    model: str
    is_demonstration: bool
    fields: tuple[tuple[str, str], ...]


def _ask_form(request: Request, search: SearchRequest) -> _AskForm | None:
    """The form, if there is a model; its sources would not leave out an excluded thread."""
    generator = request.app.state.generator
    if generator is None or search.excluded_thread:
        return None
    fields = (("q", search.text), *filter_pairs(search.filters))
    return _AskForm(generator.name, generator.is_demonstration, fields)


@dataclass(frozen=True, slots=True)
class _Card:
    """A result for the template."""

    entry: ResultEntry
    address: str
    answer_address: str | None
    title: Markup
    passage: Markup
    comparison: Markup
    similar: str
    explanation: ExplanationPart | None


@dataclass(frozen=True, slots=True)
class _Results:
    page: ResultPage
    cards: tuple[_Card, ...]
    problems: tuple[ProblemExcerpt, ...]
    summary: str
    next_page: int | None
    is_cut: bool


def _results(search: SearchRequest, page: ResultPage, passages: Passages) -> _Results:
    has_more = page.number > PAGE * search.page or not page.is_all
    return _Results(
        page=page,
        cards=tuple(_card(search, entry, page.explanation, passages) for entry in page.entries),
        problems=tuple(map(problem_excerpt, page.results.problems)),
        summary=_summary(page),
        next_page=search.page + 1 if has_more and search.page < MOST_PAGES else None,
        is_cut=has_more and search.page == MOST_PAGES,
    )


def _card(
    search: SearchRequest, entry: ResultEntry, explanation: Explanation | None, passages: Passages
) -> _Card:
    result = entry.result
    answer = entry.answer_id
    formula = result.formula
    is_explained = search.explain == result.rank
    return _Card(
        entry=entry,
        address=thread_address(result, search),
        answer_address=post_address(result.thread_id, answer, search) if answer else None,
        title=passages.title(result.title),
        passage=passages.passage(result.snippet),
        comparison=comparison_markup(result),
        similar=similar_address(formula.latex, formula.macros) if formula else "",
        explanation=explanation_part(explanation) if explanation and is_explained else None,
    )


def _summary(page: ResultPage) -> str:
    """The number of results and the time taken."""
    milliseconds = f"{1000 * page.seconds:,.0f} ms"
    if not page.entries:
        return f"No results, {milliseconds}"
    first, last = page.entries[0].result.rank, page.entries[-1].result.rank
    number = f"{page.number:,}" if page.is_all else f"more than {page.number:,}"
    return f"Results {first:,}–{last:,} of {number}, {milliseconds}"


def _why(request: Request, results: _Results | None) -> HTMLResponse:
    for card in results.cards if results else ():
        if card.explanation is not None:
            return render(request, "_why.html", card=card)
    raise RequestRefused(404, "there is no such result to explain")


def _preview(search: SearchRequest) -> Markup:
    return Markup() if search.is_empty else typed_html(typed_topic(search).topic.title)


@cache
def _examples() -> tuple[tuple[SearchRequest, Markup], ...]:
    return tuple((search, _preview(search)) for search in EXAMPLES)


@cache
def _symbols() -> tuple[tuple[str, Markup, str], ...]:
    return tuple(
        (name, _preview(SearchRequest(latex, SearchTarget.FORMULAS)), inserted)
        for name, latex, inserted in SYMBOLS
    )
