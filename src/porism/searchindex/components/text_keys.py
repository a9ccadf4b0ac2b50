"""The texts of each document by their keys, and the documents of each text.

A document has up to one text of each kind, or a formula, which is known by its hash, as its vectors
are. The table has parts, one file each, like a forward store: a document is looked up in the newest
part that has it, and a deleted one is there without texts. Each part also lists its documents by
text, so that vectors lead to documents; one that a newer part has is not found through an older
one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.searchindex.components.forward_store import doc_keys, row_starts
from porism.searchindex.formula_table import TokenisedFormulas
from porism.storage.array_file import Array, StoredFile, open_arrays, verify, write_arrays
from porism.storage.errors import damaged_file_error
from porism.storage.tiers import first_to_merge

Keys = NDArray[np.int64]
Places = NDArray[np.int64]

NO_TEXT = -1
"""The key where a document has no text; those of texts are not negative."""

MAX_HELD = 1 << 20
"""Documents that a writer holds before it writes them as a part."""

MAX_MERGED = 1 << 22
"""Documents up to which parts are merged."""

_NONE = np.zeros(0, np.int64)
_PREFIX = "documents-"


class TextKind(StrEnum):
    """What a text is of a document: its question, or its answer."""

    QUESTION = "questions"
    ANSWER = "answers"


Texts = Mapping[str, Keys]
"""For each kind the key of the text of each document, or ``NO_TEXT``."""

KINDS: tuple[str, ...] = tuple(TextKind)


class DocumentsOfTexts(NamedTuple):
    """Documents that have requested texts: document i has the text number ``requested[i]``."""

    requested: Places
    doc_ids: list[str]


@dataclass(frozen=True, slots=True)
class _Part:
    """A mapped part: documents by their keys, and of each kind the same by text."""

    path: Path
    docs: Keys
    ids: NDArray[np.uint8]
    id_starts: Places
    texts: Texts
    sorted_texts: Texts
    sorted_docs: Mapping[str, NDArray[np.uint32]]

    def find(self, docs: Keys) -> tuple[Places, NDArray[np.bool_]]:
        """Return the places of those documents that are here, and which these are."""
        places = np.searchsorted(self.docs, docs)
        here = places < len(self.docs)
        here[here] = self.docs[places[here]] == docs[here]
        return places[here], here

    def with_texts(self, kind: str, keys: Keys) -> tuple[Places, Places]:
        """Return pairs of the place of a key and that of a document that has this text."""
        firsts = np.searchsorted(self.sorted_texts[kind], keys)
        lasts = np.searchsorted(self.sorted_texts[kind], keys, side="right")
        requested = np.repeat(np.arange(len(keys)), lasts - firsts)
        starts = row_starts(lasts - firsts)[:-1]
        among = np.arange(len(requested)) + (firsts - starts)[requested]
        docs = self.sorted_docs[kind][among].astype(np.int64)
        if len(docs) and int(docs.max()) >= len(self.docs):
            raise damaged_file_error(self.path, "a text has a document that is not there")
        return requested, docs

    def doc_ids(self, places: Places) -> list[str]:
        """Return the ids of the documents at places."""
        text = self.ids.data
        firsts, lasts = self.id_starts[places].tolist(), self.id_starts[places + 1].tolist()
        try:
            return [
                str(text[first:last], "utf-8", "surrogatepass")
                for first, last in zip(firsts, lasts, strict=True)
            ]
        except UnicodeDecodeError:
            raise damaged_file_error(self.path, "an id is not UTF-8") from None


class TextKeys:
    """The table of texts of some kinds, mapped into memory; threads may share it."""

    def __init__(
        self, folder: Path, files: Sequence[StoredFile], kinds: Sequence[str] = KINDS
    ) -> None:
        self._parts = [_mapped(folder, file, kinds) for file in files]

    def all_texts(self, kind: str) -> Keys:
        """Return the keys of all texts of a kind that documents have now, ascending."""
        current = [
            part.texts[kind][self._is_current(number, part.docs)]
            for number, part in enumerate(self._parts)
        ]
        keys = np.unique(np.concatenate([_NONE, *current]))
        return keys[np.searchsorted(keys, NO_TEXT, side="right") :]

    def texts(self, kind: str, docs: Keys) -> Keys:
        """Return the key of the text of each document, ``NO_TEXT`` for an unknown document."""
        keys = np.full(len(docs), NO_TEXT, np.int64)
        missing = np.argsort(docs)  # ascending ones are found in fewer pages
        for part in reversed(self._parts):
            places, here = part.find(docs[missing])
            keys[missing[here]] = part.texts[kind][places]
            missing = missing[~here]
        return keys

    def documents(self, kind: str, keys: Keys) -> DocumentsOfTexts:
        """Return the documents that have texts, in the order of these, then by id."""
        found: list[tuple[int, str]] = []
        for number, part in enumerate(self._parts):
            requested, places = part.with_texts(kind, keys)
            current = self._is_current(number, part.docs[places])
            ids = part.doc_ids(places[current])
            found += zip(requested[current].tolist(), ids, strict=True)
        found.sort()
        return DocumentsOfTexts(
            np.array([number for number, _ in found], np.int64), [doc_id for _, doc_id in found]
        )

    def _is_current(self, number: int, docs: Keys) -> NDArray[np.bool_]:
        """Return which documents of a part no newer part has."""
        current = np.ones(len(docs), bool)
        for newer in self._parts[number + 1 :]:
            current &= ~newer.find(docs)[1]
        return current


class TextKeyWriter:
    """Adds documents to the table in a folder, in parts of bounded size; ``files`` are its parts.

    After ``flush`` they have all that was added; ``stored_files`` are those it began with.
    """

    def __init__(
        self, folder: Path, files: Sequence[StoredFile], kinds: Sequence[str] = KINDS
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.files = self.stored_files = tuple(files)
        self._folder = folder
        self._kinds = kinds
        self._ids: list[str] = []
        self._texts: dict[str, list[Keys]] = {kind: [] for kind in kinds}

    def add(self, doc_ids: Sequence[str], texts: Texts) -> None:
        """Add documents with their texts, each in the place of the one with its id."""
        self._ids += doc_ids
        for kind, keys in texts.items():
            self._texts[kind].append(keys)
        if len(self._ids) >= MAX_HELD:
            self.flush()

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Delete documents."""
        self.add(doc_ids, dict.fromkeys(self._kinds, np.full(len(doc_ids), NO_TEXT, np.int64)))

    def flush(self) -> None:
        """Write what was added as a new part."""
        if not self._ids:
            return
        # The last of several documents with one id counts.
        docs, from_end = np.unique(doc_keys(self._ids)[::-1], return_index=True)
        order = len(self._ids) - 1 - from_end
        texts = {kind: np.concatenate(keys)[order] for kind, keys in self._texts.items()}
        self._write(self.files, docs, [self._ids[place] for place in order.tolist()], texts)
        self._ids, self._texts = [], {kind: [] for kind in self._kinds}

    def merge_recent(self) -> None:
        """Merge the newest parts where they are as large as their older neighbours."""
        sizes = [_documents(file) for file in self.files]
        first = first_to_merge(sizes, MAX_MERGED)
        if first >= len(sizes) - 1:
            return
        merging = self.files[first:]
        verify(self._folder, merging)
        ids: dict[int, str] = {}
        for file in merging:
            part = _mapped(self._folder, file, self._kinds)
            every = part.doc_ids(np.arange(len(part.docs)))
            ids |= zip(part.docs.tolist(), every, strict=True)
        docs = np.array(sorted(ids), np.int64)
        table = TextKeys(self._folder, merging, self._kinds)
        texts = {kind: table.texts(kind, docs) for kind in self._kinds}
        self._write(self.files[:first], docs, [ids[key] for key in docs.tolist()], texts)

    def _write(
        self, before: Sequence[StoredFile], docs: Keys, doc_ids: Sequence[str], texts: Texts
    ) -> None:
        """Write a part after the parts ``before``, with its documents by key."""
        encoded = [doc_id.encode("utf-8", "surrogatepass") for doc_id in doc_ids]
        arrays: dict[str, Array] = {
            "docs": docs,
            "ids": np.frombuffer(b"".join(encoded), np.uint8),
            "id-starts": row_starts(np.fromiter(map(len, encoded), np.int64, len(encoded))),
        }
        for kind, keys in texts.items():
            order = np.argsort(keys, kind="stable")
            arrays |= {
                f"{kind}": keys,
                f"{kind}-sorted": keys[order],
                f"{kind}-docs": order.astype(np.uint32),
            }
        numbers = (int(Path(file.name).stem.removeprefix(_PREFIX)) for file in self.files)
        path = self._folder / f"{_PREFIX}{max(numbers, default=0) + 1:06d}.part"
        self.files = (*before, write_arrays(path, arrays))


