"""The vectors of questions and answers, by document.

An index may have several sets of vectors, each with its role and by its own model. Building and
updating an index writes only which texts its documents have, by their keys. The vectors of these
are added later (``vector_filling``), so an index can be searched before, and a text that has a
vector keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Document, DocumentPart, FormulaTokens, Unit, prefix_text
from porism.embed import DEFAULT_MODEL, ModelIdentity, TextEncoder, WindowSpec, first_window
from porism.errors import PorismError
from porism.hashing import text_number
from porism.inverted import Filter, Index
from porism.model import Content, plain_text
from porism.searchindex.components import Component
from porism.searchindex.components.keyed_vectors import KeyedVectors
from porism.searchindex.components.text_keys import (
    NO_TEXT,
    KeyedTextWriter,
    Keys,
    TextKeys,
    TextKeyWriter,
    TextKind,
    Texts,
)
from porism.searchindex.model_roles import VectorRole
from porism.searchindex.text_encoders import shared_encoder
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import (
    StoredFile,
    file_damage,
    files_fingerprint,
    link_files,
    stored_file,
)
from porism.vectors.store import VectorStore

WINDOWS = WindowSpec(tokens=128, overlap=0, most=1)
"""The windows of texts: their beginnings, as long as the texts that MiniLM was trained with.

