"""What a person came from a search for, marked in the texts and formulas of a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from porism import catalog, deadlines
from porism.analysis import Notation, formula_tokens, query_layout
from porism.formula.matching import with_part_marked
from porism.formula.tree import Tree
from porism.indexing.library import Library
from porism.model import Formula, Topic
from porism.rank.explaining import asked_tokens
from porism.rank.results import sought as wanted_of
from porism.rank.results import sought_formulas
from porism.rank.snippets import Wanted
from porism.rank.typed import Typed, typed_answer_topic, typed_formula_topic
from porism.web.asked import Asked, What

_WORD = re.compile(r"[^\W_]+")
_LATEX = re.compile(r"[\\^_{}=]")

MOST_LOOKED_AT = 2_000
"""Distinct formulas of a page that are compared with those looked for; few threads have 300."""

MOST_IN_PART = 300
"""Distinct formulas of a page in which the part is marked that was looked for, and not all."""


@dataclass(frozen=True, slots=True)
class Sought:
    """The words and formulas that a search is for; ``trees`` are the layouts of the formulas."""

    wanted: Wanted = field(default_factory=Wanted)
    trees: tuple[Tree, ...] = ()


def sought(library: Library, asked: Asked) -> Sought:
    """What a search is for, as the system understands it; nothing if it is empty.

    LaTeX without dollars, as it is typed to find formulas, is taken for a formula here too.
    """
    if asked.is_empty:
        return Sought()
    typed, task = _typed(asked)
    ranker = catalog.ranker(catalog.best_name(task, library), task, library)
    wanted = wanted_of(typed.topic, asked_tokens(ranker, typed.topic))
    return Sought(wanted, asked_trees(typed.topic))


def _typed(asked: Asked) -> tuple[Typed, int]:
    if asked.what is not What.FORMULAS:
        typed = typed_answer_topic(asked.text)
        has_formula = any(isinstance(piece, Formula) for piece in typed.topic.title)
        if has_formula or not _LATEX.search(asked.text):
            return typed, catalog.ANSWERS_TASK
    return typed_formula_topic(asked.text), catalog.FORMULAS_TASK


def asked_trees(topic: Topic) -> tuple[Tree, ...]:
    """The layouts of the formulas of a topic that was typed, without those that were refused."""
    trees = (query_layout(each.latex, each.macros).tree for each in sought_formulas(topic))
    return tuple(tree for tree in trees if tree.row)


def marked_words(sought: Sought) -> Callable[[str], str]:
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


class FoundFormulas:
    """Tells of the formulas of one page what of them is looked for; each is looked at once.

    ``is_cut`` says whether there were more than are looked at.
    """

    def __init__(self, sought: Sought) -> None:
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
        if len(self._known) == MOST_LOOKED_AT:
            self.is_cut = True
            return None
        deadlines.check()
        found = self._known[tree] = self._found(tree)
        return found

    def _found(self, tree: Tree) -> Tree | None:
        if not self._sought.wanted.has_formula(Counter(formula_tokens(Notation.L8, "", tree))):
            return None
        if self._in_part == MOST_IN_PART:
            return tree
        self._in_part += 1
        return with_part_marked(tree, self._sought.trees) or tree
