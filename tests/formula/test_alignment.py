"""The common part of two formulas."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.analysis import query_layout
from porism.formula.alignment import (
    GAP,
    MAX_PAIRS,
    MIN_SCORE,
    OTHER,
    SAME,
    SHAPE,
    common_part,
    with_common_part_marked,
)
from porism.formula.latex import parse_latex
from porism.formula.marks import MarkedSubtree, MarkedSymbol
from porism.formula.tree import Edge, Node, Row, Tree
from tests.formula.layout_trees import layouts

PLAIN = ["V!x", "V!y", "V!z", "N!1", "+", "="]
"""Symbols that have a score each."""


def marked(query: str, result: str) -> str:
    """The labels of the symbols of the common part, in order."""
    tree = parse_latex(result).tree
    places = {pair.result for pair in common_part(query_layout(query).tree, tree).pairs}
    labels = [node.label.split("!")[-1] for node in tree.nodes()]
    return " ".join(label for place, label in enumerate(labels) if place in places)


@pytest.mark.parametrize(
    ("query", "result", "part"),
    [
        ("x^2", r"x^2 \ge 0", "x 2"),
        (r"\sqrt2", r"1+\sqrt{2}", "root 2"),
        ("e^{-x^2}", r"\int e^{-x^2} dx", "e - x 2"),
        # A formula that is a part of the query matches completely.
        (r"\sum_{n=1}^\infty \frac1n = \infty", r"\frac1n", "divide 1 n"),
        # A symbol that has an exponent in only one of them is still the same symbol.
        (r"\frac{\sin x}{x}", r"\frac{\sin^2 x}{x^2}", "divide sin x x"),
        # Of two equally large parts, the one without further rows.
        ("f'(x)", "f''(x)+f'(x)", "f ′ ()1x1 x"),
        # Different commands for symbols that features merge.
        (r"a \leqslant b", r"0 < a \le b", "a ≤ b"),
        # One more symbol after others that differ is not worth the gap, two are.
        ("1+2=3", "1+5=3", "1 + = 3"),
        ("1+2+3", "1+2\\cdot 3", "1 + 2"),
        (
            r"\begin{pmatrix}1&0\\0&1\end{pmatrix}",
            r"\begin{pmatrix}1&2\\0&3\end{pmatrix}",
            "()2x2 1 0",
        ),
    ],
)
def test_equal_symbols_in_equal_positions_are_common(query: str, result: str, part: str) -> None:
    assert marked(query, result) == part


@pytest.mark.parametrize(
    ("query", "result", "part"),
    [
        ("a^2+b^2", "x^2+y^2=z^2", "x 2 + y 2"),
        ("a^2+a", "x^2+y", "x 2 +"),  # one variable cannot replace two
        ("a^2+b", "x^2+x", "x 2 +"),  # nor two for one
        ("x+y", "a+b+x+y+1", "x + y"),  # the same ones first
        ("x^2+y^2=r^2", "y^2+x^2=r^2+x", "y 2 + x 2 = r 2"),
        (r"\sin x", r"\cos x + \sin y", "sin y"),  # names of functions are not variables
    ],
)
def test_variables_are_renamed_one_to_one(query: str, result: str, part: str) -> None:
    assert marked(query, result) == part


@pytest.mark.parametrize(
    ("query", "result", "part"),
    [
        ("?a^2+?b^2", r"c=\sqrt{(x+1)^2+y^2}", "()1x1 2 x + 1 + y 2"),
        (r"\int ?f dx", r"\int \sin(2) dx = 3", "∫ sin ()1x1 2 d x"),  # several symbols
        ("1+?a", r"1+\frac12+y", "1 + divide 1 2"),  # but no more than necessary
    ],
)
def test_wildcards_match_what_is_in_their_place(query: str, result: str, part: str) -> None:
    assert marked(query, result) == part


@pytest.mark.parametrize(
    ("query", "result"),
    [("x^2", "y+1"), ("x", "y+1"), ("ab", "x+y"), ("a+b", "c"), ("x^2+1=0", "1"), ("", "x")],
)
def test_low_scoring_part_is_ignored(query: str, result: str) -> None:
    tree = parse_latex(result).tree
    assert with_common_part_marked(tree, [parse_latex(query).tree]) is None


def test_fully_matched_formula_is_not_marked() -> None:
    tree = parse_latex("x^2+y^2").tree
    assert with_common_part_marked(tree, [parse_latex("a^2+b^2=c^2").tree]) is tree


def test_best_matching_query_is_used() -> None:
    queries = [parse_latex(latex).tree for latex in ("x^2", "y+z=1", "z")]
    marked = with_common_part_marked(parse_latex("x^2+y+z=1").tree, queries)
    assert marked is not None
    kinds = [type(node) for node in marked.row]
    assert kinds == [
        Node,
        Node,
        MarkedSubtree,
        MarkedSubtree,
        MarkedSubtree,
        MarkedSubtree,
        MarkedSubtree,
    ]


def test_symbol_may_be_marked_without_its_rows() -> None:
    marked = with_common_part_marked(
        parse_latex("f(x)=g(x^2)").tree, [parse_latex("f(x)=g(x)").tree]
    )
    assert marked is not None
    assert type(marked.row[-1]) is MarkedSymbol
    assert type(marked.row[-1].row(Edge.WITHIN)[0]) is MarkedSymbol


def test_oversized_formulas_are_not_compared() -> None:
    query = parse_latex("x+1").tree
    large = parse_latex("+".join(["x", *["1"] * MAX_PAIRS])).tree
    assert with_common_part_marked(large, [query]) is None
    assert with_common_part_marked(Tree("slt", large.row[:100]), [query]) is not None


def test_equal_formulas_of_any_size_match_completely() -> None:
    matrix = r"\begin{matrix}" + "&".join(["4+4"] * 6) + r"\end{matrix}"
    for latex in (matrix * 5, "+".join(["x", *["1"] * MAX_PAIRS])):
        tree, equal = parse_latex(latex).tree, parse_latex(latex).tree
        number = len(list(tree.nodes()))
        assert number**2 > MAX_PAIRS
        assert common_part(tree, equal).pairs == tuple((place, place) for place in range(number))
        assert with_common_part_marked(equal, [tree]) is equal


def test_equal_formulas_with_low_scores_do_not_match() -> None:
    roots = Tree("slt", (Node("O!root"),))
    assert common_part(roots, roots).score == 0


def attachments(tree: Tree) -> list[tuple[int, str]]:
    """For each node the position of its parent, and in which of the parent's rows it is."""
    parents: list[tuple[int, str]] = []

    def add(row: Row, above: int, name: str) -> None:
        for node in row:
            place = len(parents)
            parents.append((above, name))
            cells: Counter[Edge] = Counter()
            for edge, below in node.parts:
                add(below, place, f"{edge}{cells[edge]}")
                cells[edge] += 1

    add(tree.row, -1, "")
    return parents


