"""From how a formula looks to what it means: layout tree to operator tree.

Every layout tree gives an operator tree. What has a known structure gets it; what has none
stays side by side under ``O!row``. Letters before a parenthesised group are functions by common
sense (f(x) and y(t), but not x(1-x)); a sum is one flat ``U!plus`` of signed terms, a product one
flat ``U!times``, and a chained relation the ``U!and`` of its links. An operator that carries
scripts or limits becomes the first operand of a ``+!`` node: see ``words.applied``.

This module walks the layout; what the symbols of a row mean together is in ``rows``,
what each symbol may be in ``speech``.
"""

from __future__ import annotations

from itertools import chain
from operator import attrgetter, itemgetter

from porism.formula.operators.groups import (
    conditions,
    enclosed,
    grouped,
    has_condition,
    is_list,
    shape,
    table,
    with_kets,
    without_separator,
)
from porism.formula.operators.rows import combined
from porism.formula.operators.speech import (
    ACCENTS,
    ADD,
    ANGLE,
    ATOM,
    BAR,
    BIG,
    CALLED,
    COLON,
    EVALUATED,
    FUNCTION,
    GIVES,
    GROUP,
    IMPLIES,
    INTEGRAL,
    JOINS,
    LEAVES,
    MODULUS,
    NAME,
    POSTFIX,
    RELATION,
    SEPARATOR,
    STOP,
)
from porism.formula.operators.words import Script, Word, Words, scripted
from porism.formula.tree import (
    BLANK,
    MAX_OPERATOR_DEPTH,
    Edge,
    Node,
    Row,
    Tree,
    operation,
    operator,
)

# A member is looked up in its enum by Python code; here that would be done for every symbol.
_ABOVE, _BELOW, _OVER, _UNDER = Edge.ABOVE, Edge.BELOW, Edge.OVER, Edge.UNDER
_PRE_ABOVE, _WITHIN, _ELEMENT = Edge.PRE_ABOVE, Edge.WITHIN, Edge.ELEMENT


def operator_tree(layout: Tree) -> Tree:
    """The operator tree of a layout tree; of the empty one, the empty one.

    >>> from porism.formula.tree import parse_tree
    >>> str(operator_tree(parse_tree("[V!x[-[N!2[V!y]]],a[N!2]]")))
    '[U!plus,0[O!SUP,0[V!x],1[N!2]],1[O!minus,0[U!times,0[N!2],1[V!y]]]]'
    """
    if not layout.row:
        return Tree("opt", ())
    tree = _row(layout.row)
    return Tree("opt", (tree if _has_at_most(_SHALLOW, layout.row) else bounded(tree),))


# Rows


def _row(row: Row) -> Node:
    if len(row) == 1:
        node = row[0]
        return _compound(node)[1] if node.parts else LEAVES[node.label][1]
    words = _words(row)
    return combined(words, 0, len(words.trees))


def _words(row: Row) -> Words:
    words = Words([_compound(node) if node.parts else LEAVES[node.label] for node in row])
    if not words.seen & _SPECIAL:
        return words
    if words.seen & (JOINS | COLON):
        words = _joined(row, words.found)
    if words.seen & ANGLE and (regrouped := with_kets(row)) != row:
        return _words(regrouped)
    return _with_integrands(words) if words.seen & INTEGRAL and words.seen & ADD else words


_SPECIAL = JOINS | COLON | ANGLE | INTEGRAL


def _joined(row: Row, found: list[Word]) -> Words:
    """The words of ``row`` with those as one that make one symbol, or share their scripts.

    What made one with others still counts as seen.
    """
    joined: list[Word] = []
    before: tuple[Script, ...] = ()
    seen = 0
    for node, word in zip(row, found, strict=True):
        kind, tree, operands, scripts = word
        label = node.label
        if node.parts:
            if label == "W!" and node is not row[-1]:  # {}^nC: the scripts of what follows
                before += scripts
                continue
        elif label == "=" and joined and joined[-1][0] == COLON:
            joined.pop()
            tree = _ASSIGN
        elif label in _DOTS and [other for _, other, _, _ in joined[-2:]] == [tree, tree]:
            del joined[-2:]
            kind, tree = ATOM, _DOTS[label]
        elif kind & JOINS and _continues_number(label, joined):
            continue
        joined.append((kind, scripted(tree, before), operands, scripts))
        before = ()
        seen |= kind
    words = Words(joined)
    words.seen = seen
    return words