def _documents(file: StoredFile) -> int:
    """Return how many documents a part has."""
    return sum(array.size // 8 for array in file.arrays if array.name == "docs")


def _mapped(folder: Path, file: StoredFile, kinds: Sequence[str]) -> _Part:
    path = folder / file.name
    arrays = open_arrays(folder, file)
    docs, ids, id_starts = arrays["docs"], arrays["ids"], arrays["id-starts"]
    lengths = {
        len(arrays[f"{kind}{suffix}"]) for kind in kinds for suffix in ("", "-sorted", "-docs")
    }
    if lengths != {len(docs)} or len(id_starts) != len(docs) + 1 or int(id_starts[-1]) != len(ids):
        raise damaged_file_error(path, "its documents and texts differ in number")
    return _Part(
        path,
        docs,
        ids,
        id_starts,
        {kind: arrays[kind] for kind in kinds},
        {kind: arrays[f"{kind}-sorted"] for kind in kinds},
        {kind: arrays[f"{kind}-docs"] for kind in kinds},
    )


Stored = TypeVar("Stored")


@dataclass(frozen=True, slots=True)
class KeyedTextWriter(Generic[Stored]):
    """The writer of a component with such a table, whose vectors are made later.

    ``with_documents`` returns the component with the files of a changed table.
    """

    component: Stored
    table: TextKeyWriter
    with_documents: Callable[[tuple[StoredFile, ...]], Stored]

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """Only documents have vectors: answers, or visually distinct formulas."""

    def add(self, doc_ids: Sequence[str], payload: Texts) -> None:
        self.table.add(doc_ids, payload)

    def delete(self, doc_ids: Sequence[str]) -> None:
        self.table.delete(doc_ids)

    def flush(self) -> Stored:
        before = self.table.stored_files
        self.table.flush()
        if self.table.files == before:
            return self.component
        self.table.merge_recent()
        return self.with_documents(self.table.files)

    def close(self) -> None:
        """Only ``flush`` opens files."""
