"""The tree type and Tangent's notation: our strings and those of Tangent's files read back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.shared_data import table
from porism.errors import FormatError
from porism.formula.tree import BLANK, Edge, Node, Tree, operator, parse_tree

LABELS = st.text(min_size=1, max_size=4) | st.sampled_from(
    ["V!x", "N!2", "+", ",", "[", "]", "M!()1x2", "&comma;", "&amp;", "T!a b", "&"]
)
PLAIN_EDGES = [Edge.ABOVE, Edge.BELOW, Edge.OVER, Edge.UNDER, Edge.PRE_ABOVE, Edge.PRE_BELOW]


def layout_rows(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[tuple[Node, ...]]:
    return st.lists(nodes, min_size=1, max_size=3).map(tuple)


def layout_nodes(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Nodes with rows on some edges, in order, and perhaps cells."""
    rows = layout_rows(inner)
    hanging = st.lists(st.sampled_from(PLAIN_EDGES), unique=True, max_size=3).map(sorted_edges)

    def with_rows(edges: list[Edge]) -> st.SearchStrategy[Node]:
        parts = st.tuples(*(st.tuples(st.just(edge), rows) for edge in edges))
        cells = st.lists(rows, max_size=3).map(as_cells)
        return st.builds(lambda label, p, c: Node(label, p + c), LABELS, parts, cells)

    return hanging.flatmap(with_rows)


def sorted_edges(edges: list[Edge]) -> list[Edge]:
    return [edge for edge in Edge if edge in edges]


def as_cells(rows: list[tuple[Node, ...]]) -> tuple[tuple[Edge, tuple[Node, ...]], ...]:
    return tuple((Edge.ELEMENT if place else Edge.WITHIN, row) for place, row in enumerate(rows))


LAYOUTS = layout_rows(st.recursive(LABELS.map(Node), layout_nodes, max_leaves=12))
OPERATORS = st.recursive(
    LABELS.map(operator),
    lambda inner: st.builds(
        lambda label, operands: operator(label, *operands), LABELS, st.lists(inner, max_size=8)
    ),
    max_leaves=20,
)


@given(LAYOUTS)
def test_layout_tree_reads_back_from_its_string(row: tuple[Node, ...]) -> None:
    tree = Tree("slt", row)
    assert parse_tree(str(tree)) == tree


@given(OPERATORS)
def test_operator_tree_reads_back_from_its_string(node: Node) -> None:
    tree = Tree("opt", (node,))
    assert parse_tree(str(tree), "opt") == tree


def test_operands_are_numbered_by_one_character_as_in_tangent() -> None:
    node = operator("U!plus", *(operator(f"N!{i}") for i in range(64)))
    text = str(Tree("opt", (node,)))
    for piece in (",9[N!9]", ",A[N!10]", ",Z[N!35]", ",a[N!36]", ",z[N!61]", ",62[N!62]"):
        assert piece in text


def test_cells_are_chained_by_their_first_symbols() -> None:
    cells = ((Edge.WITHIN, (Node("V!a"), Node("+"))), (Edge.ELEMENT, (BLANK,)))
    assert str(Tree("slt", (Node("M!1x2", cells),))) == "[M!1x2,w[V!a[+],e[W!]]]"


def test_nodes_precede_their_rows() -> None:
    tree = parse_tree("[V!x[+[V!y]],a[N!2]]")
    assert [node.label for node in tree.nodes()] == ["V!x", "N!2", "+", "V!y"]


def test_row_of_a_hundred_thousand_symbols_is_not_deep() -> None:
    tree = Tree("slt", (Node("V!x"),) * 100_000)
    assert parse_tree(str(tree)) == tree


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "expected"),
        ("[V!x", "not closed"),
        ("[V!x]]", "was not opened"),
        ("[V!x][V!y]", "second tree"),
        ("[V!x,q[V!y]]", "no edge q"),
        ("[V!x,a[V!y],a[V!z]]", "occurs twice"),
        ("[V!x,e[V!y]]", "cells outside a matrix"),
        ("[V!x,a[V!y,e[V!z]]]", "cells outside a matrix"),
        ("[V!x" + ",a[V!x" * 500, "too deeply"),
    ],
)
def test_malformed_string_is_rejected_with_its_position(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        parse_tree(text)


def test_operands_out_of_order_are_rejected() -> None:
    with pytest.raises(FormatError, match="operand 2 is out of order"):
        parse_tree("[U!plus,0[V!x],2[V!y]]", "opt")


def test_strings_of_tangent_read_back_exactly(shared: Path) -> None:
    rows = list(table(shared / "data/qrels/task2_2020_judged_formulas_slt_opt.tsv.gz"))
    quoted = 0
    for row in rows[::5]:
        for kind, text in (("slt", row["slt"]), ("opt", row["opt"])):
            if not text.startswith("["):  # some are missing, some carry quotation marks of a CSV
                quoted += 1
                continue
            assert str(parse_tree(text, "slt" if kind == "slt" else "opt")) == text
    assert quoted < 0.01 * len(rows)
