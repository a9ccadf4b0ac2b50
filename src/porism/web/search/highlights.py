"""Highlighting of search terms in the texts and formulas of a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from porism import catalog, deadlines
from porism.analysis import FormulaTokens, formula_tokens, query_layout
from porism.formula.alignment import with_common_part_marked
from porism.formula.tree import Tree
from porism.model import Topic
from porism.rank.results import highlighted_formulas, searched_terms
from porism.rank.snippets import HighlightTerms
from porism.searchindex.index_folder import SearchIndex
from porism.web.search.search_request import SearchRequest

_WORD = re.compile(r"[^\W_]+")

MOST_FORMULAS = 2_000
"""Distinct formulas of a page that are compared with the query; few threads have 300."""

MOST_PARTIAL_MATCHES = 300
"""Distinct formulas of a page in which only the matching part is marked."""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The words and formulas of a search; ``trees`` are the layouts of the formulas."""

    highlights: HighlightTerms = field(default_factory=HighlightTerms)
    trees: tuple[Tree, ...] = ()


def search_terms(search_index: SearchIndex, search: SearchRequest) -> SearchTerms:
    """The terms that the system searches for; none if the search is empty."""
    if search.is_empty:
        return SearchTerms()
    _, ranker = catalog.typed_search(search.task, search_index)
    topic, highlights = searched_terms(ranker, search.topic)
    return SearchTerms(highlights, query_trees(topic))


def query_trees(topic: Topic) -> tuple[Tree, ...]:
    """The layouts of the formulas of a typed topic, without those that could not be parsed."""
    trees = (query_layout(each.latex, each.macros).tree for each in highlighted_formulas(topic))
    return tuple(tree for tree in trees if tree.row)


def highlighted_words(terms: SearchTerms) -> Callable[[str], str]:
    """A function from text to HTML in which the words of the search are marked."""
    matches = terms.highlights.matches

    def html(text: str) -> str:
        pieces: list[str] = []
        at = 0
        for word in _WORD.finditer(text):
            if matches[word[0]]:
                pieces += (
                    escape(text[at : word.start()], quote=False),
                    f"<mark>{escape(word[0])}</mark>",
                )
                at = word.end()
        return "".join((*pieces, escape(text[at:], quote=False)))

    return html


class FormulaHighlighter:
    """Marks in the formulas of one page what matches the search; each is compared once.

    ``is_cut`` says that the page has more than ``MOST_FORMULAS``.
    """

    def __init__(self, terms: SearchTerms) -> None:
        self._terms = terms
        self._known: dict[Tree, Tree | None] = {}
        self._partial_matches = 0
        self.is_cut = False

    def __call__(self, tree: Tree) -> Tree | None:
        """The formula with the matching part marked; None if nothing matches."""
        if not self._terms.highlights.formulas:
            return None
        if tree in self._known:
            return self._known[tree]
        if len(self._known) == MOST_FORMULAS:
            self.is_cut = True
            return None
        deadlines.check()
        marked = self._known[tree] = self._marked(tree)
        return marked

    def _marked(self, tree: Tree) -> Tree | None:
        if not self._terms.highlights.has_formula(
            Counter(formula_tokens(FormulaTokens.L8, "", tree))
        ):
            return None
        if self._partial_matches == MOST_PARTIAL_MATCHES:
            return tree
        self._partial_matches += 1
        return with_common_part_marked(tree, self._terms.trees) or tree
