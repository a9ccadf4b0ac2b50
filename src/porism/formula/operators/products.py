"""Products: what stands side by side, applications first, then from left to right.

Functions take the group after them, or the plain factors that follow; big operators take the
rest of the term; under an integral, d and what follows are a differential.
"""

from __future__ import annotations

from porism.formula.operators.speech import (
    ADD,
    APPLIED,
    ATOM,
    BIG,
    CALLED,
    EVALUATED,
    FUNCTION,
    GROUP,
    MULTIPLY,
    NAME,
    POSTFIX,
    WORD,
)
from porism.formula.operators.words import MAX_NESTING, Words, applied, scripted
from porism.formula.tree import BLANK, Edge, Node, operator

_TIMES = Node("U!times")
_D = Node("V!d")

_PLAIN = ATOM | NAME | CALLED | GROUP
_BARE = ATOM | NAME | CALLED


def product(words: Words, start: int, stop: int) -> Node:
    if stop - start == 1:
        return words.trees[start]
    if start == stop:
        return BLANK
    if stop - start == 2 and _is_mixed_number(*words.trees[start:stop]):
        return operator("U!plus", *words.trees[start:stop])
    seen = words.seen
    if not seen & (FUNCTION | WORD | BIG | MULTIPLY | POSTFIX | EVALUATED) and not (
        words.calls and seen & (NAME | CALLED)
    ):
        return _times(words.trees[start:stop])
    speech, trees = _applications(words, start, stop)
    if seen & (FUNCTION | WORD | BIG | ADD):
        _take_bare_operands(speech, trees)
    return _multiplied(speech, trees)


def _times(factors: list[Node]) -> Node:
    if len(factors) == 1:
        return factors[0]
    return Node("U!times", ((Edge.OPERANDS, tuple(factors)),))


def _is_mixed_number(whole: Node, fraction: Node) -> bool:
    """4 2/3 is a sum: a number, then a fraction of numbers."""
    if whole.label[:2] != "N!" or fraction.label != "O!divide":
        return False
    return all(part.label[:2] == "N!" for part in fraction.operands)


def _applications(words: Words, start: int, stop: int) -> tuple[list[int], list[Node]]:
    """The factors once functions have taken the groups after them, and postfixes what precedes."""
    speech: list[int] = []
    trees: list[Node] = []
    under_integral = 0 <= words.integral < stop
    at = start
    while at < stop:
        kind, tree = words.speech[at], words.trees[at]
        at += 1
        if kind & (FUNCTION | CALLED | NAME) and at < stop and at in words.calls:
            operands, scripts = words.calls[at]
            if _is_call(kind, tree, words.speech[at], operands):
                head = Node("F!" + tree.label[2:]) if not tree.parts else _as_function(tree)
                tree = scripted(applied(head, *operands), scripts)
                kind = APPLIED if kind & FUNCTION else ATOM
                at += 1
        elif kind & POSTFIX:
            if trees and speech[-1] & (_PLAIN | APPLIED) and _nesting(trees[-1]) < MAX_NESTING:
                trees[-1] = scripted(applied(tree, trees[-1]), words.scripts.get(at - 1, ()))
                continue
            kind = ATOM
        elif kind & EVALUATED:
            scripts = words.scripts.get(at - 1, ())
            tree = operator(tree.label, *(script for _, script in scripts))
        elif under_integral and tree == _D and at < stop and words.speech[at] & _PLAIN:
            tree = operator("F!d", words.trees[at])
            kind = APPLIED
            at += 1
        speech.append(kind)
        trees.append(tree)
    return speech, trees


def _nesting(tree: Node) -> int:
    """How often a postfix was applied to ``tree`` already, as far as it matters."""
    depth = 0
    while tree.parts and depth < MAX_NESTING:
        tree = tree.operands[0]
        depth += 1
    return depth