def _with_integrands(words: Words) -> Words:
    """The words with each sum between an integral and its differential as one operand.

    Elsewhere a big operator ends at the next plus; an integral says where it ends.
    """
    merged: list[Word] = []
    at = 0
    while at < len(words.found):
        merged.append(words.found[at])
        at += 1
        if words.speech[at - 1] & INTEGRAL:
            end = _differential(words, at)
            if any(kind & ADD for kind in words.speech[at:end]):
                merged.append((ATOM, combined(words, at, end), (), ()))
                at = end
    result = Words(merged)
    result.seen = words.seen
    return result


def _differential(words: Words, at: int) -> int:
    """Where the next differential stands in this formula; ``at`` itself if there is none."""
    for place in range(at, len(words.trees) - 1):
        if words.speech[place] & _ENDS_INTEGRAND:
            break
        if words.trees[place] == _D and words.speech[place + 1] & (NAME | CALLED):
            return place
    return at


_ENDS_INTEGRAND = INTEGRAL | RELATION | IMPLIES | SEPARATOR | STOP | COLON
_D = Node("V!d")


def _continues_number(label: str, words: list[Word]) -> bool:
    """Whether ``label`` is a further group of three digits, as in 1 000 000; then it is added."""
    if not words or words[-1][1].parts:
        return False
    kind, tree, operands, scripts = words[-1]
    before = tree.label
    if label[:2] != "N!" or before[:2] != "N!" or len(before) > _MAX_DIGITS:
        return False
    if not (before[2:] + label[2:]).isdecimal():
        return False
    words[-1] = kind, Node(before + label[2:]), operands, scripts
    return True


_MAX_DIGITS = 100
_ASSIGN = Node("O!assign")
_DOTS = {".": Node("V!…"), "⋅": Node("V!⋯")}
_TWO = Node("N!2")


# Symbols that carry something


def _compound(node: Node) -> Word:
    """A symbol that carries something, translated."""
    label, parts = node
    if label[:2] == "M!":
        return _matrix(node)
    if label == "O!divide" or label == "O!stack":
        tree = operation(label, (_cell(node, _OVER), _cell(node, _UNDER)))
        return ATOM, scripted(tree, _scripts(node, (_OVER, _UNDER))), (), ()
    if label == "O!root":
        degree = node.row(_PRE_ABOVE)
        tree = operation(label, (_cell(node, _WITHIN), _row(degree) if degree else _TWO))
        return ATOM, scripted(tree, _scripts(node, (_PRE_ABOVE, _WITHIN))), (), ()
    kind, tree, _, _ = LEAVES[label]
    if len(parts) == 1 and kind & _OPERAND and label != "W!":
        edge, row = parts[0]  # the commonest symbols: a letter with one script
        if edge is _BELOW or (edge is _ABOVE and not _is_prime(row)):
            return kind, operation(_SCRIPT_LABELS[edge], (tree, _row(row))), (), ()
    if label == "W!":  # a script with nothing to stand on
        scripts = _scripts(node)
        if scripts:
            tree = scripted(scripts[0][1], scripts[1:])
        return ATOM | JOINS, tree, (), scripts
    if node.row(_WITHIN):
        within = [_row(row) for edge, row in parts if edge in _CELLS]
        known = label == "O!enclose"
        tree = operator(label, *within) if known else operator("O!row", tree, *within)
    if kind & (BIG | FUNCTION):
        return kind, scripted(tree, _scripts(node)), (), ()
    if kind & (POSTFIX | BAR):
        return (kind if kind & POSTFIX else EVALUATED), tree, (), _scripts(node)
    if kind & NAME and _is_prime(node.row(_ABOVE)):
        kind = CALLED
    return kind, _decorated(tree, node), (), ()


