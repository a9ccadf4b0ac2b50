"""Filters in the address of a search page, from the table of filters."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.datastructures import QueryParams

from porism.filters import (
    FILTERS,
    FilterSpec,
    FilterValue,
    FilterValues,
    Number,
    Texts,
    used_filters,
)


def read_filters(query: QueryParams, errors: list[str]) -> dict[str, FilterValue]:
    """The filters of an address; empty parameters are ignored, invalid ones go to ``errors``."""
    values: dict[str, FilterValue] = {}
    for spec in FILTERS:
        value = _value(spec, query, errors)
        if value is not None and value != ():
            values[spec.name] = value
    return values


def _value(spec: FilterSpec, query: QueryParams, errors: list[str]) -> FilterValue | None:
    match spec.takes:
        case Texts(most, longest):
            texts = tuple(
                dict.fromkeys(text.strip() for text in query.getlist(spec.name) if text.strip())
            )
            if len(texts) > most or any(len(text) > longest for text in texts):
                errors.append(
                    f"“{spec.name}” can be given {most} times, with at most {longest} characters "
                    "each."
                )
                return None
            return texts
        case Number(first, last):
            message = (
                f"“{spec.name}” takes a number from {first} to {last}, such as {spec.example}."
            )
            return read_number(query.get(spec.name, ""), range(first, last + 1), message, errors)
        case _:
            message = f"“{spec.name}” takes 1 for yes and 0 for no."
            number = read_number(query.get(spec.name, ""), range(2), message, errors)
            return True if number else None


def read_number(text: str, allowed: range, message: str, errors: list[str]) -> int | None:
    """A number of an address; None if it is empty, or invalid, for which the message is added."""
    text = text.strip()
    if not text:
        return None
    # Longer texts than any allowed number need not be converted.
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1
    if number not in allowed:
        errors.append(message)
        return None
    return number


def filter_pairs(values: FilterValues) -> Iterator[tuple[str, str]]:
    """The parameters of an address with these filters."""
    for spec in used_filters(values):
        value = values[spec.name]
        for each in value if isinstance(value, tuple) else (value,):
            yield spec.name, str(int(each) if isinstance(each, bool) else each)


def filter_chips(values: FilterValues) -> Iterator[tuple[str, dict[str, FilterValue]]]:
    """Each filter value in words, with the filters that are left without it."""
    for spec in used_filters(values):
        value = values[spec.name]
        others = {name: other for name, other in values.items() if name != spec.name}
        if not isinstance(value, tuple):
            yield spec.chip_text(value), others
            continue
        for text in value:
            rest = tuple(each for each in value if each != text)
            yield spec.chip_text(text), {**others, spec.name: rest} if rest else others
