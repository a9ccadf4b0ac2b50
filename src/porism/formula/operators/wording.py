"""Formulas in words: an operator tree as an English phrase, as one would read it aloud."""

from __future__ import annotations

from itertools import islice, pairwise

from porism.formula.fonts import unstyled
from porism.formula.operators.spoken_names import (
    BIG,
    CHARACTERS,
    CONSTANTS,
    FUNCTIONS,
    INFIX,
    INTEGRALS,
    MARKS,
    READ_AS_WRITTEN,
    STYLES,
)
from porism.formula.tree import Node, Row, Tree, operator

MAX_WORDS = 120
"""Words of a description; nobody reads further."""

MAX_NODES = 300


def formula_in_words(tree: Tree) -> str:
    """What an operator tree says; empty for the empty tree and for one that is too long to read.

    >>> from porism.formula.latex import parse_latex
    >>> from porism.formula.operators import operator_tree
    >>> formula_in_words(operator_tree(parse_latex(r"\\int_0^1 x^2\\,dx").tree))
    'the integral from 0 to 1 of x squared with respect to x'
    """
    if sum(1 for _ in islice(tree.nodes(), MAX_NODES + 1)) > MAX_NODES:
        return ""
    words = " ".join(_phrase(node) for node in tree.row).removesuffix(",")
    return words if len(words.split()) <= MAX_WORDS else ""


def operators_in_words(tree: Tree) -> Tree:
    """The operator tree for people: operators under their names, with named limits.

    >>> from porism.formula.tree import parse_tree
    >>> str(operators_in_words(parse_tree("[+!O!sum,0[O!SUB,0[O!sum],1[V!n]],1[V!x]]", "opt")))
    '[O!the sum,0[O!over,0[V!n]],1[V!x]]'
    """
    return Tree(tree.kind, tuple(map(_named, tree.row)))


def _named(node: Node) -> Node:
    label, name = node.label, node.label[2:]
    operands = tuple(map(_named, node.operands))
    if label[:2] == "+!" and operands:
        core, below, above = _script_rows(node.operands[0])
        if core.label[2:] in BIG and not core.operands:
            words = ("from", "to") if above is not None else ("over", "to")
            limits = [
                operator(f"O!{word}", _named(each))
                for word, each in zip(words, (below, above), strict=True)
                if each is not None
            ]
            return operator(f"O!{BIG[core.label[2:]]}", *limits, *operands[1:])
    spoken = BIG.get(name) or INFIX.get(name) or FUNCTIONS.get(name)
    is_operator = label[:2] in ("O!", "U!", "F!")
    return operator(f"{label[:2]}{spoken}" if spoken and is_operator else label, *operands)


def _phrase(node: Node) -> str:
    label, name, operands = node.label, node.label[2:], node.operands
    if not operands:
        return _leaf(label)
    if label[:2] == "+!":
        return _applied(node)
    rule = _RULES.get(label)
    if rule is not None:
        return rule(node)
    if name in MARKS and len(operands) == 1:
        return f"{_tight(operands[0])} {MARKS[name]}"
    if name in INFIX:
        return _infix(node, INFIX[name])
    if label[:2] == "M!":
        return _table(node)
    if name in BIG:
        return _quantified(name, "", operands)
    return _called(_function(name), operands)


def _called(function: str, operands: Row) -> str:
    is_short = len(operands) == 1 and _is_simple(operands[0])
    joint = " " if is_short and function.split()[0] in READ_AS_WRITTEN else " of "
    return f"{function}{joint}{_listed(operands)}"


def _leaf(label: str) -> str:
    kind, text = label[:2], label[2:]
    if kind in ("N!", "T!"):
        return text
    if kind == "C!":
        return CONSTANTS.get(text, text.replace("-", " "))
    if label[:1] == "?":
        return f"anything called {label[1:]}" if label[1:] else "anything"
    if label == "W!":
        return "nothing"
    text = text if label[1:2] == "!" else label
    return _symbol(text)


