"""The table of tokens of every distinct formula, which all processes of a build map into memory.

Formulas have the numbers that the collection gives them, tokens their keys; packed features are
numbers already. The table exists only while an index is built.
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
from porism.inverted import key
from porism.parallel import map_in_order
from porism.structure.packed_features import PackedFeatures, packed_numbers

log = logging.getLogger(__name__)

Keys = NDArray[np.uint64]
Number = TypeVar("Number", np.int64, np.uint64)

TableKind = FormulaTokens | PackedFeatures
"""What the table has of a formula: tokens of a kind by their keys, or packed features."""

CHUNK_FORMULAS = 1_000

KNOWN_TOKENS = 1_000_000
"""Keys of tokens that a process remembers, about 200 MB; it then starts again."""


class _Chunk(NamedTuple):
    folder: Path
    kinds: tuple[TableKind, ...]
    rows: list[tuple[int, str, str, str]]


class TokenisedFormulas(NamedTuple):
    """The keys of a chunk of formulas by kind of tokens, one after another, with their counts.

    ``tokens`` are strings that are new; ``failed`` counts formulas without tokens because of an
    error.
    """

    numbers: NDArray[np.int64]
    keys: dict[TableKind, Keys]
    counts: dict[TableKind, NDArray[np.int64]]
    tokens: dict[int, str]
    failed: int


@dataclass(frozen=True)
class FormulaTable:
    """The keys of the tokens of each formula, by its number and the kind of tokens."""

    numbers: NDArray[np.int64]
    starts: dict[TableKind, NDArray[np.int64]]
    keys: dict[TableKind, Keys]

    def place(self, number: int) -> int:
        """Return the place of a formula in the table; -1 if it is not there."""
        place = int(np.searchsorted(self.numbers, number))
        return place if place < len(self.numbers) and self.numbers[place] == number else -1

    def tokens(self, place: int, kind: TableKind) -> Keys:
        """Return the keys of the tokens of the formula at a place."""
        starts = self.starts[kind]
        return self.keys[kind][starts[place] : starts[place + 1]]


def write_formula_table(
    collection: Collection, folder: Path, kinds: Sequence[TableKind], jobs: int
) -> Iterator[TokenisedFormulas]:
    """Write the table to ``folder``, and yield each chunk of formulas, in the order of numbers."""
    rows = ((each.number, each.latex, each.slt, each.opt) for each in collection.formulas())
    yield from _write_table(rows, folder, tuple(kinds), jobs)


def write_empty_table(folder: Path, kinds: Sequence[TableKind]) -> None:
    """Write a table without formulas, for an update, which needs few of them."""
    for _ in _write_table(iter(()), folder, tuple(kinds), jobs=1):
        pass


def _write_table(
    rows: Iterator[tuple[int, str, str, str]],
    folder: Path,
    kinds: tuple[TableKind, ...],
    jobs: int,
) -> Iterator[TokenisedFormulas]:
    chunks = iter(
        lambda: _Chunk(folder, kinds, list(islice(rows, CHUNK_FORMULAS))),
        _Chunk(folder, kinds, []),
    )
    numbers: list[NDArray[np.int64]] = []
    counts: dict[TableKind, list[NDArray[np.int64]]] = {kind: [] for kind in kinds}
    files: dict[TableKind, BinaryIO] = {
        kind: (folder / f"{kind}.keys").open("wb") for kind in kinds
    }
    try:
        for done in map_in_order(_tokenised, chunks, jobs):
            numbers.append(done.numbers)
            for kind in kinds:
                files[kind].write(done.keys[kind].data)
                counts[kind].append(done.counts[kind])
            yield done
    finally:
        for file in files.values():
            file.close()
    np.save(folder / "numbers.npy", np.concatenate([*numbers, np.empty(0, np.int64)]))
    for kind in kinds:
        ends = np.cumsum(np.concatenate([np.zeros(1, np.int64), *counts[kind]]))
        np.save(folder / f"{kind}.npy", ends)


@lru_cache(maxsize=2)
def open_formula_table(folder: Path, kinds: tuple[TableKind, ...]) -> FormulaTable:
    """Map the table in a folder; each process opens it once."""
    keys: dict[TableKind, Keys] = {}
    for kind in kinds:
        path = folder / f"{kind}.keys"
        # An empty file cannot be mapped.
        keys[kind] = _mapped(
            np.memmap(path, np.uint64, "r") if path.stat().st_size else np.empty(0, np.uint64)
        )
    starts = {each: _mapped(np.load(folder / f"{each}.npy", mmap_mode="r")) for each in kinds}
    return FormulaTable(_mapped(np.load(folder / "numbers.npy", mmap_mode="r")), starts, keys)


def _mapped(array: NDArray[Number]) -> NDArray[Number]:
    """Return the same memory as a plain array, which slices five times as fast."""
    return np.asarray(array).view(np.ndarray)


def stored_tokens(collection: Collection, number: int, kind: FormulaTokens) -> list[str] | None:
    """Return the tokens of a formula that no table has; None if the collection lacks it too."""
    formula = collection.formula(number)
    if formula is None:
        return None
    return _analyzed((number, formula.latex, formula.slt, formula.opt), (kind,)).tokens[kind]


def stored_features(collection: Collection, number: int, kind: PackedFeatures) -> list[int] | None:
    """Return the packed features of such a formula."""
    formula = collection.formula(number)
    if formula is None:
        return None
    return _analyzed((number, formula.latex, formula.slt, formula.opt), (kind,)).packed[kind]


class _AnalyzedFormula(NamedTuple):
    tokens: dict[FormulaTokens, list[str]]
    packed: dict[PackedFeatures, list[int]]
    is_failed: bool = False


def _tokenised(chunk: _Chunk) -> TokenisedFormulas:
    known = _known_tokens(chunk.folder)
    if len(known) > KNOWN_TOKENS:
        known.clear()
    new: dict[int, str] = {}
    flat: dict[TableKind, list[int]] = {kind: [] for kind in chunk.kinds}
    lengths: dict[TableKind, list[int]] = {kind: [] for kind in chunk.kinds}
    failed = 0
    for row in chunk.rows:
        analyzed = _analyzed(row, chunk.kinds)
        failed += analyzed.is_failed
        for kind, tokens in analyzed.tokens.items():
            keys = flat[kind]
            for token in tokens:
                number = known.get(token)
                if number is None:
                    number = known[token] = key(token)
                    new[number] = token
                keys.append(number)
            lengths[kind].append(len(tokens))
        for packed, numbers in analyzed.packed.items():
            flat[packed] += numbers
            lengths[packed].append(len(numbers))
    return TokenisedFormulas(
        np.array([row[0] for row in chunk.rows], np.int64),
        {kind: np.array(keys, np.uint64) for kind, keys in flat.items()},
        {kind: np.array(counts, np.int64) for kind, counts in lengths.items()},
        new,
        failed,
    )


def _analyzed(row: tuple[int, str, str, str], kinds: Sequence[TableKind]) -> _AnalyzedFormula:
    """Return the tokens and features of a formula by kind; it has none if there is an error."""
    _, latex, slt, opt = row
    operators = cache(partial(parse_tree, opt, "opt"))  # several kinds may need it
    packed_kinds = [kind for kind in kinds if isinstance(kind, PackedFeatures)]
    token_kinds = [kind for kind in kinds if isinstance(kind, FormulaTokens)]
    try:
        layout = parse_tree(slt)
        return _AnalyzedFormula(
            {each: formula_tokens(each, latex, layout, operators) for each in token_kinds},
            {each: packed_numbers(each, layout, operators) for each in packed_kinds},
        )
    except PorismError:
        raise
    except Exception as error:  # one formula must not stop an index
        log.warning("formula %.200r: has no tokens (%s)", latex, error_summary(error))
        return _AnalyzedFormula(
            {each: [] for each in token_kinds}, {each: [] for each in packed_kinds}, True
        )


@lru_cache(maxsize=1)
def _known_tokens(folder: Path) -> dict[str, int]:
    """Return the keys of tokens that this process has met for the table in ``folder``."""
    return {}
