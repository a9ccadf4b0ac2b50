"""Formula trees as SVG."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.tree import Node, Tree, operator, parse_tree
from porism.pages.tree_svg import MAX_NODES, tree_svg

SVG = "{http://www.w3.org/2000/svg}"


def svg_of(tree: Tree) -> etree._Element:
    return etree.fromstring(tree_svg(tree).replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1))


def labels(root: etree._Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text") if text.get("class") != "edge"]


def edge_names(root: etree._Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text") if text.get("class") == "edge"]


def positions(root: etree._Element) -> dict[str, tuple[float, float]]:
    """The centre of each unique label."""
    return {
        text.text or "": (float(str(text.get("x"))), float(str(text.get("y"))))
        for text in root.iter(f"{SVG}text")
        if text.get("class") != "edge"
    }


def test_an_operator_is_centred_above_its_operands() -> None:
    at = positions(svg_of(parse_tree("[U!plus,0[V!x],1[V!y]]", "opt")))
    assert at["plus"][1] < at["x"][1] == at["y"][1]
    assert at["x"][0] < at["plus"][0] < at["y"][0]
    assert at["plus"][0] - at["x"][0] == pytest.approx(at["y"][0] - at["plus"][0])


def test_a_row_goes_from_left_to_right_with_scripts_below() -> None:
    root = svg_of(parse_tree("[V!x[+[V!y]],a[N!2]]"))
    at = positions(root)
    assert at["x"][1] == at["+"][1] == at["y"][1] < at["2"][1]
    assert at["x"][0] < at["+"][0] < at["y"][0]
    assert edge_names(root) == ["above"]
    assert len(list(root.iter(f"{SVG}path"))) == 3  # two neighbours and one edge


def test_kinds_are_classes_and_not_part_of_the_label() -> None:
    svg = tree_svg(parse_tree("[V!x[N!2[T!if]]]"))
    for kind, text in (("variable", "x"), ("number", "2"), ("text", "if")):
        assert re.search(rf'<g class="{kind}"><rect [^>]*/><text [^>]*>{text}</text></g>', svg)


def test_the_drawing_has_a_title_and_the_text_colour() -> None:
    svg = tree_svg(parse_tree("[U!plus,0[V!x],1[V!y]]", "opt"))
    assert 'role="img"' in svg
    assert "<title>Operator tree of 3 symbols</title>" in svg
    assert "#" not in svg
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg)) == {"none", "currentColor"}
    assert " id=" not in svg


def test_labels_are_escaped() -> None:
    svg = tree_svg(Tree("slt", (Node("T!</text><script>\0"),)))
    assert "<script" not in svg
    assert "&lt;/text&gt;&lt;script&gt;\N{REPLACEMENT CHARACTER}" in svg


def test_an_empty_tree_gives_no_drawing() -> None:
    assert tree_svg(Tree("slt", ())) == ""


@pytest.mark.parametrize(
    "tree",
    [
        parse_latex("+".join("x" * 2000)).tree,
        Tree("opt", (operator("U!plus", *[Node("V!x")] * 2000),)),
        operator_tree(parse_latex("+".join(f"x^{{{n}}}" for n in range(1000))).tree),
    ],
)
def test_a_large_tree_is_cut_far_from_the_root(tree: Tree) -> None:
    root = svg_of(tree)
    assert labels(root).count("…") >= 1
    assert len([label for label in labels(root) if label != "…"]) == MAX_NODES
    assert len(labels(root)) <= 2 * MAX_NODES + 1


def test_a_long_label_is_cut() -> None:
    (label,) = labels(svg_of(Tree("slt", (Node("T!" + "x" * 500),))))
    assert label == "x" * 23 + "…"


nodes = st.recursive(
    st.sampled_from(["V!x", "N!12", "+", "T!some words", "M!()2x2", "W!"]).map(Node),
    lambda below: st.builds(
        lambda label, operands: operator(label, *operands),
        st.sampled_from(["U!plus", "O!SUP", "F!sin", "M!M-2x2", "M!R!", "+!O!sum"]),
        st.lists(below, min_size=1, max_size=4),
    ),
    max_leaves=40,
)


@given(nodes)
def test_labels_do_not_overlap_and_are_within_the_drawing(node: Node) -> None:
    root = svg_of(Tree("opt", (node,)))
    _, _, width, height = map(float, str(root.get("viewBox")).split())
    by_level: dict[float, list[tuple[float, float]]] = {}
    for box in root.iter(f"{SVG}rect"):
        left, top, wide = (float(str(box.get(name))) for name in ("x", "y", "width"))
        assert 0 <= left <= left + wide <= width
        assert 0 <= top <= height - float(str(box.get("height")))
        by_level.setdefault(top, []).append((left, left + wide))
    for boxes in by_level.values():
        for (_, end), (begin, _) in pairwise(sorted(boxes)):
            assert end < begin


@given(nodes)
def test_equal_trees_give_equal_drawings(node: Node) -> None:
    assert tree_svg(Tree("opt", (node,))) == tree_svg(Tree("opt", (node,)))
