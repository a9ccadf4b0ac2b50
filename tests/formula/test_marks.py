"""Trees with marks, and their MathML."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formula.latex import parse_latex
from porism.formula.marks import MarkedSubtree, MarkedSymbol, with_marks
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Tree
from tests.formula.layout_trees import layouts

PLACES = st.sets(st.integers(0, 30))


def drawn(latex: str, *places: int) -> str:
    """A formula with the nodes of these places marked, as MathML without the outermost element."""
    mathml = presentation_mathml(with_marks(parse_latex(latex).tree, places))
    return re.sub("^<math [^>]*>|</math>$", "", mathml)


def marked_places(tree: Tree) -> set[int]:
    places: set[int] = set()
    wholly = 0  # how many nodes are still to come on the rows of one that is marked with them
    for place, node in enumerate(tree.nodes()):
        if type(node) is MarkedSubtree:
            assert wholly == 0
            wholly = len(list(Tree("slt", (node,)).nodes()))
        if wholly or type(node) is MarkedSymbol:
            places.add(place)
        wholly = max(0, wholly - 1)
    return places


@given(layouts(), PLACES)
def test_only_the_given_positions_are_marked(tree: Tree, places: set[int]) -> None:
    marked = with_marks(tree, places)
    assert marked_places(marked) == {place for place, _ in enumerate(tree.nodes())} & places
    assert marked == tree
    assert str(marked) == str(tree)


@given(layouts(), PLACES)
def test_marks_change_nothing_else_in_mathml(tree: Tree, places: set[int]) -> None:
    plain, marked = presentation_mathml(tree), presentation_mathml(with_marks(tree, places))
    unmarked = re.sub(r' class="hit"| form="infix"', "", marked)
    assert re.sub("</?mrow>", "", unmarked) == re.sub("</?mrow>", "", plain)


def test_neighbours_are_marked_together() -> None:
    assert drawn("x^2+y=1", 0, 1, 2, 3) == (
        '<mrow class="hit"><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mi>y</mi></mrow>'
        "<mo>=</mo><mn>1</mn>"
    )
    assert drawn("a+b", 0, 2) == (
        '<mrow class="hit"><mi>a</mi></mrow><mo>+</mo><mrow class="hit"><mi>b</mi></mrow>'
    )


def test_marked_plus_between_terms_does_not_become_a_sign() -> None:
    assert '<mrow class="hit"><mo form="infix">+</mo><mi>b</mi></mrow>' in drawn("a+b", 1, 2)
    assert drawn("-b", 0, 1) == '<mrow class="hit"><mo>−</mo><mi>b</mi></mrow>'


@pytest.mark.parametrize(
    ("latex", "place", "mathml"),
    [
        ("x^2", 0, '<msup><mi class="hit">x</mi><mn>2</mn></msup>'),
        ("x^2", 1, '<msup><mi>x</mi><mrow class="hit"><mn>2</mn></mrow></msup>'),
        (
            r"\sum_n",
            0,
            '<munder><mo class="hit">∑</mo><mi>n</mi></munder>',
        ),
        (
            "(x)",
            0,
            '<mrow><mo fence="true" form="prefix" stretchy="false" class="hit">(</mo><mi>x</mi>'
            '<mo fence="true" form="postfix" stretchy="false" class="hit">)</mo></mrow>',
        ),
        (r"\frac12", 0, "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),  # a bar cannot be highlighted
        (r"\frac12", 2, '<mfrac><mn>1</mn><mrow class="hit"><mn>2</mn></mrow></mfrac>'),
        ("f'", 1, '<msup><mi>f</mi><mrow class="hit"><mo>′</mo></mrow></msup>'),
    ],
)
def test_symbol_is_marked_alone(latex: str, place: int, mathml: str) -> None:
    assert drawn(latex, place) == mathml
