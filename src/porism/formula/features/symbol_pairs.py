"""Symbols of a layout tree, and the symbol pairs of Tangent-S: any two symbols, one at most a few
steps below the other, in a layout tree or in an operator tree.
"""

from __future__ import annotations

import re
from itertools import pairwise

from porism.formula.caches import LabelCache
from porism.formula.features.tangent_layout import (
    SPELLED_PATHS,
    SYMBOL_NAMES,
    TERMINAL,
    WILDCARD,
    LayoutSymbol,
    symbols,
)
from porism.formula.tree import NEXT, Node, Tree

SMALL = 2
"""Symbols on the longest path of a formula that also has end-of-baseline pairs."""


def symbol_pairs(tree: Tree, window: int = 4) -> list[str]:
    """Tangent-S's pairs ``(ancestor,descendant,path)`` of a layout tree, as a bag in a fixed order.

    The path has at most ``window`` steps. A formula with no more than two symbols on any path
    has few pairs or none, so it also has ``(symbol,!0,n)`` for the last symbol of each row.
    Wildcards of a query become ``*`` and make no pairs among themselves. The comma between cells is
    not a symbol.

    >>> from porism.formula.tree import parse_tree
    >>> symbol_pairs(parse_tree("[V!x[+[V!y]]]"))
    ['(V!x,+,n)', '(+,V!y,n)', '(V!x,V!y,nn)']
    >>> symbol_pairs(parse_tree("[V!x]"))
    ['(V!x,!0,n)']
    """
    return _pairs(tree, window, SYMBOL_NAMES)


def operand_pairs(tree: Tree, window: int = 4) -> list[str]:
    """Tangent-S's pairs ``(ancestor,descendant,path)`` of an operator tree, in a fixed order.

    A step of the path is the number of the operand, and 0 for all operands of an unordered
    operator, so that their order does not matter; all numbers from 35 on are one, ``Z``. As with
    layout trees, a formula with no more than two symbols on any path also has ``(leaf,!0,0)`` for
    each leaf, and wildcards become ``*`` and make no pairs among themselves.

    >>> from porism.formula.tree import parse_tree
    >>> operand_pairs(parse_tree("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]", "opt"), 2)[2:]
    ['(U!plus,V!x,00)', '(O!SUP,N!2,1)', '(U!plus,N!2,01)', '(U!plus,V!y,0)']
    >>> operand_pairs(parse_tree("[V!x]", "opt"))
    ['(V!x,!0,0)']
    """
    tokens: list[str] = []
    leaves: list[str] = []
    depth = 0
    pending: list[tuple[Node, tuple[tuple[str, str], ...]]] = [
        (root, ()) for root in reversed(tree.row)
    ]
    while pending:
        node, above = pending.pop()
        name = SYMBOL_NAMES[node.label]
        path = ""
        for other, step in above:
            path = step + path
            if other != WILDCARD or name != WILDCARD:
                tokens.append(f"({other},{name},{path})")
        depth = max(depth, len(above) + 1)
        if not node.parts:
            leaves.append(name)
        operands = node.operands
        is_unordered = node.label[:2] == "U!"
        for place in range(len(operands) - 1, -1, -1):
            step = "0" if is_unordered else _STEPS[min(place, len(_STEPS) - 1)]
            pending.append((operands[place], ((name, step), *above[: window - 1])))
    if depth <= SMALL:
        tokens += (f"({name},{TERMINAL},0)" for name in leaves if name != WILDCARD)
    return tokens


_STEPS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def shape_pairs(tree: Tree, window: int = 2) -> list[str]:
    """The pairs with every variable of one letter as ``?V``: formulas that differ only in the names
    of variables share them.

    >>> from porism.formula.tree import parse_tree
    >>> shape_pairs(parse_tree("[V!x[+[V!y]]]"))
    ['(?V,+,n)', '(+,?V,n)', '(?V,?V,nn)']
    """
    return _pairs(tree, window, _SHAPE_NAMES)


def symbol_tokens(tree: Tree) -> list[str]:
    """The name of each node of a layout tree, in the order of ``Tree.nodes()``.

    >>> from porism.formula.tree import parse_tree
    >>> symbol_tokens(parse_tree("[V!x,a[N!2][+[V!x]]]"))
    ['[V!x]', '[N!2]', '[+]', '[V!x]']
    """
    return [f"[{SYMBOL_NAMES[node.label]}]" for node in tree.nodes()]


def positioned_symbols(tree: Tree) -> list[str]:
    """Each symbol of a layout tree with its number in reading order; wildcards only count.

    >>> from porism.formula.tree import parse_tree
    >>> positioned_symbols(parse_tree("[V!x,a[N!2][+[V!x]]]"))
    ['#1:V!x', '#2:N!2', '#3:+', '#4:V!x']
    """
    names = (SYMBOL_NAMES[symbol.label] for symbol in symbols(tree))
    return [f"#{place}:{name}" for place, name in enumerate(names, start=1) if name != WILDCARD]


def symbol_runs(tree: Tree) -> list[str]:
    """Each symbol of a layout tree and each two that follow in reading order, as a bag.

    The commas between cells are left out. A wildcard of a query is no symbol, and ends a run.

    >>> from porism.formula.tree import parse_tree
    >>> symbol_runs(parse_tree("[V!x,a[N!2]]"))
    [':V!x', ':N!2', ':V!x N!2']
    """
    names = [SYMBOL_NAMES[symbol.label] for symbol in symbols(tree)]
    return [
        *(f":{name}" for name in names if name != WILDCARD),
        *(f":{one} {other}" for one, other in pairwise(names) if WILDCARD not in (one, other)),
    ]


_VARIABLE = re.compile(r"V![^\W\d_](?=[,)]|\Z)")


def _shape_name(label: str) -> str:
    return _VARIABLE.sub("?V", SYMBOL_NAMES[label])


_SHAPE_NAMES = LabelCache(_shape_name)


def _pairs(tree: Tree, window: int, names: LabelCache[str]) -> list[str]:
    layout = symbols(tree)
    tokens: list[str] = []
    named = [names[symbol.label] for symbol in layout]
    for (_, above, edge), name in zip(layout, named, strict=True):
        path = ""
        for _ in range(window):
            if not edge:
                break
            path = edge + path
            other = named[above]
            if other != WILDCARD or name != WILDCARD:
                tokens.append(f"({other},{name},{SPELLED_PATHS[path]})")
            _, above, edge = layout[above]
    if _is_small(layout):
        followed = {parent for _, parent, edge in layout if edge == NEXT}
        last = (name for at, name in enumerate(named) if at not in followed)
        tokens += (f"({name},{TERMINAL},{NEXT})" for name in last if name != WILDCARD)
    return tokens


def _is_small(layout: list[LayoutSymbol]) -> bool:
    """Whether no path has more than a few symbols."""
    if len(layout) <= SMALL:
        return True
    depths: list[int] = []
    for _, parent, edge in layout:
        depth = depths[parent] + 1 if edge else 1
        if depth > SMALL:
            return False
        depths.append(depth)
    return True
