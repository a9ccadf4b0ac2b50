"""Random layout and operator trees for the tests of features."""

from hypothesis import strategies as st

from porism.formula.tree import Edge, Node, Row, Tree, operator

LABELS = ["V!x", "V!y", "N!1", "+", "=", "→", ",", "*", "!", "?", "T!a b", "O!divide", "W!", "V!é"]

_SCRIPTS = [Edge.ABOVE, Edge.BELOW, Edge.OVER, Edge.UNDER, Edge.PRE_ABOVE, Edge.PRE_BELOW]


@st.composite
def _nodes(draw: st.DrawFn, rows: st.SearchStrategy[Row], labels: list[str]) -> Node:
    edges = draw(st.sets(st.sampled_from(_SCRIPTS), max_size=2))
    parts = [(edge, draw(rows)) for edge in Edge if edge in edges]
    cells = draw(st.lists(rows, max_size=3))
    for edge, cell in zip([Edge.WITHIN, Edge.ELEMENT, Edge.ELEMENT], cells, strict=False):
        parts.append((edge, cell))
    return Node(draw(st.sampled_from(labels)), tuple(parts))


def _rows(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Row]:
    return st.lists(nodes, min_size=1, max_size=4).map(tuple)


def layouts(labels: list[str] = LABELS) -> st.SearchStrategy[Tree]:
    """Layout trees of all shapes, made of symbols that repeat often."""
    leaves = _rows(st.sampled_from(labels).map(Node))
    rows = st.recursive(leaves, lambda inner: _rows(_nodes(inner, labels)), max_leaves=6)
    return rows.map(lambda row: Tree("slt", row))


def operators() -> st.SearchStrategy[Tree]:
    """Operator trees with ordered, unordered and unknown operators."""
    leaves = st.sampled_from(["V!x", "V!y", "N!1", "C!infinity", "T!a/b"]).map(Node)
    labels = st.sampled_from(["U!plus", "U!times", "U!eq", "O!SUP", "O!minus", "F!sin", "M!S-2"])
    nodes = st.recursive(
        leaves,
        lambda inner: st.builds(
            lambda label, operands: operator(label, *operands),
            labels,
            st.lists(inner, min_size=1, max_size=4),
        ),
        max_leaves=8,
    )
    return nodes.map(lambda node: Tree("opt", (node,)))


def relabelled(tree: Tree, names: dict[str, str]) -> Tree:
    """The tree with other labels."""

    def row(nodes: Row) -> Row:
        return tuple(
            Node(
                names.get(node.label, node.label),
                tuple((edge, row(inner)) for edge, inner in node.parts),
            )
            for node in nodes
        )

    return Tree(tree.kind, row(tree.row))
