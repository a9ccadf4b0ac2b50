r"""One operator tree for expressions that differ only in notation, so that they can be compared.

Operands of commutative operators are sorted, nested sums and products flattened, rational factors
multiplied, roots written as powers, relations turned to one side, and bound variables of sums,
products, limits and definite integrals renamed. So ``\frac12 x``, ``x/2`` and ``x\cdot0.5`` are the
same expression, and so are sums over k and over n. Nothing is expanded or cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from porism.answer.verification.constant_values import (
    INVERSES,
    KNOWN_FUNCTIONS,
    is_small,
    literal_number,
)
from porism.formula.operators.parts_of_speech import INTEGRALS
from porism.formula.symbols import CANONICAL_SYMBOLS
from porism.formula.tree import Node, operation, operator

MAX_NODES = 2000
"""Nodes of the largest tree that has a canonical form; a larger one is left as it is."""

_Names = Mapping[str, str]
"""The canonical labels of the bound variables around an expression, by label."""

_NO_NAMES: _Names = {}
_ONE = Fraction(1)


def canonical(tree: Node) -> Node:
    r"""The canonical form of an operator tree.

    >>> from porism.formula.latex import parse_latex
    >>> from porism.formula.operators import operator_tree
    >>> def form(latex: str) -> Node:
    ...     return canonical(operator_tree(parse_latex(latex).tree).row[0])
    >>> form(r"\frac{1}{2}\sqrt{x}") == form(r"x^{1/2}/2")
    True
    """
    return _canonical(tree, _NO_NAMES) if is_small(tree, MAX_NODES) else tree


_MIRRORED = {
    "O!gt": "O!lt",
    "O!geq": "O!leq",
    "O!superset-of": "O!subset",
    "O!much-greater-than": "O!much-less-than",
}

_RENAMED = {
    "F!log": "F!ln",
    "F!tg": "F!tan",
    "F!arctg": "F!arctan",
    "F!ctg": "F!cot",
    "F!cotg": "F!cot",
    "F!cosec": "F!csc",
    "F!arsinh": "F!arcsinh",
    "F!arcosh": "F!arccosh",
    "F!artanh": "F!arctanh",
    "T!e": "V!e",
    "V!ε": "V!ϵ",
    "V!φ": "V!ϕ",
    "V!⌀": "C!emptyset",
    "V!⋯": "V!…",
}


def _canonical(tree: Node, names: _Names) -> Node:
    label, operands = tree.label, tree.operands
    if not operands:
        return _leaf(label, names)
    if label in _PRODUCTS:
        return _product(tree, names)
    if label == "U!plus":
        return _sum(tree, names)
    if label in _TRANSPARENT and len(operands) == 1:
        return _canonical(operands[0], names)
    if label == "O!SUP" and len(operands) == 2:
        return _power(*(_canonical(operand, names) for operand in operands))
    if label == "O!root" and len(operands) == 2:
        base, degree = (_canonical(operand, names) for operand in operands)
        return _power(base, _inverse(degree))
    if label == "F!exp" and len(operands) == 1:
        return _power(Node("V!e"), _canonical(operands[0], names))
    if label[:2] == "+!" and len(operands) == 2:
        return _applied(tree, names)
    parts = tuple([_canonical(operand, names) for operand in operands])
    if label in _MIRRORED and len(parts) == 2:
        return operation(_MIRRORED[label], parts[::-1])
    if label[:2] == "U!":
        parts = tuple(sorted(parts))
    return operation(_RENAMED.get(label, label), parts)


_PRODUCTS = frozenset(("U!times", "O!divide", "O!minus"))
_TRANSPARENT = frozenset(("M!D-[]", "O!enclose"))


def _leaf(label: str, names: _Names) -> Node:
    label = names.get(label) or _RENAMED.get(label, label)
    number = literal_number(label)
    if number is not None:
        return _number(number)
    return Node(CANONICAL_SYMBOLS.get(label, label))


def _number(number: Fraction) -> Node:
    return Node(f"N!{number}")


def _fraction(tree: Node) -> Fraction | None:
    """The number of a canonical leaf."""
    if tree.label[:2] != "N!" or tree.parts:
        return None
    try:
        return Fraction(tree.label[2:])
    except (ValueError, ZeroDivisionError):  # a leaf of digits in another form, such as 0x1F
        return None


def _sum(tree: Node, names: _Names) -> Node:
    terms: list[Node] = []
    for operand in tree.operands:
        term = _canonical(operand, names)
        terms += term.operands if term.label == "U!plus" else (term,)
    return operation("U!plus", tuple(sorted(terms)))


# Products: a rational factor, the other factors in order, and the inverses of divisors


def _product(tree: Node, names: _Names) -> Node:
    if tree.label == "O!minus" and len(tree.operands) != 1:
        return operation(tree.label, tuple(_canonical(each, names) for each in tree.operands))
    coefficient = _ONE
    factors: list[Node] = []
    for factor, is_divisor in _factors(tree, names):
        number = _fraction(factor)
        if number is not None and (number or not is_divisor):
            product = coefficient / number if is_divisor else coefficient * number
            if product.numerator.bit_length() + product.denominator.bit_length() < _MAX_FOLDED:
                coefficient = product
                continue
        factors.append(_inverse(factor) if is_divisor else factor)
    return _times(coefficient, factors)


_MAX_FOLDED = 500
"""Bits of the rational factor of a product; further numbers are factors like others."""


def _times(coefficient: Fraction, factors: list[Node]) -> Node:
    if not factors:
        return _number(coefficient)
    if coefficient != 1:
        factors = [*factors, _number(coefficient)]
    return factors[0] if len(factors) == 1 else operation("U!times", tuple(sorted(factors)))


def _factors(tree: Node, names: _Names) -> Iterator[tuple[Node, bool]]:
    """Canonical factors of a product, quotient or negative, and whether each is a divisor."""
    pending = [(tree, False)]
    while pending:
        node, is_divisor = pending.pop()
        label, operands = node.label, node.operands
        if not operands:  # a symbol, or an operator that lacks its operands
            yield _leaf(label, names), is_divisor
        elif label == "U!times":
            pending += ((operand, is_divisor) for operand in reversed(operands))
        elif label == "O!divide":
            pending += ((operand, not is_divisor) for operand in reversed(operands[1:]))
            pending.append((operands[0], is_divisor))
        elif label == "O!minus" and len(operands) == 1:
            yield Node("N!-1"), is_divisor
            pending.append((operands[0], is_divisor))
        elif label in _TRANSPARENT and len(operands) == 1:
            pending.append((operands[0], is_divisor))
        else:
            factor = _canonical(node, names)
            members = factor.operands if factor.label == "U!times" else (factor,)
            for member in members:
                yield member, is_divisor


def _inverse(tree: Node) -> Node:
    return _power(tree, Node("N!-1"))


def _power(base: Node, exponent: Node) -> Node:
    """A power; a power of a power is one only if both exponents are whole, so that it is true."""
    power = _fraction(exponent)
    if power == 1:
        return base
    if power is not None and power.denominator == 1:
        number = _fraction(base)
        if number and power == -1:
            return _number(1 / number)
        if base.label == "O!SUP":
            inner = _fraction(base.operands[1])
            if inner is not None and inner.denominator == 1:
                return _power(base.operands[0], _number(inner * power))
            if power == -1 and inner is None:
                return _power(base.operands[0], _negative(base.operands[1]))
            if power == -1 and inner is not None:
                return operator("O!SUP", base.operands[0], _number(-inner))
    return operator("O!SUP", base, exponent)


def _negative(tree: Node) -> Node:
    coefficient = -_ONE
    factors: list[Node] = []
    for factor in tree.operands if tree.label == "U!times" else (tree,):
        number = _fraction(factor)
        if number is None:
            factors.append(factor)
        else:
            coefficient *= number
    return _times(coefficient, factors)


# Operators with scripts


def _applied(tree: Node, names: _Names) -> Node:
    """A function whose name has a script, or a big operator with its limits."""
    head, body = tree.operands
    name, lower, upper = _scripts(head)
    if name in ("O!sum", "O!product", "O!limit") or name in _INTEGRALS:
        bound = _bound(name, lower, upper, body, names)
        if bound is not None:
            return bound
    elif name[:2] == "F!" and upper is not None and lower is None:
        exponent = _canonical(upper, names)
        inverse = INVERSES.get(name)
        if _fraction(exponent) != -1:
            function = operation(_RENAMED.get(name, name), (_canonical(body, names),))
            return _power(function, exponent)
        if inverse is not None:
            return operator(inverse, _canonical(body, names))
    elif name == "F!log" and lower is not None and upper is None:
        return operator("F!log", _canonical(body, names), _canonical(lower, names))
    return operation(tree.label, tuple(_canonical(each, names) for each in tree.operands))


_INTEGRALS = frozenset(INTEGRALS.values())


def _scripts(head: Node) -> tuple[str, Node | None, Node | None]:
    """The name, lower and upper script of an operator with at most one of each."""
    lower = upper = None
    while len(head.operands) == 2:
        if head.label == "O!SUB" and lower is None:
            lower = head.operands[1]
        elif head.label == "O!SUP" and upper is None:
            upper = head.operands[1]
        else:
            return "", None, None
        head = head.operands[0]
    return ("", None, None) if head.parts else (head.label, lower, upper)


def _bound(
    name: str, lower: Node | None, upper: Node | None, body: Node, names: _Names
) -> Node | None:
    """A big operator with its bound variables renamed; None if they are not recognised.

    Limits are read in the scope outside: a variable in them is not the bound one.
    """
    if lower is None:
        return None
    start = lower
    variables: list[str] = []
    if lower.label in (_ARROWS if name == "O!limit" else ("U!eq",)) and len(lower.operands) == 2:
        if not _is_variable(lower.operands[0]):
            return None
        variables.append(lower.operands[0].label)
        start = lower.operands[1]
    elif name not in _INTEGRALS:
        return None
    if name in _INTEGRALS:
        body = _with_differentials(body)
        variables += (each for each in _differentials(body) if each not in variables)
        if not variables:
            return None
    inner = dict(names)
    for variable in variables:
        inner[variable] = f"B!{len(inner)}"
    limits = [_canonical(start, names)]
    if upper is not None:
        limits.append(_canonical(upper, names))
    return operator(name, *limits, _canonical(body, inner))


_ARROWS = ("F!→", "F!⟶")


def _is_variable(tree: Node) -> bool:
    return not tree.parts and tree.label[:2] == "V!" and tree.label[2:].isalpha()


def _with_differentials(tree: Node) -> Node:
    """An integrand in which d and the letter after it are a differential in numerators, too."""
    operands = tree.operands
    if tree.label == "O!divide":
        return operation(tree.label, (_with_differentials(operands[0]), *operands[1:]))
    if tree.label != "U!times":
        return tree
    factors: list[Node] = []
    for factor in operands:
        if factors and factors[-1] == _D and _is_variable(factor):
            factors[-1] = operator("F!d", factor)
        else:
            factors.append(_with_differentials(factor))
    return factors[0] if len(factors) == 1 else operation("U!times", tuple(factors))


_D = Node("V!d")


def _differentials(tree: Node) -> Iterator[str]:
    """The variables of all differentials, in reading order."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if node.label == "F!d" and len(node.operands) == 1 and _is_variable(node.operands[0]):
            yield node.operands[0].label
        pending += reversed(node.operands)


