"""Formulas on a page: MathML of the layout trees that are stored, LaTeX where there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from porism.collection.store import StoredFormula
from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Tree, parse_tree
from porism.model import Content

_DISPLAYED = re.compile(
    r"\s*\\begin\s*\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|dmath"
    r"|xalignat|split|aligned|gathered|IEEEeqnarray)\*?\}"
)


@dataclass(frozen=True, slots=True)
class ShownFormulas:
    """Formulas as HTML; ``stored`` are those that the collection has, by the ids of instances."""

    stored: Mapping[str, StoredFormula]

    def html(self, formula_id: str, latex: str, is_alone: bool = False) -> str:
        """A formula, on lines of its own if it is alone in its paragraph or an environment.

        One that is not stored, as in the title of a question that is only linked, is parsed here.
        One that the parser refuses is shown as its LaTeX, a definition of macros not at all.
        """
        stored = self.stored.get(formula_id)
        if stored is not None and latex in ("", stored.latex):
            latex = stored.latex  # MathML in the text has its LaTeX only here
            tree = None if stored.is_refused else parse_tree(stored.slt)
        else:
            tree = _parsed(latex)
        name = f' id="formula-{formula_id}"' if formula_id.isalnum() else ""
        if tree is None:
            return f"<code{name}>{escape(latex)}</code>"
        if not tree.row:
            return ""
        is_display = is_alone or _DISPLAYED.match(latex) is not None
        kind, display = ("display", "block") if is_display else ("formula", "inline")
        mathml = presentation_mathml(tree, alttext=latex, display=display)
        return f'<span class="{kind}"{name} title="{escape(latex)}">{mathml}</span>'

    def content_html(self, content: Content) -> str:
        """Prose and formulas on one line, as in a title."""
        return "".join(
            escape(piece) if isinstance(piece, str) else self.html("", piece.latex)
            for piece in content
        )


def _parsed(latex: str) -> Tree | None:
    try:
        return parse_latex(latex).tree
    except LatexError:
        return None
