"""Documents of runs as HTML: posts or formulas, as an excerpt with the rest to unfold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from porism.collection.post_text import text_content
from porism.collection.store import Collection, StoredInstance
from porism.errors import PorismError
from porism.formats.markup import LocatedFormula
from porism.model import Content, DocId, Formula
from porism.pages.formula_html import FormulaRenderer, similar_link
from porism.pages.safe_html import safe_html
from porism.web.search.search_request import similar_address

EXCERPT = 240
"""Characters of prose and LaTeX in the excerpt of a post."""

LONGEST = 40_000
"""Characters of HTML; a longer post is only shown as an excerpt with a link to its thread."""

_BLANKS = re.compile(r"\s+")
_UNSTORED = FormulaRenderer({})


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as safe HTML; ``whole`` is None if only the excerpt is shown.

    ``address`` is its page. For a formula, ``thread`` is the address of its place in the post
    ``post_id``, and ``similar`` that of a search for similar formulas.
    """

    label: str
    address: str
    excerpt: Markup
    title: Markup | None = None
    whole: Markup | None = None
    is_cut: bool = False
    post_id: str = ""
    thread: str = ""
    similar: str = ""


class DocumentViews:
    """The documents of one page, each rendered once; none if there is no collection."""

    def __init__(self, collection: Collection | None, task: int) -> None:
        self._collection = collection
        self._task = task
        self._views: dict[tuple[DocId, str], DocumentView | None] = {}

    def __call__(self, doc_id: DocId, formula_id: str = "") -> DocumentView | None:
        """The view of a document; None if the collection does not have it."""
        if self._collection is None:
            return None
        key = (doc_id, formula_id)
        if key not in self._views:
            view = _formula_view if self._task == 2 else _post_view
            self._views[key] = view(self._collection, *key)
        return self._views[key]


def _post_view(collection: Collection, post_id: DocId, _: str) -> DocumentView | None:
    if collection.find_number(post_id) is None:
        return None
    parent = collection.parent(post_id)
    markup = collection.markup(post_id)
    name = f"post {post_id}"
    title = collection.linked_title(parent) if parent else text_content(markup.title, name)
    stored = {each.id: each.formula for each in collection.instances_in(post_id)}
    # A post may be on a page twice, but an HTML id may not: keys that are not words get none.
    formulas = FormulaRenderer({f"#{key}": formula for key, formula in stored.items()})
    body = markup.body[:LONGEST]
    is_long = len(markup.body) > LONGEST
    beginning = _beginning(text_content(body, name))

    def render(formula: LocatedFormula, is_alone: bool) -> str:
        return formulas.html(f"#{formula.id}", formula.latex, is_alone)

    def linked(formula: LocatedFormula | Formula, html: str) -> str:
        known = stored.get(formula.id)
        latex, macros = (known.latex, known.macros) if known else (formula.latex, "")
        return similar_link(html, similar_address(formula.latex or latex, macros))

    excerpt = "".join(
        escape(piece)
        if isinstance(piece, str)
        else linked(piece, formulas.html(f"#{piece.id}", piece.latex))
        for piece in beginning.pieces
    )
    return DocumentView(
        label=f"{'answer' if parent else 'post'} {post_id}",
        address=_thread(post_id, f"post-{post_id}"),
        title=Markup(_UNSTORED.content_html(title, similar_address)),
        excerpt=Markup(excerpt),
        whole=(
            Markup(safe_html(body, render, link_formula=linked, name=name))
            if beginning.is_cut and not is_long
            else None
        ),
        is_cut=beginning.is_cut,
    )


def _formula_view(collection: Collection, visual_id: DocId, formula_id: str) -> DocumentView | None:
    instance = _instance(collection, visual_id, formula_id)
    if instance is None:
        return None
    stored = instance.formula
    similar = similar_address(stored.latex, stored.macros)
    html = FormulaRenderer({"#": stored}).html("#", stored.latex, is_alone=True)
    return DocumentView(
        label=f"formula {visual_id}",
        address=f"/formulas/{quote(instance.effective_visual_id, safe='')}",
        excerpt=Markup(similar_link(html, similar)),
        post_id=instance.post_id,
        thread=_thread(instance.post_id, f"formula-{instance.id}"),
        similar=similar,
    )


def _instance(collection: Collection, visual_id: DocId, formula_id: str) -> StoredInstance | None:
    """The formula of a run or, if only a visual id is known, the first with that visual id."""
    if not formula_id:
        return next(collection.instances(visual_id), None)
    try:
        return collection.instance(formula_id)
    except PorismError:
        return None


def _thread(post_id: str, place: str) -> str:
    return f"/threads/{quote(post_id, safe='')}#{quote(place, safe='')}"


class _Beginning(NamedTuple):
    pieces: Content
    is_cut: bool


def _beginning(whole: Content) -> _Beginning:
    """The first ``EXCERPT`` characters of a text; formulas are not cut."""
    pieces: list[str | Formula] = []
    left = EXCERPT
    for piece in whole:
        text = piece.latex if isinstance(piece, Formula) else _BLANKS.sub(" ", piece)
        if isinstance(piece, Formula) and (len(text) <= left or not pieces):
            pieces.append(piece)
        elif isinstance(piece, str) and len(text) <= left:
            pieces.append(text)
        else:
            if isinstance(piece, str):
                pieces.append(text[:left].rpartition(" ")[0])
            return _Beginning(tuple(pieces), is_cut=True)
        left -= len(text)
    return _Beginning(tuple(pieces), is_cut=False)
