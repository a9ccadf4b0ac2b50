"""The parameters of a system by path, and the same system with other values.

Systems are nested frozen dataclasses, so a number has a path: ``query_builder.alpha`` is the
``alpha`` of an index ranker's query builder, ``weights.0`` the first weight of a fusion. Settings
of the index are not parameters, since changing them requires a new index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from math import isfinite
from typing import TypeVar

from porism.analysis import FieldSpec
from porism.errors import PorismError, UnknownName
from porism.text import Analyzer

ParameterValue = bool | int | float

INDEX_TYPES = (FieldSpec, Analyzer)
"""Types of values that describe how documents were indexed; changing them has no effect."""

Value = TypeVar("Value")


def parameters(ranker: object) -> dict[str, ParameterValue]:
    """Every number and boolean of a system by its path, in the order of its fields.

    >>> from porism.rank.fusion import Fuse, ReciprocalRanks
    >>> parameters(Fuse((), by=ReciprocalRanks(10)))
    {'by.k': 10, 'depth': 1000}
    """
    return dict(_walked(ranker, ""))


def _walked(value: object, path: str) -> Iterator[tuple[str, ParameterValue]]:
    if isinstance(value, bool | int | float):
        yield path, value
    for name, part in _parts(value):
        yield from _walked(part, f"{path}.{name}" if path else name)


def _parts(value: object) -> list[tuple[str, object]]:
    """The fields of a dataclass or items of a tuple, by name; nothing for other values."""
    if type(value) is tuple:
        return [(str(place), part) for place, part in enumerate(value)]
    if is_dataclass(value) and not isinstance(value, (type, *INDEX_TYPES)):
        return [(each.name, getattr(value, each.name)) for each in fields(value) if each.init]
    return []


def with_parameters(ranker: Value, values: Mapping[str, ParameterValue]) -> Value:
    """The system with other values of the named parameters.

    A name may be the end of a path, such as ``alpha``, if it is unambiguous. A value must have the
    type of the one that it replaces, and be finite and not negative.

    >>> from porism.rank.fusion import Fuse
    >>> with_parameters(Fuse(()), {"k": 10, "depth": 50})
    Fuse(rankers=(), weights=(), by=ReciprocalRanks(k=10.0), depth=50)
    """
    known = parameters(ranker)
    paths = {name: full_path(name, known) for name in values}
    if len(set(paths.values())) < len(paths):
        raise PorismError(f"two names mean the same parameter: {', '.join(paths)}")
    checked = {path: checked_value(path, values[name], known[path]) for name, path in paths.items()}
    return _replaced(ranker, checked)


def _replaced(value: Value, values: Mapping[str, ParameterValue]) -> Value:
    changed: dict[str, object] = {}
    for name, part in _parts(value):
        below = {
            path.removeprefix(f"{name}."): new
            for path, new in values.items()
            if path.startswith(f"{name}.")
        }
        if name in values:
            changed[name] = values[name]
        elif below:
            changed[name] = _replaced(part, below)
    if not changed:
        return value
    if isinstance(value, tuple):
        return type(value)(changed.get(str(place), part) for place, part in enumerate(value))
    assert is_dataclass(value)
    assert not isinstance(value, type)
    return replace(value, **changed)


def full_path(name: str, known: Mapping[str, ParameterValue]) -> str:
    """The path of a name: the name itself, or the only path that ends in it.

    >>> full_path("alpha", {"first.query_builder.alpha": 0.2, "first.query_builder.gamma": 0.1})
    'first.query_builder.alpha'
    """
    if name in known:
        return name
    ending = [path for path in known if path.endswith(f".{name}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise UnknownName(f"parameter {name!r} is ambiguous: name one of {', '.join(ending)}")
    if not known:
        raise UnknownName(f"there is no parameter {name!r}; this system has none")
    last_names = {path.rpartition(".")[2]: path for path in known}
    close = get_close_matches(name, [*known, *last_names], n=3, cutoff=0.5)
    similar = dict.fromkeys(last_names.get(each, each) for each in close)
    hint = f"did you mean {' or '.join(similar)}? " if similar else ""
    raise UnknownName(f"there is no parameter {name!r}; {hint}there are {', '.join(known)}")


def checked_value(path: str, value: ParameterValue, own: ParameterValue) -> ParameterValue:
    """A value converted to the type of a parameter's own value; other values are refused."""
    if isinstance(own, bool) or isinstance(value, bool):
        if isinstance(own, bool) and isinstance(value, bool):
            return value
    elif isfinite(value) and value >= 0:
        if isinstance(own, float):
            return float(value)
        if value == int(value):
            return int(value)
    raise PorismError(f"{path} is {own} and cannot be {value}: expected {_type_name(own)}")


def _type_name(own: ParameterValue) -> str:
    if isinstance(own, bool):
        return "true or false"
    return "a whole number, not negative" if isinstance(own, int) else "a number, not negative"
