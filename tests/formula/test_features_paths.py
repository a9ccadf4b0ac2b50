"""Paths of operator trees: kinds, order, widths, wildcards, and bounds."""

import pytest
from hypothesis import given

from porism.formula.features import leaf_paths, sectors, wildcard_paths
from porism.formula.features.leaf_paths import MAX_LEAVES, MAX_STEPS
from porism.formula.tree import MAX_OPERATOR_DEPTH, Node, Tree, operator, parse_tree
from tests.formula.layout_trees import operators, relabelled


def kinds(text: str) -> list[str]:
    """The paths that name no symbol."""
    return sorted(token for token in leaf_paths(parse_tree(text, "opt")) if "!" not in token)


EXAMPLES = {
    "": [],
    "[V!x]": ["/VAR", "/V!x"],
    "[?x]": ["/*"],
    "[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]": [
        *("/VAR/1/SUP", "/V!x/1/SUP", "/VAR/1/SUP/ADD", "/V!x/1/SUP/ADD"),
        *("/NUM/2/SUP", "/N!2/2/SUP", "/NUM/2/SUP/ADD", "/N!2/2/SUP/ADD"),
        *("/VAR/ADD", "/V!y/ADD"),
    ],
    "[O!divide,0[?a],1[C!infinity]]": ["/*/1/FRAC", "/VAR/2/FRAC", "/C!infinity/2/FRAC"],
    "[F!sin,0[T!a/b]]": ["/TEXT/F!sin", "/T!a&sol;b/F!sin"],
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_worked_example(text: str) -> None:
    assert leaf_paths(parse_tree(text, "opt")) == EXAMPLES[text]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[U!eq,0[V!x],1[N!1]]", "[O!leq,0[N!1],1[V!y]]"),  # all relations are one kind
        ("[U!plus,0[V!a],1[O!minus,0[V!b]]]", "[U!plus,0[V!b],1[V!a]]"),  # signs of terms
        ("[O!minus,0[V!a],1[V!b]]", "[U!plus,0[V!b],1[V!a]]"),  # Content MathML's difference
        ("[O!int,0[V!x]]", "[O!contour-integral,0[V!x]]"),
    ],
)
def test_variants_have_equal_kinds(one: str, other: str) -> None:
    assert kinds(one) == kinds(other)


def test_order_of_ordered_operands_matters() -> None:
    assert kinds("[O!SUP,0[V!x],1[N!2]]") != kinds("[O!SUP,0[N!2],1[V!x]]")
    assert kinds("[U!times,0[V!x],1[N!2]]") == kinds("[U!times,0[N!2],1[V!x]]")


def test_sectors_have_widths_and_symbols() -> None:
    tree = parse_tree("[U!times,0[V!x],1[U!plus,0[V!x],1[V!y],2[V!x],3[N!1]]]", "opt")
    by_path = {(sector.path, sector.root): sector for sector in sectors(tree)}
    terms = by_path["/VAR/ADD", 1]
    assert (terms.width, terms.root_width) == (3, 4)
    assert terms.symbols == (("V!x", 2), ("V!y", 1))
    assert by_path["/VAR/ADD/TIMES", 0].root_width == 5
    assert by_path["/VAR/TIMES", 0].width == 1


@given(operators())
def test_widths_add_up_to_the_leaves_below(tree: Tree) -> None:
    all_sectors = sectors(tree)
    for root in {sector.root for sector in all_sectors}:
        below = [sector for sector in all_sectors if sector.root == root]
        assert {sector.root_width for sector in below} == {sum(sector.width for sector in below)}


@given(operators())
def test_renaming_a_letter_changes_only_paths_that_name_it(tree: Tree) -> None:
    renamed = leaf_paths(relabelled(tree, {"V!x": "V!new"}))
    assert [token.replace("V!new", "V!x") for token in renamed] == leaf_paths(tree)


@given(operators())
def test_formula_matches_its_wildcard_query(formula: Tree) -> None:
    query = relabelled(formula, {"V!x": "?a"})
    assert {*leaf_paths(query)} <= {"/*", *leaf_paths(formula), *wildcard_paths(formula)}


def test_wildcard_may_match_a_whole_operand() -> None:
    query = parse_tree("[O!divide,0[?a],1[?b]]", "opt")
    formula = parse_tree("[O!divide,0[U!plus,0[V!x],1[V!y]],1[O!SUP,0[V!x],1[N!2]]]", "opt")
    assert {*leaf_paths(query)} <= {*wildcard_paths(formula)}


def test_wide_and_deep_trees_are_bounded() -> None:
    wide = Tree("opt", (operator("U!plus", *[Node("V!x")] * 50_000),))
    assert len(leaf_paths(wide)) == 2 * MAX_LEAVES
    deep = Node("V!x")
    for _ in range(MAX_OPERATOR_DEPTH):
        deep = operator("O!SUP", deep, *[Node("N!2")] * 3)
    tree = Tree("opt", (deep,))
    for tokens in (leaf_paths(tree), wildcard_paths(tree)):
        assert len(tokens) <= 4 * MAX_LEAVES * MAX_STEPS
