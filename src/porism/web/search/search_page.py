r"""The search page, its fragments for scripts, and the preview of a query.

The address holds the whole search. ``fragment=results`` returns the results alone,
``fragment=why`` the explanation of one result, and ``fragment=others`` further answers of a thread,
so that scripts render nothing themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from porism.collection.profile import CollectionProfile
from porism.filters import FILTERS, FilterSpec
from porism.searchindex.index_folder import SearchIndex
from porism.web.answers.extracts import extract_view
from porism.web.current_index import index_of_request
from porism.web.page_templates import render, rendered
from porism.web.search.examples import example_searches
from porism.web.search.filter_parameters import filter_pairs
from porism.web.search.highlights import query_trees
from porism.web.search.query_chips import query_pieces
from porism.web.search.result_cards import ResultList, result_facts, result_list
from porism.web.search.result_html import Passages, post_address, typed_formula_html
from porism.web.search.result_page import other_results, result_page
from porism.web.search.search_request import SearchRequest, SearchTarget, parse_search_request
from porism.web.server.guard import EDITOR_POLICY
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

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
def search_page(request: Request) -> Response:
    """The page, or the fragment of it that a script requests."""
    parsed = parse_search_request(request.query_params)
    search, fragment = parsed.search, request.query_params.get("fragment", "")
    search_index = index_of_request(request)
    results, extract = None, None
    if not parsed.errors and not search.is_empty:
        post_id = search.topic.post_id
        if post_id is not None and search_index.collection.find_number(post_id) is not None:
            return _opened(request, search, post_id, fragment)
        if fragment == "others":
            return _others(request, search_index, search)
        page = result_page(search_index, search)
        passages = Passages(search_index.collection, query_trees(page.results.search.topic))
        results = result_list(search, page, passages, search_index.collection.profile)
        if fragment != "why":
            extract = extract_view(search_index, search, page, passages)
    if fragment == "why":
        return _why(request, results)
    status = 400 if parsed.errors else 200
    values: dict[str, object] = {
        "search": search,
        "errors": parsed.errors,
        "results": results,
        "extract": extract,
        "ask": _ask_form(request, search) if extract else None,
        "examples": () if results else example_searches(search_index),
        "profile": search_index.collection.profile,
    }
    if fragment == "results":
        return render(request, "_results.html", status, **values)
    html = render(
        request,
        "search.html",
        status,
        **values,
        targets=_targets(search_index.collection.profile),
        filter_specs=_filter_specs(search_index.collection.profile),
        preview="" if parsed.errors else _preview(search),
        symbols=_symbols(),
    )
    html.headers["Content-Security-Policy"] = EDITOR_POLICY
    return html


@router.get("/preview")
def preview(request: Request) -> HTMLResponse:
    """How the typed text is read, as a fragment of HTML; empty if all of it is words."""
    parsed = parse_search_request(request.query_params)
    return HTMLResponse(
        Markup(" ").join(parsed.errors) if parsed.errors else _preview(parsed.search),
        status_code=400 if parsed.errors else 200,
    )


def _opened(request: Request, search: SearchRequest, post_id: str, fragment: str) -> Response:
    """The thread whose id or address was typed; the way back searches for the text as words."""
    as_words = replace(search, literal=(search.text.strip(),))
    address = post_address(post_id, post_id, as_words)
    if fragment:
        return render(request, "_opened.html", address=address, post_id=post_id)
    return RedirectResponse(address, 303)


def _others(request: Request, search_index: SearchIndex, search: SearchRequest) -> HTMLResponse:
    """The further answers of a thread that a search found."""
    thread_id = request.query_params.get("thread", "")
    results = other_results(search_index, search, thread_id)
    passages = Passages(search_index.collection)
    others = [
        (
            post_address(thread_id, result.post_id, search),
            tuple(result_facts(result, search_index.collection.profile)),
            passages.passage(result.snippet),
        )
        for result in results
    ]
    return render(request, "_others.html", others=others)


_TABS = {
    SearchTarget.ANSWERS: "Answers",
    SearchTarget.QUESTIONS: "Questions",
    SearchTarget.FORMULAS: "Formulas",
}


def _targets(profile: CollectionProfile) -> tuple[tuple[SearchTarget, str], ...]:
    """What can be searched for, with its name on the page; notes have no questions."""
    if profile.is_notes:
        return (SearchTarget.ANSWERS, "Notes"), (SearchTarget.FORMULAS, "Formulas")
    return tuple(_TABS.items())


def _filter_specs(profile: CollectionProfile) -> tuple[FilterSpec, ...]:
    """The filters for which the collection has values."""
    has = {
        "tag": profile.has_tags,
        "votes": profile.has_votes,
        "accepted": profile.has_acceptance,
        "since": profile.has_dates,
        "until": profile.has_dates,
    }
    return tuple(spec for spec in FILTERS if has.get(spec.name, not profile.is_notes))


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


def _why(request: Request, results: ResultList | None) -> HTMLResponse:
    for card in results.cards if results else ():
        if card.explanation is not None:
            return render(request, "_why.html", card=card)
    raise RequestRefused(404, "there is no such result to explain")


def _preview(search: SearchRequest) -> Markup:
    pieces = query_pieces(search)
    return rendered("_preview.html", pieces=pieces, literal=search.literal) if pieces else Markup()


@cache
def _symbols() -> tuple[tuple[str, Markup, str], ...]:
    return tuple((name, typed_formula_html(latex), inserted) for name, latex, inserted in SYMBOLS)
