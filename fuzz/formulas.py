"""Formulas: every string gives a tree that converts to all formats, or is refused."""

from __future__ import annotations

from hypothesis import strategies as st

from fuzz.properties import Property, refusals
from fuzz.strategies import FORMULAS, MARKUP, WORDS, mutated, noise, repeated, soup
from porism.formula.conversion import convert_tree, read_formula
from porism.formula.drawings import drawing
from porism.formula.forms import FormulaForm, targets
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree, parse_tree


def check_latex(source: str) -> None:
    """Parse ``source`` and convert it to all formats, unless it is refused."""
    with refusals(source.encode("utf-8", "replace")):
        parsed = read_formula(source, FormulaForm.LATEX)
        assert all(0 <= problem.offset <= len(source) for problem in parsed.problems)
        _check_tree(parsed.tree, FormulaForm.LATEX, source)


def check_markup(source: str) -> None:
    """The same for MathML of both kinds."""
    for form in (FormulaForm.MATHML, FormulaForm.CONTENT_MATHML):
        with refusals(source.encode("utf-8", "replace")):
            _check_tree(read_formula(source, form).tree, form, "")


def _check_tree(tree: Tree, form: FormulaForm, source: str) -> None:
    for target in targets(form):
        convert_tree(tree, target, source)
    _check_strings(tree)
    if tree.kind == "slt":
        _check_strings(operator_tree(tree))


def _check_strings(tree: Tree) -> None:
    assert drawing(tree) or not tree.row
    assert parse_tree(str(tree), tree.kind) == tree


@st.composite
def markup(draw: st.DrawFn) -> str:
    """Tags and text in any order, sometimes with a piece repeated many times."""
    pieces = draw(st.lists(st.sampled_from(MARKUP), max_size=40))
    deep = "".join(draw(st.lists(st.sampled_from(MARKUP), max_size=3)))
    return "".join(pieces) + deep * draw(st.sampled_from((0, 0, 0, 10, 300)))


@st.composite
def nested(draw: st.DrawFn) -> str:
    """Opening pieces repeated many times, closed too rarely or too often."""
    opening = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
    depth = draw(st.integers(1, 400))
    closing = draw(st.sampled_from(("}", ")", r"\right)", r"\end{matrix}", "]", "")))
    return "".join(opening) * depth + "x" + closing * draw(st.integers(0, 2 * depth))


PROPERTIES = (
    Property("latex-noise", noise(), check_latex),
    Property("latex-soup", soup(WORDS), check_latex),
    Property("latex-mutated", mutated(FORMULAS, WORDS), check_latex),
    Property("latex-nested", nested(), check_latex),
    Property("latex-repeated", repeated(WORDS), check_latex),
    Property("mathml", markup(), check_markup),
)
