"""The numbers that constant expressions stand for, computed from their operator trees.

Rational arithmetic is exact; roots, powers, constants and functions give floating-point numbers.
Whatever is not a constant expression of known operators, is not real, or is too large to compute
at once, has no value: nothing here raises, and no expression takes long.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from porism.formula.tree import Node, Row, operator

Number = Fraction | float

MAX_BITS = 10_000
"""Bits of a numerator or denominator beyond which a number is approximated."""

MAX_FACTORIAL = 1000
"""The largest number whose factorial is computed."""

MAX_NODES = 400
"""Nodes of the largest expression that is evaluated."""

MAX_LEVELS = 60
"""Levels of operators that are evaluated or compared, since this recurses."""

MIN_DIGITS = 3
"""Significant digits from which a decimal after an equals sign is taken as rounded.

``0.693`` is how people write the logarithm of 2, but ``0.5`` is a half.
"""


@dataclass(frozen=True, slots=True)
class ConstantValue:
    """A number, and how far the number that was meant may be from it, since decimals are rounded.

    ``is_approximate`` means that it follows a sign such as ≈.
    """

    number: Number
    tolerance: Fraction = Fraction(0)
    is_approximate: bool = False


def equal_values(one: ConstantValue, other: ConstantValue) -> bool:
    """Whether two values are equal, up to rounding; this is symmetric.

    >>> rounded = ConstantValue(Fraction("0.693"), tolerance=Fraction("0.0005"))
    >>> equal_values(ConstantValue(math.log(2)), rounded)
    True
    """
    if one.number == other.number:
        return True
    tolerance = max(one.tolerance, other.tolerance)
    if isinstance(one.number, Fraction) and isinstance(other.number, Fraction):
        return abs(one.number - other.number) <= tolerance
    first, second = _as_float(one.number), _as_float(other.number)
    if first is None or second is None:
        return False
    if math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12):
        return True
    return abs(first - second) <= (_as_float(tolerance) or 0.0) * (1 + 1e-9)


def clearly_different(one: ConstantValue, other: ConstantValue) -> bool:
    """Whether two values cannot be the same number, rounded or estimated by someone; symmetric."""
    first, second = _as_float(one.number), _as_float(other.number)
    if first is None or second is None:
        return False
    size = max(abs(first), abs(second))
    relative = 1e-2 if one.is_approximate or other.is_approximate else 1e-6
    tolerance = _as_float(max(one.tolerance, other.tolerance)) or 0.0
    return abs(first - second) > max(relative * size, 4 * tolerance, 1e-9)


def _as_float(number: Number) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


def constant_value(tree: Node, *, is_approximate: bool = False) -> ConstantValue | None:
    """The value of an expression, None if it has none; a decimal may end with dots.

    >>> from porism.formula.latex import parse_latex
    >>> from porism.formula.operators import operator_tree
    >>> constant_value(operator_tree(parse_latex(r"\\binom{5}{2}/4").tree).row[0])
    ConstantValue(number=Fraction(5, 2), tolerance=Fraction(0, 1), is_approximate=False)
    """
    tree, has_dots = _without_dots(tree)
    number = number_of(tree)
    if number is None:
        return None
    place = _last_place(tree, min_digits=1 if is_approximate or has_dots else MIN_DIGITS)
    if place is None and has_dots:
        return None  # dots after something else than a decimal, such as 2 + 4 + ...
    if place is None and is_approximate:
        place = _last_place_of_integer(tree)
    tolerance = Fraction(0) if place is None else place if has_dots else place / 2
    return ConstantValue(number, tolerance, is_approximate)


def _without_dots(tree: Node) -> tuple[Node, bool]:
    """A number without dots after it, and whether there were any."""
    if tree.label == "O!minus" and len(tree.operands) == 1:
        inner, has_dots = _without_dots(tree.operands[0])
        return operator("O!minus", inner), has_dots
    if tree.label == "U!times" and len(tree.operands) == 2 and tree.operands[1].label == "V!…":
        return tree.operands[0], True
    return tree, False


def number_of(tree: Node) -> Number | None:
    """The real number that a constant expression stands for; None if it has no value."""
    if not is_small(tree, MAX_NODES):
        return None
    try:
        number = _number(tree)
    except (ArithmeticError, ValueError):  # outside a domain, division by zero, too large
        return None
    if isinstance(number, float) and not math.isfinite(number):
        return None
    return number


def is_small(tree: Node, max_nodes: int) -> bool:
    """Whether a tree has at most so many nodes and ``MAX_LEVELS`` levels."""
    level = [tree]
    for _ in range(MAX_LEVELS):
        max_nodes -= len(level)
        if max_nodes < 0:
            return False
        level = [operand for node in level for operand in node.operands]
        if not level:
            return True
    return False


_DECIMAL = re.compile(r"[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100}")


def literal_number(label: str) -> Fraction | None:
    """The number that a leaf spells with digits, and at most one point."""
    text = label[2:] if label[:2] == "N!" else ""
    return Fraction(text.rstrip(".")) if _DECIMAL.fullmatch(text) else None


class _NoValueError(ArithmeticError):
    """An expression has no value that is computed here."""


def _number(tree: Node) -> Number:
    label, operands = tree.label, tree.operands
    if not operands:
        literal = literal_number(label)
        number = _CONSTANTS.get(label) if literal is None else literal
        if number is None:
            raise _NoValueError
        return number
    if label[:2] == "+!":
        return _with_scripts(operands)
    operation = _OPERATIONS.get(label)
    if operation is not None:
        return _bounded(operation(operands))
    function = _FUNCTIONS.get(label)
    if function is None or len(operands) != 1:
        raise _NoValueError
    return function(float(_number(operands[0])))


_CONSTANTS: Mapping[str, Number] = {"V!π": math.pi, "V!e": math.e, "T!e": math.e}


def _bounded(number: Number) -> Number:
    if isinstance(number, Fraction) and (
        number.numerator.bit_length() > MAX_BITS or number.denominator.bit_length() > MAX_BITS
    ):
        return float(number)
    return number


def _sum(operands: Row) -> Number:
    total: Number = Fraction(0)
    for operand in operands:
        total = _bounded(total + _number(operand))
    return total


def _product(operands: Row) -> Number:
    total: Number = Fraction(1)
    for operand in operands:
        total = _bounded(total * _number(operand))
    return total


def _difference(operands: Row) -> Number:
    if len(operands) == 1:
        return -_number(operands[0])
    raise _NoValueError


def _quotient(operands: Row) -> Number:
    total = _number(operands[0])
    for operand in operands[1:]:
        total = _bounded(total / _number(operand))
    return total


def _power(operands: Row) -> Number:
    base, exponent = operands
    if exponent.label == "O!compose" and not exponent.parts:  # a ring: degrees
        return float(_number(base)) * math.pi / 180
    return _raised(_number(base), _number(exponent))


def _raised(base: Number, exponent: Number) -> Number:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        power = exponent.numerator
        if isinstance(base, Fraction):
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(power) <= MAX_BITS:
                return Fraction(base**power)
        return math.pow(base, power)
    if base < 0:
        raise _NoValueError
    return math.pow(base, exponent)


def _root(operands: Row) -> Number:
    base, degree = (_number(operand) for operand in operands)
    if not isinstance(degree, Fraction) or degree.denominator != 1 or degree < 1:
        raise _NoValueError
    if base < 0:
        if degree.numerator % 2 == 0:
            raise _NoValueError
        return -_raised(-base, 1 / degree)
    if degree == 2 and isinstance(base, Fraction):
        root = Fraction(math.isqrt(base.numerator), math.isqrt(base.denominator))
        if root * root == base:
            return root
    return _raised(base, 1 / degree)


def _whole(tree: Node) -> int:
    number = _number(tree)
    if not isinstance(number, Fraction) or number.denominator != 1:
        raise _NoValueError
    return number.numerator


def _factorial(operands: Row) -> Number:
    if len(operands) != 1 or operands[0].label == "O!factorial":  # n!! is something else
        raise _NoValueError
    number = _whole(operands[0])
    if not 0 <= number <= MAX_FACTORIAL:
        raise _NoValueError
    return Fraction(math.factorial(number))


def _binomial(operands: Row) -> Number:
    upper, lower = (_whole(operand) for operand in operands)
    if not 0 <= upper <= MAX_FACTORIAL or not 0 <= lower <= MAX_FACTORIAL:
        raise _NoValueError
    return Fraction(math.comb(upper, lower))


def _one(operands: Row) -> Number:
    if len(operands) != 1:
        raise _NoValueError
    return _number(operands[0])


def _absolute(operands: Row) -> Number:
    number = _one(operands)
    return -number if number < 0 else number


_OPERATIONS: Mapping[str, Callable[[Row], Number]] = {
    "U!plus": _sum,
    "U!times": _product,
    "O!minus": _difference,
    "O!divide": _quotient,
    "O!SUP": _power,
    "O!root": _root,
    "O!factorial": _factorial,
    "O!binomial": _binomial,
    "O!percent": lambda operands: _one(operands) / 100,
    "O!enclose": _one,
    "M!D-[]": _one,
    "F!abs": _absolute,
    "F!floor": lambda operands: Fraction(math.floor(_one(operands))),
    "F!ceiling": lambda operands: Fraction(math.ceil(_one(operands))),
}


def _reciprocal(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: 1 / _away_from_zero(function(x))


def _away_from_zero(number: float) -> float:
    """A divisor that is not zero; the cosine of π/2 is, though not in floating-point numbers."""
    if abs(number) < 1e-12:
        raise _NoValueError
    return number


_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "F!" + name: function
    for name, function in {
        "ln": math.log,
        "log": math.log,
        "exp": math.exp,
        "sin": math.sin,
        "cos": math.cos,
        "tan": lambda x: math.sin(x) / _away_from_zero(math.cos(x)),
        "tg": lambda x: math.sin(x) / _away_from_zero(math.cos(x)),
        "cot": lambda x: math.cos(x) / _away_from_zero(math.sin(x)),
        "sec": _reciprocal(math.cos),
        "csc": _reciprocal(math.sin),
        "sinh": math.sinh,
        "cosh": math.cosh,
        "tanh": math.tanh,
        "arcsin": math.asin,
        "arccos": math.acos,
        "arctan": math.atan,
        "arctg": math.atan,
        "arcsinh": math.asinh,
        "arsinh": math.asinh,
        "arccosh": math.acosh,
        "arcosh": math.acosh,
        "arctanh": math.atanh,
        "artanh": math.atanh,
    }.items()
}
"""Functions of one real number; ``log`` without a base is natural, as in most of mathematics."""

KNOWN_FUNCTIONS = frozenset(_FUNCTIONS)

INVERSES: Mapping[str, str] = {
    "F!" + name: "F!arc" + name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
}


def _with_scripts(operands: Row) -> Number:
    """A function whose name has a script: a base, a power, or -1 for the inverse."""
    if len(operands) != 2 or len(operands[0].operands) != 2:
        raise _NoValueError
    (name, script), argument = operands[0].operands, operands[1]
    function = _FUNCTIONS.get(name.label)
    if function is None or name.parts:
        raise _NoValueError
    number = float(_number(argument))
    if operands[0].label == "O!SUB" and name.label == "F!log":
        return math.log(number) / _away_from_zero(math.log(_number(script)))
    if operands[0].label != "O!SUP":
        raise _NoValueError
    power = _number(script)
    if power == -1:
        inverse = INVERSES.get(name.label)
        if inverse is None:
            raise _NoValueError
        return _FUNCTIONS[inverse](number)
    return _raised(function(number), power)


# Rounding


def _last_place(tree: Node, min_digits: int) -> Fraction | None:
    """The place value of the last digit of a decimal, with sign, percent or a power of ten.

    None for anything else, and for a decimal with fewer significant digits.
    """
    label, operands = tree.label, tree.operands
    if not operands:
        text = label[2:] if label[:2] == "N!" else ""
        _, point, decimals = text.partition(".")
        if not point or not _DECIMAL.fullmatch(text):
            return None
        if len(text.replace(".", "").lstrip("0")) < min_digits:
            return None
        return Fraction(1, 10 ** len(decimals))
    if label in ("O!minus", "O!enclose", "O!percent") and len(operands) == 1:
        place = _last_place(operands[0], min_digits)
        return place if place is None or label != "O!percent" else place / 100
    if label == "U!times" and len(operands) == 2:
        factor, power = operands
        place = _last_place(factor, min_digits)
        if place is None or power.label != "O!SUP" or power.operands[0].label != "N!10":
            return None
        scale = number_of(power)
        return place * scale if isinstance(scale, Fraction) else None
    return None


def _last_place_of_integer(tree: Node) -> Fraction | None:
    """The place value of the last digit of an integer that is not zero, for use after ≈."""
    if tree.label in ("O!minus", "O!enclose") and len(tree.operands) == 1:
        return _last_place_of_integer(tree.operands[0])
    number = literal_number(tree.label)
    if number is None or number.denominator != 1:
        return None
    digits = str(number)
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0"))))
