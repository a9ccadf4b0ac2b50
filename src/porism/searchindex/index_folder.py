"""An index folder opened for searching."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import NamedTuple, TypeVar

from porism.analysis import FormulaTokens, Unit
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.inverted import Index, IndexFormatError
from porism.model import DocId, TopicId
from porism.searchindex.collection_state.keywords import read_keywords
from porism.searchindex.components import REBUILD, ComponentSpec, OpenedComponent
from porism.searchindex.components.feature_index import (
    FeatureComponent,
    FeatureIndex,
    FeatureSpec,
)
from porism.searchindex.components.formula_vectors import (
    FormulaVectorIndex,
    FormulaVectors,
    FormulaVectorSpec,
    formula_vector_indexes,
)
from porism.searchindex.components.forward_index import (
    DocumentFormulas,
    FormulaTokenStore,
    ForwardSpec,
)
from porism.searchindex.components.forward_store import ForwardStore, doc_keys
from porism.searchindex.components.inverted_index import UnitIndex
from porism.searchindex.components.text_store import PostTexts, TextStore
from porism.searchindex.components.tree_store import TreeStore
from porism.searchindex.components.vector_index import (
    DocumentVectors,
    VectorSpec,
    vector_folder,
)
from porism.searchindex.components.word_counts import Vocabulary, WordCounts
from porism.searchindex.manifest import Manifest, generation_folder, index_path, read_manifest
from porism.searchindex.model_roles import ModelRole, VectorRole
from porism.structure.packed_features import PackedFeatures
from porism.structure.packed_trees import PackedTrees

Opened = TypeVar("Opened")


class IndexState(NamedTuple):
    """Everything that one commit left, opened at one time; threads may share it.

    ``components`` are by the names of their folders.
    """

    manifest: Manifest
    components: Mapping[str, OpenedComponent]
    keywords: frozenset[str]
    vocabulary: Vocabulary


class SearchIndex:
    """An opened index folder: one state of it, even if the index is rebuilt or updated later."""

    def __init__(
        self,
        folder: Path,
        collection: Path | None = None,
        duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
        state: IndexState | None = None,
        opened: Callable[[Path], Collection] | None = None,
    ) -> None:
        """Open a folder, or use a ``state`` that is open already.

        A collection that ``opened`` opens is not closed with the index.
        """
        self.folder = folder
        self.duplicates = duplicates
        self._state = open_index_state(folder) if state is None else state
        self._opened = opened
        self._collection: Collection | None = None
        self.collection_path = collection or _collection_path(folder, self.manifest.collection)

    @property
    def manifest(self) -> Manifest:
        """What the folder says of itself."""
        return self._state.manifest

    @property
    def answers(self) -> Index:
        """The index of answers and notes, by their ids."""
        return self.component(Unit.ANSWERS, Index)

    @property
    def formulas(self) -> Index:
        """The index of visually distinct formulas, by their visual ids."""
        return self.component(Unit.FORMULAS, Index)

    @property
    def questions(self) -> Index:
        """The index of questions, answered or not, by their ids."""
        return self.component(Unit.QUESTIONS, Index)

    @property
    def keywords(self) -> frozenset[str]:
        """The stems of tags and titles, by which the words of a question are chosen."""
        return self._state.keywords

    def formulas_of(self, unit: Unit = Unit.ANSWERS) -> ForwardStore:
        """Return the numbers of the formulas of each answer, or question; for a ``ForwardSpec``."""
        return self.component(DocumentFormulas(unit).name, ForwardStore)

    def texts(self, unit: Unit) -> PostTexts:
        """Return the words of answers and notes, or of questions, in their order."""
        return self.component(TextStore(unit).name, PostTexts)

    @property
    def vocabulary(self) -> Vocabulary:
        """The most frequent words of all posts, unstemmed."""
        return self._state.vocabulary

    def tokens(self, kind: FormulaTokens) -> ForwardStore:
        """Return the distinct tokens of each formula, by its number, for a ``ForwardSpec``."""
        return self.component(FormulaTokenStore(ForwardSpec(kind)).name, ForwardStore)

    def trees(self, visual_ids: Sequence[str]) -> PackedTrees:
        """Return the trees of formulas, for a ``TreeSpec``; an unknown one has an empty row."""
        rows = self.component(TreeStore.name, ForwardStore).rows(doc_keys(visual_ids))
        return PackedTrees(rows.numbers, rows.starts)

    def features(self, kind: PackedFeatures) -> FeatureIndex:
        """Return the formulas by features of a kind, for a ``FeatureSpec``."""
        return self.component(FeatureComponent(FeatureSpec(kind)).name, FeatureIndex)

    def formula_vectors(self, embedding: str) -> FormulaVectors | None:
        """Return the vectors of formulas by an embedding, if the index has a place for them."""
        name = FormulaVectorIndex(FormulaVectorSpec(embedding)).name
        if name not in self._state.components:
            return None
        return self.component(name, FormulaVectors)

    @property
    def vectors(self) -> DocumentVectors | None:
        """The vectors of questions and answers that most systems use, if the index has any."""
        return self.text_vectors(VectorRole.TEXTS)

    def text_vectors(self, role: VectorRole) -> DocumentVectors | None:
        """Return the vectors of questions and answers in a role, if the index has any."""
        name = vector_folder(role)
        if name not in self._state.components:
            return None
        return self.component(name, DocumentVectors)

    def model(self, role: ModelRole) -> str | None:
        """Return where the model of a role is, if the index has been given one."""
        place = self.manifest.models.get(role)
        return None if place is None else os.path.normpath(self.folder.resolve() / place)

    @property
    def models(self) -> dict[str, str]:
        """Where the models of all roles are that the index has been given."""
        return {role: place for role in ModelRole if (place := self.model(role)) is not None}

    @property
    def documents(self) -> int:
        """How many documents of all units the index has."""
        indexes = (each for each in self.manifest.components if isinstance(each, UnitIndex))
        return sum(each.meta.documents for each in indexes)

    def component(self, name: str, opened_type: type[Opened]) -> Opened:
        """Return the opened component in a folder, which is of that type.

        IndexFormatError if an earlier Porism made the index, which lacks what every index now has.
        """
        opened = self._state.components.get(name)
        if opened is None:
            raise IndexFormatError(
                f"{self.folder}: made by an earlier version of Porism, without {name}; make it "
                "again with porism update"
            )
        assert isinstance(opened, opened_type)
        return opened

    @property
    def collection(self) -> Collection:
        """The collection that the index was made of."""
        if self._collection is not None:
            return self._collection
        if not self.collection_path.exists():
            raise PorismError(
                f"{self.folder}: its collection {self.collection_path} is not there; "
                "say where it is with --collection"
            )
        self._collection = (self._opened or open_collection)(self.collection_path)
        return self._collection

    @property
    def fingerprint(self) -> str:
        """A short text that differs whenever what is indexed differs."""
        digest = blake2b(digest_size=8)
        for name, component in self._state.components.items():
            digest.update(f"{name} {component.fingerprint}\n".encode())
        digest.update("\n".join(sorted(self.keywords)).encode())
        return digest.hexdigest()

    def missing(self, needs: Sequence[ComponentSpec]) -> list[str]:
        """Return the names of the specifications that the index does not have exactly so.

        A place for vectors of formulas without a model to make them does not count. Vectors of
        texts count by whatever model.
        """
        untrained = {
            each.spec
            for each in formula_vector_indexes(self.manifest.components)
            if each.model is None
        }
        available = frozenset(self.manifest.specs) - untrained
        roles = {spec.role for spec in available if isinstance(spec, VectorSpec)}
        return [
            spec.name
            for spec in needs
            if (spec.role not in roles if isinstance(spec, VectorSpec) else spec not in available)
        ]

    def close(self) -> None:
        """Close the collection, if it was opened here."""
        if self._collection is not None and self._opened is None:
            self._collection.close()
            self._collection = None

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_index(
    folder: Path,
    collection: Path | None = None,
    duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
) -> SearchIndex:
    """Open the index in a folder, or in that of a collection that has one.

    ``collection`` says where the collection is now, if it has moved. ``duplicates`` are the
    questions that topics repeat, which only an oracle knows.
    """
    return SearchIndex(index_path(folder), collection, duplicates)


def _collection_path(folder: Path, place: str) -> Path:
    """Return the path of the collection; relative to where a linked folder leads, if need be."""
    path = Path(os.path.normpath(folder / place))
    return path if path.exists() else Path(os.path.normpath(folder.resolve() / place))


def open_index_state(folder: Path) -> IndexState:
    """Open the state in force; again, if another one has just replaced it."""
    while True:
        manifest = read_manifest(folder)
        try:
            return _index_state(manifest, generation_folder(folder, manifest.generation))
        except (PorismError, FileNotFoundError) as error:
            if read_manifest(folder) == manifest:
                if isinstance(error, FileNotFoundError):
                    name = Path(error.filename).relative_to(folder)
                    raise IndexFormatError(
                        f"{folder}: is damaged ({name} is missing); {REBUILD}"
                    ) from error
                raise
        except OSError as error:
            raise PorismError(f"{folder}: cannot be opened ({error.strerror})") from error


def _index_state(manifest: Manifest, generation: Path) -> IndexState:
    opened = {each.name: each.open(generation / each.name) for each in manifest.components}
    counts = [each for each in opened.values() if isinstance(each, WordCounts)]
    keywords = read_keywords(generation, manifest.keywords)
    return IndexState(manifest, opened, keywords, Vocabulary(counts))
