"""Operator precedence: what the symbols of one row mean together.

A row comes here with every symbol already translated: for each its part of speech and the
operator tree of whatever hangs on it. Nothing here looks inside those trees or calls itself for
a longer row, so the time is linear in the length of the row and the Python stack stays flat.
From loose to tight: implications; formulas and lists with commas; colons; relations; ``mod`` and
the bar of conditions; sums; products; applications.
"""

from __future__ import annotations

from collections.abc import Iterator

from porism.formula.operators_symbols import (
    ADD,
    APPLIED,
    ATOM,
    BAR,
    BIG,
    CALLED,
    COLON,
    EVALUATED,
    FUNCTION,
    GROUP,
    IMPLIES,
    LOGIC,
    MOD,
    MODULUS,
    MULTIPLY,
    NAME,
    POSTFIX,
    RELATION,
    SEPARATOR,
    SIGNS,
    STOP,
)
from porism.formula.tree import BLANK, Edge, Node, operator

MAX_NESTING = 8
"""Operators of one row that may take each other as operand, as in sin sin sin x; more stay flat."""

_MAX_SHARED = 200
"""Nodes of a middle operand that a chained relation may repeat; a larger one is left blank.

Without a limit, chains within chains would double the tree at each level.
"""

Script = tuple[str, Node]
"""``O!SUP`` or ``O!SUB`` and what stands there."""


class Words:
    """A row, translated: parts of speech, trees, and which parts of speech occur at all.

    ``calls`` has, by position, the operands that a group would give to a function before it, and
    the scripts that then belong to the whole application; ``scripts`` those of a postfix or bar.
    ``integral`` is where the first integral stands; -1 if there is none.
    """

    __slots__ = ("calls", "integral", "scripts", "seen", "speech", "trees")

    def __init__(self) -> None:
        self.speech: list[int] = []
        self.trees: list[Node] = []
        self.seen = 0
        self.integral = -1
        self.calls: dict[int, tuple[tuple[Node, ...], tuple[Script, ...]]] = {}
        self.scripts: dict[int, tuple[Script, ...]] = {}


def combined(words: Words, start: int, stop: int) -> Node:
    """The operator tree of the words from ``start`` to before ``stop``; blank if there are none."""
    if stop - start == 1:
        return words.trees[start]
    if not words.seen & (IMPLIES | SEPARATOR | STOP | COLON | RELATION):
        return _expression(words, start, stop)
    if not words.seen & IMPLIES:
        return _sentence(words, start, stop)
    ends = _positions(words, IMPLIES, start, stop)
    parts = [_sentence(words, a, b) for a, b in _between(ends, start, stop)]
    return _chain([words.trees[end] for end in ends], parts)


def applied(head: Node, *operands: Node) -> Node:
    """``head`` with its operands; an operator with scripts becomes their first operand.

    So sin² x is ``+!F!sin`` of ``O!SUP(F!sin, 2)`` and x, as Tangent writes composed operators.
    """
    if head.parts:
        return operator("+!" + _head_label(head), head, *operands)
    return Node(head.label, ((Edge.OPERANDS, operands),))


def scripted(tree: Node, scripts: tuple[Script, ...]) -> Node:
    """``tree`` with its scripts, the first of them innermost."""
    for label, script in scripts:
        tree = operator(label, tree, script)
    return tree


def collection(label: str, members: list[Node]) -> Node:
    """A list, vector or set, whose label tells how many members it has."""
    return operator(f"{label}{len(members)}", *members)


def _head_label(head: Node) -> str:
    while head.parts:
        head = head.parts[0][1][0]
    return head.label


def _positions(words: Words, speech: int, start: int, stop: int) -> list[int]:
    found = words.speech
    return [at for at in range(start, stop) if found[at] & speech]