Windows of 254 tokens take twice as long and rank worse beside words and formulas, though better
alone on 2020; several windows of each answer rank no better on any set.
"""

WHOLE_TEXTS = WindowSpec(tokens=10_000, overlap=0, most=1)
"""For doc2vec, which has no limit of its own."""

REMEMBERED_QUESTIONS = 1024
"""Questions whose vectors a process keeps: every page of results asks for the same one."""


MAX_CHARACTERS = 20_000
"""Characters of a question that are remembered with its vector; no window has as many."""


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """The vectors of questions and answers by one model: its name, or its folder.

    A question has the vector of its beginning, an answer those of its ``windows``. What a system
    needs is vectors in a role, by whatever model.
    """

    model: str = DEFAULT_MODEL
    windows: WindowSpec = WINDOWS
    role: VectorRole = VectorRole.TEXTS

    @property
    def name(self) -> str:
        if self.role is VectorRole.TEXTS:
            return f"vectors by {self.model}"
        return f"{self.role} vectors by {self.model}"


def vector_spec(model: str, role: VectorRole = VectorRole.TEXTS) -> VectorSpec:
    """Return the vectors of a role by a model, with the windows of that role."""
    return VectorSpec(model, WHOLE_TEXTS if role is VectorRole.FORMULA2VEC else WINDOWS, role)


def encoded_text(content: Content, role: VectorRole = VectorRole.TEXTS) -> str:
    """Return content as an encoder is given it: with LaTeX, or in prefix notation."""
    return (plain_text if role is VectorRole.TEXTS else prefix_text)(content).strip()


def question_text(title: Content, body: Content, role: VectorRole = VectorRole.TEXTS) -> str:
    """Return a question, or a topic, as an encoder is given it."""
    return "\n".join(filter(None, (encoded_text(title, role), encoded_text(body, role))))


def document_texts(document: Document, role: VectorRole = VectorRole.TEXTS) -> dict[TextKind, str]:
    """Return the texts of a document that get vectors; a note has its title as its question."""
    parts = document.parts
    return {
        TextKind.QUESTION: question_text(
            parts.get(DocumentPart.TITLE, ()), parts.get(DocumentPart.QUESTION, ()), role
        ),
        TextKind.ANSWER: encoded_text(parts.get(DocumentPart.ANSWER, ()), role),
    }


def text_key(text: str) -> int:
    """Return the key of a text; an empty one has none."""
    return text_number(text) if text else NO_TEXT


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The texts of all answers and notes, and those vectors of theirs that were made so far.

    ``identity`` is the model that made them; None if there are none yet. ``is_complete`` says that
    every text has its vector.
    """

    kind: ClassVar[str] = "vectors"
    unit: ClassVar[Unit] = Unit.ANSWERS
    formula_tokens: ClassVar[tuple[FormulaTokens, ...]] = ()

    spec: VectorSpec
    identity: ModelIdentity | None = None
    is_complete: bool = False
    documents: tuple[StoredFile, ...] = ()
    questions: tuple[StoredFile, ...] = ()
    answers: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return vector_folder(self.spec.role)

    @property
    def specs(self) -> tuple[VectorSpec, ...]:
        return (self.spec,)

    @classmethod
    def planned(cls, specs: Sequence[object]) -> Iterator[VectorIndex]:
        ours = [spec for spec in dict.fromkeys(specs) if isinstance(spec, VectorSpec)]
        for role in VectorRole:
            models = [spec.model for spec in ours if spec.role is role]
            if len(models) > 1:
                raise PorismError(
                    f"an index has {role} by one model, not by {' and '.join(models)}; choose one"
                )
        return map(cls, ours)

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> VectorIndex:  # Any: JSON
        identity = record["identity"]
        return cls(
            VectorSpec(
                record["model"],
                WindowSpec(**record["windows"]),
                VectorRole(record.get("role", VectorRole.TEXTS)),
            ),
            None if identity is None else ModelIdentity(**identity),
            record["is_complete"],
            *(tuple(map(stored_file, record[name])) for name in _FILES),
        )

    def record(self) -> dict[str, object]:
        return {
            "model": self.spec.model,
            "windows": asdict(self.spec.windows),
            "role": self.spec.role,
            "identity": None if self.identity is None else asdict(self.identity),
            "is_complete": self.is_complete,
            **{name: list(map(asdict, getattr(self, name))) for name in _FILES},
        }

    @property
    def files(self) -> tuple[StoredFile, ...]:
        return (*self.documents, *self.questions, *self.answers)

    def vector_files(self, kind: TextKind) -> tuple[StoredFile, ...]:
        """Return the files with the vectors of one kind of texts."""
        return self.questions if kind is TextKind.QUESTION else self.answers

    def with_vector_files(self, kind: TextKind, files: tuple[StoredFile, ...]) -> VectorIndex:
        """Return the component with other files for the vectors of one kind of texts."""
        if kind is TextKind.QUESTION:
            return replace(self, questions=files)
        return replace(self, answers=files)

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> dict[TextKind, int]:
        assert isinstance(item, Document)
        return {kind: text_key(text) for kind, text in self._texts(item)}

    def _texts(self, document: Document) -> Iterable[tuple[TextKind, str]]:
        return document_texts(document, self.spec.role).items()

    def payload(
        self, analyzed: Sequence[dict[TextKind, int]], tokeniser: DocumentTokeniser
    ) -> Texts:
        return {kind: np.array([texts[kind] for texts in analyzed], np.int64) for kind in TextKind}

    def writer(self, folder: Path, memory: int) -> KeyedTextWriter[VectorIndex]:
        return KeyedTextWriter(self, TextKeyWriter(folder, self.documents), self._with_documents)

    def _with_documents(self, files: tuple[StoredFile, ...]) -> VectorIndex:
        return replace(self, documents=files, is_complete=False)

    def open(self, folder: Path) -> DocumentVectors:
        return DocumentVectors(folder, self)


def vector_folder(role: VectorRole) -> str:
    """Return the name of the folder with the vectors of a role."""
    return "vectors" if role is VectorRole.TEXTS else f"vectors-{role}"


def vector_indexes(components: Iterable[Component]) -> dict[VectorRole, VectorIndex]:
    """Return the vectors among the components of an index, by their roles."""
    return {each.spec.role: each for each in components if isinstance(each, VectorIndex)}