@given(layouts(PLAIN), layouts(PLAIN))
def test_common_part_is_in_both_formulas(query: Tree, result: Tree) -> None:
    pairs = common_part(query, result).pairs
    one, other = list(query.nodes()), list(result.nodes())
    for column in (0, 1):
        assert len({pair[column] for pair in pairs}) == len(pairs)
    renamed = {(one[left].label, other[right].label) for left, right in pairs}
    assert len({name for name, _ in renamed}) == len({name for _, name in renamed}) == len(renamed)
    assert all(name == new or name[:2] == new[:2] == "V!" for name, new in renamed)
    row, other_row = attachments(query), attachments(result)
    roots = set()
    for left, right in pairs:
        if (row[left][0], other_row[right][0]) in pairs:
            assert row[left][1] == other_row[right][1]
        else:
            roots.add((row[left], other_row[right]))
    assert len(roots) <= 1  # everything else is below the nodes of one row
    assert all(left[1] < right[1] for left, right in pairwise(pairs))  # the order is kept


@given(layouts(PLAIN))
def test_formula_matches_itself_completely(tree: Tree) -> None:
    number = len(list(tree.nodes()))
    assert common_part(tree, tree).pairs == tuple((place, place) for place in range(number))
    assert with_common_part_marked(tree, [tree]) is tree