def _between(ends: list[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The stretches that the positions ``ends`` leave between ``start`` and ``stop``."""
    for end in ends:
        yield start, end
        start = end + 1
    yield start, stop


def _flat(words: Words, start: int, stop: int) -> Node:
    """The words side by side: what remains when a row is too odd to be structured."""
    return operator("O!row", *words.trees[start:stop])


def _chain(operators: list[Node], operands: list[Node]) -> Node:
    """a = b < c as the conjunction of a = b and b < c; one operator stands alone."""
    if len(operators) == 1:
        return applied(operators[0], *operands)
    links = []
    left = operands[0]
    for head, right in zip(operators, operands[1:], strict=True):
        links.append(applied(head, left, right))
        left = right if small(right) else BLANK
    return operator("U!and", *links)


def small(tree: Node) -> bool:
    """Whether a chained relation may repeat ``tree``."""
    pending = [tree]
    for _ in range(_MAX_SHARED):
        if not pending:
            return True
        for _, row in pending.pop().parts:
            pending += row
    return not pending


# Commas, formulas and relations


def _sentence(words: Words, start: int, stop: int) -> Node:
    """Formulas and lists, between commas and full stops."""
    if not words.seen & (SEPARATOR | STOP):
        return _formula(words, start, stop)
    formulas: list[Node] = []
    for first, last in _between(_positions(words, STOP, start, stop), start, stop):
        if first < last:
            formulas += _clauses(words, first, last)
    if not formulas:
        return BLANK
    return formulas[0] if len(formulas) == 1 else operator("O!form-seq", *formulas)


def _clauses(words: Words, start: int, stop: int) -> list[Node]:
    """Formulas between commas, expressions without a relation joined to their neighbours.

    In ``a, b ∈ A`` the list a, b is the left side; in ``i = 1, …, n`` the list is the right
    side, unless a chain such as ``0 < i < n`` came before. Without any relation it is one list.
    """
    found: list[Node] = []
    clause: tuple[int, int] | None = None
    links = 0
    left: list[Node] = []
    right: list[Node] = []

    def close() -> None:
        nonlocal clause
        if clause is not None:
            found.append(_formula(words, *clause, left, right))
            clause = None
        elif left:
            found.append(left[0] if len(left) == 1 else collection("M!L-", left))
        left.clear()
        right.clear()

    for first, last in _between(_positions(words, SEPARATOR, start, stop), start, stop):
        if first == last:
            continue
        if _positions(words, RELATION | COLON, first, last):
            if clause is not None:
                close()
            clause = first, last
            links = len(_positions(words, RELATION, first, last))
        elif clause is None:
            left.append(_expression(words, first, last))
        elif links == 1:
            right.append(_expression(words, first, last))
        else:
            close()
            left.append(_expression(words, first, last))
    close()
    return found


def _formula(
    words: Words,
    start: int,
    stop: int,
    left: list[Node] | tuple[()] = (),
    right: list[Node] | tuple[()] = (),
) -> Node:
    """A chain of relations; ``left`` and ``right`` make lists of its outer operands.

    One colon, as in f: A → B, divides the formula; in a proportion, a:b = c:d, they bind tighter
    than the relation.
    """
    colons = _positions(words, COLON, start, stop) if words.seen & COLON else []
    if colons and not (len(colons) > 1 and _positions(words, RELATION, colons[0], colons[1])):
        at = colons[0]
        return applied(
            words.trees[at],
            _relation(words, start, at, left, ()),
            _relation(words, at + 1, stop, (), right),
        )
    return _relation(words, start, stop, left, right)


def _relation(
    words: Words,
    start: int,
    stop: int,
    left: list[Node] | tuple[()],
    right: list[Node] | tuple[()],
) -> Node:
    if words.seen & LOGIC and not left and not right:
        joined = _conjunction(words, start, stop)
        if joined is not None:
            return joined
    ends = _positions(words, RELATION, start, stop)
    operands = [_expression(words, a, b) for a, b in _between(ends, start, stop)]
    if left:
        operands[0] = collection("M!L-", [*left, operands[0]])
    if right:
        operands[-1] = collection("M!L-", [operands[-1], *right])
    return _chain([words.trees[end] for end in ends], operands) if ends else operands[0]


def _conjunction(words: Words, start: int, stop: int) -> Node | None:
    """``x > 0 ∧ y < 1``: a logical operator between relations; None if some part has none."""
    ends = _positions(words, LOGIC, start, stop)
    parts = list(_between(ends, start, stop))
    if not ends or not all(_positions(words, RELATION, a, b) for a, b in parts):
        return None
    return _grouped(
        [words.trees[end] for end in ends], [_relation(words, a, b, (), ()) for a, b in parts]
    )


# Expressions: remainders, conditions, sums


def _expression(words: Words, start: int, stop: int) -> Node:
    if stop - start == 1:
        return words.trees[start]
    if words.seen & (MOD | MODULUS | BAR | COLON):
        return _modified(words, start, stop)
    return _sum(words, start, stop)


def _modified(words: Words, start: int, stop: int) -> Node:
    """Sums joined by mod, bar or colon, from the left; ``(mod n)`` belongs to what precedes."""
    ends = _positions(words, MOD | MODULUS | BAR | COLON, start, stop)
    if len(ends) > MAX_NESTING:
        return _flat(words, start, stop)
    stretches = list(_between(ends, start, stop))
    tree = _sum(words, *stretches[0])
    for end, (first, last) in zip(ends, stretches[1:], strict=True):
        head = words.trees[end]
        if not words.speech[end] & MODULUS:
            tree = applied(head, tree, _sum(words, first, last))
            continue
        tree = operator("O!annotated", tree, head)
        if first < last:
            tree = operator("U!times", tree, _sum(words, first, last))
    return tree


def _sum(words: Words, start: int, stop: int) -> Node:
    if not words.seen & ADD:
        return _product(words, start, stop)
    speech = words.speech
    # A sign right after a multiplication, as in a·-b, belongs to the factor that follows.
    ends = [
        at
        for at in range(start, stop)
        if speech[at] & ADD and not (at > start and speech[at - 1] & MULTIPLY)
    ]
    if not ends:
        return _product(words, start, stop)
    operators: list[Node] = []
    terms: list[Node] = []
    signs: list[Node] = []
    if ends[0] > start:
        terms.append(_product(words, start, ends[0]))
    for place, end in enumerate(ends):
        last = ends[place + 1] if place + 1 < len(ends) else stop
        if end + 1 == last and last < stop:  # two signs side by side: the second is a prefix
            signs.append(words.trees[end])
            continue
        term = _product(words, end + 1, last) if end + 1 < last else BLANK
        if len(signs) > MAX_NESTING:
            return _flat(words, start, stop)
        head = words.trees[end]
        if signs:
            term = applied(head, term)
            for head in reversed(signs[1:]):
                term = applied(head, term)
            head = signs[0]
            signs = []
        operators.append(head)
        terms.append(term)
    return _grouped(operators, terms)


def _grouped(operators: list[Node], terms: list[Node]) -> Node:
    """Terms joined from the left; terms of one sum, or under one operator, side by side.

    Without a first term, the first operator is a sign; without a last one (x→0+) it says from
    where a limit is approached.
    """
    if terms[-1] is BLANK and operators:
        head = operators.pop()
        terms.pop()
        if not terms:
            return head
        terms[-1] = operator("O!limit-from", terms[-1], head)
        if not operators:
            return terms[0]
    if len(operators) == len(terms):
        first = applied(operators[0], terms[0])
        if len(terms) == 1:
            return first
        operators, terms = operators[1:], [first, *terms[1:]]
    groups = 0
    pending = [terms[0]]
    joint: Node | None = None
    for head, term in zip(operators, terms[1:], strict=True):
        signed = head.label in SIGNS
        kind = _PLUS if signed else head
        if joint is not None and kind != joint:
            pending = [applied(joint, *pending)]
            groups += 1
        joint = kind
        pending.append(applied(head, term) if signed and head != _PLUS else term)
    if groups > MAX_NESTING or joint is None:
        return operator("O!row", *terms)
    return applied(joint, *pending)


_PLUS = Node("U!plus")
_TIMES = Node("U!times")
_DIVIDE = Node("O!divide")
_D = Node("V!d")


# Products


_PLAIN = ATOM | NAME | CALLED | GROUP
_BARE = ATOM | NAME | CALLED


def _product(words: Words, start: int, stop: int) -> Node:
    if stop - start == 1:
        return words.trees[start]
    if start == stop:
        return BLANK
    if stop - start == 2 and _is_mixed_number(*words.trees[start:stop]):
        return operator("U!plus", *words.trees[start:stop])
    seen = words.seen
    if not seen & (FUNCTION | BIG | MULTIPLY | POSTFIX | EVALUATED) and not (
        words.calls and seen & (NAME | CALLED)
    ):
        return _times(words.trees[start:stop])
    speech, trees = _applications(words, start, stop)
    if seen & (FUNCTION | BIG | ADD):
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
    if not group & GROUP:  # Var[X], but not k[X]
        return bool(kind & CALLED) and tree.label[:2] == "V!" and len(tree.label) > 3
    return bool(kind & CALLED) or len(operands) > 1 or not operands[0].parts


def _take_bare_operands(speech: list[int], trees: list[Node]) -> None:
    """Give functions the factors after them, big operators the rest of the term; from the right."""
    taken_speech: list[int] = []
    taken: list[Node] = []
    functions = bigs = 0
    while trees:
        kind, tree = speech.pop(), trees.pop()
        if not taken:
            pass
        elif kind & FUNCTION:
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
                tree = applied(tree, _times(operands))
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