def _as_function(tree: Node) -> Node:
    """A letter with scripts, as the head of an application: its letter becomes a function."""
    path = []
    while tree.parts:
        path.append(tree)
        tree = tree.operands[0]
    head = Node("F!" + tree.label[2:]) if tree.label[:2] in ("V!", "T!") else tree
    for node in reversed(path):
        head = operator(node.label, head, *node.operands[1:])
    return head


def _is_call(kind: int, tree: Node, group: int, operands: tuple[Node, ...]) -> bool:
    """Whether what stands before a group is applied to it.

    A letter not known as a function's is one if a product would make no sense: before several
    operands, x(a, b), or before a lone symbol, y(t).
    """
    if kind & FUNCTION:
        return True
    if not group & GROUP:  # Var[X] and E[X], but not k[X]
        return bool(kind & WORD) or tree.label in _EXPECTATIONS
    return bool(kind & CALLED) or len(operands) > 1 or not operands[0].parts


_EXPECTATIONS = frozenset(("V!E", "V!P", "V!𝔼", "V!ℙ"))


def _take_bare_operands(speech: list[int], trees: list[Node]) -> None:
    """Give functions the factors after them, big operators the rest of the term; from the right."""
    taken_speech: list[int] = []
    taken: list[Node] = []
    functions = bigs = 0
    while trees:
        kind, tree = speech.pop(), trees.pop()
        if not taken:
            pass
        elif kind & (FUNCTION | WORD):
            operands = []
            if taken_speech[-1] & APPLIED and functions < MAX_NESTING:
                operands.append(taken.pop())
                taken_speech.pop()
            elif taken_speech[-1] & _BARE:
                functions = 0
                while taken and taken_speech[-1] & _BARE:
                    operands.append(taken.pop())
                    taken_speech.pop()
            if operands:
                head = tree if kind & FUNCTION else _as_function(tree)
                tree = applied(head, _times(operands))
                kind = APPLIED
                functions += 1
        elif kind & BIG and bigs < MAX_NESTING and not taken_speech[-1] & (MULTIPLY | EVALUATED):
            tree = applied(tree, _multiplied(taken_speech[::-1], taken[::-1]))
            taken_speech, taken = [], []
            kind = APPLIED
            bigs += 1
        elif kind & ADD and taken_speech[-1] & (_PLAIN | APPLIED):  # the sign in a·-b
            tree = applied(tree, taken.pop())
            kind = taken_speech.pop()
        taken_speech.append(kind)
        taken.append(tree)
    speech += reversed(taken_speech)
    trees += reversed(taken)


def _multiplied(speech: list[int], trees: list[Node]) -> Node:
    """Factors from left to right, so that a/b c is (a/b) c; a/b/c is one division."""
    factors: list[Node] = []
    pending: Node | None = None
    joint: Node | None = None
    changes = 0
    for kind, tree in zip(speech, trees, strict=True):
        if kind & MULTIPLY:
            if pending is not None and pending != _TIMES:
                factors.append(BLANK)
            if not factors:
                factors.append(BLANK)
            pending = tree
        elif kind & EVALUATED:
            whole = _joined(joint, factors) if factors else BLANK
            factors = [operator("O!evaluated-at", whole, *tree.operands)]
            joint = pending = None
            changes += 1
        elif pending is None or pending == _TIMES:
            if joint is not None:
                factors = [_joined(joint, factors)]
                joint = None
                changes += 1
            factors.append(tree)
            pending = None
        else:
            if joint != pending:
                factors = [_joined(joint, factors)]
                changes += 1
            joint = pending
            factors.append(tree)
            pending = None
        if changes > 2 * MAX_NESTING:
            return operator("O!row", *trees)
    if pending is not None:
        factors.append(BLANK)
        if pending != _TIMES:
            return applied(pending, _joined(joint, factors[:-1]), BLANK)
    return _joined(joint, factors)


def _joined(joint: Node | None, factors: list[Node]) -> Node:
    return _times(factors) if joint is None else applied(joint, *factors)
