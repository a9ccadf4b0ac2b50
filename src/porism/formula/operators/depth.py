"""Bounds on the depth of operator trees: a deeper tree could be built but not used."""

from __future__ import annotations

from porism.formula.tree import MAX_OPERATOR_DEPTH, Node, Row, Tree, operator


def is_shallow(row: Row) -> bool:
    """Whether there are too few symbols for operators to be nested too deeply."""
    budget = MAX_OPERATOR_DEPTH // 4
    pending = [row]
    while pending:
        row = pending.pop()
        budget -= len(row)
        if budget < 0:
            return False
        for node in row:
            if node.parts:
                pending += [below for _, below in node.parts]
    return True


def bounded(tree: Node) -> Node:
    """``tree`` within MAX_OPERATOR_DEPTH levels: what is deeper is flattened."""
    level = [tree]
    for _ in range(MAX_OPERATOR_DEPTH):
        level = [child for node in level for _, row in node.parts for child in row]
        if not level:
            return tree
    return _clipped(tree, MAX_OPERATOR_DEPTH)


def _clipped(tree: Node, levels: int) -> Node:
    """``tree`` with at most ``levels`` levels: below them, leaves side by side."""
    if not tree.parts:
        return tree
    if levels > 2:
        return operator(tree.label, *(_clipped(child, levels - 1) for child in tree.operands))
    return operator("O!row", *(node for node in Tree("opt", (tree,)).nodes() if not node.parts))
