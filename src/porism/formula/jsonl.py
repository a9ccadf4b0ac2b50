"""Formulas in JSON Lines: each line in is answered by one line out, in the same order.

A line in is ``{"id": ..., "latex": ...}``, or ``"mathml"`` by the form that it is said to hold; a
line out is ``{"id": ..., "<target>": ..., "problems": [...]}`` or ``{"id": ..., "error": ...}``.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from enum import Enum, auto
from functools import partial
from typing import Any, NamedTuple

from porism.errors import FormatError, PorismError
from porism.formula.conversion import convert
from porism.formula.forms import ConversionTarget, FormulaForm
from porism.parallel import map_in_order

CHUNK_LINES = 500
CHUNK_BYTES = 1 << 18
"""What goes to a process at a time: enough that handing it over costs little beside the work."""

KEYS = {
    FormulaForm.LATEX: ("latex",),
    FormulaForm.MATHML: ("mathml",),
    FormulaForm.CONTENT_MATHML: ("content-mathml", "mathml"),
}
"""Where a line holds its formula; the first of these keys that it has counts."""


class LineOutcome(Enum):
    """What became of a line."""

    CONVERTED = auto()
    REFUSED = auto()  # the formula could not be converted; the line says why
    UNREADABLE = auto()  # the line itself is not as it should be


class ConvertedLine(NamedTuple):
    """The line of JSON, without line end, that answers a line; ``error`` is what it tells."""

    text: bytes
    outcome: LineOutcome
    error: str = ""


class LineConversion(NamedTuple):
    """What is done to each line. ``path`` names the input where a line is at fault."""

    form: FormulaForm
    target: ConversionTarget
    path: str = "-"


class _Chunk(NamedTuple):
    first: int  # number of the first line
    lines: list[bytes]


def converted_lines(
    lines: Iterable[bytes], conversion: LineConversion, jobs: int = 1
) -> Generator[ConvertedLine, None, None]:
    """The answers to ``lines``, which are counted from 1; blank ones are passed over.

    With more than one of ``jobs``, that many processes work, a few chunks ahead of what has been
    taken from the iterator, so memory does not grow with the input.
    """
    if jobs == 1:
        for number, line in enumerate(lines, start=1):
            if not line.isspace():
                yield _answer(line, number, conversion)
    else:
        for answers in map_in_order(partial(_chunk_answers, conversion), _chunks(lines), jobs):
            yield from answers


def _answer(line: bytes, number: int, conversion: LineConversion) -> ConvertedLine:
    record: dict[str, Any] = {}  # whatever JSON the line holds
    try:
        record = _record(line, number, conversion.path)
        source = _formula(record, number, conversion)
    except FormatError as error:
        return _refusal(record.get("id"), LineOutcome.UNREADABLE, str(error))
    try:
        value, problems = convert(source, conversion.form, conversion.target)
    except PorismError as error:
        return _refusal(record.get("id"), LineOutcome.REFUSED, str(error))
    answer = {
        "id": record.get("id"),
        conversion.target.value: value,
        "problems": [problem._asdict() for problem in problems],
    }
    return ConvertedLine(json_line(answer), LineOutcome.CONVERTED)


def _refusal(formula_id: object, outcome: LineOutcome, error: str) -> ConvertedLine:
    return ConvertedLine(json_line({"id": formula_id, "error": error}), outcome, error)


def _record(line: bytes, number: int, path: str) -> dict[str, Any]:
    try:
        record = _DECODER.decode(line.decode("utf-8-sig", "surrogatepass"))
    except RecursionError:
        raise FormatError(path, number, "not a formula's line: nested too deeply") from None
    except ValueError as error:
        raise FormatError(path, number, f"not a line of JSON: {error}") from None
    if not isinstance(record, dict):
        raise FormatError(path, number, "expected a JSON object, as in " + _EXAMPLE)
    if isinstance(record.get("id"), dict | list):
        raise FormatError(path, number, "expected a string or a number as id")
    return record


def _formula(record: dict[str, Any], number: int, conversion: LineConversion) -> str:
    keys = KEYS[conversion.form]
    for key in keys:
        if isinstance(record.get(key), str):
            return str(record[key])
    expected = " or ".join(f'"{key}"' for key in keys)
    raise FormatError(conversion.path, number, f"expected the formula as a string under {expected}")


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _no_number(text)


_EXAMPLE = '{"id": 1, "latex": "x^2"}'
# What could be read but not written again as JSON is refused when it is read.
_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)
_READABLE = json.JSONEncoder(ensure_ascii=False)
_ASCII = json.JSONEncoder()


def json_line(record: dict[str, object]) -> bytes:
    """The record as one line of JSON without line end: UTF-8, whatever its strings hold."""
    try:
        return _READABLE.encode(record).encode()
    except UnicodeEncodeError:  # lone surrogates, which JSON can write only as \udXXX
        return _ASCII.encode(record).encode()


def _chunks(lines: Iterable[bytes]) -> Iterator[_Chunk]:
    chunk = _Chunk(1, [])
    size = 0
    for number, line in enumerate(lines, start=1):
        chunk.lines.append(line)
        size += len(line)
        if len(chunk.lines) == CHUNK_LINES or size >= CHUNK_BYTES:
            yield chunk
            chunk = _Chunk(number + 1, [])
            size = 0
    if chunk.lines:
        yield chunk


def _chunk_answers(conversion: LineConversion, chunk: _Chunk) -> list[ConvertedLine]:
    return [
        _answer(line, number, conversion)
        for number, line in enumerate(chunk.lines, start=chunk.first)
        if not line.isspace()
    ]
