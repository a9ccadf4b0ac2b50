"""What a person came from a search for, marked in the texts of a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

from porism import catalog
from porism.analysis import Notation
from porism.collection.store import StoredFormula
from porism.indexing.formula_table import stored_tokens
from porism.indexing.library import Library
from porism.model import Formula
from porism.rank.explaining import asked_tokens
from porism.rank.results import sought
from porism.rank.snippets import Wanted
from porism.rank.typed import Typed, typed_answer_topic, typed_formula_topic
from porism.text import stem
from porism.web.asked import Asked, What

_WORD = re.compile(r"[^\W_]+")
_LATEX = re.compile(r"[\\^_{}=]")


def wanted(library: Library, asked: Asked) -> Wanted:
    """The words and formulas that a search is for, as the system understands them; none if empty.

    LaTeX without dollars, as it is typed to find formulas, is taken for a formula here too.
    """
    if asked.is_empty:
        return Wanted()
    typed, task = _typed(asked)
    ranker = catalog.ranker(catalog.best_name(task, library), task, library)
    return sought(typed.topic, asked_tokens(ranker, typed.topic))


def _typed(asked: Asked) -> tuple[Typed, int]:
    if asked.what is not What.FORMULAS:
        typed = typed_answer_topic(asked.text)
        has_formula = any(isinstance(piece, Formula) for piece in typed.topic.title)
        if has_formula or not _LATEX.search(asked.text):
            return typed, catalog.ANSWERS_TASK
    return typed_formula_topic(asked.text), catalog.FORMULAS_TASK


def marked_words(wanted: Wanted) -> Callable[[str], str]:
    """Makes HTML of a text, in which the words that are wanted are marked."""

    def said(text: str) -> str:
        pieces: list[str] = []
        at = 0
        for word in _WORD.finditer(text):
            if stem(word[0].lower()) in wanted.stems:
                pieces += (
                    escape(text[at : word.start()], quote=False),
                    f"<mark>{escape(word[0])}</mark>",
                )
                at = word.end()
        return "".join((*pieces, escape(text[at:], quote=False)))

    return said


def likeness(library: Library, wanted: Wanted) -> Callable[[StoredFormula], bool]:
    """Tells whether a formula is like one that is wanted; each formula is looked at once."""
    known: dict[int, bool] = {}

    def is_sought(formula: StoredFormula) -> bool:
        if not wanted.formulas:
            return False
        if formula.number not in known:
            tuples = stored_tokens(library.collection, formula.number, Notation.L8)
            known[formula.number] = wanted.has_formula(tuples or ())
        return known[formula.number]

    return is_sought
