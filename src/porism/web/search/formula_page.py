"""The page of a formula: its trees, the posts that contain it, and similar formulas."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from porism import catalog
from porism.collection.formulas.occurrences import count_posts, first_formula_id, first_posts
from porism.collection.store import StoredFormula
from porism.formula.operators import formula_in_words, operator_tree, operators_in_words
from porism.model import DocId, Formula, Hit, Task, Topic
from porism.pages.formula_html import FormulaRenderer
from porism.pages.tree_svg import tree_svg
from porism.query.typed_topics import TYPED_TOPIC_ID, TypedTopic
from porism.rank.results import SearchResult, describe, search_results
from porism.rank.snippets import HighlightTerms
from porism.searchindex.index_folder import SearchIndex
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.search.result_html import Passages, comparison_markup, thread_address
from porism.web.search.search_request import formula_search, similar_address
from porism.web.server.problems import RequestRefused

router = APIRouter(include_in_schema=False)

PAGE = 50
"""Posts on a page."""

MOST_SIMILAR = 10


@dataclass(frozen=True, slots=True)
class PostExcerpt:
    """A post with the passage around the formula, or around a similar one, as HTML."""

    result: SearchResult
    address: str
    title: Markup
    passage: Markup
    comparison: Markup


@dataclass(frozen=True, slots=True)
class PostPaging:
    """A page of posts; the first exists even if there are no posts."""

    number: int
    posts: int

    @property
    def last(self) -> int:
        """The number of the last page.

        >>> [PostPaging(1, posts).last for posts in (0, 1, 50, 51)]
        [1, 1, 1, 2]
        """
        return max(1, -(-self.posts // PAGE))

    @property
    def start(self) -> int:
        """The number of posts on earlier pages."""
        return PAGE * (self.number - 1)

    @property
    def end(self) -> int:
        """The number of posts on this page and earlier ones."""
        return min(PAGE * self.number, self.posts)


@router.get("/formulas/{visual_id}")
def formula_page(request: Request, visual_id: str) -> HTMLResponse:
    """A visually distinct formula. Only the first page has its trees and similar formulas."""
    search_index = index_of_request(request)
    collection = search_index.collection
    first = first_formula_id(collection, visual_id)
    if first is None:
        raise RequestRefused(404, f"There is no formula {visual_id[:100]} in this collection.")
    paging = _paging(request, count_posts(collection, visual_id))
    stored = collection.instance(first).formula
    is_first = paging.number == 1
    layout = stored.layout()
    meaning = operator_tree(layout)
    passages = Passages(collection, (layout,) if layout.row else ())
    return render(
        request,
        "formula.html",
        latex=stored.latex,
        formula=Markup(FormulaRenderer({"": stored}).html("", stored.latex, is_alone=True)),
        problem=stored.problem,
        layout=Markup(tree_svg(layout) if is_first else ""),
        words=formula_in_words(meaning),
        operators=Markup(tree_svg(operators_in_words(meaning)) if is_first else ""),
        search_address=similar_address(stored.latex, stored.macros),
        paging=paging,
        posts=_posts(search_index, visual_id, paging, passages, stored),
        similar=_similar(search_index, visual_id, passages, stored) if is_first else [],
    )


def _paging(request: Request, posts: int) -> PostPaging:
    text = request.query_params.get("page", "1")
    # Longer texts than any number of pages need not be converted.
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    paging = PostPaging(number, posts)
    if not 1 <= number <= paging.last:
        raise RequestRefused(
            404, f"There is no page {text[:100]}; pages go from 1 to {paging.last:,}."
        )
    return paging


def _posts(
    search_index: SearchIndex,
    visual_id: str,
    paging: PostPaging,
    passages: Passages,
    stored: StoredFormula,
) -> list[PostExcerpt]:
    """The posts of a page, each with the passage around the formula."""
    occurrences = first_posts(search_index.collection, visual_id, paging.end)[paging.start :]
    hits = tuple(Hit(DocId(each.formula_id), 0.0, post_id=each.post_id) for each in occurrences)
    results = describe(search_index, hits, HighlightTerms())
    return [
        _post_excerpt(each, passages, stored, passages.passage(each.snippet)) for each in results
    ]


def _similar(
    search_index: SearchIndex, visual_id: str, passages: Passages, stored: StoredFormula
) -> list[PostExcerpt]:
    """Similar formulas, best first, with what they have in common marked.

    None for a formula that is too long for a search.
    """
    if not similar_address(stored.latex, stored.macros):
        return []
    formula = Formula("", stored.latex, macros=stored.macros)
    topic = Topic(TYPED_TOPIC_ID, (formula,), focus=formula)
    _, ranker = catalog.default_ranker(Task.FORMULAS, search_index)
    results = search_results(search_index, ranker, TypedTopic(topic), MOST_SIMILAR + 1).results
    others = [
        _post_excerpt(each, passages, stored, passages.similarity(each.formula))
        for each in results
        if each.formula is not None and each.formula.visual_id != visual_id
    ]
    return others[:MOST_SIMILAR]


def _post_excerpt(
    result: SearchResult, passages: Passages, formula: StoredFormula, passage: Markup
) -> PostExcerpt:
    address = thread_address(result, formula_search(formula.latex, formula.macros))
    return PostExcerpt(
        result, address, passages.title(result.title), passage, comparison_markup(result)
    )
