"""Operator precedence: the meaning of the symbols of one row together.

Every symbol of the row is already translated: it has its part of speech and the operator tree of
itself with its rows. Nothing here looks inside those trees or recurses for a longer row, so the
time is linear in the length of the row and the Python stack stays flat. From low to high
precedence: implications; formulas and lists with commas; colons; relations; ``mod`` and the bar of
conditions; sums; then products, which ``products`` reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from porism.formula.operators.parts_of_speech import (
    ADD,
    BAR,
    COLON,
    IMPLIES,
    LOGIC,
    MOD,
    MODULUS,
    MULTIPLY,
    RELATION,
    SEPARATOR,
    SIGNS,
    STOP,
)
from porism.formula.operators.products import product
from porism.formula.operators.translated_rows import (
    MAX_NESTING,
    TranslatedRow,
    applied,
    collection,
    is_repeatable,
)
from porism.formula.tree import BLANK, Node, operator

_PLUS = Node("U!plus")

# Parts of speech without which the steps of a level have nothing to do.
_FORMULAS = SEPARATOR | STOP
_MODIFYING = MOD | MODULUS | BAR | COLON
_UNUSUAL = IMPLIES | _FORMULAS | LOGIC | _MODIFYING


def row_tree(row: TranslatedRow, start: int, stop: int) -> Node:
    """The operator tree of ``row[start:stop]``; blank if that is empty."""
    if stop - start == 1:
        return row.trees[start]
    seen = row.seen
    if not seen & _UNUSUAL:
        if seen & RELATION:
            return _relation(row, start, stop, (), ())
        return _sum(row, start, stop) if seen & ADD else product(row, start, stop)
    if not seen & IMPLIES:
        return _sentence(row, start, stop)
    ends = _positions(row, IMPLIES, start, stop)
    parts = [_sentence(row, a, b) for a, b in _between(ends, start, stop)]
    return _chain([row.trees[end] for end in ends], parts)


def _positions(row: TranslatedRow, speech: int, start: int, stop: int) -> list[int]:
    kinds = row.speech
    return [at for at in range(start, stop) if kinds[at] & speech]


def _between(ends: list[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The ranges from ``start`` to ``stop`` that are separated by the positions ``ends``."""
    for end in ends:
        yield start, end
        start = end + 1
    yield start, stop


def _flat(row: TranslatedRow, start: int, stop: int) -> Node:
    """The trees side by side, for a row that is too unusual to be structured."""
    return operator("O!row", *row.trees[start:stop])


def _chain(operators: list[Node], operands: list[Node]) -> Node:
    """a = b < c as the conjunction of a = b and b < c; a single operator stays as it is."""
    if len(operators) == 1:
        return applied(operators[0], *operands)
    links = []
    left = operands[0]
    for head, right in zip(operators, operands[1:], strict=True):
        links.append(applied(head, left, right))
        left = right if is_repeatable(right) else BLANK
    return operator("U!and", *links)


# Commas, formulas and relations


def _sentence(row: TranslatedRow, start: int, stop: int) -> Node:
    """Formulas and lists, between commas and full stops."""
    if not row.seen & _FORMULAS:
        return _formula(row, start, stop)
    formulas: list[Node] = []
    for first, last in _between(_positions(row, STOP, start, stop), start, stop):
        if first < last:
            formulas += _clauses(row, first, last)
    if not formulas:
        return BLANK
    return formulas[0] if len(formulas) == 1 else operator("O!form-seq", *formulas)


def _clauses(row: TranslatedRow, start: int, stop: int) -> list[Node]:
    """Formulas between commas; expressions without a relation are joined to their neighbours.

    In ``a, b ∈ A`` the list a, b is the left side; in ``i = 1, …, n`` the list is the right
    side, unless a chain such as ``0 < i < n`` precedes it. Without any relation it is one list.
    """
    formulas: list[Node] = []
    clause: tuple[int, int] | None = None
    links = 0
    left: list[Node] = []
    right: list[Node] = []

    def close() -> None:
        nonlocal clause
        if clause is not None:
            formulas.append(_formula(row, *clause, left, right))
            clause = None
        elif left:
            formulas.append(left[0] if len(left) == 1 else collection("M!L-", left))
        left.clear()
        right.clear()

    for first, last in _between(_positions(row, SEPARATOR, start, stop), start, stop):
        if first == last:
            continue
        if _positions(row, RELATION | COLON, first, last):
            if clause is not None:
                close()
            clause = first, last
            links = len(_positions(row, RELATION, first, last))
        elif clause is None:
            left.append(_expression(row, first, last))
        elif links == 1:
            right.append(_expression(row, first, last))
        else:
            close()
            left.append(_expression(row, first, last))
    close()
    return formulas


