"""Titles, passages, problems and typed texts as safe HTML."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from html import escape
from urllib.parse import quote

from markupsafe import Markup

from porism.analysis import query_layout
from porism.collection.schema import is_number
from porism.collection.store import Collection, StoredFormula
from porism.errors import PorismError
from porism.formula.alignment import with_common_part_marked
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Tree
from porism.model import Content, Formula
from porism.pages.comparison_html import comparison_html
from porism.pages.formula_html import FormulaRenderer, RenderedFormula, similar_link
from porism.query.typed_topics import QueryProblem
from porism.rank.explanations import Explanation, largest_details
from porism.rank.results import SearchResult
from porism.rank.snippets import Snippet, SnippetFragment
from porism.web.search.search_request import LONGEST_CARRIED_TEXT, SearchRequest, similar_address

MOST_PARTS = 20
"""Details of a part of a score that are listed; the others are summed up."""

AROUND = 30
"""Characters shown before and after the place of a problem."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Texts of one collection as HTML; each formula is looked up once.

    ``query_trees`` are the layouts of the query formulas: what a matching formula has in common
    with them is marked. Formulas have no HTML ids here, unlike on the page of a thread, because
    several results may contain the same one.
    """

    collection: Collection
    query_trees: tuple[Tree, ...] = ()
    _stored: dict[Formula, StoredFormula | None] = field(default_factory=dict)

    def title(self, content: Content) -> Markup:
        """Prose and formulas on one line."""
        return Markup(
            "".join(
                escape(piece) if isinstance(piece, str) else self._formula(piece).html
                for piece in content
            )
        )

    def passage(self, snippet: Snippet) -> Markup:
        """A passage with matches marked, and each formula a link to similar ones."""
        return Markup("".join(map(self._piece, snippet)))

    def _piece(self, piece: SnippetFragment) -> str:
        content = piece.content
        if isinstance(content, str):
            html = escape(content)
        else:
            trees = self.query_trees if piece.is_matched else ()
            html = _linked(content, self._formula(content, trees).html)
        return f"<mark>{html}</mark>" if piece.is_matched and html else html

    def similarity(self, formula: Formula) -> Markup:
        """A formula as a link to similar ones, with what it has in common with the query marked."""
        rendered = self._formula(formula, self.query_trees)
        linked = _linked(formula, rendered.html)
        return Markup(f"<mark>{linked}</mark>" if rendered.is_match else linked)

    def linked_formula(self, formula: Formula, is_alone: bool = False) -> str:
        """A formula as a link to similar ones; displayed if it is alone in its paragraph."""
        return _linked(formula, self._formula(formula, is_alone=is_alone).html)

    def _formula(
        self, formula: Formula, trees: tuple[Tree, ...] = (), is_alone: bool = False
    ) -> RenderedFormula:
        if formula not in self._stored:
            self._stored[formula] = self._looked_up(formula)
        stored = self._stored[formula]
        if stored is None:
            return FormulaRenderer({}).rendered("", formula.latex, is_alone)
        drawing = _cached_drawing if stored.symbols <= SHORT else _drawing
        return drawing(stored, trees, is_alone)

    def _looked_up(self, formula: Formula) -> StoredFormula | None:
        if not is_number(formula.id):
            return None
        try:
            return self.collection.instance(formula.id).formula
        except PorismError:  # it has been deleted since the post was read
            return None


def comparison_markup(result: SearchResult) -> Markup:
    """What a formula shares with the query; empty if the result is no formula."""
    return Markup("" if result.comparison is None else comparison_html(result.comparison))


def _linked(formula: Formula, drawn: str) -> str:
    return similar_link(drawn, similar_address(formula.latex, formula.macros))


SHORT = 200
"""Most symbols of a formula whose rendering is cached; few have more."""


def _drawing(stored: StoredFormula, trees: tuple[Tree, ...], is_alone: bool) -> RenderedFormula:
    """A formula, with what it has in common with one of the trees marked."""
    marker = partial(with_common_part_marked, queries=trees)
    return FormulaRenderer({"": stored}, marker).rendered("", stored.latex, is_alone)


# Results change little while a query is typed, and rendering takes most of the time.
_cached_drawing = lru_cache(maxsize=4096)(_drawing)


def typed_html(content: Content) -> Markup:
    """A typed query with its formulas, including wildcards, rendered."""
    return Markup(
        "".join(
            escape(piece) if isinstance(piece, str) else typed_formula_html(piece.latex)
            for piece in content
        )
    )


def typed_formula_html(latex: str) -> Markup:
    """A formula of a query, which may have wildcards; its code if it cannot be drawn."""
    tree = query_layout(latex).tree
    if not tree.row:
        return Markup(f"<code>{escape(latex)}</code>")
    mathml = presentation_mathml(tree, alttext=latex)
    return Markup(f'<span class="formula">{mathml}</span>')


@dataclass(frozen=True, slots=True)
class ProblemExcerpt:
    """A problem with a query, and the text around its place ``at``."""

    message: str
    before: str = ""
    at: str = ""
    after: str = ""


def problem_excerpt(problem: QueryProblem) -> ProblemExcerpt:
    """A problem with the text around its place.

    >>> problem_excerpt(QueryProblem("brace is not closed", "x^{2", 2))
    ProblemExcerpt(message='Brace is not closed.', before='x^', at='{', after='2')
    """
    message = f"{problem.message[:1].upper()}{problem.message[1:]}."
    source, offset = problem.source, max(0, problem.offset)
    if not source:
        return ProblemExcerpt(message)
    before, at, after = source[:offset], source[offset : offset + 1], source[offset + 1 :]
    cut_before = f"…{before[-AROUND:]}" if len(before) > AROUND else before
    cut_after = f"{after[:AROUND]}…" if len(after) > AROUND else after
    # Something missing at the end has no character to mark.
    return ProblemExcerpt(message, cut_before, at.strip() or "␣", cut_after)


@dataclass(frozen=True, slots=True)
class ExplanationPart:
    """A part of a score with its own parts, the largest first, for the template."""

    label: str
    value: float
    details: tuple[ExplanationPart, ...] = ()


def explanation_part(explanation: Explanation) -> ExplanationPart:
    """An explanation for the page: of each part the largest details, and the sum of the others."""
    largest, others = largest_details(explanation, MOST_PARTS)
    details = (*largest, *((others,) if others else ()))
    return ExplanationPart(
        explanation.label, explanation.value, tuple(map(explanation_part, details))
    )


def thread_address(result: SearchResult, search: SearchRequest) -> str:
    """The address of a result's thread, at its formula or post, with the search to return to."""
    place = f"formula-{result.formula.id}" if result.formula else f"post-{result.post_id}"
    return _at_place(result.thread_id, place, search)


def post_address(thread_id: str, post_id: str, search: SearchRequest) -> str:
    """The address of a post in its thread; names of notes may have any character.

    >>> post_address("notes/two sums.md", "notes/two sums.md", SearchRequest("x^2"))
    '/threads/notes/two%20sums.md?q=x%5E2#post-notes/two%20sums.md'
    """
    return _at_place(thread_id, f"post-{post_id}", search)


def _at_place(thread_id: str, place: str, search: SearchRequest) -> str:
    # A query that is too long could not be marked in the thread either.
    is_kept = len(search.text) <= LONGEST_CARRIED_TEXT
    query = replace(search, explain=None).address.removeprefix("/") if is_kept else ""
    return f"/threads/{quote(thread_id)}{query}#{quote(place)}"
