"""The limits of query formulas: larger ones are cut, with a message."""

from itertools import islice
from random import Random

import pytest

from fuzz.query_cost import MAX_LENGTH, queries
from porism import deadlines
from porism.analysis import NO_TREE, FormulaTokens, query_layout, query_tokens
from porism.analysis.query_formulas import MAX_NODES, MAX_TOKENS, MIN_NODES, count_nodes
from porism.deadlines import Cancelled, Deadline
from porism.formula.latex import parse_latex

EXPLODING = r"\def\a#1{#1#1#1#1#1#1#1#1#1}\a{\a{\a{\a{xyzw}}}}"
FLAT = "x+" * 1000
NESTED = r"\frac{" * 30 + "xy" * 500 + "}{z}" * 30


def test_macro_expansion_is_limited_by_the_length_of_the_query() -> None:
    short = r"\def\a#1{#1#1#1#1}\a{\a{\a{\a{x}}}}"
    assert count_nodes(query_layout(short).tree.row) <= MIN_NODES
    usual, problems = query_layout(r"\R^n \to \R^m", r"\def\R{\mathbb R}")
    assert count_nodes(usual.row) == 5
    assert problems == ()


@pytest.mark.parametrize("latex", [EXPLODING, FLAT, NESTED], ids=["exploding", "flat", "nested"])
def test_large_query_formulas_are_cut_with_a_message(latex: str) -> None:
    layout, problems = query_layout(latex)
    assert count_nodes(layout.row) <= MAX_NODES
    assert problems
    for kind in FormulaTokens:
        assert len(query_tokens(kind, latex).tokens) <= MAX_TOKENS


def test_a_cut_formula_begins_like_the_whole_formula() -> None:
    layout, problems = query_layout(FLAT)
    assert layout.row == parse_latex(FLAT).tree.row[:MAX_NODES]
    assert [problem.message for problem in problems] == [
        "the formula has 2,000 symbols; only the first 600 are searched for"
    ]
    nested, _ = query_layout(NESTED)
    assert count_nodes(nested.row) == MAX_NODES
    assert str(nested)[:100] == str(parse_latex(NESTED).tree)[:100]


def test_documents_keep_their_own_limit_of_macro_expansion() -> None:
    assert count_nodes(parse_latex(EXPLODING).tree.row) == 4 * 9**4


def test_analyzing_a_query_formula_obeys_a_deadline() -> None:
    cancelled = Deadline(None)
    cancelled.cancel()
    with deadlines.limited(cancelled):
        with pytest.raises(Cancelled):
            query_tokens(FormulaTokens.L8, "x^2")
        with pytest.raises(Cancelled):
            query_layout(r"x^2 + \text{never parsed before}")


def test_a_refused_formula_has_no_tree() -> None:
    tree, (problem,) = query_layout("x^" * 100)
    assert tree == NO_TREE
    assert "nested more than" in problem.message


def test_tokens_are_proportional_to_the_length_of_a_query() -> None:
    for query in islice(queries(Random(0)), 2000):
        assert 0 < len(query) <= MAX_LENGTH
        layout, _ = query_layout(query)
        assert count_nodes(layout.row) <= min(MAX_NODES, max(MIN_NODES, len(query)))