# Kinds of canonical expressions


def is_number(tree: Node) -> bool:
    """Whether a canonical expression is a rational number."""
    return _fraction(tree) is not None


def is_trivial(tree: Node) -> bool:
    """Whether a canonical expression says too little to recognise a result by it alone.

    That is a single symbol, with or without sign or script, or a fraction of one-digit numbers.

    >>> [is_trivial(Node(label)) for label in ("V!n", "N!1/2", "N!42")]
    [True, True, False]
    """
    number = _fraction(tree)
    if number is not None:
        return abs(number.numerator) < 10 and number.denominator < 10
    if tree.label == "U!times" and len(tree.operands) == 2 and tree.operands[0].label == "N!-1":
        return is_trivial(tree.operands[1])
    if tree.label == "O!SUB":
        return all(not operand.parts for operand in tree.operands)
    return not tree.parts


_CLOSED_OPERATORS = frozenset(
    "U!plus U!times O!SUP O!factorial O!binomial F!abs F!floor F!ceiling F!log F!d".split()
) | {_RENAMED.get(name, name) for name in KNOWN_FUNCTIONS}
_BINDERS: Mapping[str, int] = {"O!sum": 3, "O!product": 3, "O!limit": 2, "O!int": 3}
_CLOSED_LEAVES = frozenset(("V!π", "V!e", "C!infinity"))
_SPECIAL_FUNCTIONS = frozenset(("F!Γ", "F!ζ"))
_TELLING = frozenset(_BINDERS) | frozenset(("O!binomial",)) | _SPECIAL_FUNCTIONS


def is_closed(tree: Node) -> bool:
    r"""Whether an expression means the same in every text: it has no free names.

    It is made of numbers, π, e, known operators and functions, and variables that a sum, product,
    limit or definite integral binds; and one of these, a binomial coefficient, Γ or ζ occurs, since
    plain arithmetic may be modulo some number.
    """
    is_telling = False
    pending = [tree]
    while pending:
        node = pending.pop()
        label, operands = node.label, node.operands
        if not operands:
            if label[:2] != "B!" and label not in _CLOSED_LEAVES and not is_number(node):
                return False
            continue
        if label in _BINDERS:
            if len(operands) != _BINDERS[label]:
                return False
        elif label not in _CLOSED_OPERATORS and label not in _SPECIAL_FUNCTIONS:
            return False
        is_telling = is_telling or label in _TELLING
        pending += operands
    return is_telling
