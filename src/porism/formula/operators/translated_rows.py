"""A translated row, and the few ways in which operators take their operands."""

from __future__ import annotations

from porism.formula.tree import Node, Row, operation, operator

MAX_NESTING = 8
"""Operators of one row that may take each other as operand, as in sin sin sin x; more stay flat."""

Script = tuple[str, Node]
"""``O!SUP`` or ``O!SUB`` and what stands there."""

Word = tuple[int, Node, Row, tuple[Script, ...]]
"""A symbol of a row, translated: its part of speech, its tree, operands and scripts.

The operands are those that a group would give to a function before it, and its scripts then
belong to the whole application; the scripts of a postfix or bar are not yet in its tree.
"""


class TranslatedRow:
    """A row, translated: parts of speech, trees, and which parts of speech occur at all.

    ``notes`` has, by position, the operands and scripts of groups, postfixes and bars.
    ``integral`` is where the first integral stands; -1 if there is none.
    """

    __slots__ = ("integral", "notes", "seen", "speech", "trees")

    def __init__(self, speech: list[int], trees: list[Node], seen: int, notes: Notes) -> None:
        self.speech = speech
        self.trees = trees
        self.seen = seen
        self.notes = notes
        self.integral = -1

    def add(self, speech: int, tree: Node) -> None:
        self.speech.append(speech)
        self.trees.append(tree)


Notes = dict[int, tuple[Row, tuple[Script, ...]]]


def applied(head: Node, *operands: Node) -> Node:
    """``head`` with its operands; an operator with scripts becomes their first operand.

    So sin² x is ``+!F!sin`` of ``O!SUP(F!sin, 2)`` and x, as Tangent writes composed operators.
    """
    if head.parts:
        return operation("+!" + _head_label(head), (head, *operands))
    return operation(head.label, operands)


def scripted(tree: Node, scripts: tuple[Script, ...]) -> Node:
    """``tree`` with its scripts, the first of them innermost."""
    for label, script in scripts:
        tree = operation(label, (tree, script))
    return tree


def collection(label: str, members: list[Node]) -> Node:
    """A list, vector or set, whose label tells how many members it has."""
    return operator(f"{label}{len(members)}", *members)


def _head_label(head: Node) -> str:
    while head.parts:
        head = head.parts[0][1][0]
    return head.label


_MAX_SHARED = 200
"""Nodes of a middle operand that a chained relation may repeat; a larger one is left blank.

Without a limit, chains within chains would double the tree at each level.
"""


def is_repeatable(tree: Node) -> bool:
    """Whether a chained relation may repeat ``tree``."""
    pending = [tree]
    for _ in range(_MAX_SHARED):
        if not pending:
            return True
        for _, row in pending.pop().parts:
            pending += row
    return not pending
