"""Altered views of formulas."""

import numpy as np
import pytest

from porism.structure.graphs.formula_views import GraphCorpus, ViewSpec, graph_corpus, views
from porism.structure.graphs.tree_graphs import FormulaGraphs, TreeGraphs, formula_graphs
from porism.structure.packed_trees import NUMBER, VARIABLE
from tests.structure.graphs.tiny_network import FORMULAS, packed

UNCHANGED = ViewSpec(0, 0, 0, 0)
ALL = np.arange(len(FORMULAS))


@pytest.fixture(scope="module")
def corpus() -> GraphCorpus:
    return graph_corpus(formula_graphs(packed(*FORMULAS)))


def made(corpus: GraphCorpus, spec: ViewSpec, seed: int = 0) -> FormulaGraphs:
    return views(corpus, ALL, spec, np.random.default_rng(seed))


def assert_equal(one: FormulaGraphs, other: FormulaGraphs) -> None:
    for left, right in zip(one, other, strict=True):
        for name in TreeGraphs._fields:
            assert np.array_equal(getattr(left, name), getattr(right, name))


def test_without_changes_a_view_is_the_formula(corpus: GraphCorpus) -> None:
    assert_equal(made(corpus, UNCHANGED), corpus.graphs)
    back = np.array([3, 0, 3])
    layout, _ = views(corpus, back, UNCHANGED, np.random.default_rng(0))
    starts = corpus.graphs.layout.starts
    assert np.diff(layout.starts).tolist() == [starts[n + 1] - starts[n] for n in back]


def test_the_same_seed_gives_the_same_views(corpus: GraphCorpus) -> None:
    assert_equal(made(corpus, ViewSpec(), 5), made(corpus, ViewSpec(), 5))


def test_names_change_alike_in_both_trees_and_stay_different(corpus: GraphCorpus) -> None:
    changed = made(corpus, ViewSpec(1, 0, 0, 0))
    renamed: dict[tuple[int, int], int] = {}
    for old, new in zip(corpus.graphs, changed, strict=True):
        assert np.array_equal(old.parents, new.parents)
        is_variable = old.kinds == VARIABLE
        assert np.array_equal(old.labels[~is_variable], new.labels[~is_variable])
        numbers = np.repeat(ALL, np.diff(old.starts))[is_variable].tolist()
        pairs = zip(old.labels[is_variable].tolist(), new.labels[is_variable].tolist(), strict=True)
        for number, (before, after) in zip(numbers, pairs, strict=True):
            assert renamed.setdefault((number, before), after) == after
    by_formula = [{new for (of, _), new in renamed.items() if of == each} for each in ALL]
    assert sum(map(len, by_formula)) == len(renamed)
    assert any(old != new for (_, old), new in renamed.items())


def test_numbers_change_to_numbers(corpus: GraphCorpus) -> None:
    changed = made(corpus, ViewSpec(0, 1, 0, 0))
    known = set(corpus.numbers.tolist())
    layout = changed.layout
    assert set(layout.labels[layout.kinds == NUMBER].tolist()) <= known
    is_number = corpus.graphs.layout.kinds == NUMBER
    assert np.array_equal(corpus.graphs.layout.labels[~is_number], layout.labels[~is_number])


@pytest.mark.parametrize("spec", [ViewSpec(0, 0, 1, 0), ViewSpec(0, 0, 0, 1), ViewSpec(1, 1, 1, 1)])
def test_a_part_is_a_smaller_tree_of_its_formula(corpus: GraphCorpus, spec: ViewSpec) -> None:
    smaller = 0
    for seed in range(20):
        for old, new in zip(corpus.graphs, made(corpus, spec, seed), strict=True):
            assert_trees(new)
            before, after = np.diff(old.starts), np.diff(new.starts)
            assert (after <= before).all()
            assert (after >= np.minimum(before, 3)).all()
            smaller += int((after < before).sum())
    assert smaller


def assert_trees(graphs: TreeGraphs) -> None:
    numbers = np.repeat(ALL, np.diff(graphs.starts))
    children = np.flatnonzero(graphs.parents >= 0)
    assert (numbers[graphs.parents[children]] == numbers[children]).all()
    assert (graphs.parents[children] < children).all()
    assert (graphs.steps[graphs.parents < 0] == 0).all()
    assert (graphs.steps[children] > 0).all()
    assert (graphs.depths >= 0).all()
