"""Structure search: sectors, scores against a slow reference, pruning, wildcards, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from porism.formula.features import sectors
from porism.formula.features.leaf_paths import MAX_LEAVES
from porism.formula.tree import Node, Tree, operator, parse_tree
from porism.structure.operator_rows import (
    operator_row,
    path_names,
    row_sectors,
    row_words,
)
from porism.structure.sector_match import best_match, match_scale
from porism.structure.sector_query import sector_query
from porism.structure.sector_search import SectorPart, SectorSearch
from tests.structure import slow_sectors

CONSTANTS = (0.2, 0.3, 0.3)


class Formulas:
    """Formulas as a part of an index."""

    def __init__(self, trees: list[Tree]) -> None:
        rows = [operator_row(tree) for tree in trees]
        postings = sorted(
            (key, number, payload)
            for number, row in enumerate(rows)
            for key, payload in row_sectors(row)
        )
        self.keys = np.array([key for key, _, _ in postings], np.uint64)
        words = [row_words(row) for row in rows]
        self.part = SectorPart(
            np.array([number for _, number, _ in postings], np.uint32),
            np.array([payload for _, _, payload in postings], np.uint16),
            np.array([(len(row.leaves), len(row.operators)) for row in rows], np.uint32),
            np.concatenate(words),
            np.cumsum([0, *map(len, words)]),
        )

    def frequencies(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.searchsorted(self.keys, keys, "right") - np.searchsorted(self.keys, keys)

    def best(self, query: Tree, k: int) -> dict[int, float]:
        prepared = sector_query(operator_row(query), self.frequencies, len(self.keys))
        search = SectorSearch(prepared, match_scale(*CONSTANTS), k)
        firsts = np.searchsorted(self.keys, prepared.keys)
        lasts = np.searchsorted(self.keys, prepared.keys, "right")
        allowed = np.ones(len(self.part.sizes), np.uint8)
        rows, scores = search.best(self.part, firsts, lasts, allowed)
        return dict(zip(rows.tolist(), scores.tolist(), strict=True))


_LEAVES = st.sampled_from(["V!x", "V!y", "N!1", "N!2"]).map(Node)
_LABELS = st.sampled_from(["U!plus", "U!times", "O!SUP", "O!divide", "U!eq", "O!leq"])


def trees(leaves: st.SearchStrategy[Node]) -> st.SearchStrategy[Tree]:
    nodes = st.recursive(
        leaves,
        lambda below: st.builds(
            lambda label, operands: operator(label, *operands),
            _LABELS,
            st.lists(below, min_size=2, max_size=3),
        ),
        max_leaves=6,
    )
    return nodes.map(lambda node: Tree("opt", (node,)))


def slow_scores(query: Tree, formulas: list[Tree]) -> dict[int, float]:
    statistics = slow_sectors.collection(formulas)
    own = slow_sectors.subtrees(query)
    scores = {
        number: slow_sectors.formula_score(own, each, statistics, CONSTANTS)
        for number, each in enumerate(statistics.formulas)
    }
    return {number: score for number, score in scores.items() if score > 0}


@given(trees(_LEAVES))
@settings(max_examples=40)
def test_rows_have_the_sectors_of_the_tree(tree: Tree) -> None:
    names = path_names(tree)
    ours = {
        (names[key], payload >> 8): payload & 0xFF
        for key, payload in row_sectors(operator_row(tree))
    }
    expected = {(each.path, each.root): each.width for each in sectors(tree)}
    assert ours == expected or not operator_row(tree).operators


@given(
    trees(_LEAVES | st.sampled_from(["?a", "?b"]).map(Node)),
    st.lists(trees(_LEAVES), min_size=1, max_size=8),
)
@settings(max_examples=60, deadline=None)
def test_scores_equal_the_slow_reference(query: Tree, formulas: list[Tree]) -> None:
    assert Formulas(formulas).best(query, 100) == pytest.approx(slow_scores(query, formulas))


@given(
    trees(_LEAVES | st.just(Node("?a"))),
    st.lists(trees(_LEAVES), min_size=1, max_size=20),
    st.integers(1, 6),
)
@settings(max_examples=60, deadline=None)
def test_pruned_ranking_equals_the_exhaustive_one(
    query: Tree, formulas: list[Tree], k: int
) -> None:
    searched = Formulas(formulas)
    everything = searched.best(query, len(formulas) + 1)
    least = sorted(everything.values(), reverse=True)[:k][-1:]
    expected = {n: score for n, score in everything.items() if score >= least[0]}
    pruned = searched.best(query, k)
    assert {n: score for n, score in pruned.items() if score >= least[0]} == expected


def parsed(text: str) -> Tree:
    return parse_tree(text, "opt")


X2_PLUS_Y = parsed("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]")


def test_formula_matches_itself_and_its_renamed_copy_in_this_order() -> None:
    renamed = parsed("[U!plus,0[O!SUP,0[V!a],1[N!2]],1[V!b]]")
    other = parsed("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[N!1]]")
    scores = Formulas([other, renamed, X2_PLUS_Y]).best(X2_PLUS_Y, 10)
    assert scores[2] == max(scores.values())
    assert scores[1] < scores[2]


def test_part_of_a_larger_formula_has_equal_symbols() -> None:
    larger = parsed(f"[O!divide,0[V!z],1{X2_PLUS_Y}]")
    row = operator_row(X2_PLUS_Y)
    formulas = Formulas([X2_PLUS_Y, larger])
    query = sector_query(row, formulas.frequencies, len(formulas.keys))
    match = best_match(row, query, operator_row(larger), match_scale(*CONSTANTS))
    assert match is not None
    assert match.root == 1
    assert sum(match.widths) == 3
    # Leaves come after operators: x, 2, y of the query are the leaves after z.
    assert sorted(match.pairs) == [(2, 4), (3, 5), (4, 6)]


def test_wildcard_matches_a_whole_operand() -> None:
    query = parsed("[U!eq,0[?a],1[N!2]]")
    formula = parsed(f"[U!eq,0{X2_PLUS_Y},1[N!2]]")
    unlike = parsed("[U!eq,0[N!2],1[N!2]]")
    scores = Formulas([formula, unlike]).best(query, 10)
    assert set(scores) == {0, 1}


def test_equal_wildcards_should_match_equal_operands() -> None:
    query = parsed("[O!divide,0[U!plus,0[?a],1[N!1]],1[?a]]")
    equal = parsed("[O!divide,0[U!plus,0[V!x],1[N!1]],1[V!x]]")
    unequal = parsed("[O!divide,0[U!plus,0[V!x],1[N!1]],1[V!y]]")
    scores = Formulas([equal, unequal]).best(query, 10)
    assert scores[0] > scores[1]


@pytest.mark.parametrize("text", ["[?a]", "[U!plus,0[?a],1[?b]]"])
def test_wildcards_alone_find_nothing(text: str) -> None:
    assert Formulas([X2_PLUS_Y]).best(parsed(text), 10) == {}


def test_one_symbol_finds_formulas_of_one_symbol() -> None:
    formulas = Formulas([X2_PLUS_Y, parsed("[V!y]"), parsed("[V!x]")])
    scores = formulas.best(parsed("[V!x]"), 10)
    assert set(scores) == {1, 2}
    assert scores[2] > scores[1]


def test_large_formulas_are_cut() -> None:
    wide = Tree("opt", (operator("U!plus", *[Node("V!x")] * 2_000),))
    cells = [operator("R!", *[Node(f"V!a{i}{j}") for j in range(20)]) for i in range(20)]
    matrix = Tree("opt", (operator("M!M-20", *cells),))
    formulas = Formulas([wide, matrix, X2_PLUS_Y])
    for query in (wide, matrix):
        assert formulas.best(query, 10)
        assert len(operator_row(query).leaves) == MAX_LEAVES


def test_empty_query_finds_nothing() -> None:
    assert Formulas([X2_PLUS_Y]).best(Tree("opt", ()), 10) == {}
