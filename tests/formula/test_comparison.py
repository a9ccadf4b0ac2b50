"""What two formulas share: parts with one number on both sides, renamed variables, and the rest."""

from hypothesis import given, settings
from hypothesis import strategies as st

from porism.formula.comparison import FormulaComparison, compare_formulas
from porism.formula.latex import parse_latex, parse_query
from porism.formula.mathml import presentation_mathml


def compared(query: str, result: str) -> FormulaComparison:
    return compare_formulas(parse_query(query).tree, parse_latex(result).tree)


def test_wildcards_show_what_they_match() -> None:
    comparison = compared("?a^2+?b^2=?c^2", r"x^2+y_1^2=\frac{z}{2}^2+1")
    assert [tuple(each) for each in comparison.wildcards] == [
        ("?a", "x"),
        ("?b", "y_{1}"),
        ("?c", r"\frac{z}{2}"),
    ]
    assert comparison.missing == ()
    assert comparison.extra == ("+1",)
    assert comparison.parts[0].query_latex == "?a^{2}+?b^{2}=?c^{2}"


def test_renamed_variables_and_missing_symbols() -> None:
    comparison = compared(r"\sum_{n=1}^\infty\frac{1}{n^2}", r"\sum_{k=0}^\infty\frac{1}{k^2+1}")
    assert [tuple(each) for each in comparison.renamed] == [("n", "k")]
    assert comparison.missing == ("1",)
    assert comparison.extra == ("0", "+1")


def test_a_gap_begins_another_part_on_both_sides() -> None:
    comparison = compared("f(x)dx+g(y)", r"f(x)dx\cdot h(x)+5g(y)")
    assert [part.result_latex for part in comparison.parts] == ["f(x)dx", "g(y)"]
    html = presentation_mathml(comparison.marked_result())
    assert html.count('class="hit part1"') == html.count('class="hit part2"') == 1
    assert presentation_mathml(comparison.marked_query()).count("hit part2") == 1


def test_large_formulas_are_not_aligned() -> None:
    comparison = compared("+".join("abcdefgh" * 20), "-".join("ijklmnop" * 20))
    assert not comparison.is_aligned
    assert comparison.parts == ()
    assert len(comparison.missing) == 1


def test_nothing_in_common() -> None:
    comparison = compared("x", r"\alpha\to 7")
    assert (comparison.parts, comparison.missing) == ((), ("x",))
    assert comparison.is_aligned


FORMULAS = st.lists(
    st.sampled_from(["a", "b", "x^2", "+", "=", r"\frac{a}{x}", "(b)", r"\sqrt{x}"]),
    min_size=1,
    max_size=7,
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(FORMULAS, FORMULAS)
def test_every_symbol_is_shared_or_left_over(query: str, result: str) -> None:
    comparison = compared(query, result)
    one, other = (len(list(tree.nodes())) for tree in (comparison.query, comparison.result))
    for size, parts in (
        (one, [part.query for part in comparison.parts]),
        (other, [part.result for part in comparison.parts]),
    ):
        places = [place for part in parts for place in part]
        assert len(places) == len(set(places))
        assert set(places) <= set(range(size))
    assert (comparison.matched_symbols == one) == (not comparison.missing)
    assert comparison.marked_result() == comparison.result