def _symbol(text: str) -> str:
    if text in CHARACTERS:
        return CHARACTERS[text]
    plain, style = unstyled(text) if len(text) == 1 else (text, "")
    if style:
        return f"{STYLES.get(style, style)} {_symbol(plain)}"
    return text.replace("-", " ") if len(text) > 1 else text


def _function(name: str) -> str:
    return FUNCTIONS.get(name) or MARKS.get(name) or _symbol(name)


# Operators --------------------------------------------------------------------------------------


def _is_simple(node: Node) -> bool:
    """Whether it is a symbol, perhaps with a script."""
    is_scripted = node.label in ("O!SUB", "O!SUP")
    return not node.operands or (is_scripted and not any(each.operands for each in node.operands))


def _tight(node: Node) -> str:
    """A phrase that can be an operand of a narrower operator."""
    phrase = _phrase(node)
    loose = node.label in ("U!plus", "O!minus") and len(node.operands) > 1
    return f"the quantity {phrase}," if loose else phrase


def _infix(node: Node, word: str) -> str:
    operands = node.operands
    if len(operands) == 1:
        return f"{word} {_phrase(operands[0])}"
    if node.label == "U!and" and all(_is_link(each) for each in operands):
        return _chain(node)
    return f" {word} ".join(_phrase(each) for each in operands)


def _is_link(node: Node) -> bool:
    return len(node.operands) == 2 and node.label[2:] in INFIX


def _chain(node: Node) -> str:
    """``a < b < c``, whose middle operand each of two links repeats."""
    pieces = [_phrase(node.operands[0])]
    for before, link in pairwise(node.operands):
        first, second = link.operands
        word = INFIX[link.label[2:]]
        if first == before.operands[1]:
            pieces.append(f"which {word} {_phrase(second)}")
        else:
            pieces.append(f"and {_phrase(link)}")
    return ", ".join(pieces)


def _plus(node: Node) -> str:
    pieces = [_phrase(node.operands[0])]
    for term in node.operands[1:]:
        sign = _SIGNS.get(term.label) if len(term.operands) == 1 else None
        if sign:
            pieces.append(f"{sign} {_phrase(term.operands[0])}")
        else:
            pieces.append(f"plus {_phrase(term)}")
    return " ".join(pieces)


_SIGNS = {
    "O!minus": "minus",
    "O!plus-or-minus": "plus or minus",
    "O!minus-or-plus": "minus or plus",
}


def _sign(node: Node) -> str:
    if len(node.operands) == 1:
        word = "negative" if node.label == "O!minus" else _SIGNS[node.label]
        return f"{word} {_tight(node.operands[0])}"
    return f" {_SIGNS[node.label]} ".join(_phrase(each) for each in node.operands)


def _times(node: Node) -> str:
    """Symbols side by side are read side by side, larger factors with a word."""
    pieces = [_tight(node.operands[0])]
    for before, factor in pairwise(node.operands):
        both_numbers = before.label[:2] == factor.label[:2] == "N!"
        is_short = not both_numbers and _is_simple(before) and _is_simple(factor)
        is_short |= factor.label in _QUANTIFIERS
        pieces.append(_tight(factor) if is_short else f"times {_tight(factor)}")
    return " ".join(pieces)


def _divide(node: Node) -> str:
    over, under = node.operands[0], node.operands[-1]
    derivative = _derivative(over, under)
    return derivative or f"{_tight(over)} over {_tight(under)}"


def _derivative(over: Node, under: Node) -> str:
    """``dy/dx`` and ``∂f/∂x``; empty for other fractions."""
    if under.label == over.label == "O!partialdiff" and over.operands and under.operands:
        return (
            f"the partial derivative of {_phrase(over.operands[0])}"
            f" with respect to {_phrase(under.operands[0])}"
        )
    below = _after_d(under)
    if below is None:
        return ""
    if over.label == "V!d":
        return f"the derivative with respect to {_phrase(below)}"
    above = _after_d(over)
    if above is None:
        return ""
    return f"the derivative of {_phrase(above)} with respect to {_phrase(below)}"


