"""A store of vectors by key: parts that are mapped into memory and searched together.

A key is that of a text, and has one vector, or several if a long text was encoded in windows; its
score is that of the best. A part is one file: ascending keys, and a row of bytes for each vector.
A large part has its rows in the order of clusters (``clusters``), and a search reads the nearest
clusters of all large parts and all rows of the small ones. All vectors of a key are in one part.
Whoever owns the store, such as the manifest of an index, names its files; nothing that a writer
writes is in force before that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.errors import PorismError
from porism.storage.array_file import (
    Array,
    StoredFile,
    files_fingerprint,
    open_arrays,
    verify,
    write_arrays,
)
from porism.storage.errors import damaged_file_error
from porism.storage.tiers import first_to_merge
from porism.vectors.clusters import clustered
from porism.vectors.codes import (
    CodedQuery,
    CodedVectors,
    Vectors,
    coded_query,
    coded_vectors,
    decoded_vectors,
    range_scores,
    row_scores,
)

Keys = NDArray[np.int64]
Places = NDArray[np.int64]

MIN_CLUSTERED = 1 << 18
"""Rows of a part from which on it has clusters; a smaller one is read as a whole."""

MAX_MERGED = 1 << 19
"""Rows up to which parts are merged: 200 MB of 384 components."""

ROWS_PER_CLUSTER = 128

READ_SHARE = 1 / 16
"""The share of the rows of clustered parts that a search reads at least."""

READ_PER_RESULT = 48
"""Rows of clustered parts that a search reads at least for each of the ``k`` results."""

_NO_ROWS = np.zeros(0, np.int64)


class Nearest(NamedTuple):
    """Keys of vectors and their cosines with a query, best first, equal ones by key."""

    keys: Keys
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Part:
    """A mapped part. Row ``rows[i]`` is that of key i, and row i is that of key ``places[i]``.

    Without clusters both are empty: row i is that of key i.
    """

    path: Path
    keys: Keys
    coded: CodedVectors
    rows: NDArray[np.uint32]
    places: NDArray[np.uint32]
    starts: NDArray[np.int64]
    centres: CodedVectors

    def find(self, keys: Keys) -> tuple[Places, Places]:
        """Return the rows of keys, and the places of the keys that they belong to, ascending."""
        firsts = np.searchsorted(self.keys, keys)
        counts = np.searchsorted(self.keys, keys, side="right") - firsts
        owners = np.repeat(np.arange(len(keys)), counts)
        starts = np.cumsum(counts) - counts
        places = np.arange(len(owners)) + (firsts - starts)[owners]
        return self._checked(self.rows, places), owners

    def has(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which keys are here."""
        places = np.searchsorted(self.keys, keys)
        here = places < len(self.keys)
        here[here] = self.keys[places[here]] == keys[here]
        return here

    def keys_of(self, rows: NDArray[np.int64]) -> Keys:
        """Return the keys of rows."""
        return self.keys[self._checked(self.places, rows)]

    def _checked(self, table: NDArray[np.uint32], places: Places) -> Places:
        if not len(table):
            return places
        numbers = table[places].astype(np.int64)
        if len(numbers) and int(numbers.max()) >= len(self.keys):
            raise damaged_file_error(self.path, "a row is outside the vectors")
        return numbers


class _Reading(NamedTuple):
    """Rows of a part that a search reads: ranges from ``firsts`` to ``lasts``."""

    part: _Part
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]


