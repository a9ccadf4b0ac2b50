"""The forward index that re-ranking needs: formulas by document, and tokens by formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import FormulaTokens, Unit
from porism.searchindex.components import FORMULA_TOKENS, ComponentSpec, lookup
from porism.searchindex.components.forward_store import (
    ForwardStore,
    ForwardWriter,
    NumberRows,
    distinct_numbers,
    doc_keys,
    row_starts,
    rows_of,
)
from porism.searchindex.formula_table import TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import StoredFile, stored_file


@dataclass(frozen=True, slots=True)
class ForwardSpec:
    """The formulas of every answer, note and question, and the distinct tokens of each."""

    formula_tokens: FormulaTokens

    @property
    def name(self) -> str:
        return str(self.formula_tokens)


class _KeyedRows(NamedTuple):
    keys: NDArray[np.int64]
    rows: NumberRows


@dataclass(frozen=True, slots=True)
class DocumentFormulas:
    """For each answer or note the numbers of its formulas, or for each question.

    All forward specifications share them.
    """

    kind: ClassVar[str] = "document-formulas"
    specs: ClassVar[tuple[ComponentSpec, ...]] = ()
    formula_tokens: ClassVar[tuple[FormulaTokens, ...]] = ()

    unit: Unit = Unit.ANSWERS
    files: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return "forward-formulas" if self.unit is Unit.ANSWERS else f"forward-formulas-{self.unit}"

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[DocumentFormulas]:
        if any(isinstance(spec, ForwardSpec) for spec in specs):
            yield from (cls(unit) for unit in (Unit.ANSWERS, Unit.QUESTIONS))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> DocumentFormulas:  # Any: JSON
        # The manifest of an earlier Porism, whose index an update makes again, names no unit.
        unit = Unit(record.get("unit", Unit.ANSWERS))
        return cls(unit, tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {"unit": self.unit, "files": list(map(asdict, self.files))}

    def analyze(
        self, item: IndexedItem, tokeniser: DocumentTokeniser
    ) -> tuple[str, tuple[int, ...]]:
        return item.id, tuple(tokeniser.formulas(item))

    def payload(
        self, analyzed: Sequence[tuple[str, tuple[int, ...]]], tokeniser: DocumentTokeniser
    ) -> _KeyedRows:
        keys = doc_keys([doc_id for doc_id, _ in analyzed])
        return _KeyedRows(keys, rows_of([numbers for _, numbers in analyzed]))

    def writer(self, folder: Path, memory: int) -> _ForwardComponentWriter:
        return _ForwardComponentWriter(self, ForwardWriter(folder, self.files))

    def open(self, folder: Path) -> ForwardStore:
        return ForwardStore(folder, self.files)


@dataclass(frozen=True, slots=True)
class FormulaTokenStore:
    """For each formula, by its number, its distinct tokens of one kind, by their short keys."""

    kind: ClassVar[str] = "formula-tokens"
    unit: ClassVar[Unit] = Unit.ANSWERS

    spec: ForwardSpec
    files: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return f"forward-{self.spec.formula_tokens}"

    @property
    def specs(self) -> tuple[ForwardSpec, ...]:
        return (self.spec,)

    @property
    def formula_tokens(self) -> tuple[FormulaTokens, ...]:
        return (self.spec.formula_tokens,)

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[FormulaTokenStore]:
        return (cls(spec) for spec in dict.fromkeys(specs) if isinstance(spec, ForwardSpec))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> FormulaTokenStore:  # Any: JSON
        kind = lookup("formula tokens", record["formula_tokens"], FORMULA_TOKENS, path)
        return cls(ForwardSpec(kind), tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {
            "formula_tokens": self.spec.formula_tokens,
            "files": list(map(asdict, self.files)),
        }

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> dict[int, list[int]]:
        """Return the tokens of those formulas that ``add_formulas`` did not pass."""
        return {
            number: tokeniser.distinct_keys(formula, self.spec.formula_tokens)
            for number, formula in tokeniser.formulas(item).items()
            if tokeniser.place(number) < 0
        }

    def payload(
        self, analyzed: Sequence[dict[int, list[int]]], tokeniser: DocumentTokeniser
    ) -> _KeyedRows:
        formulas = {number: keys for document in analyzed for number, keys in document.items()}
        numbers = np.fromiter(formulas, np.int64, len(formulas))
        return _KeyedRows(numbers, rows_of(list(formulas.values())))

    def writer(self, folder: Path, memory: int) -> _ForwardComponentWriter:
        return _ForwardComponentWriter(self, ForwardWriter(folder, self.files, is_short=True))

    def open(self, folder: Path) -> ForwardStore:
        return ForwardStore(folder, self.files)


@dataclass(frozen=True, slots=True)
class _ForwardComponentWriter:
    component: DocumentFormulas | FormulaTokenStore
    store: ForwardWriter

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        for kind in self.component.formula_tokens:
            rows = NumberRows(formulas.keys[kind], row_starts(formulas.counts[kind]))
            self.store.add(formulas.numbers, distinct_numbers(rows))

    def add(self, doc_ids: Sequence[str], payload: _KeyedRows) -> None:
        self.store.add(payload.keys, payload.rows)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Keep the rows: deleted documents are not looked up, and others may have a formula."""

    def flush(self) -> DocumentFormulas | FormulaTokenStore:
        self.store.flush()
        self.store.merge_recent()
        return replace(self.component, files=self.store.files)

    def close(self) -> None:
        """Only ``flush`` opens files."""
