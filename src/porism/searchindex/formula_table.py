"""The table of tokens of every distinct formula, which all processes of a build map into memory.

Formulas have the numbers that the collection gives them, tokens their keys; packed features are
numbers already. The table exists only while an index is built.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis import FOLDED, FormulaTokens, formula_tokens
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError, error_summary
from porism.formula.latex import layout_of
from porism.formula.operators import operator_tree
from porism.inverted.keys import KeyCache, joined_keys
from porism.parallel import map_in_order
from porism.structure.packed_features import PackedFeatures, packed_numbers

log = logging.getLogger(__name__)

Keys = NDArray[np.uint64]
Number = TypeVar("Number", np.int64, np.uint64)

TableKind = FormulaTokens | PackedFeatures
"""What the table has of a formula: tokens of a kind by their keys, or packed features."""

CHUNK_FORMULAS = 1_000


class _Chunk(NamedTuple):
    """The formulas whose numbers are in a range, both ends included."""

    collection: Path
    folder: Path
    kinds: tuple[TableKind, ...]
    first: int
    last: int
    remembered: int


class TokenisedFormulas(NamedTuple):
    """The keys of a chunk of formulas by kind of tokens, one after another, with their counts.

    ``failed`` counts formulas without tokens because of an error.
    """

    numbers: NDArray[np.int64]
    keys: dict[TableKind, Keys]
    counts: dict[TableKind, NDArray[np.int64]]
    failed: int


@dataclass(frozen=True)
class FormulaTable:
    """The keys of the tokens of each formula, by its number and the kind of tokens."""

    numbers: NDArray[np.int64]
    starts: dict[TableKind, NDArray[np.int64]]
    keys: dict[TableKind, Keys]

    def place(self, number: int) -> int:
        """Return the place of a formula in the table; -1 if it is not there."""
        place = int(self.numbers.searchsorted(number))
        return place if place < len(self.numbers) and self.numbers[place] == number else -1

    def tokens(self, place: int, kind: TableKind) -> Keys:
        """Return the keys of the tokens of the formula at a place."""
        starts = self.starts[kind]
        return self.keys[kind][starts[place] : starts[place + 1]]


def write_formula_table(
    collection: Collection,
    folder: Path,
    kinds: Sequence[TableKind],
    jobs: int,
    remembered: int = 2_000_000,
) -> Iterator[TokenisedFormulas]:
    """Write the table to ``folder``, and yield each chunk of formulas, in the order of numbers.

    Worker processes read formulas themselves, because sending them costs more; each remembers the
    keys of at most ``remembered`` tokens.
    """
    chunks = (
        _Chunk(collection.path, folder, tuple(kinds), first, last, remembered)
        for first, last in collection.formula_ranges(CHUNK_FORMULAS)
    )
    yield from _write_table(chunks, folder, tuple(kinds), jobs)


def write_empty_table(folder: Path, kinds: Sequence[TableKind]) -> None:
    """Write a table without formulas, for an update, which needs few of them."""
    for _ in _write_table((), folder, tuple(kinds), jobs=1):
        pass


def _write_table(
    chunks: Iterable[_Chunk], folder: Path, kinds: tuple[TableKind, ...], jobs: int
) -> Iterator[TokenisedFormulas]:
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
    return _analyzed(formula.latex, formula.macros, (kind,)).tokens[kind]


def stored_features(collection: Collection, number: int, kind: PackedFeatures) -> list[int] | None:
    """Return the packed features of such a formula."""
    formula = collection.formula(number)
    if formula is None:
        return None
    return _analyzed(formula.latex, formula.macros, (kind,)).packed[kind]


class _AnalyzedFormula(NamedTuple):
    tokens: dict[FormulaTokens, list[str]]
    packed: dict[PackedFeatures, list[int]]
    is_failed: bool = False


def _tokenised(chunk: _Chunk) -> TokenisedFormulas:
    exact, folded = _key_caches(chunk.folder)
    exact.shrink(chunk.remembered // 2)
    folded.shrink(chunk.remembered // 2)
    token_kinds, packed_kinds = _split(chunk.kinds)
    digests: dict[FormulaTokens, list[bytes]] = {kind: [] for kind in token_kinds}
    packed: dict[PackedFeatures, list[int]] = {kind: [] for kind in packed_kinds}
    counts: dict[TableKind, list[int]] = {kind: [] for kind in chunk.kinds}
    # Tokens of folded kinds differ only in their keys.
    spelled = dict.fromkeys(FOLDED.get(kind, kind) for kind in token_kinds)
    collection = opened_once(chunk.collection, chunk.folder)
    sources = collection.formula_sources(chunk.first, chunk.last)
    failed = 0
    for _, latex, macros in sources:
        analyzed = _analyzed(latex, macros, (*spelled, *packed_kinds))
        failed += analyzed.is_failed
        for kind, of_kind in digests.items():
            tokens = analyzed.tokens[FOLDED.get(kind, kind)]
            of_kind += (folded if kind in FOLDED else exact).digests(tokens)
            counts[kind].append(len(tokens))
        for feature, numbers in packed.items():
            numbers += analyzed.packed[feature]
            counts[feature].append(len(analyzed.packed[feature]))
    keys: dict[TableKind, Keys] = {kind: joined_keys(of_kind) for kind, of_kind in digests.items()}
    keys |= {feature: np.array(numbers, np.uint64) for feature, numbers in packed.items()}
    return TokenisedFormulas(
        np.array([source[0] for source in sources], np.int64),
        keys,
        {kind: np.array(of_kind, np.int64) for kind, of_kind in counts.items()},
        failed,
    )


def _split(kinds: Sequence[TableKind]) -> tuple[list[FormulaTokens], list[PackedFeatures]]:
    """Return the kinds of tokens and those of packed features."""
    return (
        [kind for kind in kinds if isinstance(kind, FormulaTokens)],
        [kind for kind in kinds if isinstance(kind, PackedFeatures)],
    )


def _analyzed(latex: str, macros: str, kinds: Sequence[TableKind]) -> _AnalyzedFormula:
    """Return the tokens and features of a formula by kind; it has none if there is an error.

    Trees are made from the LaTeX: reading them from strings takes three times as long.
    """
    token_kinds, packed_kinds = _split(kinds)
    try:
        layout = layout_of(latex, macros)
        operators = cache(partial(operator_tree, layout))  # several kinds may need it
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
def _key_caches(folder: Path) -> tuple[KeyCache, KeyCache]:
    """Return the keys that this process has met for the table in ``folder``, the second folded."""
    return KeyCache(), KeyCache(str.lower)


@lru_cache(maxsize=1)
def opened_once(path: Path, folder: Path) -> Collection:
    """Open the collection once per build, which its table identifies: it may change later."""
    return open_collection(path)
