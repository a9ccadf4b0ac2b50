"""Products: adjacent factors, applications first, then from left to right.

Functions apply to the group after them, or to the plain factors that follow; big operators to the
rest of the term; under an integral, d and the next factor are a differential.
"""

from __future__ import annotations

from porism.formula.caches import LabelCache
from porism.formula.operators.parts_of_speech import (
    ADD,
    APPLIED,
    ATOM,
    BIG,
    CALLED,
    EVALUATED,
    FUNCTION,
    GIVES,
    GROUP,
    MULTIPLY,
    NAME,
    POSTFIX,
    WORD,
)
from porism.formula.operators.translated_rows import MAX_NESTING, TranslatedRow, applied, scripted
from porism.formula.tree import BLANK, Node, Row, operation, operator

_TIMES = Node("U!times")
_D = Node("V!d")

_PLAIN = ATOM | NAME | CALLED | GROUP
_BARE = ATOM | NAME | CALLED
_CALLING = FUNCTION | CALLED | NAME
_TAKING = FUNCTION | WORD | BIG | ADD
_STRUCTURED = FUNCTION | WORD | BIG | MULTIPLY | POSTFIX | EVALUATED | GIVES
_APPLYING = GIVES | POSTFIX | EVALUATED
_DIVIDING = MULTIPLY | EVALUATED


def product(row: TranslatedRow, start: int, stop: int) -> Node:
    """The product of ``row[start:stop]``; blank if that is empty."""
    trees = row.trees
    length = stop - start
    if length == 1:
        return trees[start]
    if not length:
        return BLANK
    if length == 2 and trees[start + 1].label == "O!divide" and _is_mixed(*trees[start:stop]):
        return operation("U!plus", tuple(trees[start:stop]))
    if not row.seen & _STRUCTURED:
        return operation("U!times", tuple(trees[start:stop]))
    speech, factors = row.speech[start:stop], trees[start:stop]
    seen = 0
    for kind in speech:
        seen |= kind
    if seen & _APPLYING or row.integral >= 0:
        speech, factors = _applications(row, start, stop)
    if seen & _TAKING:
        _take_bare_operands(speech, factors)
    return _multiplied(speech, factors) if seen & _DIVIDING else _times(factors)


def _times(factors: list[Node]) -> Node:
    return factors[0] if len(factors) == 1 else operation("U!times", tuple(factors))


def _is_mixed(whole: Node, fraction: Node) -> bool:
    """Whether a factor and the fraction after it are a mixed number: 4 2/3 is a sum."""
    return all(part.label[:2] == "N!" for part in (whole, *fraction.operands))


def _applications(row: TranslatedRow, start: int, stop: int) -> tuple[list[int], list[Node]]:
    """The factors after functions are applied to the groups after them, and postfixes."""
    speech: list[int] = []
    trees: list[Node] = []
    kinds = row.speech
    under_integral = 0 <= row.integral < stop
    at = start
    while at < stop:
        kind = kinds[at]
        tree = row.trees[at]
        at += 1
        if kind & _CALLING and at < stop and kinds[at] & GIVES:
            operands, scripts = row.notes[at]
            if _is_call(kind, tree, kinds[at], operands):
                if tree.parts:
                    tree = applied(_as_function(tree), *operands)
                else:
                    tree = operation(_FUNCTIONS[tree.label], operands)
                if scripts:
                    tree = scripted(tree, scripts)
                kind = APPLIED if kind & FUNCTION else ATOM
                at += 1
        elif kind & POSTFIX:
            if trees and speech[-1] & (_PLAIN | APPLIED) and _nesting(trees[-1]) < MAX_NESTING:
                _, scripts = row.notes[at - 1]
                trees[-1] = scripted(applied(tree, trees[-1]), scripts)
                continue
            kind = ATOM
        elif kind & EVALUATED:
            _, scripts = row.notes[at - 1]
            tree = operator(tree.label, *(script for _, script in scripts))
        elif under_integral and tree == _D and at < stop and kinds[at] & _PLAIN:
            tree = operator("F!d", row.trees[at])
            kind = APPLIED
            at += 1
        speech.append(kind)
        trees.append(tree)
    return speech, trees


def _function(label: str) -> str:
    return "F!" + label[2:]


_FUNCTIONS = LabelCache(_function)


def _nesting(tree: Node) -> int:
    """The number of postfixes applied to ``tree``, counted up to the limit."""
    depth = 0
    while tree.parts and depth < MAX_NESTING:
        tree = tree.operands[0]
        depth += 1
    return depth


def _as_function(tree: Node) -> Node:
    """A letter with scripts as the head of an application: the letter becomes a function."""
    path = []
    while tree.parts:
        path.append(tree)
        tree = tree.operands[0]
    head = Node("F!" + tree.label[2:]) if tree.label[:2] in ("V!", "T!") else tree
    for node in reversed(path):
        head = operator(node.label, head, *node.operands[1:])
    return head


def _is_call(kind: int, tree: Node, group: int, operands: Row) -> bool:
    """Whether the symbol before a group is applied to it.

    A letter that does not usually name a function does so if a product would make no sense: before
    several operands, x(a, b), or before a single symbol, y(t).
    """
    if kind & FUNCTION:
        return True
    if not group & GROUP:  # Var[X] and E[X], but not k[X]
        return bool(kind & WORD) or tree.label in _EXPECTATIONS
    return bool(kind & CALLED) or len(operands) > 1 or not operands[0].parts


_EXPECTATIONS = frozenset(("V!E", "V!P", "V!𝔼", "V!ℙ"))


def _take_bare_operands(speech: list[int], trees: list[Node]) -> None:
    """Apply functions to the factors after them, big operators to the rest; from the right."""
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
            taken_speech.reverse()
            taken.reverse()
            tree = applied(tree, _multiplied(taken_speech, taken))
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
    if len(trees) == 1 and not speech[0] & _DIVIDING:
        return trees[0]
    factors: list[Node] = []
    pending: Node | None = None
    joint: Node | None = None
    changes = 0
    for at, tree in enumerate(trees):
        kind = speech[at]
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
