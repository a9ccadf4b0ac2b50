"""Formulas on a page: MathML of the layout trees that are stored, LaTeX where there is none."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from porism.collection.store import StoredFormula
from porism.errors import LatexError, PorismError, error_summary
from porism.formula.latex import parse_latex
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Row, Tree, parse_tree
from porism.model import Content

log = logging.getLogger(__name__)

_DISPLAYED = re.compile(
    r"\s*\\begin\s*\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|dmath"
    r"|xalignat|split|aligned|gathered|IEEEeqnarray)\*?\}"
)


FormulaMarker = Callable[[Tree], Tree | None]
"""Tells what of a formula was looked for: gives it with that part of it marked, or as it is if that
is all of it; None if it was not looked for."""


def _nothing(tree: Tree) -> None:
    return None


SimilarAddress = Callable[[str, str], str]
"""Where formulas like one are found, which is given as LaTeX and the macros that it uses; empty if
there is no such place."""


def no_address(latex: str, macros: str) -> str:
    """Where formulas lead that are no links."""
    return ""


def similar_link(html: str, address: str) -> str:
    """The HTML of a formula as a link to others like it, if it leads anywhere and can be seen."""
    return f'<a class="similar" href="{escape(address)}">{html}</a>' if html and address else html


class RenderedFormula(NamedTuple):
    """A formula as HTML, and whether it, or the part that is marked in it, was looked for."""

    html: str
    is_match: bool = False


@dataclass(frozen=True, slots=True)
class FormulaRenderer:
    """Formulas as HTML; ``stored`` are those that the collection has, by the ids of instances.

    ``found`` is asked of these, and not of formulas that are parsed here.
    """

    stored: Mapping[str, StoredFormula]
    found: FormulaMarker = _nothing

    def html(self, formula_id: str, latex: str, is_alone: bool = False) -> str:
        """A formula, on lines of its own if it is alone in its paragraph or an environment.

        One that is not stored, as in the title of a question that is only linked, is parsed here.
        One that the parser refuses is shown as its LaTeX, a definition of macros not at all.
        """
        return self.rendered(formula_id, latex, is_alone).html

    def rendered(self, formula_id: str, latex: str, is_alone: bool = False) -> RenderedFormula:
        """The same, for those who mark what was looked for."""
        try:
            return self._drawn(formula_id, latex, is_alone)
        except PorismError:  # a decision, such as the end of a request's time
            raise
        except Exception as error:  # one formula must not keep a page from being shown
            name = formula_id or latex[:200]
            log.warning("formula %s: shown as LaTeX (%s)", name, error_summary(error))
            return RenderedFormula(f"<code>{escape(latex)}</code>")

    def _drawn(self, formula_id: str, latex: str, is_alone: bool) -> RenderedFormula:
        stored = self.stored.get(formula_id)
        found = None
        if stored is not None and latex in ("", stored.latex):
            latex = stored.latex  # MathML in the text has its LaTeX only here
            tree = None if stored.is_refused else parse_tree(stored.slt)
            found = self.found(tree) if tree is not None and tree.row else None
        else:
            tree = _parsed(latex)
        name = f' id="formula-{formula_id}"' if formula_id.isalnum() else ""
        if tree is None:
            return RenderedFormula(f"<code{name}>{escape(latex)}</code>")
        if not tree.row:
            return RenderedFormula("")
        is_display = is_alone or _DISPLAYED.match(latex) is not None
        kind, display = ("display", "block") if is_display else ("formula", "inline")
        if not is_display and _is_long(tree, latex):
            kind = "formula long"
        drawn = tree if found is None else found
        mathml = presentation_mathml(drawn, alttext=latex, display=display)
        html = f'<span class="{kind}"{name} title="{escape(latex)}">{mathml}</span>'
        return RenderedFormula(html, found is not None)

    def content_html(self, content: Content, similar_address: SimilarAddress = no_address) -> str:
        """Prose and formulas on one line, as in a title."""
        return "".join(
            escape(piece)
            if isinstance(piece, str)
            else similar_link(
                self.html("", piece.latex), similar_address(piece.latex, piece.macros)
            )
            for piece in content
        )


LONG_FORMULA_WIDTH = 24
"""Symbols side by side that do not fit on a phone; browsers do not break formulas into lines."""


def _is_long(tree: Tree, latex: str) -> bool:
    return len(latex) > LONG_FORMULA_WIDTH and _width(tree.row) > LONG_FORMULA_WIDTH


def _width(row: Row) -> float:
    """About how many symbols stand side by side; what is raised or lowered is smaller."""
    width = 0.0
    for label, parts in row:
        if not parts:
            width += max(1, len(label) - 2) if label[1:2] == "!" else 1
        elif label in ("O!divide", "O!stack"):
            width += max(_width(below) for _, below in parts)
        elif label[:2] in ("M!", "O!"):
            width += 2 + sum(_width(below) for _, below in parts)
        else:
            width += 1 + 0.7 * max(_width(below) for _, below in parts)
    return width


def _parsed(latex: str) -> Tree | None:
    try:
        return parse_latex(latex).tree
    except LatexError:
        return None
