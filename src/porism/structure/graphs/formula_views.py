"""Altered views of formulas, by which an encoder learns which formulas are similar.

Two views of one formula should have similar vectors, views of different formulas should not. A view
has other names of variables, other numbers, only a part of the formula, or lacks a part; each with
a chance of its own. Names and numbers change alike in both trees. Parts are chosen in each tree by
itself, because the two trees of one part are not known; so each tree learns from its own views.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.structure.graphs.tree_graphs import FormulaGraphs, TreeGraphs, ranges, subtree_sizes
from porism.structure.packed_trees import NUMBER, VARIABLE

Numbers = NDArray[np.int64]

POOL = 64
"""The most frequent names of variables, and numbers, that others are replaced by."""

MIN_PART = 3
"""Nodes of a part, and of what is left without a part: one symbol says nothing about a formula."""

TRIES = 4
"""Draws of a node to cut at; a formula for which all fail stays whole."""


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """The chance of each change of a formula; the defaults are the published ones."""

    rename: float = 0.4
    numbers: float = 0.3
    crop: float = 0.3
    drop: float = 0.15


class GraphCorpus(NamedTuple):
    """Formulas to make views of, with the sizes of all subtrees and the pools of labels."""

    graphs: FormulaGraphs
    layout_sizes: Numbers
    operator_sizes: Numbers
    variables: NDArray[np.uint32]
    numbers: NDArray[np.uint32]

    @property
    def formulas(self) -> int:
        """The number of formulas."""
        return self.graphs.layout.graphs


def graph_corpus(graphs: FormulaGraphs) -> GraphCorpus:
    """Return formulas with what their views need."""
    return GraphCorpus(
        graphs,
        subtree_sizes(graphs.layout),
        subtree_sizes(graphs.operators),
        _frequent(graphs.layout, VARIABLE),
        _frequent(graphs.layout, NUMBER),
    )


def _frequent(graphs: TreeGraphs, kind: int) -> NDArray[np.uint32]:
    labels, counts = np.unique(graphs.labels[graphs.kinds == kind], return_counts=True)
    return labels[np.argsort(-counts, kind="stable")[:POOL]]


def views(
    corpus: GraphCorpus, formulas: Numbers, spec: ViewSpec, random: np.random.Generator
) -> FormulaGraphs:
    """Return one view of each of some formulas."""
    layout, operators = corpus.graphs
    lines = _shortened(_cropped(layout, corpus.layout_sizes, formulas, spec.crop, random), random)
    terms = _cropped(operators, corpus.operator_sizes, formulas, spec.crop, random)
    changed = FormulaGraphs(
        _without_branches(layout, corpus.layout_sizes, lines, spec.drop, random),
        _without_branches(operators, corpus.operator_sizes, terms, spec.drop, random),
    )
    changed = _relabelled(changed, VARIABLE, corpus.variables, spec.rename, random)
    return _relabelled(changed, NUMBER, corpus.numbers, spec.numbers, random)


class _Parts(NamedTuple):
    """A range of nodes of each formula, and whether it is only a part of the formula."""

    firsts: Numbers
    lasts: Numbers
    is_part: NDArray[np.bool_]


def _cropped(
    graphs: TreeGraphs,
    sizes: Numbers,
    formulas: Numbers,
    chance: float,
    random: np.random.Generator,
) -> _Parts:
    """Return the nodes of each formula, of some only a subtree, which is a range of nodes."""
    firsts, lasts = graphs.starts[formulas], graphs.starts[formulas + 1]
    is_wanted = random.random(len(formulas)) < chance
    roots = _drawn(firsts, lasts, is_wanted, sizes, MIN_PART, random)
    is_part = roots > firsts
    return _Parts(
        np.where(is_part, roots, firsts), np.where(is_part, roots + sizes[roots], lasts), is_part
    )


def _shortened(parts: _Parts, random: np.random.Generator) -> _Parts:
    """Return parts of layouts cut at their ends, at most by half.

    A subtree of a layout is the whole rest of a line: without this no part would end before it.
    """
    counts = parts.lasts - parts.firsts
    shares = 0.5 + 0.5 * random.random(len(counts))
    kept = np.minimum(counts, np.maximum(MIN_PART, np.ceil(counts * shares).astype(np.int64)))
    return parts._replace(lasts=np.where(parts.is_part, parts.firsts + kept, parts.lasts))


def _without_branches(
    graphs: TreeGraphs, sizes: Numbers, parts: _Parts, chance: float, random: np.random.Generator
) -> TreeGraphs:
    """Return the graphs of parts, some without a subtree; most of each part is kept."""
    firsts, lasts, _ = parts
    counts = lasts - firsts
    is_wanted = random.random(len(firsts)) < chance
    holes = _drawn(firsts + 1, lasts, is_wanted, sizes, 1, random)
    ends = np.minimum(lasts, holes + sizes[holes])
    is_cut = (holes >= 0) & (counts - (ends - holes) >= np.maximum(MIN_PART, counts // 2))
    places, starts = ranges(firsts, counts)
    hole, end = np.where(is_cut, (holes, ends), lasts)
    is_kept = (places < np.repeat(hole, counts)) | (places >= np.repeat(end, counts))
    return _kept_nodes(graphs, places, starts, is_kept)


def _drawn(
    firsts: Numbers,
    lasts: Numbers,
    is_wanted: NDArray[np.bool_],
    sizes: Numbers,
    least: int,
    random: np.random.Generator,
) -> Numbers:
    """Return a node of each range with ``least`` nodes below it, -1 where none is wanted."""
    drawn = np.full(len(firsts), -1)
    for _ in range(TRIES):
        nodes = firsts + (random.random(len(firsts)) * (lasts - firsts)).astype(np.int64)
        is_open = is_wanted & (drawn < 0) & (nodes < lasts)
        is_open[is_open] = sizes[nodes[is_open]] >= least
        drawn[is_open] = nodes[is_open]
    return drawn


def _kept_nodes(
    graphs: TreeGraphs, places: Numbers, starts: Numbers, is_kept: NDArray[np.bool_]
) -> TreeGraphs:
    """Return graphs of the nodes at ``places`` that are kept; one without its parent is a root."""
    before = np.concatenate([[0], np.cumsum(is_kept)])
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    # A range is one of consecutive nodes, so a parent is as far before its child as in the corpus.
    moved = np.arange(len(places)) + graphs.parents[places] - places
    has_parent = (graphs.parents[places] >= 0) & (moved >= starts[owners])
    moved = np.where(has_parent, moved, 0)
    has_parent &= is_kept[moved]
    places, owners = places[is_kept], owners[is_kept]
    moved, has_parent = moved[is_kept], has_parent[is_kept]
    new_starts = before[starts]
    depths = graphs.depths[places]
    roots = np.minimum(new_starts[:-1], max(0, len(places) - 1))
    return TreeGraphs(
        graphs.labels[places],
        graphs.kinds[places],
        np.where(has_parent, graphs.steps[places], 0).astype(np.uint8),
        (depths - depths[roots][owners]).astype(np.int16),
        np.where(has_parent, before[moved], -1),
        new_starts,
    )


def _relabelled(
    graphs: FormulaGraphs,
    kind: int,
    pool: NDArray[np.uint32],
    chance: float,
    random: np.random.Generator,
) -> FormulaGraphs:
    """Return graphs of which some have other labels of a kind, different ones for different ones.

    Where a formula has more labels of the kind than the pool, some of them become equal.
    """
    count = graphs.layout.graphs
    is_wanted = random.random(count) < chance
    offsets = random.integers(0, max(1, len(pool)), count)
    order = random.permutation(pool)
    sizes = [len(each.labels) for each in graphs]
    owners = np.concatenate([np.repeat(np.arange(count), np.diff(each.starts)) for each in graphs])
    labels = np.concatenate([each.labels for each in graphs])
    is_changed = np.concatenate([each.kinds == kind for each in graphs]) & is_wanted[owners]
    if not is_changed.any():
        return graphs
    pairs = owners[is_changed] << 32 | labels[is_changed].astype(np.int64)
    known, places = np.unique(pairs, return_inverse=True)
    formulas = known >> 32
    numbers = np.arange(len(known)) - np.searchsorted(formulas, formulas)
    labels[is_changed] = order[(offsets[formulas] + numbers) % len(order)][places]
    layout, operators = np.split(labels, [sizes[0]])
    return FormulaGraphs(
        graphs.layout._replace(labels=layout), graphs.operators._replace(labels=operators)
    )
