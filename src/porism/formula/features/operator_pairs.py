"""Pairs of neighbours in an operator tree: each operand with the operator above it.

    <ADD,SUP>      a power in a sum
    <SUP,V!x>      x in a power
    <,V!x>         x alone, which would have no pair

Operators are named by their kinds, as in ``leaf_paths``, so that ``≤`` and ``<`` are both ``REL``;
leaves by their names. Unlike a path, a pair does not depend on what is further up, so formulas that
share a part share its pairs wherever it occurs.
"""

from __future__ import annotations

from porism.formula.features.leaf_paths import operator_kind
from porism.formula.features.tangent_layout import SYMBOL_NAMES
from porism.formula.tree import Node, Tree


def operator_pairs(tree: Tree) -> list[str]:
    """The pairs of an operator tree, as a bag in a fixed order.

    >>> from porism.formula.tree import parse_tree
    >>> operator_pairs(parse_tree("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]", "opt"))
    ['<ADD,SUP>', '<SUP,V!x>', '<SUP,N!2>', '<ADD,V!y>']
    """
    tokens: list[str] = []
    for root in tree.row:
        if root.operands:
            _add_below(root, tokens)
        else:
            tokens.append(f"<,{_name(root)}>")
    return tokens


def _add_below(node: Node, tokens: list[str]) -> None:
    above = operator_kind(node.label)
    for operand in node.parts[0][1]:
        if operand.parts:
            tokens.append(f"<{above},{operator_kind(operand.label)}>")
            _add_below(operand, tokens)
        else:
            tokens.append(f"<{above},{SYMBOL_NAMES[operand.label]}>")


def _name(node: Node) -> str:
    return operator_kind(node.label) if node.operands else SYMBOL_NAMES[node.label]
