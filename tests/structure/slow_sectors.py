"""The score of Approach0's structure search, slowly, from its description alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import NamedTuple

from porism.formula.features.leaf_paths import leaf_kind, path_tree
from porism.formula.tree import Tree


class Leaf(NamedTuple):
    """A leaf below a root: its path, its symbol, and the labels of the operators above it."""

    path: str
    symbol: str
    operators: tuple[str, ...]


class Subtree(NamedTuple):
    """The leaves below a root, and the operands at each place, as strings."""

    leaves: list[Leaf]
    operands: list[tuple[str, str]]


def subtrees(tree: Tree) -> list[Subtree]:
    """Return the subtree of each operator, in reading order; of a lone leaf itself."""
    operators, leaves = path_tree(tree)
    if not operators:
        lone = [Leaf(f"/{leaf_kind(leaf.label)}", leaf.label, ()) for leaf in leaves]
        return [Subtree(lone, [("", leaf.label) for leaf in leaves])]
    texts = [""] * len(operators)
    for number in reversed(range(len(operators))):
        below = [
            *(f"{way}:{texts[at]}" for at, (_, up, way) in enumerate(operators) if up == number),
            *(f"{leaf.way}:{leaf.label}" for leaf in leaves if leaf.parent == number),
        ]
        texts[number] = f"{operators[number].label}({' '.join(sorted(below))})"
    found = []
    for root in range(len(operators)):
        own, operands = [], []
        for node, text, is_leaf in (
            *((node, texts[at], False) for at, node in enumerate(operators)),
            *((leaf, leaf.label, True) for leaf in leaves),
        ):
            way, labels, above = "", [], node
            while above.parent > root:
                way += f"/{above.way}"
                labels.append(operators[above.parent].label)
                above = operators[above.parent]
            if above.parent == root:
                way += f"/{above.way}"
                labels.append(operators[root].label)
                operands.append((way, text))
                if is_leaf:
                    path = f"/{leaf_kind(node.label)}{way}"
                    own.append(Leaf(path, node.label, tuple(labels)))
        found.append(Subtree(own, operands))
    return found


class Collection(NamedTuple):
    """The subtrees of all formulas, and how often each path ends at an operator."""

    formulas: list[list[Subtree]]
    frequencies: Counter[str]


def collection(trees: Sequence[Tree]) -> Collection:
    """Return the statistics of formulas."""
    formulas = [subtrees(tree) for tree in trees]
    frequencies = Counter(
        path for formula in formulas for each in formula for path in {x.path for x in each.leaves}
    )
    return Collection(formulas, frequencies)


def formula_score(
    query: list[Subtree],
    formula: list[Subtree],
    statistics: Collection,
    constants: tuple[float, float, float],
) -> float:
    """Return the best score of any two subtrees."""
    leaves = max(len(each.leaves) for each in formula)
    return max(
        (
            _pair_score(one, other, leaves, statistics, constants)
            for one in query
            for other in formula
        ),
        default=0.0,
    )


def _pair_score(
    one: Subtree,
    other: Subtree,
    size: int,
    statistics: Collection,
    constants: tuple[float, float, float],
) -> float:
    other_symbol, other_operators, eta = constants
    structure, matched, known = 0.0, 0, 0
    for path in {leaf.path for leaf in one.leaves}:
        width = sum(leaf.path == path for leaf in one.leaves)
        if path.startswith("/*"):
            way = path[2:]
            others = sum(each == way for each, _ in one.operands) - width
            found = sum(each == way for each, _ in other.operands) - others
        else:
            found = sum(leaf.path == path for leaf in other.leaves)
        count = max(0, min(width, found))
        structure += count * _weight(path, statistics)
        matched += count
        known += 0 if path.startswith("/*") else count
    if not known:
        return 0.0
    symbols = min(_symbols(one, other, other_symbol, other_operators), matched)
    missing = 1 - symbols / len(one.leaves)
    return structure / (1 + missing**2) * (1 - eta + eta / log(1 + size))


def _weight(path: str, statistics: Collection) -> float:
    kinds = ("VAR", "NUM", "TEXT", "BLANK", "GROUP", "OTHER")
    paths = [f"/{kind}{path[2:]}" for kind in kinds] if path.startswith("/*") else [path]
    frequency = sum(statistics.frequencies[each] for each in paths)
    total = statistics.frequencies.total()
    return round(log(1 + total / frequency) * 65536) / 65536 if frequency else 0.0


def _symbols(one: Subtree, other: Subtree, other_symbol: float, other_operators: float) -> float:
    counts = Counter(leaf.symbol for leaf in one.leaves)
    taken: set[str] = set()
    total = 0.0
    columns = list(dict.fromkeys(leaf.symbol for leaf in other.leaves))
    for symbol, _ in counts.most_common():
        if symbol.startswith("?"):
            total += max(
                (_operand_cell(one, other, symbol, t) for _, t in other.operands), default=0
            )
            continue
        values = {
            column: _cell(one, other, symbol, column, other_symbol, other_operators)
            for column in columns
            if column not in taken
        }
        best = max(values, key=lambda column: values[column], default=None)
        if best is not None and values[best] > 0:
            total += values[best]
            taken.add(best)
    return total


def _operand_cell(one: Subtree, other: Subtree, symbol: str, text: str) -> float:
    ways = Counter(leaf.path[2:] for leaf in one.leaves if leaf.symbol == symbol)
    return sum(min(n, other.operands.count((way, text))) for way, n in ways.items())


def _cell(
    one: Subtree,
    other: Subtree,
    symbol: str,
    column: str,
    other_symbol: float,
    other_operators: float,
) -> float:
    value = 1.0 if symbol == column else other_symbol
    ours = [leaf for leaf in one.leaves if leaf.symbol == symbol]
    theirs = [leaf for leaf in other.leaves if leaf.symbol == column]
    total = 0.0
    for path in {leaf.path for leaf in ours}:
        mine = Counter(leaf.operators for leaf in ours if leaf.path == path)
        its = Counter(leaf.operators for leaf in theirs if leaf.path == path)
        equal = (mine & its).total()
        total += min(mine.total(), its.total()) * other_operators + equal * (1 - other_operators)
    return value * total
