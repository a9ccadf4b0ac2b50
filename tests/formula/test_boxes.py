"""Where symbols are printed: order, height and size, on formulas whose geometry is obvious."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from porism.analysis import query_layout
from porism.formula.boxes import FRACTION_BAR, WILDCARD_SYMBOL, Box, symbol_boxes
from porism.formula.latex import parse_latex
from porism.formula.tree import Tree, parse_tree
from tests.formula.layout_trees import LABELS, layouts


def boxes(latex: str) -> dict[str, Box]:
    """The boxes of a formula without repeated symbols."""
    by_symbol = {box.symbol: box for box in symbol_boxes(parse_latex(latex).tree)}
    assert by_symbol
    return by_symbol


def height(box: Box) -> float:
    return box.top - box.bottom


@pytest.mark.parametrize(
    "latex", ["a+b=c", r"a\le b,c", "abc", r"a12\sin b", r"f(a,b)", "x^{2i}y_n"]
)
def test_symbols_of_a_line_follow_each_other_from_left_to_right(latex: str) -> None:
    by_left = sorted(symbol_boxes(parse_latex(latex).tree), key=lambda box: box.left)
    for box, after in pairwise(by_left):
        assert box.right <= after.left + 1e-9
    printed = "".join(box.symbol for box in by_left)
    assert printed == latex.replace(r"\le ", "≤").replace(r"\sin ", "sin").translate(
        str.maketrans("", "", "^{}_")
    )


def test_scripts_are_smaller_and_above_or_below_the_line() -> None:
    of = boxes("xx^{n}_{m}")
    assert of["n"].bottom > of["x"].bottom
    assert of["n"].top > of["x"].top
    assert of["m"].top < of["n"].bottom
    assert of["m"].bottom < of["x"].bottom
    small, large = boxes("x^b")["b"], boxes("b")["b"]
    assert height(small) == pytest.approx(0.7 * height(large))
    assert height(boxes("x^{y^b}")["b"]) == pytest.approx(0.5 * height(large))
    assert height(boxes("x^{y^{z^b}}")["b"]) == pytest.approx(0.5 * height(large))


def test_scripts_before_a_symbol_are_left_of_it() -> None:
    of = boxes("{}_a^bX")
    assert max(of["a"].right, of["b"].right) <= of["X"].left
    assert of["a"].top < of["b"].bottom


def test_a_numerator_is_above_the_bar_and_a_denominator_below() -> None:
    of = boxes(r"\frac{a}{b+c}+d")
    bar = of[FRACTION_BAR]
    assert of["b"].top < bar.bottom < bar.top < of["a"].bottom
    assert bar.left < of["b"].left < of["c"].right < bar.right < of["d"].left
    middle = (bar.left + bar.right) / 2
    assert (of["a"].left + of["a"].right) / 2 == pytest.approx(middle)
    assert FRACTION_BAR not in boxes(r"\binom nk")


def test_fractions_in_fractions_are_smaller() -> None:
    assert height(boxes(r"\frac ab")["a"]) == pytest.approx(height(boxes("a")["a"]))
    nested = boxes(r"\frac{\frac ab}{c}")
    assert height(nested["a"]) == pytest.approx(0.7 * height(nested["c"]))


def test_a_root_covers_its_content_and_is_after_its_degree() -> None:
    of = boxes(r"\sqrt[n]{x+y}")
    assert of["√"].left < of["x"].left
    assert of["y"].right == pytest.approx(of["√"].right)
    assert of["√"].bottom < of["x"].bottom < of["x"].top < of["√"].top
    assert of["n"].bottom > of["x"].bottom
    assert of["n"].left < of["x"].left


def test_limits_are_over_and_under_sums_and_beside_integrals() -> None:
    of = boxes(r"\sum_{i}^n a")
    assert of["i"].top < of["∑"].bottom
    assert of["n"].bottom > of["∑"].top
    assert of["∑"].left < of["n"].left < of["n"].right < of["∑"].right < of["a"].left
    of = boxes(r"\int_i^n a")
    assert of["∫"].right <= min(of["i"].left, of["n"].left)
    assert of["i"].top < of["n"].bottom
    assert of["n"].right <= of["a"].left


def test_accents_are_as_wide_as_what_they_belong_to() -> None:
    of = boxes(r"\overline{abc}")
    assert of["¯"].left == pytest.approx(of["a"].left)
    assert of["¯"].right == pytest.approx(of["c"].right)
    assert of["¯"].bottom > of["b"].top
    of = boxes(r"\underbrace{ab}_n")
    assert of["n"].top < of["⏟"].bottom < of["⏟"].top < of["a"].bottom


def test_cells_of_a_matrix_are_in_rows_and_columns() -> None:
    of = boxes(r"\begin{pmatrix}a&b\\c&d\end{pmatrix}x")
    assert of["a"].bottom > of["c"].top
    assert (of["a"].left, of["b"].left) == (of["c"].left, of["d"].left)
    assert of["("].right <= of["a"].left < of["a"].right < of["b"].left
    assert of["b"].right <= of[")"].left < of[")"].right <= of["x"].left
    assert of["("].bottom <= of["c"].bottom < of["a"].top <= of["("].top


def test_fences_grow_with_their_content() -> None:
    assert height(boxes(r"(\frac ab)")["("]) > height(boxes("(a)")["("])


def test_a_wildcard_has_a_place_and_no_character() -> None:
    (x, plus, wildcard) = symbol_boxes(query_layout("x+?a").tree)
    assert (x.symbol, plus.symbol, wildcard.symbol) == ("x", "+", WILDCARD_SYMBOL)
    assert plus.right < wildcard.left < wildcard.right


@pytest.mark.parametrize(
    "latex", ["x", "0", "-", r"\text{a b}", r"\begin{pmatrix}&\\&\end{pmatrix}"]
)
def test_every_box_has_an_area(latex: str) -> None:
    for box in symbol_boxes(parse_latex(latex).tree):
        assert box.left < box.right
        assert box.bottom < box.top


def test_nothing_has_no_boxes() -> None:
    assert symbol_boxes(Tree("slt", ())) == []


def test_large_formulas_have_all_their_boxes() -> None:
    matrix = r"\\".join(["&".join(["x"] * 20)] * 20)
    assert len(symbol_boxes(parse_latex(rf"\begin{{matrix}}{matrix}\end{{matrix}}").tree)) == 400
    assert len(symbol_boxes(parse_latex("x+" * 2000 + "x").tree)) == 4001


def test_a_matrix_that_was_cut_is_printed() -> None:
    matrix = r"\\".join(["&".join(["x"] * 90)] * 20)
    layout = query_layout(rf"\begin{{pmatrix}}{matrix}\end{{pmatrix}}").tree
    assert 0 < len(symbol_boxes(layout)) < 1802
    assert len(symbol_boxes(parse_tree("[M!()2x5,w[V!x,e[V!y]]]"))) == 4


@settings(max_examples=60)
@given(layouts([*LABELS, "M!()2x3", "M!3x2", "M!|", "O!root", "O!enclose", "∑", "∫", "?a"]))
def test_any_tree_can_be_printed(tree: Tree) -> None:
    printed = symbol_boxes(tree)
    assert printed == symbol_boxes(tree)
    for box in printed:
        assert box.left < box.right
        assert box.bottom < box.top
        assert box.left >= -1e-9
