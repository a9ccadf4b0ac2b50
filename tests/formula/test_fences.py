"""Pairs of fences, beyond the cases in test_latex."""

import pytest

from porism.formula.fences import fenced
from porism.formula.latex import parse_latex
from porism.formula.tree import Edge, Node


@pytest.mark.parametrize(
    ("latex", "layout"),
    [
        ("f([0,1))", "[V!f[M!()1x1,w[M!&lsqb;)1x2,w[N!0[&comma;],e[N!1]]]]]"),
        ("(a]", "[([V!a[&rsqb;]]]"),
        ("([)]", "[M!()1x1[&rsqb;],w[&lsqb;]]"),
        ("(a,(b,c))", "[M!()1x2,w[V!a[&comma;],e[M!()1x2,w[V!b[&comma;],e[V!c]]]]]"),
        ("(,)", "[M!()1x2,w[&comma;,e[W!]]]"),
        ("|x+|y||", "[M!||1x1,w[V!x[+[M!||1x1,w[V!y]]]]]"),
        ("||x||", "[M!||1x1,w[M!||1x1,w[V!x]]]"),
        ("|x|^2=|y|", "[M!||1x1[=[M!||1x1,w[V!y]]],a[N!2],w[V!x]]"),
        ("a|b,c|d", "[V!a[|[V!b[&comma;[V!c[|[V!d]]]]]]]"),
        (r"\{x||x|<1\}", "[M!{}1x1,w[V!x[|[M!||1x1[<[N!1]],w[V!x]]]]]"),
        ("|", "[|]"),
        (r"f|_0", "[V!f[|,b[N!0]]]"),
        ("n!|x|", "[V!n[![M!||1x1,w[V!x]]]]"),
        (r"\{", "[{]"),
    ],
)
def test_fences_pair_as_people_read_them(latex: str, layout: str) -> None:
    assert str(parse_latex(latex).tree) == layout


def test_bare_matrix_between_fences_absorbs_them() -> None:
    matrix = Node("M!2x1", ((Edge.WITHIN, (Node("V!a"),)), (Edge.ELEMENT, (Node("V!b"),))))
    assert fenced([Node("("), matrix, Node(")")]) == [Node("M!()2x1", matrix.parts)]
    assert fenced([Node("{"), matrix]) == [Node("M!{2x1", matrix.parts)]


@pytest.mark.parametrize("row", ["(", "[", "|", "([", "[)", "|)", "{|"])
def test_long_rows_of_unpaired_fences_take_linear_time(row: str) -> None:
    # Pairing that looked back or ahead without bound would take minutes here.
    nodes = [Node(char) for char in row * 50_000]
    assert fenced(nodes)
