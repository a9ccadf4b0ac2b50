"""Leaf-to-root paths of operator trees, after the structure search of Approach0.

A path goes from a leaf up to an operator above it and lists their kinds. Kinds merge variants:
``VAR`` is any letter or constant, ``ADD`` a sum or difference, ``REL`` any relation, so that
formulas of one shape share paths whatever their letters. An operator whose operands are ordered is
preceded by the operand's number:

    /VAR/1/SUP/ADD       of x in x^2 + y, up to the sum
    /V!x/1/SUP/ADD       the same with the leaf's symbol instead of its kind

Every operator above the leaf ends a path, so that a formula also matches as part of a larger one.
Paths of one kind that end at the same operator are a sector of it; their number is its width.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from porism.formula.caches import LabelCache
from porism.formula.features.tangent_layout import SYMBOL_NAMES, WILDCARD, is_wildcard
from porism.formula.operators.parts_of_speech import IMPLICATIONS, INTEGRALS, RELATIONS, SIGNS
from porism.formula.tree import Node, Tree

MAX_LEAVES = 64
"""The most leaves that have paths, the first in reading order (as in Approach0)."""

MAX_OPERATORS = 255
"""The most operators with paths, the first in reading order: their numbers fit into a byte."""

MAX_STEPS = 32
"""The most operators above a leaf to which it has paths, the nearest ones."""

SUM = "ADD"

_LEAF_KINDS = {"V": "VAR", "C": "VAR", "N": "NUM", "T": "TEXT", "W": "BLANK", "M": "GROUP"}

_KINDS = {
    **dict.fromkeys((*RELATIONS.values(), *IMPLICATIONS.values()), "REL"),
    **dict.fromkeys(SIGNS, SUM),
    **dict.fromkeys(("U!times", "F!⋅", "F!×", "F!∙"), "TIMES"),
    **dict.fromkeys(("O!divide", "O!continued-fraction"), "FRAC"),
    "O!SUP": "SUP",
    "O!SUB": "SUB",
    "O!root": "ROOT",
    **dict.fromkeys(("U!and", "U!or"), "LOGIC"),
    **dict.fromkeys(("U!union", "U!intersect", "O!setdiff"), "SETOP"),
    **dict.fromkeys(INTEGRALS.values(), "INT"),
    **dict.fromkeys(("O!limit", "O!limit-supremum", "O!limit-infimum"), "LIM"),
}
"""The kinds of merged operators; any other operator is a kind by itself."""

COMMUTING = frozenset((SUM, "REL", "TIMES", "LOGIC"))
"""Kinds that merge ordered with unordered operators, so their operands are not numbered."""

_COLLECTIONS = {"S": "SET", "M": "MATRIX", "R": "MATRIX", "V": "LIST", "L": "LIST", "D": "FENCE"}


class PathNode(NamedTuple):
    """An operator or a leaf of a tree, in the view of paths."""

    label: str
    parent: int
    """The number of the operator above it; -1 at the root."""
    way: str
    """The step up to that operator: its kind, after the operand's number if these are ordered."""


class PathTree(NamedTuple):
    """The operators and the leaves of a tree, both in reading order; parents come first."""

    operators: list[PathNode]
    leaves: list[PathNode]


class PathStep(NamedTuple):
    """An operator above a leaf, by its number in reading order, and the step up to it."""

    number: int
    way: str


class Leaf(NamedTuple):
    """A leaf with all the operators above it, the nearest first."""

    label: str
    above: tuple[PathStep, ...]


class Sector(NamedTuple):
    """The paths of one kind that end at the same operator."""

    path: str
    """With the kind of the leaf, as in ``leaf_paths``."""
    root: int
    """The number of the operator in reading order; 0 is the root of the formula."""
    width: int
    """The number of leaves of these paths."""
    root_width: int
    """The number of all leaves below the operator that have paths."""
    symbols: tuple[tuple[str, int], ...]
    """The names of the symbols of these leaves and their counts, in reading order."""


def leaf_paths(tree: Tree) -> list[str]:
    """All paths of an operator tree, each with the kind and then with the symbol of its leaf.

    A lone leaf has itself as path. A wildcard of a query has one path, with ``*``, which the
    ``wildcard_paths`` of a formula answer to. Bounded by ``MAX_LEAVES`` and ``MAX_STEPS``.

    >>> from porism.formula.tree import parse_tree
    >>> leaf_paths(parse_tree("[U!plus,0[V!x],1[N!1]]", "opt"))
    ['/VAR/ADD', '/V!x/ADD', '/NUM/ADD', '/N!1/ADD']
    """
    tokens: list[str] = []
    operators, leaves = path_tree(tree)
    ways: list[list[str]] = []
    for _, parent, way in operators:
        ways.append(_extended(way, ways[parent]) if parent >= 0 else [""])
    for label, parent, way in leaves:
        kind, name = leaf_kind(label), SYMBOL_NAMES[label]
        upwards = _extended(way, ways[parent]) if parent >= 0 else [""]
        if kind == name:
            tokens += [f"/{kind}{each}" for each in upwards]
        else:
            for each in upwards:
                tokens += (f"/{kind}{each}", f"/{name}{each}")
    return tokens


