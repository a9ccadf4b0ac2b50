"""The vectors of visually distinct formulas by one embedding, and the model that makes them.

Building and updating an index writes only which formulas it has, by their numbers. Vectors come
with a trained model (``formula_vector_filling``), which is stored here too, so that queries are
encoded by the same. Until then the component is empty, and systems that need it say so.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis import FormulaTokens, Unit
from porism.errors import PorismError
from porism.inverted import Filter, Index
from porism.searchindex.components import Component, ComponentSpec
from porism.searchindex.components.keyed_vectors import KeyedVectors
from porism.searchindex.components.text_keys import (
    KeyedTextWriter,
    Keys,
    TextKeys,
    TextKeyWriter,
    Texts,
)
from porism.searchindex.tokeniser import DocumentTokeniser, FormulaDocument, IndexedItem
from porism.storage.array_file import (
    StoredFile,
    file_damage,
    files_fingerprint,
    link_files,
    stored_file,
)
from porism.structure.embeddings import (
    FormulaEncoder,
    FormulaInput,
    open_formula_encoder,
    unit_vectors,
)
from porism.structure.embeddings.model_files import (
    StoredFormulaModel,
    read_formula_model,
    stored_formula_model,
)
from porism.vectors.store import VectorStore

FORMULAS = "formulas"
"""The one kind of texts in the table: a visually distinct formula has a formula, by its number."""


@dataclass(frozen=True, slots=True)
class FormulaVectorSpec:
    """The vectors of every visually distinct formula by one embedding, such as ``cft``."""

    embedding: str

    @property
    def name(self) -> str:
        return f"{self.embedding} vectors of formulas"


@dataclass(frozen=True, slots=True)
class FormulaVectorIndex:
    """The formulas of an index, and their vectors by the model, once there is one.

    ``is_complete`` says that every formula has its vector.
    """

    kind: ClassVar[str] = "formula-vectors"
    unit: ClassVar[Unit] = Unit.FORMULAS
    formula_tokens: ClassVar[tuple[FormulaTokens, ...]] = ()

    spec: FormulaVectorSpec
    model: StoredFormulaModel | None = None
    is_complete: bool = False
    documents: tuple[StoredFile, ...] = ()
    vectors: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return f"formula-vectors-{self.spec.embedding}"

    @property
    def specs(self) -> tuple[FormulaVectorSpec, ...]:
        return (self.spec,)

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[FormulaVectorIndex]:
        return (cls(spec) for spec in dict.fromkeys(specs) if isinstance(spec, FormulaVectorSpec))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> FormulaVectorIndex:  # Any: JSON
        model = record["model"]
        return cls(
            FormulaVectorSpec(record["embedding"]),
            None if model is None else stored_formula_model(model),
            record["is_complete"],
            tuple(map(stored_file, record["documents"])),
            tuple(map(stored_file, record["vectors"])),
        )

    def record(self) -> dict[str, object]:
        return {
            "embedding": self.spec.embedding,
            "model": None if self.model is None else self.model.record(),
            "is_complete": self.is_complete,
            "documents": list(map(asdict, self.documents)),
            "vectors": list(map(asdict, self.vectors)),
        }

    @property
    def files(self) -> tuple[StoredFile, ...]:
        return (*self.documents, *self.trained_files)

    @property
    def trained_files(self) -> tuple[StoredFile, ...]:
        """The files of the model and its vectors."""
        return (*self.vectors, *(() if self.model is None else (self.model.file,)))

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> int:
        assert isinstance(item, FormulaDocument)
        return item.formula

    def payload(self, analyzed: Sequence[int], tokeniser: DocumentTokeniser) -> Texts:
        return {FORMULAS: np.array(analyzed, np.int64)}

    def writer(self, folder: Path, memory: int) -> KeyedTextWriter[FormulaVectorIndex]:
        table = TextKeyWriter(folder, self.documents, (FORMULAS,))
        return KeyedTextWriter(self, table, self._with_documents)

    def _with_documents(self, files: tuple[StoredFile, ...]) -> FormulaVectorIndex:
        return replace(self, documents=files, is_complete=False)

    def open(self, folder: Path) -> FormulaVectors:
        return FormulaVectors(folder, self)


def formula_vector_indexes(components: Iterable[Component]) -> tuple[FormulaVectorIndex, ...]:
    """Return the vectors of formulas among the components of an index."""
    return tuple(each for each in components if isinstance(each, FormulaVectorIndex))


def with_formula_vectors_of(
    component: FormulaVectorIndex, folder: Path, before: FormulaVectorIndex, old_folder: Path
) -> FormulaVectorIndex:
    """Return a new component with the model and vectors of an older one, whose files it shares.

    It is returned unchanged if these are damaged.
    """
    files = before.trained_files
    if before.model is None or any(True for file in files for _ in file_damage(old_folder, file)):
        return component
    link_files(files, old_folder, folder)
    return replace(component, model=before.model, vectors=before.vectors)


class FormulaVectors:
    """The vectors of formulas, opened; threads may share it."""

    def __init__(self, folder: Path, component: FormulaVectorIndex) -> None:
        self.component = component
        self.embedding = component.spec.embedding
        self.model = component.model
        self.is_complete = component.is_complete
        self.fingerprint = files_fingerprint(component.files)
        self.table = TextKeys(folder, component.documents, (FORMULAS,))
        self._folder = folder
        self._opening = threading.Lock()
        self._encoder: FormulaEncoder | None = None
        dimension = 0 if component.model is None else component.model.dimension
        store = VectorStore(folder, component.vectors, dimension)
        self._vectors = KeyedVectors(self.table, FORMULAS, store)

    def __len__(self) -> int:
        return len(self._vectors.store)

    def encoder(self) -> FormulaEncoder:
        """Return the encoder of the model, which is opened when first needed."""
        if self.model is None:
            raise PorismError(
                f"{self._folder}: no model of the embedding {self.embedding}; porism train "
                f"{self.embedding} INDEX trains one"
            )
        with self._opening:
            if self._encoder is None:
                model = read_formula_model(self._folder, self.model)
                self._encoder = open_formula_encoder(model)
            return self._encoder

    def query_vector(self, formulas: Sequence[FormulaInput]) -> NDArray[np.float32]:
        """Return the mean direction of query formulas; zero if nothing is known of any."""
        if not formulas:
            return np.zeros(0 if self.model is None else self.model.dimension, np.float32)
        total = unit_vectors(self.encoder().encode(formulas)).sum(axis=0, keepdims=True)
        unit: NDArray[np.float32] = unit_vectors(total)[0]
        return unit

    def missing(self) -> Keys:
        """Return the numbers of formulas that have no vector yet, ascending."""
        return self._vectors.missing()

    def scores(self, query: NDArray[np.float32], visual_ids: Sequence[str]) -> NDArray[np.float32]:
        """Return the cosine of a query with each formula, NaN for one without a vector."""
        if self.model is None:
            return np.full(len(visual_ids), np.nan, np.float32)
        return self._vectors.scores(query, visual_ids)

    def nearest(
        self, query: NDArray[np.float32], k: int, index: Index, within: Filter | None = None
    ) -> list[tuple[float, str]]:
        """Return up to ``k`` visual ids by their cosines, of those that pass a filter in an index.

        Equal cosines are ordered by visual id. A formula without a vector is not among them.
        """
        return [] if self.model is None else self._vectors.nearest(query, k, index, within)
