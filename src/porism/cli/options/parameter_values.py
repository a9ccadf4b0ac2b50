"""Parameter values on the command line: lists, and ranges with a step."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.lab.parameters import ParameterValue

MOST_VALUES = 1000
"""A range with more values is refused as a mistake."""


def named_values(text: str) -> tuple[str, list[ParameterValue]]:
    """The name of a parameter and its values, from ``NAME=V1,V2,...`` or ``NAME=LOW:HIGH:STEP``.

    A range includes its end if the steps meet it. Both forms can be mixed.

    >>> named_values("alpha=0.1:0.3:0.1,0.5")
    ('alpha', [0.1, 0.2, 0.3, 0.5])
    >>> named_values("counts_repeats=true,false")
    ('counts_repeats', [True, False])
    """
    name, _, listed = (part.strip() for part in text.partition("="))
    if not name or not listed:
        raise PorismError(f"found {text!r}: {_EXPECTED}")
    return name, [value for part in listed.split(",") for value in _values(part.strip(), text)]


_EXPECTED = "expected PARAMETER=V1,V2,... or PARAMETER=LOW:HIGH:STEP, as in alpha=0.1:0.5:0.1"
_WORDS = {"true": True, "false": False}


def _values(part: str, text: str) -> list[ParameterValue]:
    if part.lower() in _WORDS:
        return [_WORDS[part.lower()]]
    try:
        # Decimal, so that 0.1 + 0.2 is 0.3.
        numbers = [Decimal(number) for number in part.split(":")]
    except InvalidOperation:
        raise PorismError(f"found {part!r} in {text!r}: {_EXPECTED}") from None
    if not all(number.is_finite() for number in numbers) or len(numbers) not in (1, 3):
        raise PorismError(f"found {part!r} in {text!r}: {_EXPECTED}")
    if len(numbers) == 1:
        return [_plain(numbers[0])]
    low, high, step = numbers
    if step <= 0 or high < low:
        raise PorismError(f"found the range {part!r}: expected LOW up to HIGH and a step above 0")
    if (high - low) / step >= MOST_VALUES:
        raise PorismError(f"found the range {part!r}: expected at most {MOST_VALUES:,} values")
    return [_plain(low + number * step) for number in range(int((high - low) / step) + 1)]


def _plain(number: Decimal) -> ParameterValue:
    return int(number) if number == number.to_integral_value() else float(number)