def _formula(
    row: TranslatedRow,
    start: int,
    stop: int,
    left: list[Node] | tuple[()] = (),
    right: list[Node] | tuple[()] = (),
) -> Node:
    """A chain of relations; ``left`` and ``right`` extend its outer operands to lists.

    One colon, as in f: A → B, separates the formula; in a proportion, a:b = c:d, colons have higher
    precedence than the relation.
    """
    colons = _positions(row, COLON, start, stop) if row.seen & COLON else []
    if colons and not (len(colons) > 1 and _positions(row, RELATION, colons[0], colons[1])):
        at = colons[0]
        return applied(
            row.trees[at],
            _relation(row, start, at, left, ()),
            _relation(row, at + 1, stop, (), right),
        )
    return _relation(row, start, stop, left, right)


def _relation(
    row: TranslatedRow,
    start: int,
    stop: int,
    left: list[Node] | tuple[()],
    right: list[Node] | tuple[()],
) -> Node:
    if row.seen & LOGIC and not left and not right:
        joined = _conjunction(row, start, stop)
        if joined is not None:
            return joined
    if not row.seen & RELATION and not left and not right:
        return _expression(row, start, stop)
    speech, trees = row.speech, row.trees
    operators: list[Node] = []
    operands: list[Node] = []
    first = start
    for at in range(start, stop):
        if speech[at] & RELATION:
            operators.append(trees[at])
            operands.append(_expression(row, first, at))
            first = at + 1
    operands.append(_expression(row, first, stop))
    if left:
        operands[0] = collection("M!L-", [*left, operands[0]])
    if right:
        operands[-1] = collection("M!L-", [operands[-1], *right])
    return _chain(operators, operands) if operators else operands[0]


def _conjunction(row: TranslatedRow, start: int, stop: int) -> Node | None:
    """``x > 0 ∧ y < 1``: a logical operator between relations; None if some part has none."""
    ends = _positions(row, LOGIC, start, stop)
    parts = list(_between(ends, start, stop))
    if not ends or not all(_positions(row, RELATION, a, b) for a, b in parts):
        return None
    return _grouped(
        [row.trees[end] for end in ends], [_relation(row, a, b, (), ()) for a, b in parts]
    )


# Expressions: remainders, conditions, sums


def _expression(row: TranslatedRow, start: int, stop: int) -> Node:
    if stop - start == 1:
        return row.trees[start]
    seen = row.seen
    if seen & _MODIFYING:
        return _modified(row, start, stop)
    return _sum(row, start, stop) if seen & ADD else product(row, start, stop)


def _modified(row: TranslatedRow, start: int, stop: int) -> Node:
    """Sums joined by mod, bar or colon, from the left; ``(mod n)`` applies to what precedes it."""
    ends = _positions(row, _MODIFYING, start, stop)
    if len(ends) > MAX_NESTING:
        return _flat(row, start, stop)
    ranges = list(_between(ends, start, stop))
    part = _sum if row.seen & ADD else product
    tree = part(row, *ranges[0])
    for end, (first, last) in zip(ends, ranges[1:], strict=True):
        head = row.trees[end]
        if not row.speech[end] & MODULUS:
            tree = applied(head, tree, part(row, first, last))
            continue
        tree = operator("O!annotated", tree, head)
        if first < last:
            tree = operator("U!times", tree, part(row, first, last))
    return tree


def _sum(row: TranslatedRow, start: int, stop: int) -> Node:
    speech = row.speech
    ends: list[int] = []
    for at in range(start, stop):
        # A sign right after a multiplication, as in a·-b, belongs to the next factor.
        if speech[at] & ADD and not (at > start and speech[at - 1] & MULTIPLY):
            ends.append(at)
    if not ends:
        return product(row, start, stop)
    operators: list[Node] = []
    terms: list[Node] = []
    signs: list[Node] = []
    if ends[0] > start:
        terms.append(product(row, start, ends[0]))
    ends.append(stop)
    for end, last in pairwise(ends):
        head = row.trees[end]
        if end + 1 == last and last < stop:  # two signs side by side: the second is a prefix
            signs.append(head)
            continue
        term = product(row, end + 1, last)
        if signs:
            if len(signs) > MAX_NESTING:
                return _flat(row, start, stop)
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

    Without a first term, the first operator is a sign; without a last one (x→0+), the last operator
    is the direction of a limit.
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
    for place, head in enumerate(operators, 1):
        term = terms[place]
        signed = head.label in SIGNS
        kind = _PLUS if signed else head
        if joint is not None and kind is not joint and kind != joint:
            pending = [applied(joint, *pending)]
            groups += 1
        joint = kind
        pending.append(applied(head, term) if signed and head != _PLUS else term)
    if groups > MAX_NESTING or joint is None:
        return operator("O!row", *terms)
    return applied(joint, *pending)
