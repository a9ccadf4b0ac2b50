"""Feature indexes: for each feature the visually distinct formulas that have it, with payloads.

Unlike the inverted index, which ranks by sums of term weights, this leaves scoring to the system: a
payload may be a count, a root with a width, or a mask of places, and a system's compiled loop reads
the postings of its query's features. An index has parts, one file each, like a forward store; a
formula belongs to the newest part that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.analysis import Unit
from porism.inverted import Filter, Index
from porism.model import DocId
from porism.searchindex.components import ComponentSpec, lookup
from porism.searchindex.components.forward_store import (
    NumberRows,
    doc_keys,
    reordered_rows,
    row_starts,
)
from porism.searchindex.formula_table import TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, FormulaDocument, IndexedItem
from porism.storage.array_file import (
    Array,
    StoredFile,
    files_fingerprint,
    open_arrays,
    stored_file,
    verify,
    write_arrays,
)
from porism.storage.errors import damaged_file_error
from porism.storage.tiers import first_to_merge
from porism.structure.feature_rows import FeatureRows, Numbers, feature_rows
from porism.structure.packed_features import FEATURE_FORMS, PackedFeatures

Keys = NDArray[np.int64]
Places = NDArray[np.int64]
Mask = NDArray[np.uint8]

MAX_HELD = 1 << 25
"""Postings that a writer holds before it writes them as a part, and up to which parts merge."""

FEW = 4
"""If fewer than one of so many formulas pass a filter, those that do are looked up before."""

MASKS_KEPT = 16
"""Filters whose masks are kept for the next search."""

_KINDS = {str(kind): kind for kind in FEATURE_FORMS}


@dataclass(frozen=True, slots=True)
class FeatureSpec:
    """The features of one kind of every visually distinct formula."""

    features: PackedFeatures

    @property
    def name(self) -> str:
        return f"{self.features} of formulas"


class FeaturePart(NamedTuple):
    """The arrays of a part, for compiled loops.

    The formulas with ``features[i]`` are ``rows[starts[i]:starts[i + 1]]``, ascending, with their
    ``payloads``; ``values`` has the values of each row. A row that is not live was deleted, or is
    in a newer part. The words of row r are ``words[word_starts[r]:word_starts[r + 1]]``; both are
    empty if no row has any.
    """

    features: Numbers
    starts: Places
    rows: NDArray[np.uint32]
    payloads: Array
    values: NDArray[np.uint32]
    is_live: Mask
    words: Numbers
    word_starts: Places


class PostingSpans(NamedTuple):
    """Where the postings of requested features begin and end; empty for unknown features."""

    firsts: Places
    lasts: Places


class ScoredRows(NamedTuple):
    """Rows of a part with their scores: the best, and all that equal the last of them."""

    rows: Places
    scores: NDArray[np.float64]


ScorePart = Callable[[FeaturePart, Mask, int], ScoredRows]
"""Returns the best rows of a part, at least as many as asked for, of those that a mask allows."""


def posting_spans(part: FeaturePart, features: Numbers) -> PostingSpans:
    """Return the postings of features in a part."""
    places = np.searchsorted(part.features, features)
    here = places < len(part.features)
    here[here] = part.features[places[here]] == features[here]
    places[~here] = 0
    firsts = np.where(here, part.starts[places], 0)
    return PostingSpans(firsts, np.where(here, part.starts[places + here], 0))


def best_rows(scores: NDArray[np.float64], rows: Places, k: int) -> ScoredRows:
    """Return the best ``k`` of scored rows, and all that equal the last of them."""
    if 0 < k < len(scores):
        least = np.partition(scores, -k)[-k]
        kept = np.flatnonzero(scores >= least)
        return ScoredRows(rows[kept], scores[kept])
    return ScoredRows(rows, scores)


@dataclass(frozen=True, slots=True)
class FeatureComponent:
    """A stored feature index."""

    kind: ClassVar[str] = "features"
    unit: ClassVar[Unit] = Unit.FORMULAS

    spec: FeatureSpec
    files: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return f"features-{self.spec.features}"

    @property
    def specs(self) -> tuple[FeatureSpec, ...]:
        return (self.spec,)

    @property
    def formula_tokens(self) -> tuple[PackedFeatures, ...]:
        return (self.spec.features,)

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[FeatureComponent]:
        return (cls(spec) for spec in dict.fromkeys(specs) if isinstance(spec, FeatureSpec))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> FeatureComponent:  # Any: JSON
        kind = lookup("features", record["features"], _KINDS, path)
        return cls(FeatureSpec(kind), tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {"features": self.spec.features, "files": list(map(asdict, self.files))}

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> Numbers:
        assert isinstance(item, FormulaDocument)
        numbers = tokeniser.formula_features(item.formula, self.spec.features)
        if len(numbers):
            return numbers
        return np.zeros(FEATURE_FORMS[self.spec.features].values + 1, np.uint64)

    def payload(self, analyzed: Sequence[Numbers], tokeniser: DocumentTokeniser) -> FeatureRows:
        return feature_rows(analyzed, FEATURE_FORMS[self.spec.features].values)

    def writer(self, folder: Path, memory: int) -> _FeatureWriter:
        return _FeatureWriter(self, folder)

    def open(self, folder: Path) -> FeatureIndex:
        return FeatureIndex(folder, self)


class _StoredPart(NamedTuple):
    """All arrays of a part: those for loops, and the ids of its formulas by row."""

    part: FeaturePart
    docs: Keys
    ids: NDArray[np.uint8]
    id_starts: Places
    deleted: Keys

    def find(self, docs: Keys) -> Places:
        """Return the row of each formula, by its key; -1 if it is not here."""
        places = np.searchsorted(self.docs, docs)
        here = places < len(self.docs)
        here[here] = self.docs[places[here]] == docs[here]
        return np.where(here, places, -1)

    def doc_ids(self, rows: Places) -> list[DocId]:
        """Return the ids of rows."""
        text = self.ids.data
        firsts, lasts = self.id_starts[rows].tolist(), self.id_starts[rows + 1].tolist()
        return [
            DocId(str(text[first:last], "utf-8", "surrogatepass"))
            for first, last in zip(firsts, lasts, strict=True)
        ]


class FeatureIndex:
    """A feature index opened for searching; threads may share it."""

    def __init__(self, folder: Path, component: FeatureComponent) -> None:
        self.fingerprint = files_fingerprint(component.files)
        self._stored = _opened_parts(folder, component)
        self._masks: dict[Filter, list[Mask]] = {}
        self.documents = sum(int(each.part.is_live.sum()) for each in self._stored)

    @property
    def parts(self) -> Sequence[FeaturePart]:
        """The parts, the oldest first."""
        return [each.part for each in self._stored]

    def frequencies(self, features: Numbers) -> NDArray[np.int64]:
        """Return how many postings each feature has; those of replaced formulas count too."""
        counts = np.zeros(len(features), np.int64)
        for part in self.parts:
            firsts, lasts = posting_spans(part, features)
            counts += lasts - firsts
        return counts

    def rows_of(self, doc_ids: Sequence[str]) -> tuple[Places, Places]:
        """Return the number of the part and the row of each formula; -1 if it is nowhere."""
        keys = doc_keys(doc_ids)
        numbers, rows = np.full((2, len(keys)), -1)
        for number, stored in enumerate(self._stored):
            places = stored.find(keys)
            here = places >= 0
            here[here] = stored.part.is_live[places[here]] != 0
            numbers[here], rows[here] = number, places[here]
        return numbers, rows

    def best(
        self, k: int, index: Index, within: Filter | None, score_part: ScorePart
    ) -> list[tuple[float, DocId]]:
        """Return the best ``k`` formulas with their scores, in the order of ``model.ranked``.

        They are in the inverted index of formulas, and pass the filter there.
        """
        passing = index.count(within)
        if k < 1 or not passing or not self.documents:
            return []
        if within is not None and FEW * passing < index.documents:
            return self._best(k, self._filter_masks(index, within), score_part)[:k]
        masks = [each.is_live for each in self.parts]
        # A little more than the share that passes, because a second search costs as much again.
        count = k * index.documents // passing
        count += 0 if passing == index.documents else 20 + count // 10
        while True:
            found = self._best(count, masks, score_part)
            allowed = index.allowed([doc_id for _, doc_id in found], within).tolist()
            kept = [pair for pair, passes in zip(found, allowed, strict=True) if passes]
            if len(kept) >= k or len(found) < count:
                return kept[:k]
            count *= 2

    def _best(
        self, k: int, masks: Sequence[Mask], score_part: ScorePart
    ) -> list[tuple[float, DocId]]:
        found: list[tuple[float, DocId]] = []
        for stored, mask in zip(self._stored, masks, strict=True):
            deadlines.check()
            rows, scores = score_part(stored.part, mask, k)
            found += zip(scores.tolist(), stored.doc_ids(rows), strict=True)
        return sorted(found, reverse=True)

    def _filter_masks(self, index: Index, within: Filter) -> list[Mask]:
        """Return the mask of each part for a filter; those of recent filters are kept."""
        masks = self._masks.get(within)
        if masks is None:
            keys = doc_keys(list(index.doc_ids(within)))
            masks = []
            for stored in self._stored:
                rows = stored.find(keys)
                mask = np.zeros_like(stored.part.is_live)
                mask[rows[rows >= 0]] = 1
                masks.append(mask & stored.part.is_live)
            if len(self._masks) >= MASKS_KEPT:
                self._masks.clear()
            self._masks[within] = masks
        return masks


def _opened_parts(folder: Path, component: FeatureComponent) -> list[_StoredPart]:
    """Open the parts; a row that a newer part has, or deletes, is not live."""
    count = FEATURE_FORMS[component.spec.features].values
    parts: list[_StoredPart] = []
    newer: list[Keys] = []
    for file in reversed(component.files):
        arrays = open_arrays(folder, file)
        docs, starts, rows = arrays["docs"], arrays["starts"], arrays["rows"]
        if not (
            len(arrays["id_starts"]) == len(docs) + 1
            and len(arrays["values"]) == count * len(docs)
            and len(starts) == len(arrays["features"]) + 1
            and len(rows) == len(arrays["payloads"]) == starts[-1]
            and len(arrays["word_starts"]) in (0, len(docs) + 1)
            and len(arrays["words"]) == arrays["word_starts"][-1:].sum()
        ):
            raise damaged_file_error(folder / file.name, "its arrays differ in length")
        is_live = np.ones(len(docs), np.uint8)
        if newer:
            is_live[np.isin(docs, np.concatenate(newer))] = 0
        values = arrays["values"].reshape(len(docs), count)
        part = FeaturePart(
            arrays["features"],
            starts,
            rows,
            arrays["payloads"],
            values,
            is_live,
            arrays["words"],
            arrays["word_starts"],
        )
        parts.append(_StoredPart(part, docs, arrays["ids"], arrays["id_starts"], arrays["deleted"]))
        newer += (docs, arrays["deleted"])
    return parts[::-1]


class _Batch(NamedTuple):
    """Formulas with their features, or, without features, formulas to delete."""

    docs: Keys
    ids: list[bytes]
    features: FeatureRows | None


class _FeatureWriter:
    """Adds formulas to the parts in a folder, or deletes them."""

    def __init__(self, component: FeatureComponent, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._component = component
        self._folder = folder
        self._batches: list[_Batch] = []
        self._held = 0
        self._files = component.files

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """The features come with the visually distinct formulas."""

    def add(self, doc_ids: Sequence[str], payload: FeatureRows) -> None:
        ids = [doc_id.encode("utf-8", "surrogatepass") for doc_id in doc_ids]
        self._batches.append(_Batch(doc_keys(doc_ids), ids, payload))
        self._held += len(payload.features) + len(ids)
        if self._held >= MAX_HELD:
            self._flush()

    def delete(self, doc_ids: Sequence[str]) -> None:
        if doc_ids:
            self._batches.append(_Batch(doc_keys(doc_ids), [], None))
            self._held += len(doc_ids)

    def flush(self) -> FeatureComponent:
        self._flush()
        sizes = [_postings(file) for file in self._files]
        first = first_to_merge(sizes, MAX_HELD)
        if first < len(sizes) - 1:
            self._merge(first)
        return replace(self._component, files=self._files)

    def close(self) -> None:
        """Only ``flush`` opens files."""

    def _flush(self) -> None:
        if self._held:
            self._write(self._files, self._batches)
            self._batches, self._held = [], 0

    def _merge(self, first: int) -> None:
        """Merge the parts from ``first`` on into one."""
        verify(self._folder, self._files[first:])
        merging = replace(self._component, files=self._files[first:])
        batches: list[_Batch] = []
        for stored in _opened_parts(self._folder, merging):
            batches += (_Batch(stored.deleted, [], None), _held_part(stored))
        self._write(self._files[:first], batches)

    def _write(self, before: tuple[StoredFile, ...], batches: Sequence[_Batch]) -> None:
        """Write batches as a part after the parts ``before``."""
        last = max((int(Path(file.name).stem) for file in self._files), default=0)
        form = FEATURE_FORMS[self._component.spec.features]
        arrays = _part_arrays(batches, form.values, form.payload, has_older=bool(before))
        new = write_arrays(self._folder / f"{last + 1:06d}.part", arrays)
        self._files = (*before, new)


def _postings(file: StoredFile) -> int:
    sizes = {array.name: array.size for array in file.arrays}
    return (sizes["rows"] + sizes["id_starts"] // 2) // 4


def _held_part(stored: _StoredPart) -> _Batch:
    """Return a part as what a writer holds."""
    part = stored.part
    ends = stored.id_starts.tolist()
    text = stored.ids.tobytes()
    ids = [text[first:last] for first, last in pairwise(ends)]
    features = np.repeat(part.features, np.diff(part.starts))
    word_starts = part.word_starts if len(part.words) else np.zeros(len(ids) + 1, np.int64)
    rows = FeatureRows(
        part.values,
        features,
        part.rows,
        part.payloads.astype(np.uint64),
        part.words,
        np.diff(word_starts),
    )
    return _Batch(stored.docs, ids, rows)


def _part_arrays(
    batches: Sequence[_Batch], values: int, payload: str, has_older: bool
) -> dict[str, Array]:
    """Return the arrays of a part: of a formula that occurs several times, the last counts."""
    docs = np.concatenate([batch.docs for batch in batches])
    added = np.concatenate(
        [np.full(len(batch.docs), batch.features is not None) for batch in batches]
    )
    # The last of equal keys, by key: a stable sort of the reversed keys has it first.
    _, last = np.unique(docs[::-1], return_index=True)
    kept = len(docs) - 1 - last
    deleted = docs[kept[~added[kept]]]
    kept = kept[added[kept]]
    new_rows = np.full(len(docs), -1)
    new_rows[kept] = np.arange(len(kept))
    ids: list[bytes] = []
    columns: list[FeatureRows] = []
    pieces: list[Places] = []
    places: list[int] = []  # of each document among the ids; deletions have none
    offset = 0
    for batch in batches:
        if batch.features is None:
            places += [-1] * len(batch.docs)
        else:
            places += range(len(ids), len(ids) + len(batch.docs))
            ids += batch.ids
            columns.append(batch.features)
            pieces.append(new_rows[offset + batch.features.rows.astype(np.int64)])
        offset += len(batch.docs)
    kept_places = [places[at] for at in kept.tolist()]
    kept_ids = [ids[place] for place in kept_places]
    table = np.concatenate([np.zeros((0, values), np.uint32), *(each.values for each in columns)])
    rows = np.concatenate([np.zeros(0, np.int64), *pieces])
    live = rows >= 0
    none = np.empty(0, np.uint64)
    features = np.concatenate([none, *(each.features for each in columns)])[live]
    payloads = np.concatenate([none, *(each.payloads for each in columns)])[live]
    rows = rows[live]
    order = np.lexsort((rows, features))
    distinct, counts = np.unique(features[order], return_counts=True)
    return {
        "docs": docs[kept],
        "ids": np.frombuffer(b"".join(kept_ids), np.uint8),
        "id_starts": row_starts(np.array([len(each) for each in kept_ids], np.int64)),
        "deleted": deleted if has_older else deleted[:0],
        "values": table[kept_places].ravel(),
        "features": distinct,
        "starts": row_starts(counts),
        "rows": rows[order].astype(np.uint32),
        "payloads": payloads[order].astype(payload),
        **_kept_words(columns, kept_places),
    }


def _kept_words(columns: Sequence[FeatureRows], places: Sequence[int]) -> dict[str, Array]:
    """Return the words of the rows at places among all rows."""
    none = np.empty(0, np.int64)
    words = np.concatenate([np.empty(0, np.uint64), *(each.words for each in columns)])
    if not len(words):
        return {"words": words, "word_starts": none}
    starts = row_starts(np.concatenate([none, *(each.word_counts for each in columns)]))
    kept = reordered_rows(NumberRows(words, starts), np.array(places, np.int64))
    return {"words": kept.numbers, "word_starts": kept.starts}
