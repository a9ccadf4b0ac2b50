"""Terms of subformulas: canonical order, unification, depth and bounds."""

import pytest
from hypothesis import given, settings

from porism.analysis import FormulaTokens, query_layout, query_tokens
from porism.analysis.formula_tokens import MAX_TERM
from porism.formula.features.subformulas import (
    MAX_SUBFORMULA_DEPTH,
    MAX_SUBFORMULAS,
    UNIFICATIONS,
    subformula_terms,
)
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.tree import Tree
from tests.formula.layout_trees import operators


def terms(latex: str) -> list[str]:
    return subformula_terms(operator_tree(query_layout(latex).tree))


def whole(latex: str, unified: str) -> str:
    """The text of a whole formula; that of the widest unification that changes something."""
    names = [each.name for each in UNIFICATIONS]
    texts = dict(term[1:].split(":", 1) for term in terms(latex) if term[0] == "0")
    return next(
        texts[name] for name in reversed(names[: names.index(unified) + 1]) if name in texts
    )


def test_every_operand_is_a_subformula_with_its_depth() -> None:
    written = [term for term in terms(r"\sqrt{x^2+1}") if term.partition(":")[0].isdigit()]
    assert written == ["0:root(plus(1,SUP(x,2)),2)", "1:plus(1,SUP(x,2))", "2:SUP(x,2)", "3:x",
                       "3:2", "2:1", "1:2"]  # fmt: skip


def test_the_order_of_commutative_operands_does_not_matter() -> None:
    assert sorted(terms("a+b^2=c")) == sorted(terms("c=b^2+a"))
    assert set(terms("a-b")) != set(terms("b-a"))


@pytest.mark.parametrize(
    ("one", "other", "unified"),
    [
        ("x^2+y", "b^2+a", "v"),
        ("y+x^2", "x^2+y", ""),
        ("f(x)=y", "g(t)=s", "v"),
        ("x^2+3", "y^5+1", "vc"),
        ("x^2<3", "y^5=1", "vco"),
        ("a+b", "a-b", "vco"),
        ("?a^2+1", "n^2+1", "v"),
    ],
)
def test_formulas_that_are_equal_up_to(one: str, other: str, unified: str) -> None:
    assert whole(one, unified) == whole(other, unified)
    names = [each.name for each in UNIFICATIONS]
    for less in names[: names.index(unified)]:
        assert whole(one, less) != whole(other, less)


def test_variables_are_renamed_consistently() -> None:
    assert whole("x+x^2", "vco") == whole("y+y^2", "vco")
    assert whole("x+x^2", "vco") != whole("x+y^2", "vco")


def test_a_lone_symbol_is_not_unified() -> None:
    assert terms("x") == ["0:x"]
    assert terms("?x") == ["0:?x"]


def test_large_formulas_have_a_bounded_number_of_terms() -> None:
    matrix = r"\\".join(["&".join(["x_1"] * 20)] * 20)
    for latex in (rf"\begin{{pmatrix}}{matrix}\end{{pmatrix}}", "x+" * 1000 + "x", r"\sqrt{" * 40):
        made = subformula_terms(operator_tree(parse_latex(latex).tree))
        assert 0 < len(made) <= MAX_SUBFORMULAS * len(UNIFICATIONS)
        assert max(int(term[0]) for term in made) <= MAX_SUBFORMULA_DEPTH


def test_tokens_of_long_terms_are_hashed() -> None:
    tokens = query_tokens(FormulaTokens.SUBFORMULAS, "x^2").tokens
    assert tokens == ["~0:SUP(x,2)", "~0v:SUP(#1,2)", "~0vc:SUP(#1,#)", "~1:x", "~1:2"]
    one = query_tokens(FormulaTokens.SUBFORMULAS, "x^2+y^2=z^2").tokens
    other = query_tokens(FormulaTokens.SUBFORMULAS, "z^2=y^2+x^2").tokens
    assert one[0] == other[0]
    assert len(one[0]) == len("~0:") + MAX_TERM
    assert len({token for token in one if token.startswith("~0")}) == 4


def test_refused_formulas_have_no_terms() -> None:
    assert query_tokens(FormulaTokens.SUBFORMULAS, "{" * 200).tokens == []


@settings(max_examples=60)
@given(operators())
def test_the_plain_terms_are_the_subtrees(tree: Tree) -> None:
    made = subformula_terms(tree)
    assert made == subformula_terms(tree)
    plain = [term for term in made if term.partition(":")[0].isdigit()]
    assert len(plain) == len(list(tree.nodes()))
