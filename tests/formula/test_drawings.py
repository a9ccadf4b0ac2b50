"""Trees drawn as text."""

from porism.formula.drawings import MAX_LABEL, drawing
from porism.formula.tree import Edge, Node, Tree, operator, parse_tree

X = Node("V!x")


def test_nested_rows_keep_their_lines() -> None:
    tree = parse_tree("[O!divide[+[V!y]],o[V!x[+[N!1]],a[N!2]],u[N!2]]")
    assert drawing(tree).splitlines() == [
        "┬ O!divide",
        "│ ├─o─┬ V!x",
        "│ │   │ └─a── N!2",
        "│ │   ├ +",
        "│ │   └ N!1",
        "│ └─u── N!2",
        "├ +",
        "└ V!y",
    ]


def test_cells_of_a_matrix_are_drawn_below_it() -> None:
    tree = parse_tree("[M!()1x2,w[N!0[&comma;],e[N!1]]]")
    assert drawing(tree).splitlines() == [
        "─ M!()1x2",
        "  ├─w─┬ N!0",
        "  │   └ ,",
        "  └─e── N!1",
    ]


def test_operands_have_branches_without_letters() -> None:
    tree = Tree("opt", (operator("U!plus", X, operator("O!minus", Node("N!1"))),))
    assert drawing(tree).splitlines() == [
        "─ U!plus",
        "  ├── V!x",
        "  └── O!minus",
        "      └── N!1",
    ]


def test_empty_tree_draws_nothing() -> None:
    assert drawing(Tree("slt", ())) == ""


def test_long_tree_is_truncated_and_the_rest_counted() -> None:
    lines = drawing(Tree("slt", (X,) * 50_000), max_lines=3).splitlines()
    assert lines == ["┬ V!x", "├ V!x", "├ V!x", "… and 49,997 more nodes"]


def test_tree_of_exactly_the_limit_is_not_truncated() -> None:
    assert drawing(Tree("slt", (X, X)), max_lines=2) == "┬ V!x\n└ V!x"


def test_deep_tree_is_drawn() -> None:
    node = X
    for _ in range(59):
        node = Node("O!root", ((Edge.WITHIN, (node,)),))
    assert len(drawing(Tree("slt", (node,))).splitlines()) == 60


def test_label_takes_one_line_without_control_characters() -> None:
    label = "T!a\n\x1b[31m\x00\ud800" + "b" * 1000
    (line,) = drawing(Tree("slt", (Node(label),))).splitlines()
    assert line.startswith("─ T!a��[31m��bb")
    assert line.endswith("b…")
    assert len(line) == len("─ ") + MAX_LABEL
