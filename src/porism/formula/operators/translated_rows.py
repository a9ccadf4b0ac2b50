"""A translated row, and the ways in which operators are combined with operands."""

from __future__ import annotations

from porism.formula.tree import Node, Row, operation, operator

MAX_NESTING = 8
"""Levels of operators of one row that are operands of each other, as in sin sin sin x; more stay
flat."""

Script = tuple[str, Node]
"""``O!SUP`` or ``O!SUB`` and the script."""

Word = tuple[int, Node, Row, tuple[Script, ...]]
"""A translated symbol of a row: its part of speech, its tree, operands and scripts.

The operands are those that a group provides to a function before it, and its scripts then belong to
the whole application; the scripts of a postfix or bar are not yet in its tree.
"""


class TranslatedRow:
    """A translated row: parts of speech, trees, and which parts of speech occur at all.

    ``notes`` has, by position, the operands and scripts of groups, postfixes and bars.
    ``integral`` is the position of the first integral; -1 if there is none.
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
    """A list, vector or set, with the number of its members in the label."""
    return operator(f"{label}{len(members)}", *members)


def _head_label(head: Node) -> str:
    while head.parts:
        head = head.parts[0][1][0]
    return head.label


_MAX_SHARED = 200
"""The most nodes of a middle operand that a chained relation repeats; a larger one is left blank.

Without a limit, nested chains would double the tree at each level.
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
