"""What a person came from a search for, marked in the texts and formulas of a page."""

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
from porism.model import Formula, Task, Topic
from porism.rank.results import highlight_terms as wanted_of
from porism.rank.results import highlighted_formulas
from porism.rank.snippets import HighlightTerms
from porism.rank.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.searchindex.index_folder import SearchIndex
from porism.web.search.search_request import SearchRequest, SearchTarget

_WORD = re.compile(r"[^\W_]+")
_LATEX = re.compile(r"[\\^_{}=]")

MOST_FORMULAS = 2_000
"""Distinct formulas of a page that are compared with those looked for; few threads have 300."""

MOST_PARTIAL_MATCHES = 300
"""Distinct formulas of a page in which the part is marked that was looked for, and not all."""


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The words and formulas that a search is for; ``trees`` are the layouts of the formulas."""

    wanted: HighlightTerms = field(default_factory=HighlightTerms)
    trees: tuple[Tree, ...] = ()


def search_terms(library: SearchIndex, asked: SearchRequest) -> SearchTerms:
    """What a search is for, as the system understands it; nothing if it is empty.

    LaTeX without dollars, as it is typed to find formulas, is taken for a formula here too.
    """
    if asked.is_empty:
        return SearchTerms()
    typed, task = _typed(asked)
    _, ranker = catalog.default_ranker(task, library)
    wanted = wanted_of(typed.topic, ranker.tokens(typed.topic) or ())
    return SearchTerms(wanted, query_trees(typed.topic))


def _typed(asked: SearchRequest) -> tuple[TypedTopic, Task]:
    if asked.what is not SearchTarget.FORMULAS:
        typed = typed_answer_topic(asked.text)
        has_formula = any(isinstance(piece, Formula) for piece in typed.topic.title)
        if has_formula or not _LATEX.search(asked.text):
            return typed, Task.ANSWERS
    return typed_formula_topic(asked.text), Task.FORMULAS


def query_trees(topic: Topic) -> tuple[Tree, ...]:
    """The layouts of the formulas of a topic that was typed, without those that were refused."""
    trees = (query_layout(each.latex, each.macros).tree for each in highlighted_formulas(topic))
    return tuple(tree for tree in trees if tree.row)


def highlighted_words(sought: SearchTerms) -> Callable[[str], str]:
    """Makes HTML of a text, in which the words that are looked for are marked."""
    matches = sought.wanted.matches

    def said(text: str) -> str:
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

    return said


class FormulaHighlighter:
    """Tells of the formulas of one page what of them is looked for; each is looked at once.

    ``is_cut`` says whether there were more than are looked at.
    """

    def __init__(self, sought: SearchTerms) -> None:
        self._sought = sought
        self._known: dict[Tree, Tree | None] = {}
        self._in_part = 0
        self.is_cut = False

    def __call__(self, tree: Tree) -> Tree | None:
        """The formula with the part marked, or as it is if all is meant; None if it is not like."""
        if not self._sought.wanted.formulas:
            return None
        if tree in self._known:
            return self._known[tree]
        if len(self._known) == MOST_FORMULAS:
            self.is_cut = True
            return None
        deadlines.check()
        found = self._known[tree] = self._found(tree)
        return found

    def _found(self, tree: Tree) -> Tree | None:
        if not self._sought.wanted.has_formula(Counter(formula_tokens(FormulaTokens.L8, "", tree))):
            return None
        if self._in_part == MOST_PARTIAL_MATCHES:
            return tree
        self._in_part += 1
        return with_common_part_marked(tree, self._sought.trees) or tree