def _extended(way: str, ways: list[str]) -> list[str]:
    """The ways up from a node: to the operator above it, and to those above that."""
    if ways == [""]:
        return [f"/{way}"]
    return [f"/{way}", *[f"/{way}{each}" for each in ways[: MAX_STEPS - 1]]]


def wildcard_paths(tree: Tree) -> list[str]:
    """The paths to index besides ``leaf_paths``, so that queries with wildcards match the formula.

    A wildcard may match a whole operand, so operators have paths here like leaves, each once. Only
    those above the leaves that have paths count.

    >>> from porism.formula.tree import parse_tree
    >>> wildcard_paths(parse_tree("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]", "opt"))
    ['/*/1/SUP', '/*/1/SUP/ADD', '/*/ADD', '/*/2/SUP', '/*/2/SUP/ADD', '/*/ADD']
    """
    tokens: list[str] = []
    seen: set[int] = set()
    for _, above in _leaves(tree):
        tokens += (f"/{WILDCARD}{way}" for way in _ways(above))
        for place, step in enumerate(above, start=1):
            if step.number in seen:
                break
            seen.add(step.number)
            tokens += (f"/{WILDCARD}{way}" for way in _ways(above[place:]))
    return tokens


def sectors(tree: Tree) -> tuple[Sector, ...]:
    """The sectors of all operators of an operator tree, with their widths, leaf by leaf."""
    symbols: dict[tuple[str, int], Counter[str]] = {}
    widths: Counter[int] = Counter()
    for label, above in _leaves(tree):
        kind = leaf_kind(label)
        for step, way in zip(above[:MAX_STEPS], _ways(above), strict=True):
            symbols.setdefault((f"/{kind}{way}", step.number), Counter())[SYMBOL_NAMES[label]] += 1
            widths[step.number] += 1
    return tuple(
        Sector(path, root, names.total(), widths[root], tuple(names.items()))
        for (path, root), names in symbols.items()
    )


def _ways(above: tuple[PathStep, ...]) -> list[str]:
    """The way up to each of the operators, without the leaf."""
    ways: list[str] = []
    way = ""
    for step in above[:MAX_STEPS]:
        way = f"{way}/{step.way}"
        ways.append(way)
    return ways


def leaf_kind(label: str) -> str:
    """The kind of a leaf.

    >>> [leaf_kind(label) for label in ("V!x", "N!2", "?a", "∞")]
    ['VAR', 'NUM', '*', 'OTHER']
    """
    return _LEAF_KIND_OF[label]


def _leaf_kind(label: str) -> str:
    if is_wildcard(label):
        return WILDCARD
    return _LEAF_KINDS.get(label[0], "OTHER") if label[1:2] == "!" else "OTHER"


_LEAF_KIND_OF = LabelCache(_leaf_kind)


def operator_kind(label: str) -> str:
    """The kind of an operator.

    >>> [operator_kind(label) for label in ("O!leq", "F!sin", "M!S-3", "M!()1x2")]
    ['REL', 'F!sin', 'SET', 'GROUP']
    """
    return _OPERATOR_KINDS[label]


def _operator_kind(label: str) -> str:
    if label[:2] == "M!":
        return _COLLECTIONS.get(label[2:3], "GROUP")
    return _KINDS.get(label) or SYMBOL_NAMES[label]


_OPERATOR_KINDS = LabelCache(_operator_kind)


def path_tree(tree: Tree) -> PathTree:
    """The first operators and leaves of an operator tree, at most the limits of this module."""
    nodes = PathTree([], [])
    for root in tree.row[:MAX_LEAVES]:
        _add_nodes(root, -1, "", nodes)
    return PathTree(nodes.operators[:MAX_OPERATORS], nodes.leaves[:MAX_LEAVES])


def _add_nodes(node: Node, parent: int, way: str, nodes: PathTree) -> None:
    """Add a node and those below it; its depth is bounded, and so is the number of leaves."""
    label, operands = node.label, node.operands
    if not operands:
        nodes.leaves.append(PathNode(label, parent, way))
        return
    kind, number = operator_kind(label), len(nodes.operators)
    nodes.operators.append(PathNode(label, parent, way))
    is_ordered = label[:2] == "O!" and kind not in COMMUTING
    for place, operand in enumerate(operands, start=1):
        if len(nodes.leaves) >= MAX_LEAVES or len(nodes.operators) >= MAX_OPERATORS:
            return
        if kind == SUM and operand.label in SIGNS and len(operand.operands) == 1:
            # Paths do not include the signs of terms, so that a-b shares them with a+b.
            operand = operand.operands[0]
        _add_nodes(operand, number, f"{place}/{kind}" if is_ordered else kind, nodes)


def _leaves(tree: Tree) -> list[Leaf]:
    """The first leaves in reading order."""
    operators, leaves = path_tree(tree)
    above: list[tuple[PathStep, ...]] = []
    for _, parent, way in operators:
        above.append((PathStep(parent, way), *above[parent]) if parent >= 0 else ())
    return [
        Leaf(label, (PathStep(parent, way), *above[parent]) if parent >= 0 else ())
        for label, parent, way in leaves
    ]