_OPERAND = NAME | CALLED | ATOM
_CELLS = (_WITHIN, _ELEMENT)


def _cell(node: Node, edge: Edge) -> Node:
    row = node.row(edge)
    return _row(row) if row else BLANK


def _is_prime(row: Row) -> bool:
    return bool(row) and row[0].label in ("′", "V!′")


# Scripts and accents


_SCRIPT_LABELS = {
    Edge.BELOW: "O!SUB",
    Edge.UNDER: "O!SUB",
    Edge.PRE_BELOW: "O!SUB",
    Edge.ABOVE: "O!SUP",
    Edge.OVER: "O!SUP",
    Edge.PRE_ABOVE: "O!SUP",
}


def _scripts(node: Node, except_edges: tuple[Edge, ...] = ()) -> tuple[Script, ...]:
    """The scripts and limits of a symbol, innermost first: below, then above, then before it."""
    lower: list[Script] = []
    upper: list[Script] = []
    for edge, row in node.parts:
        label = _SCRIPT_LABELS.get(edge)
        if label is None or edge in except_edges:
            continue
        primes = 0
        while edge is _ABOVE and _is_prime(row[primes : primes + 1]):
            primes += 1
        if primes:
            upper.append(("O!SUP", Node("V!" + "′" * primes)))
            row = row[primes:]
        if row:
            (lower if label == "O!SUB" else upper).append((label, _row(row)))
    return (*lower, *upper)


def _decorated(tree: Node, node: Node) -> Node:
    """``tree`` under the accents of ``node``, then with its scripts.

    A brace may carry a label, which LaTeX lets one write as a script of the brace.
    """
    accents: list[Edge] = []
    for edge in (_OVER, _UNDER):
        row = node.row(edge)
        if row and row[0].label in ACCENTS and (len(row) == 1 or row[0].label in "⏞⏟"):
            accents.append(edge)
            tree = scripted(operator("F!" + row[0].label, tree), _scripts(row[0]))
            if len(row) > 1:
                label = "O!SUP" if edge is _OVER else "O!SUB"
                tree = operator(label, tree, _row(row[1:]))
    if len(accents) == len(node.parts):
        return tree
    return scripted(tree, _scripts(node, (*accents, *_CELLS)))


# Fences and matrices


def _matrix(node: Node) -> Word:
    fences, rows, columns = shape(node.label)
    cells = [row for edge, row in node.parts if edge in _CELLS]
    if rows == 1 and fences and (len(cells) < 2 or is_list(cells)):
        return _fenced(fences, cells, node)
    if rows == 1 and len(cells) == 1:
        inner = _words(cells[0])
        tree = combined(inner, 0, len(inner.trees))
        kind = inner.seen & ~GIVES if len(inner.trees) == 1 else ATOM
        return kind, _decorated(tree, node), (), ()
    trees = [_row(cell) for cell in cells]
    tree = table(trees, rows, columns)
    if fences == "{":
        tree = (
            operator("O!cases", *conditions(trees, columns))
            if columns < 3
            else operator("O!cases", tree)
        )
    elif fences in ("||", "∣∣"):
        tree = operator("F!det", tree)
    elif fences == "∥∥":
        tree = operator("O!norm", tree)
    return ATOM, _decorated(tree, node), (), ()


