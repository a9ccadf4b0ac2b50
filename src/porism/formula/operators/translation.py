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
    GROUP,
    IMPLIES,
    INTEGRAL,
    MODULUS,
    NAME,
    POSTFIX,
    RELATION,
    SEPARATOR,
    STOP,
    leaf,
)
from porism.formula.operators.words import Script, Words, scripted
from porism.formula.tree import BLANK, MAX_OPERATOR_DEPTH, Edge, Node, Row, Tree, operator


def operator_tree(layout: Tree) -> Tree:
    """The operator tree of a layout tree; of the empty one, the empty one.

    >>> from porism.formula.tree import parse_tree
    >>> str(operator_tree(parse_tree("[V!x[-[N!2[V!y]]],a[N!2]]")))
    '[U!plus,0[O!SUP,0[V!x],1[N!2]],1[O!minus,0[U!times,0[N!2],1[V!y]]]]'
    """
    if not layout.row:
        return Tree("opt", ())
    tree = _row(layout.row)
    return Tree("opt", (tree if _is_short(layout.row) else bounded(tree),))


# Rows


def _row(row: Row) -> Node:
    if len(row) == 1 and not row[0].parts:
        return leaf(row[0].label)[1]
    words = _words(row)
    return combined(words, 0, len(words.trees))


def _words(row: Row) -> Words:
    words = _translated(row)
    if words.seen & ANGLE and (regrouped := with_kets(row)) != row:
        words = _translated(regrouped)
    return _with_integrands(words) if words.seen & INTEGRAL and words.seen & ADD else words


def _translated(row: Row) -> Words:
    words = Words()
    speech, trees = words.speech, words.trees
    before: list[Script] = []
    seen = 0
    for node in row:
        label = node.label
        if node.parts:
            if label == "W!" and node is not row[-1]:  # {}^nC: the scripts of what follows
                before += _scripts(node)
                continue
            kind, tree = _compound(node, words)
        else:
            kind, tree = leaf(label)
            if label in _JOINING:
                kind, tree = _joined(label, kind, tree, words)
            elif len(label) == 5 and _continues_number(label, words):
                continue
        if before:
            tree = scripted(tree, tuple(before))
            before.clear()
        speech.append(kind)
        trees.append(tree)
        seen |= kind
    words.seen = seen
    if seen & INTEGRAL:
        words.integral = next(at for at, kind in enumerate(speech) if kind & INTEGRAL)
    return words


def _with_integrands(words: Words) -> Words:
    """The words with each sum between an integral and its differential as one operand.

    Elsewhere a big operator ends at the next plus; an integral says where it ends.
    """
    merged = Words()
    at = 0
    while at < len(words.trees):
        words.copy(at, merged)
        at += 1
        if words.speech[at - 1] & INTEGRAL:
            end = _differential(words, at)
            if any(kind & ADD for kind in words.speech[at:end]):
                merged.add(ATOM, combined(words, at, end))
                at = end
    merged.seen = words.seen
    merged.integral = words.integral
    return merged


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
_JOINING = frozenset("=.⋅")


def _joined(label: str, kind: int, tree: Node, words: Words) -> tuple[int, Node]:
    """A symbol that makes one with those before it: := typed as two, dots as three."""
    speech, trees = words.speech, words.trees
    if label == "=":
        if speech and speech[-1] == COLON:
            speech.pop()
            trees.pop()
            return kind, _ASSIGN
    elif trees[-2:] == [tree, tree]:
        del speech[-2:], trees[-2:]
        return ATOM, _DOTS[label]
    return kind, tree


def _continues_number(label: str, words: Words) -> bool:
    """Whether ``label`` is a further group of three digits, as in 1 000 000; then it is added."""
    trees = words.trees
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
_TWO = Node("N!2")