class VectorStore:
    """The vectors of a store, mapped into memory; threads may share it."""

    def __init__(self, folder: Path, files: Sequence[StoredFile], dimension: int) -> None:
        self.dimension = dimension
        self.fingerprint = files_fingerprint(files)
        self._parts = [_mapped(folder, file, dimension) for file in files]
        self._small = [part for part in self._parts if not len(part.starts)]
        self._large = large = [part for part in self._parts if len(part.starts)]
        codes = [np.zeros((0, dimension), np.int8), *(part.centres.codes for part in large)]
        scales = [np.zeros(0, np.float32), *(part.centres.scales for part in large)]
        self._centres = CodedVectors(np.concatenate(codes), np.concatenate(scales))
        self._firsts = np.concatenate([_NO_ROWS, *(part.starts[:-1] for part in large)])
        self._lasts = np.concatenate([_NO_ROWS, *(part.starts[1:] for part in large)])
        self._part_of = np.repeat(np.arange(len(large)), [len(part.starts) - 1 for part in large])

    def __len__(self) -> int:
        return sum(len(part.keys) for part in self._parts)

    def known(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which of these keys have vectors."""
        known = np.zeros(len(keys), bool)
        for part in self._parts:
            known |= part.has(keys)
        return known

    def vectors(self, keys: Keys) -> tuple[Vectors, Places]:
        """Return all vectors of keys, and for each the place of its key among these, ascending."""
        coded, owners = self.coded(keys)
        return decoded_vectors(coded), owners

    def coded(self, keys: Keys) -> tuple[CodedVectors, Places]:
        """Return what ``vectors`` does as bytes."""
        found = [(part, *part.find(keys)) for part in self._parts]
        owners = np.concatenate([_NO_ROWS, *(each for _, _, each in found)])
        codes = np.empty((len(owners), self.dimension), np.int8)
        scales = np.empty(len(owners), np.float32)
        at = 0
        for part, rows, _ in found:
            codes[at : at + len(rows)] = part.coded.codes[rows]
            scales[at : at + len(rows)] = part.coded.scales[rows]
            at += len(rows)
        order = np.argsort(owners, kind="stable")
        return CodedVectors(codes[order], scales[order]), owners[order]

    def scores(self, query: Vectors, keys: Keys) -> NDArray[np.float32]:
        """Return the cosine of a query with the best vector of each key, NaN without a vector."""
        wanted = coded_query(query, self.dimension)
        scores = np.full(len(keys), np.nan, np.float32)
        order = np.argsort(keys)  # ascending keys are found in fewer pages
        for part in self._parts:
            rows, owners = part.find(keys[order])
            if len(rows):
                once, firsts = np.unique(owners, return_index=True)
                of_rows = row_scores(part.coded, wanted, rows)
                scores[order[once]] = np.maximum.reduceat(of_rows, firsts)
        return scores

    def nearest(self, query: Vectors, k: int, allowed: Keys | None = None) -> Nearest:
        """Return the keys of the ``k`` vectors with the largest cosines, each once.

        Among ``allowed`` keys, each given once, the search is exact. Otherwise it is exact in parts
        without clusters, and elsewhere reads the nearest clusters; the cosines are exact. There are
        fewer than ``k`` keys if one has several of these vectors.
        """
        if k < 1:
            return Nearest(_NO_ROWS, np.zeros(0, np.float32))
        if allowed is not None:
            scores = self.scores(query, allowed)
            is_known = ~np.isnan(scores)
            return _best([Nearest(allowed[is_known], scores[is_known])], k)
        wanted = coded_query(query, self.dimension)
        reading = [
            *(_Reading(part, np.array([0]), np.array([len(part.keys)])) for part in self._small),
            *self._nearest_clusters(wanted, k),
        ]
        return _best([_best_rows(each, wanted, k) for each in reading], k)

    def _nearest_clusters(self, query: CodedQuery, k: int) -> Iterator[_Reading]:
        """Yield what is read of each clustered part."""
        if not self._large:
            return
        sizes = self._lasts - self._firsts
        budget = max(READ_SHARE * int(sizes.sum()), READ_PER_RESULT * k)
        of_centres = row_scores(self._centres, query, np.arange(len(sizes)))
        order = np.argsort(-of_centres, kind="stable")
        count = 1 + int(np.searchsorted(np.cumsum(sizes[order]), budget))
        chosen = np.sort(order[:count])
        for number, part in enumerate(self._large):
            ours = chosen[self._part_of[chosen] == number]
            if len(ours):
                yield _Reading(part, self._firsts[ours], self._lasts[ours])


def _best_rows(reading: _Reading, query: CodedQuery, k: int) -> Nearest:
    """Return the best of the rows that are read of a part."""
    deadlines.check()
    part, firsts, lasts = reading
    scores = range_scores(part.coded, query, firsts, lasts)
    chosen = _largest(scores, k)
    ends = np.cumsum(lasts - firsts)
    number = np.searchsorted(ends, chosen, side="right")
    rows = (lasts[number] - (ends[number] - chosen)).astype(np.int64)
    return Nearest(part.keys_of(rows), scores[chosen])


def _largest(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Return the places of the ``k`` largest scores, and of all that equal the last of them."""
    if len(scores) <= k:
        return np.arange(len(scores))
    return np.flatnonzero(scores >= np.partition(scores, -k)[-k])


def _best(found: Sequence[Nearest], k: int) -> Nearest:
    """Return the best of several results, in order."""
    keys = np.concatenate([_NO_ROWS, *(each.keys for each in found)])
    scores = np.concatenate([np.zeros(0, np.float32), *(each.scores for each in found)])
    chosen = _largest(scores, k)
    order = chosen[np.lexsort((keys[chosen], -scores[chosen]))][:k]
    _, firsts = np.unique(keys[order], return_index=True)
    best = order[np.sort(firsts)]
    return Nearest(keys[best], scores[best])


class VectorWriter:
    """Adds vectors to the store in a folder; ``files`` are then its parts.

    The files of several stores may share a folder: their names begin with that of the store.
    """

    def __init__(
        self, folder: Path, name: str, files: Sequence[StoredFile], dimension: int
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.files = tuple(files)
        self._folder = folder
        self._name = name
        self._dimension = dimension

    def add(self, keys: Keys, coded: CodedVectors) -> None:
        """Write the vectors of keys, which may repeat, as a part; known keys keep theirs."""
        if coded.codes.shape != (len(keys), self._dimension):
            raise PorismError(
                f"vectors of {coded.codes.shape[1]} components cannot be added to a store of "
                f"vectors of {self._dimension}; all must come from one model"
            )
        new = ~VectorStore(self._folder, self.files, self._dimension).known(keys)
        if new.any():
            places = np.flatnonzero(new)
            order = places[np.argsort(keys[places], kind="stable")]
            rows = CodedVectors(coded.codes[order], coded.scales[order])
            self._write(self.files, keys[order], rows)

    def merge_recent(self, referenced: Keys) -> None:
        """Merge the newest parts where they are as large as their older neighbours.

        Merged parts have only vectors of the keys in ``referenced``, which ascend without repeats.
        """
        sizes = [_rows(file) for file in self.files]
        first = first_to_merge(sizes, MAX_MERGED)
        if first < len(sizes) - 1:
            merging = self.files[first:]
            verify(self._folder, merging)
            store = VectorStore(self._folder, merging, self._dimension)
            coded, owners = store.coded(referenced)
            self._write(self.files[:first], referenced[owners], coded)

    def _write(self, before: Sequence[StoredFile], keys: Keys, coded: CodedVectors) -> None:
        """Write a part after the parts ``before``, with its keys ascending."""
        last = max((_number(file.name) for file in self.files), default=0)
        rows = places = np.zeros(0, np.uint32)
        starts, centres = _NO_ROWS, CodedVectors(np.zeros((0, 1), np.int8), np.zeros(0, np.float32))
        if len(keys) >= MIN_CLUSTERED:
            clusters = clustered(coded, len(keys) // ROWS_PER_CLUSTER)
            coded = CodedVectors(coded.codes[clusters.order], coded.scales[clusters.order])
            starts, centres = clusters.starts, coded_vectors(clusters.centres)
            places = clusters.order.astype(np.uint32)
            rows = np.empty(len(keys), np.uint32)
            rows[places] = np.arange(len(keys), dtype=np.uint32)
        arrays: dict[str, Array] = {
            "keys": keys,
            "rows": rows,
            "places": places,
            "starts": starts,
            "centres": centres.codes,
            "centre-scales": centres.scales,
            "scales": coded.scales,
            "codes": coded.codes,
        }
        path = self._folder / f"{self._name}-{last + 1:06d}.part"
        self.files = (*before, write_arrays(path, arrays))


def _rows(file: StoredFile) -> int:
    """Return how many vectors a part has."""
    return sum(array.size // 4 for array in file.arrays if array.name == "scales")


def _number(name: str) -> int:
    """Return the number of the part in a file."""
    return int(Path(name).stem.rpartition("-")[2])


def _mapped(folder: Path, file: StoredFile, dimension: int) -> _Part:
    path = folder / file.name
    arrays = open_arrays(folder, file)
    keys, scales, codes = arrays["keys"], arrays["scales"], arrays["codes"]
    if len(codes) != dimension * len(keys) or len(scales) != len(keys):
        raise damaged_file_error(path, f"its vectors do not have {dimension} components")
    rows, places, starts = arrays["rows"], arrays["places"], arrays["starts"]
    centres, centre_scales = arrays["centres"], arrays["centre-scales"]
    clusters = max(0, len(starts) - 1)
    clustered_rows = len(keys) if len(starts) else 0
    is_whole = (
        len(rows) == len(places) == clustered_rows
        and len(centre_scales) == clusters
        and len(centres) == clusters * dimension
        and (not len(starts) or (int(starts[0]) == 0 and int(starts[-1]) == len(keys)))
        and bool((starts[:-1] <= starts[1:]).all())
    )
    if not is_whole:
        raise damaged_file_error(path, "its clusters do not fit its vectors")
    return _Part(
        path,
        keys,
        CodedVectors(codes.reshape(len(keys), dimension), scales),
        rows,
        places,
        starts,
        CodedVectors(centres.reshape(clusters, dimension), centre_scales),
    )
