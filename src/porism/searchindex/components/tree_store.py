"""Both trees of every visually distinct formula, for second stages that compare structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Unit
from porism.searchindex.components import ComponentSpec
from porism.searchindex.components.forward_store import (
    ForwardStore,
    ForwardWriter,
    NumberRows,
    doc_keys,
    row_starts,
)
from porism.searchindex.formula_table import Keys, TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, FormulaDocument, IndexedItem
from porism.storage.array_file import StoredFile, stored_file
from porism.structure.packed_features import PackedFeatures

_NONE = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class TreeSpec:
    """Both trees of every visually distinct formula, packed."""

    name: ClassVar[str] = "trees of formulas"


@dataclass(frozen=True, slots=True)
class TreeStore:
    """For each visually distinct formula, by its visual id, its trees as a row of numbers."""

    kind: ClassVar[str] = "trees"
    name: ClassVar[str] = "trees"
    unit: ClassVar[Unit] = Unit.FORMULAS
    specs: ClassVar[tuple[ComponentSpec, ...]] = (TreeSpec(),)
    formula_tokens: ClassVar[tuple[PackedFeatures, ...]] = (PackedFeatures.TREES,)

    files: tuple[StoredFile, ...] = ()

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[TreeStore]:
        if any(isinstance(spec, TreeSpec) for spec in specs):
            yield cls()

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> TreeStore:  # Any: JSON
        return cls(tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {"files": list(map(asdict, self.files))}

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> tuple[str, Keys]:
        assert isinstance(item, FormulaDocument)
        return item.id, tokeniser.formula_features(item.formula, PackedFeatures.TREES)

    def payload(
        self, analyzed: Sequence[tuple[str, Keys]], tokeniser: DocumentTokeniser
    ) -> tuple[NDArray[np.int64], NumberRows]:
        lengths = np.array([len(numbers) for _, numbers in analyzed], np.int64)
        joined = np.concatenate([_NONE, *(numbers for _, numbers in analyzed)])
        keys = doc_keys([doc_id for doc_id, _ in analyzed])
        return keys, NumberRows(joined, row_starts(lengths))

    def writer(self, folder: Path, memory: int) -> _TreeWriter:
        return _TreeWriter(self, ForwardWriter(folder, self.files))

    def open(self, folder: Path) -> ForwardStore:
        return ForwardStore(folder, self.files)


@dataclass(frozen=True, slots=True)
class _TreeWriter:
    component: TreeStore
    store: ForwardWriter

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """The trees come with the visually distinct formulas."""

    def add(self, doc_ids: Sequence[str], payload: tuple[NDArray[np.int64], NumberRows]) -> None:
        self.store.add(*payload)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Keep the rows: deleted formulas are not looked up."""

    def flush(self) -> TreeStore:
        self.store.flush()
        self.store.merge_recent()
        return replace(self.component, files=self.store.files)

    def close(self) -> None:
        """Only ``flush`` opens files."""
