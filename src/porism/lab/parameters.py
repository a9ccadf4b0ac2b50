"""The numbers that make a system what it is, by name, and the same system with other numbers.

Systems are frozen dataclasses within each other, so a number has a path: ``asking.alpha`` is the
``alpha`` of what a search asks, ``weights.0`` the first weight of a fusion. What an index was made
by is no parameter, since it cannot be changed without making the index again.
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
"""Types of values that say how documents were indexed: to change them would change nothing."""

Made = TypeVar("Made")


def parameters(ranker: object) -> dict[str, ParameterValue]:
    """Every number and yes-or-no of a system by its path, in the order of its description.

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
    """What a value consists of, by name; nothing of what was not made here."""
    if type(value) is tuple:
        return [(str(place), part) for place, part in enumerate(value)]
    if is_dataclass(value) and not isinstance(value, (type, *INDEX_TYPES)):
        return [(each.name, getattr(value, each.name)) for each in fields(value) if each.init]
    return []


def with_parameters(ranker: Made, values: Mapping[str, ParameterValue]) -> Made:
    """The same system with other values; all that is not named stays as it is.

    A name need not be a whole path: ``alpha`` will do where no other parameter is called so. A
    value must be of the kind of the one that it replaces, and finite and not negative.

    >>> from porism.rank.fusion import Fuse
    >>> with_parameters(Fuse(()), {"k": 10, "depth": 50})
    Fuse(rankers=(), weights=(), by=ReciprocalRanks(k=10.0), depth=50)
    """
    known = parameters(ranker)
    paths = {name: full_path(name, known) for name in values}
    if len(set(paths.values())) < len(paths):
        raise PorismError(f"one parameter has several values: {', '.join(paths)}")
    checked = {path: checked_value(path, values[name], known[path]) for name, path in paths.items()}
    return _replaced(ranker, checked)


def _replaced(value: Made, values: Mapping[str, ParameterValue]) -> Made:
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
    """The path that a name means: itself, or the only one that ends in it.

    >>> full_path("alpha", {"first.asking.alpha": 0.2, "first.asking.gamma": 0.1})
    'first.asking.alpha'
    """
    if name in known:
        return name
    ending = [path for path in known if path.endswith(f".{name}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        raise UnknownName(f"the parameter {name!r} may be any of {', '.join(ending)}; name one")
    if not known:
        raise UnknownName(f"there is no parameter {name!r}; this system has none")
    last_names = {path.rpartition(".")[2]: path for path in known}
    close = get_close_matches(name, [*known, *last_names], n=3, cutoff=0.5)
    near = dict.fromkeys(last_names.get(each, each) for each in close)
    told = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    raise UnknownName(f"there is no parameter {name!r}; {told}")


def checked_value(path: str, value: ParameterValue, own: ParameterValue) -> ParameterValue:
    """A value as the kind of number that a parameter is; what is of no such kind is refused."""
    if isinstance(own, bool) or isinstance(value, bool):
        if isinstance(own, bool) and isinstance(value, bool):
            return value
    elif isfinite(value) and value >= 0:
        if isinstance(own, float):
            return float(value)
        if value == int(value):
            return int(value)
    raise PorismError(f"{path} is {own} and cannot be {value}: expected {_kind(own)}")


def _kind(own: ParameterValue) -> str:
    if isinstance(own, bool):
        return "true or false"
    return "a whole number, not negative" if isinstance(own, int) else "a number, not negative"