@given(layouts(PLAIN))
def test_formula_in_a_larger_one_is_marked_exactly(tree: Tree) -> None:
    within = (Node("≤"), *tree.row, Node("≥"))
    larger = Tree("slt", (Node("N!7"), Node("O!root", ((Edge.WITHIN, within),)), Node("V!∞")))
    number = len(list(tree.nodes()))
    expected = tuple((place, place + 3) for place in range(number))
    assert common_part(tree, larger).pairs == expected
    if number > 1:  # one symbol of a query is too little
        assert common_part(larger, tree).pairs == tuple((right, left) for left, right in expected)


def matrix(*cells: str) -> Node:
    """A matrix of one line, whose cells have the given digits."""
    edges = (Edge.WITHIN, *[Edge.ELEMENT] * (len(cells) - 1))
    below = (tuple(Node(f"N!{digit}") for digit in cell) for cell in cells)
    return Node(f"M!()1x{len(cells)}", tuple(zip(edges, below, strict=True)))


# The cells of the first two have different lengths, which costs more than a matrix scores.
MATRICES = (matrix(*"333333"), matrix(*["44"] * 6), matrix("1", "23"))
ROWS = st.lists(
    st.sampled_from([*map(Node, ("N!1", "N!2", "+", "=")), *MATRICES]), min_size=2, max_size=5
).map(tuple)


@given(ROWS, ROWS)
@example((MATRICES[0], *map(Node, "=+=")), (MATRICES[1], *map(Node, "=+=")))
@example((MATRICES[1],) * 5, (MATRICES[1],) * 5)  # more than MAX_PAIRS
def test_common_part_has_the_highest_score(query: Row, result: Row) -> None:
    one, other = Tree("slt", query), Tree("slt", result)
    best = max(row_score(row, other_row) for row in rows(query) for other_row in rows(result))
    enough = min(MIN_SCORE, sum(map(symbol_score, one.nodes())))
    assert common_part(one, other).score == (best if best >= enough else 0)


def test_alignment_starts_after_symbols_that_cost_more_than_their_score() -> None:
    left, right = (
        r"\begin{pmatrix}" + r"\\".join(["&".join([cell] * 3)] * 3) + r"\end{pmatrix} = 5+6+7"
        for cell in ("1", "2y")
    )
    common = common_part(parse_latex(left).tree, parse_latex(right).tree)
    assert common.score == len("=5+6+7") * SAME
    assert marked(left, right) == "= 5 + 6 + 7"


def rows(row: Row) -> Iterator[Row]:
    """A row and all rows below it."""
    yield row
    for node in row:
        for _, below in node.parts:
            yield from rows(below)


def row_score(query: Row, result: Row) -> int:
    """The highest score of all alignments of two rows, at least 0."""
    best = 0
    for length in range(1, min(len(query), len(result)) + 1):
        for left in combinations(range(len(query)), length):
            for right in combinations(range(len(result)), length):
                pairs = list(zip(left, right, strict=True))
                if all(query[i].label == result[j].label for i, j in pairs):
                    gaps = sum((k - i, m - j) != (1, 1) for (i, j), (k, m) in pairwise(pairs))
                    score = sum(node_score(query[i], result[j]) for i, j in pairs)
                    best = max(best, score - GAP * gaps)
    return best


def node_score(query: Node, result: Node) -> int:
    """The score of two nodes with the same label, with their rows."""
    cells = [
        (below, other) for (_, below), (_, other) in zip(query.parts, result.parts, strict=True)
    ]
    other_lengths = sum(len(below) != len(other) for below, other in cells)
    score = sum(row_score(below, other) for below, other in cells)
    return symbol_score(query) + score - OTHER * other_lengths


def symbol_score(node: Node) -> int:
    return SHAPE if node.label.startswith("M!") else SAME
