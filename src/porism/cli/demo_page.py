"""The demonstration as a web page, on which formulas are seen as formulas."""

from collections.abc import Iterable
from html import escape

from porism.formula.draw import drawing
from porism.formula.features import l8
from porism.formula.latex import parse_latex
from porism.formula.mathml import presentation_mathml
from porism.formula.operators import operator_tree

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Porism: formulas</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; }}
section {{ border-top: 1px solid #8888; padding: 1rem 0; }}
math {{ font: 1.6rem "STIX Two Math", "Latin Modern Math", "Cambria Math", math; }}
.trees {{ display: flex; flex-wrap: wrap; gap: 0 3rem; }}
pre {{ line-height: 1.25; overflow-x: auto; }}
h2 {{ font-size: 1rem; margin: 1rem 0 0; }}
</style>
<h1>What Porism makes of formulas</h1>
{formulas}
</html>
"""

_FORMULA = """<section>
{mathml}
<p><code>{latex}</code></p>
<div class="trees">
<div><h2>Layout tree</h2><pre>{layout}</pre></div>
<div><h2>Operator tree</h2><pre>{operators}</pre></div>
</div>
<h2>L8 tuples</h2>
<p><code>{tuples}</code></p>
{problems}
</section>"""


def demo_page(sources: Iterable[str]) -> str:
    """One HTML file that needs nothing else: formulas in LaTeX, as MathML, with their trees."""
    return _PAGE.format(formulas="\n".join(_formula(source) for source in sources))


def _formula(source: str) -> str:
    tree, problems = parse_latex(source)
    told = "".join(f"<li>{escape(problem.message)}</li>" for problem in problems)
    return _FORMULA.format(
        mathml=presentation_mathml(tree, alttext=source, display="block"),
        latex=escape(source),
        layout=escape(drawing(tree)),
        operators=escape(drawing(operator_tree(tree))),
        tuples=escape("  ".join(dict.fromkeys(l8(tree)))),
        problems=f"<h2>Problems</h2><ul>{told}</ul>" if told else "",
    )