def with_vectors_of(
    component: VectorIndex, folder: Path, before: VectorIndex, old_folder: Path
) -> VectorIndex:
    """Return a new component with the vectors of an older one, whose files it then shares.

    It is returned unchanged if the older one has another model, or damaged files.
    """
    files = (*before.questions, *before.answers)
    if before.spec != component.spec or any(
        True for file in files for _ in file_damage(old_folder, file)
    ):
        return component
    link_files(files, old_folder, folder)
    return replace(
        component, identity=before.identity, questions=before.questions, answers=before.answers
    )


_FILES = ("documents", "questions", "answers")


class DocumentVectors:
    """The vectors of an index, opened; threads may share it."""

    def __init__(self, folder: Path, component: VectorIndex) -> None:
        self.component = component
        self.model = component.spec.model
        self.role = component.spec.role
        self.identity = component.identity
        self.is_complete = component.is_complete
        self.fingerprint = files_fingerprint(component.files)
        self.table = TextKeys(folder, component.documents)
        dimension = 0 if component.identity is None else component.identity.dimension
        self._folder = folder
        self._vectors = {
            kind: KeyedVectors(
                self.table, kind, VectorStore(folder, component.vector_files(kind), dimension)
            )
            for kind in TextKind
        }

    def __len__(self) -> int:
        return sum(len(each.store) for each in self._vectors.values())

    def store(self, kind: TextKind) -> VectorStore:
        """Return the vectors of one kind of texts, by the keys of these."""
        return self._vectors[kind].store

    def encoder(self) -> TextEncoder:
        """Return the encoder for queries, which is that of the vectors.

        It is opened when first needed, once for the process; PorismError if it is not installed, or
        not the one that made the vectors.
        """
        encoder = shared_encoder(self.model)
        if self.identity is not None and encoder.identity != self.identity:
            raise PorismError(
                f"{self._folder}: the vectors were made with {_model_text(self.identity)}, and the "
                f"installed model is {_model_text(encoder.identity)}; install that one, or make "
                "the vectors again with porism index --vectors"
            )
        return encoder

    def question_vector(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, made as those of the index."""
        identity = self.encoder().identity
        return _question_vector(self.component.spec, identity, text[:MAX_CHARACTERS])

    def missing(self, kind: TextKind) -> Keys:
        """Return the keys of texts that have no vector yet, ascending."""
        return self._vectors[kind].missing()

    def scores(
        self, kind: TextKind, query: NDArray[np.float32], doc_ids: Sequence[str]
    ) -> NDArray[np.float32]:
        """Return the cosine of a query with the question, or the best window, of each document.

        It is NaN where a document has no such text, or its vector is not made yet.
        """
        if self.identity is None:
            return np.full(len(doc_ids), np.nan, np.float32)
        return self._vectors[kind].scores(query, doc_ids)

    def nearest(
        self,
        kind: TextKind,
        query: NDArray[np.float32],
        k: int,
        index: Index,
        within: Filter | None = None,
    ) -> list[tuple[float, str]]:
        """Return up to ``k`` documents by the cosine of their questions, or best windows.

        With a filter, they are those that pass it in the inverted index of answers. Equal cosines
        are ordered by id. A document without a vector is not among them.
        """
        if self.identity is None:
            return []
        return self._vectors[kind].nearest(query, k, index, within)


@lru_cache(REMEMBERED_QUESTIONS)
def _question_vector(spec: VectorSpec, identity: ModelIdentity, text: str) -> NDArray[np.float32]:
    """Return the vector of a question; ``identity`` is that of the model, which may change."""
    encoder = shared_encoder(spec.model)
    vector: NDArray[np.float32] = encoder.encode([first_window(text, encoder, spec.windows)])[0]
    vector.setflags(write=False)  # callers share it
    return vector


def _model_text(identity: ModelIdentity) -> str:
    return (
        f"{identity.name} ({identity.digest}, {identity.dimension} dimensions, "
        f"{identity.pooling} pooling, {identity.precision})"
    )