def _after_d(node: Node) -> Node | None:
    """What is differentiated in ``dx``, however it was read; None if it is something else."""
    if node.label == "F!d" and len(node.operands) == 1:
        return node.operands[0]
    if node.label == "U!times" and len(node.operands) == 2 and node.operands[0].label == "V!d":
        return node.operands[1]
    return None


_POWERS = {"N!2": "squared", "N!3": "cubed", "V!T": "transposed", "V!⊤": "transposed",
           "V!∗": "star", "*": "star", "V!*": "star", "V!′": "prime", "V!″": "double prime",
           "V!†": "dagger"}  # fmt: skip


def _power(node: Node) -> str:
    base, exponent = node.operands[0], node.operands[-1]
    word = _POWERS.get(exponent.label) if not exponent.operands else None
    if word:
        return f"{_tight(base)} {word}"
    if exponent.label == "O!minus" and [each.label for each in exponent.operands] == ["N!1"]:
        return f"{_tight(base)} inverse"
    ending = "" if _is_simple(exponent) else ","
    return f"{_tight(base)} to the power {_phrase(exponent)}{ending}"


def _index(node: Node) -> str:
    return f"{_tight(node.operands[0])} sub {_listed(node.operands[1:])}"


def _root(node: Node) -> str:
    index = node.operands[1] if len(node.operands) > 1 else None
    content = _phrase(node.operands[0])
    if index is None or index.label == "N!2":
        return f"the square root of {content}"
    if index.label == "N!3":
        return f"the cube root of {content}"
    return f"the {_phrase(index)}th root of {content}"


def _binomial(node: Node) -> str:
    return f"{_phrase(node.operands[0])} choose {_phrase(node.operands[-1])}"


def _fenced(node: Node) -> str:
    return f"the {_FENCED[node.label]} of {_listed(node.operands)}"


_FENCED = {"F!abs": "absolute value", "O!norm": "norm", "F!floor": "floor", "F!ceiling": "ceiling"}


def _interval(node: Node) -> str:
    kinds = {"O!interval(C-C)": "closed", "O!interval(O-O)": "open"}
    kind = kinds.get(node.label, "half-open")
    return f"the {kind} interval from {' to '.join(_phrase(each) for each in node.operands)}"


def _such_set(node: Node) -> str:
    return f"the set of {_phrase(node.operands[0])} such that {_listed(node.operands[1:])}"


def _set(node: Node) -> str:
    return f"the set of {_listed(node.operands)}"


def _cases(node: Node) -> str:
    values, rules = node.operands[::2], node.operands[1::2]
    pairs = [
        f"{_phrase(value)} {'' if rule.label[:2] == 'T!' else 'if '}{_phrase(rule)}"
        for value, rule in zip(values, rules, strict=False)
    ]
    return "; ".join(pairs) or _listed(node.operands)


def _table(node: Node) -> str:
    shape = node.label.rpartition("-")[2]
    rows, cross, columns = shape.partition("x")
    if cross:
        lines = "; ".join(_listed(row.operands) or _phrase(row) for row in node.operands)
        return f"the {rows} by {columns} matrix with rows {lines}"
    return _listed(node.operands)


def _annotated(node: Node) -> str:
    return " ".join(_phrase(each) for each in node.operands)


def _modulo(node: Node) -> str:
    return f"modulo {_listed(node.operands)}"


def _quantifier(node: Node) -> str:
    return f"{_QUANTIFIERS[node.label]} {_listed(node.operands)}"


_QUANTIFIERS = {"O!forall": "for all", "O!exists": "there exists", "O!not": "not"}


def _factorial(node: Node) -> str:
    return f"{_tight(node.operands[0])} factorial"


def _differential(node: Node) -> str:
    return f"d {_listed(node.operands)}"


def _partial(node: Node) -> str:
    return f"partial {_listed(node.operands)}"


def _side_by_side(node: Node) -> str:
    return " ".join(_phrase(each) for each in node.operands)


