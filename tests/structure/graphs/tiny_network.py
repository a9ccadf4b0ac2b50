"""A small network with fixed weights, made without training, and formulas to encode."""

import numpy as np

from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.structure.graphs.network import GraphNetwork, NetworkSpec
from porism.structure.packed_trees import PackedTrees, packed_trees

SPEC = NetworkSpec(buckets=64, width=16, heads=4, layers=2, dimension=8)

FORMULAS = [
    r"x^2+y^2=z^2",
    r"a^2+b^2=c^2",
    r"\frac{a+b}{2}\ge\sqrt{ab}",
    r"\sum_{n=1}^\infty\frac{1}{n^2}",
    r"\int_0^1 f(x)\,dx",
    r"e^{i\pi}+1=0",
    r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    r"f(x)=3x+7",
]


def tiny_network(seed: int = 0) -> GraphNetwork:
    """Return a network with random weights, of which some are zero without training."""
    random = np.random.default_rng(seed)
    weights = {
        name: random.normal(0, 0.4, shape).astype(np.float32)
        for name, shape in SPEC.shapes().items()
    }
    return GraphNetwork(SPEC, weights)


def packed(*formulas: str) -> PackedTrees:
    """Return the trees of formulas."""
    rows = []
    for latex in formulas:
        layout = parse_latex(latex).tree
        rows.append(packed_trees(layout, operator_tree(layout)))
    starts = np.cumsum([0, *map(len, rows)])
    return PackedTrees(np.array([each for row in rows for each in row], np.uint64), starts)
