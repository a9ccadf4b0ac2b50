"""Formulas in JSON Lines: one output line for each input line, in the same order.

An input line is ``{"id": ..., "latex": ...}``, or ``"mathml"``, depending on the form; an output
line is ``{"id": ..., "<target>": ..., "problems": [...]}`` or ``{"id": ..., "error": ...}``.
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
"""The size of a chunk for one process: large enough that sending it costs little."""

KEYS = {
    FormulaForm.LATEX: ("latex",),
    FormulaForm.MATHML: ("mathml",),
    FormulaForm.CONTENT_MATHML: ("content-mathml", "mathml"),
}
"""The keys of a line's formula; the first that it has is used."""


class LineOutcome(Enum):
    """The outcome of a line."""

    CONVERTED = auto()
    REFUSED = auto()  # the formula could not be converted; the line says why
    UNREADABLE = auto()  # the line itself is invalid


class ConvertedLine(NamedTuple):
    """An output line of JSON, without line break, and its ``error`` if it has one."""

    text: bytes
    outcome: LineOutcome
    error: str = ""


class LineConversion(NamedTuple):
    """How lines are converted. ``path`` names the input in errors."""

    form: FormulaForm
    target: ConversionTarget
    path: str = "-"


class _Chunk(NamedTuple):
    first: int  # number of the first line
    lines: list[bytes]


def converted_lines(
    lines: Iterable[bytes], conversion: LineConversion, jobs: int = 1
) -> Generator[ConvertedLine, None, None]:
    """The output lines for ``lines``, which are numbered from 1; blank ones are skipped.

    If ``jobs`` is more than 1, that many processes read a few chunks ahead, so memory does not grow
    with the input.
    """
    if jobs == 1:
        for number, line in enumerate(lines, start=1):
            if not line.isspace():
                yield _converted(line, number, conversion)
    else:
        for chunk in map_in_order(partial(_converted_chunk, conversion), _chunks(lines), jobs):
            yield from chunk


def _converted(line: bytes, number: int, conversion: LineConversion) -> ConvertedLine:
    record: dict[str, Any] = {}  # a line may have any JSON
    try:
        record = _record(line, number, conversion.path)
        source = _formula(record, number, conversion)
    except FormatError as error:
        return _rejection(record.get("id"), LineOutcome.UNREADABLE, str(error))
    try:
        value, problems = convert(source, conversion.form, conversion.target)
    except PorismError as error:
        return _rejection(record.get("id"), LineOutcome.REFUSED, str(error))
    converted = {
        "id": record.get("id"),
        conversion.target.value: value,
        "problems": [problem._asdict() for problem in problems],
    }
    return ConvertedLine(json_line(converted), LineOutcome.CONVERTED)


def _rejection(formula_id: object, outcome: LineOutcome, error: str) -> ConvertedLine:
    return ConvertedLine(json_line({"id": formula_id, "error": error}), outcome, error)


def _record(line: bytes, number: int, path: str) -> dict[str, Any]:
    try:
        record = _DECODER.decode(line.decode("utf-8-sig", "surrogatepass"))
    except RecursionError:
        raise FormatError(path, number, "not a formula: the JSON is nested too deeply") from None
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


def _reject_number(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if abs(number) != float("inf") else _reject_number(text)


_EXAMPLE = '{"id": 1, "latex": "x^2"}'
# Values that could be read but not written again as JSON are rejected when they are read.
_DECODER = json.JSONDecoder(parse_constant=_reject_number, parse_float=_finite)
_READABLE = json.JSONEncoder(ensure_ascii=False)
_ASCII = json.JSONEncoder()


def json_line(record: dict[str, object]) -> bytes:
    """The record as one line of JSON in UTF-8, without line break, whatever its strings contain."""
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


def _converted_chunk(conversion: LineConversion, chunk: _Chunk) -> list[ConvertedLine]:
    return [
        _converted(line, number, conversion)
        for number, line in enumerate(chunk.lines, start=chunk.first)
        if not line.isspace()
    ]