_RULES = {
    "U!plus": _plus, "O!minus": _sign, "O!plus-or-minus": _sign, "O!minus-or-plus": _sign,
    "U!times": _times, "O!divide": _divide, "O!SUP": _power, "O!SUB": _index, "O!root": _root,
    "O!binomial": _binomial, "F!abs": _fenced, "O!norm": _fenced, "F!floor": _fenced,
    "F!ceiling": _fenced, "O!interval(C-C)": _interval, "O!interval(O-O)": _interval,
    "O!interval(O-C)": _interval, "O!interval(C-O)": _interval, "O!conditional-set": _such_set,
    "U!set": _set, "O!set": _set, "O!cases": _cases, "O!annotated": _annotated,
    "F!pmod": _modulo, "O!forall": _quantifier, "O!exists": _quantifier, "O!not": _quantifier,
    "O!factorial": _factorial, "F!d": _differential, "O!partialdiff": _partial,
    "O!row": _side_by_side,
}  # fmt: skip


# Operators with scripts or limits ----------------------------------------------------------------


def _applied(node: Node) -> str:
    """A ``+!`` node: its first operand is the operator with its scripts."""
    scripted, *content = node.operands
    core, below, above = _script_rows(scripted)
    name = core.label[2:]
    if name in BIG and not core.operands:
        return _quantified(name, _limits(name, below, above), tuple(content))
    function = _function(name) if not core.operands else _phrase(core)
    if below is not None:
        joint = "to the base" if name == "log" else "sub"
        function = f"{function} {joint} {_phrase(below)}"
    if above is not None:
        word = _POWERS.get(above.label) if not above.operands else None
        function = f"{function} {word or 'to the power ' + _phrase(above)}"
    return _called(function, tuple(content))


def _script_rows(scripted: Node) -> tuple[Node, Node | None, Node | None]:
    """An operator without its scripts, and what is below and above it."""
    core, below, above = scripted, None, None
    while core.label in ("O!SUB", "O!SUP") and len(core.operands) == 2:
        if core.label == "O!SUB":
            below = core.operands[1]
        else:
            above = core.operands[1]
        core = core.operands[0]
    return core, below, above


def _limits(name: str, below: Node | None, above: Node | None) -> str:
    if below is None:
        return "" if above is None else f" to {_phrase(above)}"
    if name in INTEGRALS and above is None:
        return f" over {_range(below)}"
    if name == "limit":
        return f" as {_approach(below)}"
    start = f" from {_phrase(below)}" if above is not None else f" over {_range(below)}"
    return start if above is None else f"{start} to {_phrase(above)}"


def _range(below: Node) -> str:
    """A condition such as ``i in I``, without its verb."""
    return _phrase(below).replace(" is ", " ", 1) if _is_link(below) else _phrase(below)


def _approach(below: Node) -> str:
    if below.label[2:] == "→" and len(below.operands) == 2:
        return f"{_phrase(below.operands[0])} approaches {_phrase(below.operands[1])}"
    return _phrase(below)


def _quantified(name: str, limits: str, content: Row) -> str:
    """A big operator with its limits and what it applies to."""
    phrase = f"{BIG[name]}{limits}"
    if name in INTEGRALS and len(content) == 1:
        integrand, variables = _integrand(content[0])
        of = f" of {integrand}" if integrand else ""
        respect = f" with respect to {variables}" if variables else ""
        return f"{phrase}{of}{respect}"
    return f"{phrase} of {_listed(content)}"


def _integrand(content: Node) -> tuple[str, str]:
    """What is integrated, and by which variables."""
    factors = content.operands if content.label == "U!times" else (content,)
    variables = [each for each in factors if _is_differential(each)]
    others = tuple(each for each in factors if not _is_differential(each))
    names = " and ".join(_listed(each.operands) for each in variables)
    if not others:
        return ("1" if variables else ""), names
    inner = others[0] if len(others) == 1 else Node("U!times", ((content.parts[0][0], others),))
    return _phrase(inner), names


def _is_differential(node: Node) -> bool:
    return node.label == "F!d" and bool(node.operands)


def _listed(nodes: Row) -> str:
    return ", ".join(_phrase(each) for each in nodes)
