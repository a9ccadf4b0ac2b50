"""The tokens of every distinct formula, made once, and mapped into memory by whoever needs them.

Formulas are known by the numbers that the collection gives them, tokens by their keys. The table
lives only while an index is being built.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis import FormulaTokens, formula_tokens
from porism.collection.store import Collection
from porism.errors import PorismError, error_summary
from porism.formula.tree import parse_tree
from porism.index import key
from porism.parallel import map_in_order

log = logging.getLogger(__name__)

Keys = NDArray[np.uint64]
Number = TypeVar("Number", np.int64, np.uint64)

CHUNK_FORMULAS = 1_000

KNOWN_TOKENS = 1_000_000
"""Keys of tokens that a process keeps, some 200 MB; beyond it begins anew."""


class _Chunk(NamedTuple):
    folder: Path
    notations: tuple[FormulaTokens, ...]
    rows: list[tuple[int, str, str, str]]


class TokenisedFormulas(NamedTuple):
    """For each notation the keys of all formulas of a chunk, one after another, and how many.

    ``failed`` counts those that have none because of an error.
    """

    numbers: NDArray[np.int64]
    keys: dict[FormulaTokens, Keys]
    counts: dict[FormulaTokens, NDArray[np.int64]]
    tokens: dict[int, str]
    failed: int


@dataclass(frozen=True)
class FormulaTable:
    """For each formula, by its number, the keys of its tokens in each notation."""

    numbers: NDArray[np.int64]
    starts: dict[FormulaTokens, NDArray[np.int64]]
    keys: dict[FormulaTokens, Keys]

    def place(self, number: int) -> int:
        """Where in the table a formula is; -1 if it is not."""
        place = int(np.searchsorted(self.numbers, number))
        return place if place < len(self.numbers) and self.numbers[place] == number else -1

    def tokens(self, place: int, notation: FormulaTokens) -> Keys:
        """The keys of the tokens of the formula at a place."""
        starts = self.starts[notation]
        return self.keys[notation][starts[place] : starts[place + 1]]


def write_formula_table(
    collection: Collection, folder: Path, notations: Sequence[FormulaTokens], jobs: int
) -> Iterator[TokenisedFormulas]:
    """Make the table in ``folder``, telling after each chunk how many formulas it had.

    Of these, how many failed comes next, and then tokens by their keys, for the dictionary of the
    index.
    """
    rows = ((each.number, each.latex, each.slt, each.opt) for each in collection.formulas())
    yield from _write_table(rows, folder, tuple(notations), jobs)


def write_empty_table(folder: Path, notations: Sequence[FormulaTokens]) -> None:
    """Make a table without formulas, for an update that needs few of them."""
    for _ in _write_table(iter(()), folder, tuple(notations), jobs=1):
        pass


def _write_table(
    rows: Iterator[tuple[int, str, str, str]],
    folder: Path,
    wanted: tuple[FormulaTokens, ...],
    jobs: int,
) -> Iterator[TokenisedFormulas]:
    chunks = iter(
        lambda: _Chunk(folder, wanted, list(islice(rows, CHUNK_FORMULAS))),
        _Chunk(folder, wanted, []),
    )
    numbers: list[NDArray[np.int64]] = []
    counts: dict[FormulaTokens, list[NDArray[np.int64]]] = {notation: [] for notation in wanted}
    files: dict[FormulaTokens, BinaryIO] = {
        notation: (folder / f"{notation}.keys").open("wb") for notation in wanted
    }
    try:
        for done in map_in_order(_tokenised, chunks, jobs):
            numbers.append(done.numbers)
            for notation in wanted:
                files[notation].write(done.keys[notation].data)
                counts[notation].append(done.counts[notation])
            yield done
    finally:
        for file in files.values():
            file.close()
    np.save(folder / "numbers.npy", np.concatenate([*numbers, np.empty(0, np.int64)]))
    for notation in wanted:
        ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *counts[notation]]))
        np.save(folder / f"{notation}.npy", ends)


@lru_cache(maxsize=2)
def open_formula_table(folder: Path, notations: tuple[FormulaTokens, ...]) -> FormulaTable:
    """The table in a folder, mapped; each process opens it once."""
    keys: dict[FormulaTokens, Keys] = {}
    for notation in notations:
        path = folder / f"{notation}.keys"
        # An empty file cannot be mapped.
        keys[notation] = _mapped(
            np.memmap(path, np.uint64, "r") if path.stat().st_size else np.empty(0, np.uint64)
        )
    starts = {each: _mapped(np.load(folder / f"{each}.npy", mmap_mode="r")) for each in notations}
    return FormulaTable(_mapped(np.load(folder / "numbers.npy", mmap_mode="r")), starts, keys)


def _mapped(array: NDArray[Number]) -> NDArray[Number]:
    """The same memory as a plain array, of which slices are made five times as fast."""
    return np.asarray(array).view(np.ndarray)


def stored_tokens(collection: Collection, number: int, notation: FormulaTokens) -> list[str] | None:
    """The tokens of a formula that no table has; None if it is not in the collection either."""
    formula = collection.formula(number)
    if formula is None:
        return None
    made = _tokens((number, formula.latex, formula.slt, formula.opt), (notation,))
    return [] if made is None else made[notation]


def _tokenised(chunk: _Chunk) -> TokenisedFormulas:
    known = _known_tokens(chunk.folder)
    if len(known) > KNOWN_TOKENS:
        known.clear()
    new: dict[int, str] = {}
    flat: dict[FormulaTokens, list[int]] = {notation: [] for notation in chunk.notations}
    lengths: dict[FormulaTokens, list[int]] = {notation: [] for notation in chunk.notations}
    failed = 0
    for row in chunk.rows:
        made = _tokens(row, chunk.notations)
        failed += made is None
        for notation in chunk.notations:
            tokens = [] if made is None else made[notation]
            keys = flat[notation]
            for token in tokens:
                number = known.get(token)
                if number is None:
                    number = known[token] = key(token)
                    new[number] = token
                keys.append(number)
            lengths[notation].append(len(tokens))
    return TokenisedFormulas(
        np.array([row[0] for row in chunk.rows], np.int64),
        {notation: np.array(keys, np.uint64) for notation, keys in flat.items()},
        {notation: np.array(counts, np.int64) for notation, counts in lengths.items()},
        new,
        failed,
    )


def _tokens(
    row: tuple[int, str, str, str], notations: Sequence[FormulaTokens]
) -> dict[FormulaTokens, list[str]] | None:
    """The tokens of a formula in each notation; None if there are none because of an error."""
    _, latex, slt, opt = row
    operators = cache(partial(parse_tree, opt, "opt"))  # several notations may ask for it
    try:
        layout = parse_tree(slt)
        return {each: formula_tokens(each, latex, layout, operators) for each in notations}
    except PorismError:
        raise
    except Exception as error:  # one formula must not stop an index
        log.warning("formula %.200r: has no tokens (%s)", latex, error_summary(error))
        return None


@lru_cache(maxsize=1)
def _known_tokens(folder: Path) -> dict[str, int]:
    """The keys of the tokens that this process has met for the table in ``folder``."""
    return {}
