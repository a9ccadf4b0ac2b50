"""The inverted index of one unit: all its fields together, and the labels that filters use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from porism.analysis import COMMON_FIELDS, DocumentPart, FieldSpec, FormulaTokens, Unit
from porism.inverted import DocumentBatch, Field, FieldTokens, Index, IndexWriter
from porism.inverted.layout import IndexMeta, parsed_meta
from porism.inverted.query import LABELS
from porism.inverted.reader import open_commit
from porism.inverted.writer import empty_meta
from porism.searchindex.components import FORMULA_TOKENS, Component, ComponentSpec, lookup
from porism.searchindex.formula_table import Keys, TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import StoredFile
from porism.text import CLASSIC, PLAIN, TERRIER, UNSTEMMED

ANALYZERS = {analyzer.name: analyzer for analyzer in (CLASSIC, PLAIN, TERRIER, UNSTEMMED)}
"""Analyzers by the names that manifests have."""


class _DocumentKeys(NamedTuple):
    """One document: for each field its keys in several arrays, and the keys of its labels."""

    fields: list[list[Keys]]
    labels: Keys


class BatchKeys(NamedTuple):
    """A batch of documents by field, and the strings of words and labels that are new."""

    fields: dict[str, FieldTokens]
    tokens: dict[int, str]


@dataclass(frozen=True, slots=True)
class UnitIndex:
    """The inverted index of a unit. Every index has one for each unit, with ``COMMON_FIELDS``."""

    kind: ClassVar[str] = "inverted-index"

    unit: Unit
    specs: tuple[FieldSpec, ...]
    meta: IndexMeta

    @property
    def name(self) -> str:
        return str(self.unit)

    @property
    def formula_tokens(self) -> tuple[FormulaTokens, ...]:
        return tuple(kind for spec in self.specs for kind in spec.formula_tokens)

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[UnitIndex]:
        wanted = dict.fromkeys((*specs, *COMMON_FIELDS))
        fields = [spec for spec in wanted if isinstance(spec, FieldSpec)]
        for unit in Unit:
            ours = tuple(spec for spec in fields if spec.unit is unit)
            stored = (Field(spec.name, spec.k1, spec.b, spec.length) for spec in ours)
            yield cls(unit, ours, empty_meta([*stored, Field(LABELS)]))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> UnitIndex:  # Any: JSON
        unit = Unit(record["unit"])
        specs = tuple(_field_spec(field, unit, path) for field in record["fields"])
        return cls(unit, specs, parsed_meta(record["index"], path))

    def record(self) -> dict[str, object]:
        return {
            "unit": self.unit,
            "fields": list(map(_field_record, self.specs)),
            "index": self.meta.record(),
        }

    @property
    def files(self) -> tuple[StoredFile, ...]:
        return self.meta.files

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> _DocumentKeys:
        return _DocumentKeys(
            [tokeniser.field_keys(spec, item) for spec in self.specs],
            tokeniser.words.keys_of(item.labels),
        )

    def payload(self, analyzed: Sequence[_DocumentKeys], tokeniser: DocumentTokeniser) -> BatchKeys:
        fields = {
            spec.name: _field_tokens(document.fields[place] for document in analyzed)
            for place, spec in enumerate(self.specs)
        }
        fields[LABELS] = _field_tokens([document.labels] for document in analyzed)
        return BatchKeys(fields, tokeniser.words.new or {})

    def writer(self, folder: Path, memory: int) -> _UnitIndexWriter:
        return _UnitIndexWriter(
            self, IndexWriter(folder, self.meta.fields, memory, committed=self.meta)
        )

    def open(self, folder: Path) -> Index:
        return open_commit(folder, self.meta)


@dataclass(frozen=True, slots=True)
class _UnitIndexWriter:
    component: UnitIndex
    index: IndexWriter

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """Nothing is stored of formulas but the keys of their tokens in documents."""

    def add(self, doc_ids: Sequence[str], payload: BatchKeys) -> None:
        self.index.add_batch(DocumentBatch(doc_ids, payload.fields, payload.tokens))

    def delete(self, doc_ids: Sequence[str]) -> None:
        self.index.delete(doc_ids)

    def flush(self) -> UnitIndex:
        self.index.flush()
        self.index.merge_recent()
        return replace(self.component, meta=self.index.meta)

    def close(self) -> None:
        self.index.close()


def unit_index(components: Iterable[Component], unit: Unit) -> UnitIndex:
    """Return the inverted index of a unit, which is among the components of every index."""
    indexes = (each for each in components if isinstance(each, UnitIndex))
    return next(each for each in indexes if each.unit is unit)


def _field_tokens(documents: Iterable[Sequence[Keys]]) -> FieldTokens:
    """Join the keys of documents, of which each has several arrays."""
    pieces: list[Keys] = [np.empty(0, np.uint64)]
    lengths = [0]
    for document in documents:
        pieces += document
        lengths.append(sum(map(len, document)))
    return FieldTokens(np.concatenate(pieces), np.cumsum(lengths))


def _field_record(spec: FieldSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "parts": sorted(spec.parts),
        "analyzer": spec.analyzer.name if spec.analyzer else None,
        "formula_tokens": list(spec.formula_tokens),
        "part_weights": dict(spec.part_weights),
        "k1": spec.k1,
        "b": spec.b,
        "length": spec.length,
    }


def _field_spec(record: Mapping[str, Any], unit: Unit, path: Path) -> FieldSpec:
    analyzer = record["analyzer"]
    return FieldSpec(
        name=record["name"],
        parts=frozenset(_part(part, path) for part in record["parts"]),
        analyzer=lookup("analyzer", analyzer, ANALYZERS, path) if analyzer else None,
        formula_tokens=tuple(
            lookup("formula tokens", kind, FORMULA_TOKENS, path)
            for kind in record["formula_tokens"]
        ),
        part_weights=tuple(
            (_part(part, path), weight) for part, weight in record["part_weights"].items()
        ),
        k1=record["k1"],
        b=record["b"],
        length=record["length"],
        unit=unit,
    )


def _part(name: str, path: Path) -> DocumentPart:
    return lookup("document part", name, {str(part): part for part in DocumentPart}, path)