def _compound(node: Node, words: Words) -> tuple[int, Node]:
    """A symbol that carries something: its part of speech in ``words``, and its operator tree."""
    label = node.label
    if label[:2] == "M!":
        return _matrix(node, words)
    if label == "O!divide" or label == "O!stack":
        tree = operator(label, _cell(node, Edge.OVER), _cell(node, Edge.UNDER))
        return ATOM, scripted(tree, _scripts(node, (Edge.OVER, Edge.UNDER)))
    if label == "O!root":
        degree = node.row(Edge.PRE_ABOVE)
        tree = operator(label, _cell(node, Edge.WITHIN), _row(degree) if degree else _TWO)
        return ATOM, scripted(tree, _scripts(node, (Edge.PRE_ABOVE, Edge.WITHIN)))
    kind, tree = leaf(label)
    if len(node.parts) == 1 and kind & (NAME | CALLED | ATOM) and label != "W!":
        edge, row = node.parts[0]  # the commonest symbols: a letter with one script
        if edge is Edge.BELOW or (edge is Edge.ABOVE and not _is_prime(row)):
            return kind, operator(_SCRIPT_LABELS[edge], tree, _row(row))
    if label == "W!":  # a script with nothing to stand on
        scripts = _scripts(node)
        return ATOM, scripted(scripts[0][1], scripts[1:]) if scripts else tree
    if node.row(Edge.WITHIN):
        within = [_row(row) for edge, row in node.parts if edge in _CELLS]
        known = label == "O!enclose"
        tree = operator(label, *within) if known else operator("O!row", tree, *within)
    if kind & (BIG | FUNCTION):
        return kind, scripted(tree, _scripts(node))
    if kind & (POSTFIX | BAR):
        scripts = _scripts(node)
        words.scripts[len(words.trees)] = scripts
        return (kind if kind & POSTFIX else EVALUATED), tree
    if kind & NAME and _is_prime(node.row(Edge.ABOVE)[:1]):
        kind = CALLED
    return kind, _decorated(tree, node)


_CELLS = (Edge.WITHIN, Edge.ELEMENT)


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
    rows = {
        edge: row for edge, row in node.parts if edge in _SCRIPT_LABELS and edge not in except_edges
    }
    if not rows:
        return ()
    scripts: list[Script] = []
    for edge, label in _SCRIPT_LABELS.items():
        row = rows.get(edge, ())
        primes = 0
        while edge is Edge.ABOVE and _is_prime(row[primes : primes + 1]):
            primes += 1
        if primes:
            scripts.append(("O!SUP", Node("V!" + "′" * primes)))
            row = row[primes:]
        if row:
            scripts.append((label, _row(row)))
    return tuple(scripts)


def _decorated(tree: Node, node: Node) -> Node:
    """``tree`` under the accents of ``node``, then with its scripts.

    A brace may carry a label, which LaTeX lets one write as a script of the brace.
    """
    accents: list[Edge] = []
    for edge in (Edge.OVER, Edge.UNDER):
        row = node.row(edge)
        if row and row[0].label in ACCENTS and (len(row) == 1 or row[0].label in "⏞⏟"):
            accents.append(edge)
            tree = scripted(operator("F!" + row[0].label, tree), _scripts(row[0]))
            if len(row) > 1:
                label = "O!SUP" if edge is Edge.OVER else "O!SUB"
                tree = operator(label, tree, _row(row[1:]))
    if len(accents) == len(node.parts):
        return tree
    return scripted(tree, _scripts(node, (*accents, Edge.WITHIN, Edge.ELEMENT)))


# Fences and matrices


def _matrix(node: Node, words: Words) -> tuple[int, Node]:
    fences, rows, columns = shape(node.label)
    cells = [row for edge, row in node.parts if edge in _CELLS]
    if rows == 1 and fences and (len(cells) < 2 or is_list(cells)):
        return _fenced(fences, cells, node, words)
    if rows == 1 and len(cells) == 1:
        inner = _words(cells[0])
        single = len(inner.trees) == 1
        return inner.seen if single else ATOM, _decorated(
            combined(inner, 0, len(inner.trees)), node
        )
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
    return ATOM, _decorated(tree, node)


def _fenced(fences: str, cells: list[Row], node: Node, words: Words) -> tuple[int, Node]:
    """A group in fences; what it gives to a function before it is noted in ``words``."""
    scripts = _scripts(node, _CELLS)
    at = len(words.trees)
    if len(cells) > 1 and has_condition(fences, cells):
        cells = [tuple(symbol for cell in cells for symbol in cell)]
    if len(cells) == 1:
        kind, tree, operands = _group(fences, cells[0])
    else:
        operands = tuple(_row(without_separator(cell)) for cell in cells)
        kind, tree = (GROUP if fences == "()" else ATOM), grouped(fences, operands)
    if operands and fences[:1] in ("(", "[", "{"):
        words.calls[at] = operands, scripts
    return kind, scripted(tree, scripts)


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


def _is_short(row: Row) -> bool:
    """Whether there are so few symbols that their operators cannot be nested too deeply."""
    budget = MAX_OPERATOR_DEPTH // 4
    level = list(row)
    while level and budget > 0:
        budget -= len(level)
        level = [child for node in level for _, below in node.parts for child in below]
    return budget > 0


def bounded(tree: Node) -> Node:
    """``tree`` within MAX_OPERATOR_DEPTH levels: what lies deeper is made flat."""
    level = [tree]
    for _ in range(MAX_OPERATOR_DEPTH):
        level = [child for node in level for _, row in node.parts for child in row]
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