def _fenced(fences: str, cells: list[Row], node: Node) -> Word:
    """A group in fences, with what it gives to a function before it."""
    scripts = _scripts(node) if len(node.parts) > len(cells) else ()
    if len(cells) > 1 and has_condition(fences, cells):
        cells = [tuple(symbol for cell in cells for symbol in cell)]
    if len(cells) == 1:
        kind, tree, operands = _group(fences, cells[0])
    else:
        operands = tuple([_row(without_separator(cell)) for cell in cells])
        kind, tree = (GROUP if fences == "()" else ATOM), grouped(fences, operands)
    if scripts:
        tree = scripted(tree, scripts)
    if operands and fences[:1] in ("(", "[", "{"):
        return kind | GIVES, tree, operands, scripts
    return kind, tree, (), ()


def _group(fences: str, cell: Row) -> tuple[int, Node, tuple[Node, ...]]:
    """A group of one cell: its part of speech, its tree, and its operands for a function."""
    first = cell[0]
    if first.label == "O!stack" and len(cell) == 1 and fences == "()":
        return ATOM, operator("O!binomial", *_row(cell).operands[:2]), ()
    if first.label == "mod" and not first.parts and len(cell) > 1 and fences == "()":
        return MODULUS, operator("F!pmod", _row(cell[1:])), ()
    words = _words(cell)
    end = len(words.trees)
    if end > 1 and words.speech[-1] == SEPARATOR:
        end -= 1
    divided = _divided(words, end) if words.seen & (BAR | COLON) else None
    if divided is not None:
        label = _CONDITIONALS.get(fences)
        if label is None and words.seen & BAR and words.seen & (RELATION | SEPARATOR):
            label = "O!conditional"
        if label is not None:
            tree = operator(label, *divided)
            return (GROUP if fences == "()" else ATOM), tree, (tree,)
    tree = combined(words, 0, end)
    if tree.label[:4] == "M!L-" and words.seen & SEPARATOR:  # (a; b): only commas divide cells
        members = tree.operands
        return (GROUP if fences == "()" else ATOM), grouped(fences, members), members
    if fences == "()":
        return GROUP, tree, (tree,)
    if tree.label == "F!abs" and fences == "||" and len(cell) == 1:  # ||x|| typed with four bars
        return ATOM, operator("O!norm", *tree.operands), ()
    return ATOM, enclosed(fences, tree), (tree,)


_CONDITIONALS = {"{}": "O!conditional-set", "⟨⟩": "O!inner-product"}


def _divided(words: Words, end: int) -> tuple[Node, Node] | None:
    """The two sides of the first bar, or colon, in a set; None where one of them is empty."""
    for divider in (BAR, COLON):
        for at in range(1, end - 1):
            if words.speech[at] & divider:
                return combined(words, 0, at), combined(words, at + 1, end)
    return None


# Depth


def _has_at_most(budget: int, row: Row) -> bool:
    """Whether a row, and all that hangs on it, has no more symbols than ``budget``."""
    while row and budget >= 0:
        budget -= len(row)
        row = _below(row)
    return budget >= 0


def _below(nodes: Row) -> Row:
    """All nodes on the rows of some nodes; without a step in Python for each of them."""
    parts = chain.from_iterable(map(_PARTS, nodes))
    return tuple(chain.from_iterable(map(_ROW, parts)))


_PARTS, _ROW = attrgetter("parts"), itemgetter(1)
_SHALLOW = MAX_OPERATOR_DEPTH // 4  # symbols too few for operators that are nested too deeply


def bounded(tree: Node) -> Node:
    """``tree`` within MAX_OPERATOR_DEPTH levels: what lies deeper is made flat."""
    level: Row = (tree,)
    for _ in range(MAX_OPERATOR_DEPTH):
        level = _below(level)
        if not level:
            return tree
    return _clipped(tree, MAX_OPERATOR_DEPTH)


def _clipped(tree: Node, levels: int) -> Node:
    """``tree`` with at most so many levels: below them, leaves side by side."""
    if not tree.parts:
        return tree
    if levels > 2:
        return operator(tree.label, *(_clipped(child, levels - 1) for child in tree.operands))
    return operator("O!row", *(node for node in Tree("opt", (tree,)).nodes() if not node.parts))
