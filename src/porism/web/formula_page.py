"""The page of a formula: how it is understood, which posts have it, and formulas like it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from porism import catalog
from porism.collection.look_posts import count_posts, first_formula_id, first_posts
from porism.collection.store import StoredFormula
from porism.formula.tree import parse_tree
from porism.indexing.library import Library
from porism.model import DocId, Formula, Hit, Topic
from porism.pages.formulas import ShownFormulas
from porism.pages.tree_svg import tree_svg
from porism.rank.results import Result, described, find
from porism.rank.snippets import Piece, Wanted
from porism.rank.typed import TYPED, Typed
from porism.web.asked import LONGEST_TEXT, similar_address
from porism.web.problems import Refused
from porism.web.served import library_of
from porism.web.shown_results import Passages
from porism.web.templating import render

router = APIRouter(include_in_schema=False)

MOST_POSTS = 50
MOST_SIMILAR = 10


@dataclass(frozen=True, slots=True)
class Shown:
    """A post with the formula, or a formula like it in a post, as HTML with where it leads."""

    result: Result
    address: str
    title: Markup
    passage: Markup
    formula: Markup


@router.get("/formulas/{visual_id}")
def formula(request: Request, visual_id: str) -> HTMLResponse:
    """All formulas that look alike, which have a visual id in common."""
    with request.app.state.turns.one():
        library = library_of(request)
        collection = library.collection
        first = first_formula_id(collection, visual_id)
        if first is None:
            raise Refused(404, f"There is no formula {visual_id[:100]} in this collection.")
        stored = collection.instance(first).formula
        passages = Passages(collection)
        posts = [_shown(each, passages, stored) for each in _posts(library, visual_id)]
        like_it = _similar(library, stored, visual_id)
        similar = [_shown(each, passages, stored) for each in like_it]
        return render(
            request,
            "formula.html",
            latex=stored.latex,
            shown=Markup(ShownFormulas({"": stored}).html("", stored.latex, is_alone=True)),
            problem=stored.problem,
            layout=Markup(tree_svg(parse_tree(stored.slt))),
            operators=Markup(tree_svg(parse_tree(stored.opt, "opt"))),
            search_address=similar_address(stored.latex),
            number=count_posts(collection, visual_id),
            posts=posts,
            similar=similar,
        )


def _posts(library: Library, visual_id: str) -> tuple[Result, ...]:
    """The first posts that have the formula, with the passage around it."""
    here = first_posts(library.collection, visual_id, MOST_POSTS)
    hits = tuple(Hit(DocId(each.formula_id), 0.0, post_id=each.post_id) for each in here)
    return described(library, hits, Wanted())


def _similar(library: Library, stored: StoredFormula, visual_id: str) -> list[Result]:
    """Formulas like one, best first, without itself."""
    formula = Formula("", stored.latex, macros=stored.macros)
    topic = Topic(TYPED, (formula,), focus=formula)
    task = catalog.FORMULAS_TASK
    ranker = catalog.ranker(catalog.best_name(task, library), task, library)
    found = find(library, ranker, Typed(topic), MOST_SIMILAR + 1)
    others = [
        each
        for each in found.results
        if each.formula is not None and each.formula.visual_id != visual_id
    ]
    return others[:MOST_SIMILAR]


def _shown(result: Result, passages: Passages, asked: StoredFormula) -> Shown:
    return Shown(
        result,
        _address(result, asked.latex),
        passages.title(result.title),
        passages.passage(result.snippet),
        passages.passage((Piece(result.formula),) if result.formula else ()),
    )


def _address(result: Result, latex: str) -> str:
    """The thread at the formula, in which formulas like it are marked."""
    asked = {"q": latex, "what": "formulas"} if len(latex) <= LONGEST_TEXT else {}
    query = f"?{urlencode(asked)}" if asked else ""
    place = f"formula-{result.formula.id}" if result.formula else f"post-{result.post_id}"
    return f"/threads/{quote(result.thread_id)}{query}#{quote(place)}"
