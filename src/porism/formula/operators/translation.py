"""Layout trees to operator trees.

Every layout tree has an operator tree; symbols without a known structure stay side by side under
``O!row``. Letters before a parenthesised group are functions by common sense (f(x) and y(t), but
not x(1-x)); a sum is one flat ``U!plus`` of signed terms, a product one flat ``U!times``, and a
chained relation the ``U!and`` of its links. An operator with scripts or limits becomes the first
operand of a ``+!`` node: see ``translated_rows.applied``.

This module walks the layout; ``precedence`` combines the symbols of a row, ``parts_of_speech``
classifies each symbol.
"""

from __future__ import annotations

from porism.formula.caches import MAX_LABEL, cache_result
from porism.formula.operators.depth import bounded, is_shallow
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
from porism.formula.operators.parts_of_speech import (
    ACCENTS,
    ADD,
    ANGLE,
    ATOM,
    BAR,
    BIG,
    BUILT,
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
from porism.formula.operators.precedence import row_tree
from porism.formula.operators.translated_rows import Notes, Script, TranslatedRow, Word, scripted
from porism.formula.tree import (
    BLANK,
    Edge,
    Node,
    Row,
    Tree,
    operation,
    operator,
)

# Access to an enum member runs Python code; here that would be for every symbol.
_ABOVE, _BELOW, _OVER, _UNDER = Edge.ABOVE, Edge.BELOW, Edge.OVER, Edge.UNDER
_PRE_ABOVE, _WITHIN, _ELEMENT = Edge.PRE_ABOVE, Edge.WITHIN, Edge.ELEMENT


def operator_tree(layout: Tree) -> Tree:
    """The operator tree of a layout tree; the empty tree for the empty one.

    >>> from porism.formula.tree import parse_tree
    >>> str(operator_tree(parse_tree("[V!x[-[N!2[V!y]]],a[N!2]]")))
    '[U!plus,0[O!SUP,0[V!x],1[N!2]],1[O!minus,0[U!times,0[N!2],1[V!y]]]]'
    """
    if not layout.row:
        return Tree("opt", ())
    tree = _row(layout.row)
    return Tree("opt", (tree if is_shallow(layout.row) else bounded(tree),))


# Rows


def _row(row: Row) -> Node:
    if len(row) == 1:
        return (_known.get(row[0]) or _word(row[0]))[1]
    tree = _known_rows.get(row) if len(row) <= _MAX_SHORT else None
    if tree is None:
        translated = _translated(row)
        tree = row_tree(translated, 0, len(translated.trees))
        if _is_short(row):
            cache_result(_known_rows, row, tree)
    return tree


def _translated(row: Row) -> TranslatedRow:
    """The translated row, with kets and integrands as single operands."""
    translated = _translated_symbols(row)
    seen = translated.seen
    if not seen & _REGROUPED:
        return translated
    if seen & ANGLE and (regrouped := with_kets(row)) != row:
        translated = _translated_symbols(regrouped)
    seen = translated.seen
    if seen & INTEGRAL:
        translated.integral = next(
            at for at, kind in enumerate(translated.speech) if kind & INTEGRAL
        )
    return _with_integrands(translated) if seen & INTEGRAL and seen & ADD else translated


_REGROUPED = ANGLE | INTEGRAL


def _translated_symbols(row: Row) -> TranslatedRow:
    """The row with each symbol translated; this is the main loop."""
    speech: list[int] = []
    trees: list[Node] = []
    notes: Notes = {}
    seen = 0
    before: tuple[Script, ...] = ()
    known = _known
    for node in row:
        kind, tree, operands, scripts = known.get(node) or _word(node)
        if kind & _NOTED:
            notes[len(trees)] = operands, scripts
        elif kind & JOINS:
            if node.parts:
                if node is not row[-1]:  # {}^nC: the scripts of what follows
                    before += scripts
                    continue
            elif kind & ATOM:
                if _continues_number(node.label, trees):
                    continue
            else:
                kind, tree = _joined(node.label, kind, tree, speech, trees)
        if before:
            tree = scripted(tree, before)
            before = ()
        speech.append(kind)
        trees.append(tree)
        seen |= kind
    return TranslatedRow(speech, trees, seen, notes)


_NOTED = GIVES | POSTFIX | EVALUATED


def _joined(
    label: str, kind: int, tree: Node, speech: list[int], trees: list[Node]
) -> tuple[int, Node]:
    """A symbol that is merged with those before it: := typed as two, dots as three."""
    if label == "=":
        if speech and speech[-1] == COLON:
            speech.pop()
            trees.pop()
            return kind, _ASSIGN
    elif trees[-2:] == [tree, tree]:
        del speech[-2:], trees[-2:]
        return ATOM, _DOTS[label]
    return kind, tree


def _continues_number(label: str, trees: list[Node]) -> bool:
    """Whether ``label`` is a further group of three digits, as in 1 000 000; if so, append it."""
    if not trees or trees[-1].parts:
        return False
    before = trees[-1].label
    if label[:2] != "N!" or before[:2] != "N!" or len(before) > _MAX_DIGITS:
        return False
    if not (before[2:] + label[2:]).isdecimal():
        return False
    trees[-1] = Node(before + label[2:])
    return True


_MAX_DIGITS = 100
_ASSIGN = Node("O!assign")
_DOTS = {".": Node("V!…"), "⋅": Node("V!⋯")}


def _with_integrands(row: TranslatedRow) -> TranslatedRow:
    """The row with each sum between an integral and its differential as one operand.

    Other big operators end at the next plus; an integral ends at its differential.
    """
    merged = TranslatedRow([], [], row.seen, {})
    merged.integral = row.integral
    at = 0
    while at < len(row.trees):
        if at in row.notes:
            merged.notes[len(merged.trees)] = row.notes[at]
        merged.add(row.speech[at], row.trees[at])
        at += 1
        if row.speech[at - 1] & INTEGRAL:
            end = _differential(row, at)
            if any(kind & ADD for kind in row.speech[at:end]):
                merged.add(ATOM, row_tree(row, at, end))
                at = end
    return merged


def _differential(row: TranslatedRow, at: int) -> int:
    """The position of the next differential in this formula; ``at`` if there is none."""
    for place in range(at, len(row.trees) - 1):
        if row.speech[place] & _ENDS_INTEGRAND:
            break
        if row.trees[place] == _D and row.speech[place + 1] & (NAME | CALLED):
            return place
    return at


_ENDS_INTEGRAND = INTEGRAL | RELATION | IMPLIES | SEPARATOR | STOP | COLON
_D = Node("V!d")


# Symbols with rows


def _word(node: Node) -> Word:
    """A symbol with its rows, translated, and cached if it is short."""
    word = _compound(node) if node.parts else LEAVES[node.label]
    if len(node.label) <= MAX_LABEL and len(node.parts) <= 2:
        for _, row in node.parts:
            if not _is_short(row):
                break
        else:
            cache_result(_known, node, word)
    return word


# Translations of short symbols and rows. More than half of the symbols with rows, such as x², (x)
# and ½, occur in other formulas too, and so do most short rows, such as n-1 and i=1.
_known: dict[Node, Word] = {}
_known_rows: dict[Row, Node] = {}
_MAX_SHORT = 3


def _is_short(row: Row) -> bool:
    """Whether a row is a few symbols without rows."""
    remaining = _MAX_SHORT
    for node in row:
        remaining -= 1
        if remaining < 0 or node.parts or len(node.label) > MAX_LABEL:
            return False
    return True


def _compound(node: Node) -> Word:
    """A symbol with rows, translated."""
    label, parts = node
    kind, tree, _, _ = LEAVES[label]
    if kind & _OPERAND and not kind & BUILT and len(parts) == 1:
        edge, row = parts[0]  # the most common symbols: a letter with one script
        if edge is _BELOW:
            return kind & ~JOINS, operation("O!SUB", (tree, _row(row))), (), ()
        if edge is _ABOVE and not _is_prime(row):
            return kind & ~JOINS, operation("O!SUP", (tree, _row(row))), (), ()
    if label[:2] == "M!":
        return _matrix(node)
    if label == "O!divide" or label == "O!stack":
        tree = operation(label, (_cell(node, _OVER), _cell(node, _UNDER)))
        return ATOM, scripted(tree, _scripts(node, (_OVER, _UNDER))), (), ()
    if label == "O!root":
        degree = node.row(_PRE_ABOVE)
        tree = operation(label, (_cell(node, _WITHIN), _row(degree) if degree else _TWO))
        return ATOM, scripted(tree, _scripts(node, (_PRE_ABOVE, _WITHIN))), (), ()
    if label == "W!":  # a script without a base
        scripts = _scripts(node)
        if scripts:
            tree = scripted(scripts[0][1], scripts[1:])
        return ATOM | JOINS, tree, (), scripts
    if node.row(_WITHIN):
        within = [_row(row) for edge, row in parts if edge in _CELLS]
        is_known = label == "O!enclose"
        tree = operator(label, *within) if is_known else operator("O!row", tree, *within)
    kind &= ~JOINS
    if kind & (BIG | FUNCTION):
        return kind, scripted(tree, _scripts(node)), (), ()
    if kind & (POSTFIX | BAR):
        return (kind if kind & POSTFIX else EVALUATED), tree, (), _scripts(node)
    if kind & NAME and _is_prime(node.row(_ABOVE)):
        kind = CALLED
    return kind, _decorated(tree, node), (), ()


_OPERAND = NAME | CALLED | ATOM
_TWO = Node("N!2")
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
    """``tree`` with the accents of ``node``, then with its scripts.

    A brace may have a label, which is written as a script of the brace.
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
        inner = _translated(cells[0])
        tree = row_tree(inner, 0, len(inner.trees))
        kind = inner.seen & ~(GIVES | JOINS) if len(inner.trees) == 1 else ATOM
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
    """A group in fences, with the operands it provides to a function before it."""
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
    content = _translated(cell)
    end = len(content.trees)
    if end > 1 and content.speech[-1] == SEPARATOR:
        end -= 1
    divided = _divided(content, end) if content.seen & (BAR | COLON) else None
    if divided is not None:
        label = _CONDITIONALS.get(fences)
        if label is None and content.seen & BAR and content.seen & (RELATION | SEPARATOR):
            label = "O!conditional"
        if label is not None:
            tree = operator(label, *divided)
            return (GROUP if fences == "()" else ATOM), tree, (tree,)
    tree = row_tree(content, 0, end)
    if tree.label[:4] == "M!L-" and content.seen & SEPARATOR:  # (a; b): only commas split cells
        members = tree.operands
        return (GROUP if fences == "()" else ATOM), grouped(fences, members), members
    if fences == "()":
        return GROUP, tree, (tree,)
    if tree.label == "F!abs" and fences == "||" and len(cell) == 1:  # ||x|| typed with four bars
        return ATOM, operator("O!norm", *tree.operands), ()
    return ATOM, enclosed(fences, tree), (tree,)


_CONDITIONALS = {"{}": "O!conditional-set", "⟨⟩": "O!inner-product"}


def _divided(row: TranslatedRow, end: int) -> tuple[Node, Node] | None:
    """The two sides of the first bar, or colon, in a set; None if one of them is empty."""
    for divider in (BAR, COLON):
        for at in range(1, end - 1):
            if row.speech[at] & divider:
                return row_tree(row, 0, at), row_tree(row, at + 1, end)
    return None
