"""A page of formulas, each rendered, with its trees and parse problems."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from porism.formula.drawings import drawing
from porism.formula.features import l8
from porism.formula.latex import parse_latex
from porism.formula.mathml import presentation_mathml
from porism.formula.operators import operator_tree
from porism.pages.html_page import html_page

_FORMULA = """<article>
<span class="display">{mathml}</span>
<p><code>{latex}</code></p>
<h2>Layout tree</h2><pre>{layout}</pre>
<h2>Operator tree</h2><pre>{operators}</pre>
<h2>L8 tuples</h2>
<p><code>{tuples}</code></p>
{problems}
</article>"""


def formula_sheet(sources: Iterable[str]) -> str:
    """A self-contained HTML file: formulas as LaTeX and MathML, with their trees."""
    title = "Formulas as parsed by Porism"
    articles = "\n".join(_formula(source) for source in sources)
    return html_page(title, f"<h1>{title}</h1>\n{articles}")


def _formula(source: str) -> str:
    tree, problems = parse_latex(source)
    items = "".join(f"<li>{escape(problem.message)}</li>" for problem in problems)
    return _FORMULA.format(
        mathml=presentation_mathml(tree, alttext=source, display="block"),
        latex=escape(source),
        layout=escape(drawing(tree)),
        operators=escape(drawing(operator_tree(tree))),
        tuples=escape("  ".join(dict.fromkeys(l8(tree)))),
        problems=f"<h2>Problems</h2><ul>{items}</ul>" if items else "",
    )
