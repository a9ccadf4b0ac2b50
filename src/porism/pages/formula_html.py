"""Formulas as HTML: MathML of the author's LaTeX, of the layout tree, or just the LaTeX."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import NamedTuple

from porism.collection.store import StoredFormula
from porism.errors import LatexError, PorismError, error_summary
from porism.formats.markup import LocatedFormula
from porism.formula.display import display_mathml, marked_places
from porism.formula.latex import LatexMacro, parse_latex, read_macros
from porism.formula.marks import has_marks
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Row, Tree
from porism.model import Content, Formula

log = logging.getLogger(__name__)

_DISPLAYED = re.compile(
    r"\s*\\begin\s*\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|dmath"
    r"|xalignat|split|aligned|gathered|IEEEeqnarray)\*?\}"
)


FormulaMarker = Callable[[Tree], Tree | None]
"""Marks the part of a formula that matches the query: returns the tree with marks, unchanged if all
of it matches, or None if nothing does."""


def no_match(tree: Tree) -> None:
    """The marker of pages without a query."""
    return


SimilarAddress = Callable[[str, str], str]
"""The address of a search for similar formulas, given LaTeX and the macros it uses; empty if there
is none."""


def no_address(latex: str, macros: str) -> str:
    """The address of formulas that are no links."""
    return ""


def similar_link(html: str, address: str) -> str:
    """A formula's HTML as a link to similar formulas; unchanged if either is empty."""
    return f'<a class="similar" href="{escape(address)}">{html}</a>' if html and address else html


class RenderedFormula(NamedTuple):
    """A formula as HTML, and whether it matches the query, all of it or the marked part."""

    html: str
    is_match: bool = False


@dataclass(frozen=True, slots=True)
class FormulaRenderer:
    """Renders formulas; ``stored`` are those of the collection, by instance id.

    ``marker`` applies to these only, not to formulas parsed here.
    """

    stored: Mapping[str, StoredFormula]
    marker: FormulaMarker = no_match

    def html(self, formula_id: str, latex: str, is_alone: bool = False, macros: str = "") -> str:
        """A formula, displayed if it is alone in its paragraph or a displayed environment.

        A formula that is not stored, such as in the title of a linked question, is parsed here. One
        that the parser refuses is shown as LaTeX; a macro definition gives nothing. ``macros`` are
        used for formulas that are not stored.
        """
        return self.rendered(formula_id, latex, is_alone, macros).html

    def rendered(
        self, formula_id: str, latex: str, is_alone: bool = False, macros: str = ""
    ) -> RenderedFormula:
        """A formula like ``html``, with whether it matches."""
        try:
            return self._rendered(formula_id, latex, is_alone, macros)
        except PorismError:  # deliberate, such as a request's deadline
            raise
        except Exception as error:  # one formula must not break the page
            name = formula_id or latex[:200]
            log.warning("formula %s: shown as LaTeX (%s)", name, error_summary(error))
            return RenderedFormula(f"<code>{escape(latex)}</code>")

    def _rendered(
        self, formula_id: str, latex: str, is_alone: bool, macros: str
    ) -> RenderedFormula:
        stored = self.stored.get(formula_id)
        marked = None
        if stored is not None and latex in ("", stored.latex):
            # For MathML in the text, this is the only LaTeX there is.
            latex, macros = stored.latex, stored.macros
            tree = None if stored.is_refused else stored.layout()
            marked = self.marker(tree) if tree is not None and tree.row else None
        else:
            tree = _parsed(latex, macros)
        name = f' id="formula-{formula_id}"' if formula_id.isalnum() else ""
        if tree is None:
            return RenderedFormula(
                f'<code{name} data-latex="{escape(latex)}">{escape(latex)}</code>'
            )
        if not tree.row:
            return RenderedFormula("")
        is_display = is_alone or _DISPLAYED.match(latex) is not None
        kind = "display" if is_display else "formula"
        if not is_display and _is_long(tree, latex):
            kind = "formula long"
        mathml = formula_mathml(latex, macros, tree, marked, is_display)
        # The title is the name of a link around the formula: MathML gives it none.
        source = f'title="{escape(latex)}" data-latex="{escape(latex)}"'
        html = f'<span class="{kind}"{name} {source}>{mathml}</span>'
        return RenderedFormula(html, marked is not None)

    def content_html(self, content: Content, similar_address: SimilarAddress = no_address) -> str:
        """Text and formulas on one line, as in a title."""

        def render(formula: Formula, is_alone: bool) -> str:
            html = self.html("", formula.latex, is_alone, formula.macros)
            return similar_link(html, similar_address(formula.latex, formula.macros))

        return line_html(content, render)


