"""The dictionary of an index: the strings of keys, for people to read.

Two strings with one key would silently be one term; the dictionary detects that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from porism.compiler import Array, IntLike, compiled
from porism.errors import PorismError
from porism.inverted.files import append_array, remove
from porism.storage.errors import damaged_file_error

_MAX_NEW = 400_000
"""New strings that are held as Python objects before they are sorted and written."""


@dataclass(frozen=True, slots=True)
class TokenTable:
    """Strings by ascending key."""

    keys: Array
    starts: Array
    text: Array
    path: Path | None = None  # the file that it is read from

    def token(self, number: int) -> str:
        """Return the string at a place."""
        content = bytes(self.text[self.starts[number] : self.starts[number + 1]])
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise damaged_file_error(str(self.path), "a token is not UTF-8") from None

    def find(self, key: int) -> str | None:
        """Return the string of a key, if it is here."""
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        return (
            self.token(place) if place < len(self.keys) and int(self.keys[place]) == key else None
        )


EMPTY_TABLE = TokenTable(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, np.uint8))


def key_label(key: int) -> str:
    """Return the label of a key without a string."""
    return f"#{key:016x}"


class TokenTableBuilder:
    """Collects strings; all but the newest are on disk, in tables that grow by merging."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._new: dict[int, str] = {}
        self._tables: list[tuple[int, Path]] = []
        self._written = 0

    def add(self, tokens: Mapping[int, str]) -> None:
        """Add strings by key; raise a PorismError if two have the same key."""
        for key in self._new.keys() & tokens.keys():
            if self._new[key] != tokens[key]:
                raise _clash(self._new[key], tokens[key])
        self._new.update(tokens)
        if len(self._new) >= _MAX_NEW:
            self._write(1, token_table(self._new))
            self._new = {}
            while len(self._tables) > 1 and self._tables[-1][0] >= self._tables[-2][0]:
                self._merge_last()

    def finished(self) -> TokenTable:
        """Return all strings so far."""
        self._write(0, token_table(self._new))
        self._new = {}
        while len(self._tables) > 1:
            self._merge_last()
        return _read(self._tables[0][1])

    def _write(self, weight: int, content: TokenTable) -> None:
        self._written += 1
        path = self._folder / f"tokens-{self._written:06d}"
        with path.open("wb") as file:
            for array in (content.keys, content.starts, content.text):
                append_array(file, array)
        self._tables.append((weight, path))

    def _merge_last(self) -> None:
        (weight_a, path_a), (weight_b, path_b) = self._tables.pop(), self._tables.pop()
        both = merged_tables(_read(path_b), _read(path_a))
        self._write(weight_a + weight_b, both)
        remove(path_a)
        remove(path_b)


def _read(path: Path) -> TokenTable:
    with path.open("rb") as file:
        return TokenTable(np.load(file), np.load(file), np.load(file))


def token_table(tokens: Mapping[int, str]) -> TokenTable:
    """Return a table of strings."""
    ordered = sorted(tokens)
    texts = [tokens[key].encode("utf-8", "surrogatepass") for key in ordered]
    starts = np.zeros(len(ordered) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    return TokenTable(
        np.array(ordered, np.uint64), starts, np.frombuffer(b"".join(texts), np.uint8)
    )


def merged_tables(one: TokenTable, other: TokenTable) -> TokenTable:
    """Return the strings of both; a PorismError if they differ for one key."""
    if not len(other.keys):
        return one
    if not len(one.keys):
        return other
    keys = np.empty(len(one.keys) + len(other.keys), np.uint64)
    starts = np.zeros(len(keys) + 1, np.int64)
    text = np.empty(len(one.text) + len(other.text), np.uint8)
    size, clash = _merge(_frozen(one), _frozen(other), (keys, starts, text))
    if clash == OUTSIDE:
        raise damaged_file_error(
            str(one.path or other.path), "its tokens do not end with their text"
        )
    if clash >= 0:
        raise _clash(one.token(clash), other.find(int(one.keys[clash])))
    return TokenTable(keys[:size].copy(), starts[: size + 1].copy(), text[: starts[size]].copy())


def _frozen(content: TokenTable) -> tuple[Array, Array, Array]:
    """Return the arrays read-only, as if mapped, so that loops are compiled once for both."""
    views = content.keys.view(), content.starts.view(), content.text.view()
    for view in views:
        view.flags.writeable = False
    return views


def _clash(one: str, other: str | None) -> PorismError:
    return PorismError(
        f"the tokens {one!r} and {other!r} have the same key, and an index cannot tell them apart; "
        "please report it"
    )


def restricted_table(content: TokenTable, wanted: Array) -> TokenTable:
    """Return the strings of keys that are ``wanted`` (ascending)."""
    if not len(content.keys) or not len(wanted):
        return EMPTY_TABLE
    places = np.minimum(np.searchsorted(wanted, content.keys), len(wanted) - 1)
    kept = wanted[places] == content.keys
    sizes = np.diff(content.starts)
    starts = np.zeros(int(kept.sum()) + 1, np.int64)
    np.cumsum(sizes[kept], out=starts[1:])
    return TokenTable(content.keys[kept], starts, content.text[np.repeat(kept, sizes)])


OUTSIDE = -2


@compiled
def _merge(
    one: tuple[Array, Array, Array],
    other: tuple[Array, Array, Array],
    out: tuple[Array, Array, Array],
) -> tuple[IntLike, IntLike]:
    """Merge; return how many strings there are, and the place in ``one`` of a clash, or -1.

    The place is ``OUTSIDE`` if the strings are longer than their text.
    """
    keys, starts, text = out
    i = j = size = end = 0
    while i < len(one[0]) or j < len(other[0]):
        only_one = j == len(other[0]) or (i < len(one[0]) and one[0][i] < other[0][j])
        only_other = i == len(one[0]) or (j < len(other[0]) and other[0][j] < one[0][i])
        if only_other:
            piece = other[2][other[1][j] : other[1][j + 1]]
            keys[size] = other[0][j]
            j += 1
        else:
            piece = one[2][one[1][i] : one[1][i + 1]]
            keys[size] = one[0][i]
            if not only_one:
                twin = other[2][other[1][j] : other[1][j + 1]]
                if len(twin) != len(piece):
                    return size, i
                for at in range(len(piece)):
                    if piece[at] != twin[at]:
                        return size, i
                j += 1
            i += 1
        if end + len(piece) > len(text):
            return size, OUTSIDE
        for byte in piece:
            text[end] = byte
            end += 1
        size += 1
        starts[size] = end
    return size, -1
