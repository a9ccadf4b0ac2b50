"""The comparison of two formulas as HTML."""

from porism.formula.comparison import compare_formulas
from porism.formula.latex import parse_latex, parse_query
from porism.pages.comparison_html import comparison_html


def html(query: str, result: str) -> str:
    return comparison_html(compare_formulas(parse_query(query).tree, parse_latex(result).tree))


def test_shared_parts_have_one_colour_on_both_sides() -> None:
    assert html("a+b=?c", "x+y=z^2").count('class="hit part1"') == 2


def test_renamed_missing_and_wildcards_are_listed() -> None:
    text = html("a+b+?c=1", "x+y+z")
    assert [text.count(f"<dt>{name}</dt>") for name in ("Renamed", "Wildcards", "Missing")] == [
        1,
        1,
        1,
    ]


def test_nothing_shared_is_empty() -> None:
    assert html("x", "7") == ""


def test_a_part_that_is_no_formula_is_escaped() -> None:
    assert "<script" not in html(r"a+b+\text{<script>}", "a+b")