def formula_mathml(
    latex: str, macros: str, tree: Tree, marked: Tree | None, is_display: bool
) -> str:
    """MathML of the author's LaTeX; of the tree if it cannot be written or marked.

    ``marked`` is the tree with marks, or without any if all of it matches.
    """
    definitions = _definitions(macros)
    marks = {}
    can_be_marked = True
    if marked is not None and has_marks(marked):
        marks = marked_places(marked, latex, definitions)
        can_be_marked = bool(marks)
    if can_be_marked:
        try:
            return display_mathml(
                latex, definitions, is_display=is_display, alttext=latex, marks=marks
            )
        except LatexError as error:
            log.debug("formula %s: written from its tree (%s)", latex[:200], error.why)
    display = "block" if is_display else "inline"
    return presentation_mathml(marked or tree, alttext=latex, display=display)


@lru_cache(maxsize=64)
def _definitions(macros: str) -> dict[str, LatexMacro]:
    """The macros of a text, which the formulas of a page share."""
    return read_macros(macros) if macros else {}


UNSTORED = FormulaRenderer({})
"""For texts outside a collection."""


def render_unstored(formula: Formula | LocatedFormula, is_alone: bool) -> str:
    """A formula that is in no collection."""
    macros = formula.macros if isinstance(formula, Formula) else ""
    return UNSTORED.html("", formula.latex, is_alone, macros)


RenderFormula = Callable[[Formula, bool], str]
"""Renders a formula; the flag says that it is alone in its paragraph."""


RenderProse = Callable[[str], str]
"""Renders prose; it must escape it."""


def line_html(
    line: Sequence[str | Formula],
    render: RenderFormula,
    is_alone: bool = False,
    prose: RenderProse = escape,
) -> str:
    """Text and formulas on one line."""
    return "".join(
        prose(piece) if isinstance(piece, str) else render(piece, is_alone) for piece in line
    )


def paragraphs(
    content: Content, render: RenderFormula, prose: RenderProse = escape
) -> Iterator[str]:
    """One paragraph for each line of the text that is not blank.

    A formula is displayed if its line has nothing else but punctuation.
    """
    lines: list[list[str | Formula]] = [[]]
    for piece in content:
        first, *others = [piece] if isinstance(piece, Formula) else piece.split("\n")
        lines[-1].append(first)
        lines += ([other] for other in others)
    for line in lines:
        if any(isinstance(piece, Formula) or piece.strip() for piece in line):
            words = [piece for piece in line if isinstance(piece, Formula) or piece.strip(" .,;:")]
            yield f"<p>{line_html(line, render, len(words) == 1, prose)}</p>"


LONG_FORMULA_WIDTH = 24
"""Number of symbols side by side that does not fit on a phone; browsers do not wrap formulas."""


def _is_long(tree: Tree, latex: str) -> bool:
    return len(latex) > LONG_FORMULA_WIDTH and _width(tree.row) > LONG_FORMULA_WIDTH


def _width(row: Row) -> float:
    """The approximate width in symbols; scripts are smaller."""
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


def _parsed(latex: str, macros: str) -> Tree | None:
    try:
        return parse_latex(latex, _definitions(macros)).tree
    except LatexError:
        return None
