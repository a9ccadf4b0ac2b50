"""Titles, passages, problems and typed texts as HTML; whatever they say, it is only shown."""

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
from porism.pages.formula_html import FormulaRenderer, RenderedFormula, similar_link
from porism.rank.explanations import Explanation, largest_details
from porism.rank.results import SearchResult
from porism.rank.snippets import Snippet, SnippetFragment
from porism.rank.typed_topics import QueryProblem
from porism.web.search.search_request import LONGEST_TEXT, SearchRequest, similar_address

MOST_PARTS = 20
"""How many details of a part of a score are shown before the rest is summed up."""

AROUND = 30
"""Characters shown before and after the place of a problem."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Texts of one collection as HTML; each formula of it is looked up once.

    ``asked`` are the layouts of the formulas that were asked for: what they have in common with one
    that matched is marked in it. Formulas have no ids here, as they have on the pages of threads,
    because one may be shown by several results.
    """

    collection: Collection
    asked: tuple[Tree, ...] = ()
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
        """A passage with what matched marked, and each formula a link to others like it."""
        return Markup("".join(map(self._piece, snippet)))

    def _piece(self, piece: SnippetFragment) -> str:
        said = piece.content
        if isinstance(said, str):
            shown = escape(said)
        else:
            asked = self.asked if piece.is_matched else ()
            shown = _linked(said, self._formula(said, asked).html)
        return f"<mark>{shown}</mark>" if piece.is_matched and shown else shown

    def likeness(self, formula: Formula) -> Markup:
        """A formula as a link to others like it, with what it has of those asked for marked."""
        shown = self._formula(formula, self.asked)
        linked = _linked(formula, shown.html)
        return Markup(f"<mark>{linked}</mark>" if shown.is_match else linked)

    def _formula(self, formula: Formula, asked: tuple[Tree, ...] = ()) -> RenderedFormula:
        if formula not in self._stored:
            self._stored[formula] = self._looked_up(formula)
        stored = self._stored[formula]
        if stored is None:
            return FormulaRenderer({}).rendered("", formula.latex)
        drawing = _cached_drawing if len(stored.slt) <= SHORT else _drawing
        return drawing(stored, asked)

    def _looked_up(self, formula: Formula) -> StoredFormula | None:
        if not is_number(formula.id):
            return None
        try:
            return self.collection.instance(formula.id).formula
        except PorismError:  # it has been deleted since the post was read
            return None


def _linked(formula: Formula, drawn: str) -> str:
    return similar_link(drawn, similar_address(formula.latex, formula.macros))


SHORT = 1_000
"""Characters of the tree of a formula whose drawing is kept; few are longer, and some enormous."""


def _drawing(stored: StoredFormula, asked: tuple[Tree, ...]) -> RenderedFormula:
    """A formula, with what it has in common with one of those asked for marked."""
    found = partial(with_common_part_marked, asked=asked)
    return FormulaRenderer({"": stored}, found).rendered("", stored.latex)


# Whoever types sees mostly the same results again; drawing is most of what showing them takes.
_cached_drawing = lru_cache(maxsize=4096)(_drawing)


def typed_html(content: Content) -> Markup:
    """What a person typed, with its formulas drawn, wildcards among them."""
    return Markup(
        "".join(
            escape(piece) if isinstance(piece, str) else _typed_formula(piece.latex)
            for piece in content
        )
    )


def _typed_formula(latex: str) -> str:
    tree = query_layout(latex).tree
    if not tree.row:
        return f"<code>{escape(latex)}</code>"
    return f'<span class="formula">{presentation_mathml(tree, alttext=latex)}</span>'


@dataclass(frozen=True, slots=True)
class ProblemExcerpt:
    """What was not understood, and the text around the place, in which ``at`` is to be marked."""

    message: str
    before: str = ""
    at: str = ""
    after: str = ""


def problem_excerpt(problem: QueryProblem) -> ProblemExcerpt:
    """A problem with its place.

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
    # What is missing at the end has no character; a space is marked in its place.
    return ProblemExcerpt(message, cut_before, at.strip() or "␣", cut_after)


@dataclass(frozen=True, slots=True)
class ExplanationPart:
    """A part of a score with its own parts, the largest first, for the template."""

    label: str
    value: float
    details: tuple[ExplanationPart, ...] = ()


def explanation_part(explanation: Explanation) -> ExplanationPart:
    """Return an explanation as it is shown: of each part the largest details, and the others."""
    shown, others = largest_details(explanation, MOST_PARTS)
    details = (*shown, *((others,) if others else ()))
    return ExplanationPart(
        explanation.label, explanation.value, tuple(map(explanation_part, details))
    )


def thread_address(result: SearchResult, asked: SearchRequest) -> str:
    """The page of a result's thread, which also knows what was searched for, to lead back to it.

    It is shown at the formula that was found, or at the post if it is not formulas that were.
    """
    place = f"formula-{result.formula.id}" if result.formula else f"post-{result.post_id}"
    return _at_place(result.thread_id, place, asked)


def post_address(thread_id: str, post_id: str, asked: SearchRequest) -> str:
    """The page of a thread at one of its posts; names of notes may have any character.

    >>> post_address("notes/two sums.md", "notes/two sums.md", SearchRequest("x^2", tags=("sets",)))
    '/threads/notes/two%20sums.md?q=x%5E2&tag=sets#post-notes/two%20sums.md'
    """
    return _at_place(thread_id, f"post-{post_id}", asked)


def _at_place(thread_id: str, place: str, asked: SearchRequest) -> str:
    # What is too long to be searched for could not be marked in the thread either.
    is_kept = len(asked.text) <= LONGEST_TEXT
    query = replace(asked, explain=None).address.removeprefix("/") if is_kept else ""
    return f"/threads/{quote(thread_id)}{query}#{quote(place)}"
