"""Adds the vectors of texts to an index, which can be searched meanwhile.

Texts are encoded by several processes. Every so many vectors are written as a part and put in force
with the manifest: an interrupted run loses at most those of one part, and the next one continues
with the texts that still lack a vector. Encoding holds no lock of the index, so that it can be
updated or built again at the same time; vectors are added to the state that is then in force.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from porism.collection.digests import answer_digests
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection, open_collection
from porism.embed import ModelIdentity, first_window, windows
from porism.errors import PorismError
from porism.locking import ProcessLock
from porism.parallel import map_in_order
from porism.searchindex.builder import (
    IndexOptions,
    commit_component,
    index_lock,
    lock_when_free,
)
from porism.searchindex.components.forward_store import doc_keys
from porism.searchindex.components.text_keys import Keys, TextKind
from porism.searchindex.components.vector_index import (
    DocumentVectors,
    VectorIndex,
    VectorSpec,
    document_texts,
    text_key,
    vector_indexes,
)
from porism.searchindex.formula_table import write_empty_table
from porism.searchindex.index_build import IndexBuild, chunks
from porism.searchindex.manifest import (
    Manifest,
    generation_folder,
    index_path,
    read_manifest,
)
from porism.searchindex.model_roles import VectorRole
from porism.searchindex.text_encoders import shared_encoder
from porism.searchindex.thread_documents import thread_documents
from porism.vectors.codes import CodedVectors, coded_vectors
from porism.vectors.store import VectorWriter

LOCK = ".vectors.lock"

TEXTS_PER_PART = 4_096
"""Texts whose vectors are put in force together: the work of a minute or two."""

CHUNK_THREADS = 32
"""Threads whose texts are encoded together."""

_DOCUMENTS_AT_ONCE = 10_000
"""Documents whose texts are looked up together."""


@dataclass(frozen=True, slots=True)
class VectorReport:
    """What vectors the index now has, and how many texts were encoded for that.

    ``role`` is what they are for. ``without_vector`` counts texts that have none, because the
    collection has changed since the index was made. ``model`` is None if there are no vectors.
    """

    model: ModelIdentity | None
    vectors: int
    encoded: int
    without_vector: int
    seconds: float
    role: VectorRole = VectorRole.TEXTS


class _TextChunk(NamedTuple):
    """Threads, and the keys of those of their texts that are to be encoded.

    ``run`` identifies the run, in which a process opens the collection once.
    """

    collection: Path
    run: str
    spec: VectorSpec
    threads: list[str]
    missing: frozenset[int]


class _EncodedTexts(NamedTuple):
    keys: Keys
    coded: CodedVectors


def add_vectors(
    collection: Collection, folder: Path, spec: VectorSpec, options: IndexOptions, watch: Watch
) -> VectorReport:
    """Give an index of the collection vectors, in the place of any others of their role."""
    folder = index_path(folder)
    identity = shared_encoder(spec.model).identity
    with index_lock(folder):
        manifest = read_manifest(folder)
        before = vector_indexes(manifest.components).get(spec.role)
        if before is None:
            component = _documents_with_texts(collection, folder, manifest, spec, options, watch)
            commit_component(folder, manifest, component)
        elif before.spec != spec or before.identity not in (None, identity):
            commit_component(folder, manifest, VectorIndex(spec, documents=before.documents))
    return fill_vectors(collection, folder, options, watch, spec.role)


def _documents_with_texts(
    collection: Collection,
    folder: Path,
    manifest: Manifest,
    spec: VectorSpec,
    options: IndexOptions,
    watch: Watch,
) -> VectorIndex:
    """Write which texts the documents of an index have, and return the component with these."""
    generation = generation_folder(folder, manifest.generation)
    work = IndexBuild(collection, generation, (VectorIndex(spec),), options, watch)
    with work.writers() as writers, work.table_folder() as table:
        write_empty_table(table, ())
        work.write_posts(table, writers)
        (component,) = (writer.flush() for writer in writers)
    assert isinstance(component, VectorIndex)
    return component


def fill_vectors(
    collection: Collection,
    folder: Path,
    options: IndexOptions,
    watch: Watch,
    role: VectorRole = VectorRole.TEXTS,
) -> VectorReport:
    """Encode the texts of an index that have no vectors in a role yet, by the model of that role.

    Refused while another process does it, if the index is not one with such vectors, and if the
    model is not installed or not the one that made the vectors that are there.
    """
    start = time.monotonic()
    folder = index_path(folder)
    message = f"{folder}: another process is adding vectors to this index; wait for it"
    with ProcessLock(folder / LOCK, message):
        encoded = 0
        while True:
            vectors = _opened(folder, read_manifest(folder), role)
            filling = _Filling(collection.path, folder, vectors, options, watch)
            encoded += filling.encode()
            # An update may have added documents meanwhile.
            finished = _finished(folder, role)
            if finished.component.documents == vectors.component.documents:
                break
    return VectorReport(
        model=finished.identity,
        vectors=len(finished),
        encoded=encoded,
        without_vector=sum(len(finished.missing(kind)) for kind in TextKind),
        seconds=time.monotonic() - start,
        role=role,
    )


def _finished(folder: Path, role: VectorRole) -> DocumentVectors:
    """Record whether all texts of an index have vectors, and return these."""
    with lock_when_free(folder):
        manifest = read_manifest(folder)
        vectors = _opened(folder, manifest, role)
        is_complete = not any(len(vectors.missing(kind)) for kind in TextKind)
        if is_complete != vectors.is_complete:
            commit_component(folder, manifest, replace(vectors.component, is_complete=is_complete))
        return vectors


@dataclass(frozen=True, slots=True)
class _Filling:
    """One pass over the texts that lack a vector; ``collection`` is where the collection is."""

    collection: Path
    folder: Path
    vectors: DocumentVectors
    options: IndexOptions
    watch: Watch

    def encode(self) -> int:
        """Encode the texts and put their vectors in force, part by part; return how many."""
        missing = {kind: self.vectors.missing(kind) for kind in TextKind}
        total = sum(map(len, missing.values()))
        if not total:
            return 0
        # Refuses another model before the work begins.
        identity = self.vectors.encoder().identity
        spec = self.vectors.component.spec
        held: list[dict[TextKind, _EncodedTexts]] = []
        size = done = 0
        self.watch(StepProgress("vectors", 0, total, 0))
        try:
            for encoded in map_in_order(_encoded, self._chunks(missing), self.options.jobs):
                if not encoded:
                    continue
                held.append(encoded)
                new = sum(len(np.unique(each.keys)) for each in encoded.values())
                size, done = size + new, done + new
                self.watch(StepProgress("vectors", min(done, total), total, done))
                if size >= TEXTS_PER_PART:
                    _add(self.folder, spec, identity, held)
                    held, size = [], 0
        except KeyboardInterrupt:
            _add(self.folder, spec, identity, held)
            raise
        _add(self.folder, spec, identity, held)
        return done

    def _chunks(self, missing: Mapping[TextKind, Keys]) -> Iterator[_TextChunk]:
        """Yield the threads with missing texts, each with those that no earlier one has."""
        run = f"{os.getpid()}-{time.monotonic_ns()}"
        spec = self.vectors.component.spec
        waiting = {kind: np.ones(len(keys), bool) for kind, keys in missing.items()}
        with open_collection(self.collection) as collection:
            for documents in chunks(_DOCUMENTS_AT_ONCE, answer_digests(collection)):
                docs = doc_keys([doc_id for doc_id, _, _ in documents])
                by_thread: dict[str, list[int]] = {}
                for kind, keys in missing.items():
                    texts = self.vectors.table.texts(kind, docs)
                    for owner, place in _first_occurrences(texts, keys):
                        if waiting[kind][place]:
                            waiting[kind][place] = False
                            of_thread = by_thread.setdefault(documents[owner][1], [])
                            of_thread.append(int(keys[place]))
                for threads in chunks(CHUNK_THREADS, by_thread):
                    wanted = frozenset(key for thread in threads for key in by_thread[thread])
                    yield _TextChunk(self.collection, run, spec, threads, wanted)


def _first_occurrences(texts: Keys, ascending: Keys) -> Iterator[tuple[int, int]]:
    """Yield for each text that is among ``ascending`` its first place, and its place there."""
    places = np.searchsorted(ascending, texts)
    here = places < len(ascending)
    here[here] = ascending[places[here]] == texts[here]
    once, firsts = np.unique(places[here], return_index=True)
    return zip(np.flatnonzero(here)[firsts].tolist(), once.tolist(), strict=True)


def _encoded(chunk: _TextChunk) -> dict[TextKind, _EncodedTexts]:
    """Return the vectors of the texts of a chunk; runs in another process."""
    collection = _collection(chunk.collection, chunk.run)
    texts: dict[TextKind, dict[int, str]] = {kind: {} for kind in TextKind}
    for thread in chunk.threads:
        for document in thread_documents(collection.thread(thread)):
            for kind, text in document_texts(document, chunk.spec.role).items():
                key = text_key(text)
                if key in chunk.missing:
                    texts[kind][key] = text
    encoder = shared_encoder(chunk.spec.model)
    keys: list[int] = []
    passages: list[str] = []
    for key, text in texts[TextKind.ANSWER].items():
        # A text without tokens has the zero vector.
        windows_of_text = windows(text, encoder, chunk.spec.windows) or [text]
        keys += [key] * len(windows_of_text)
        passages += windows_of_text
    questions = {
        key: first_window(text, encoder, chunk.spec.windows)
        for key, text in texts[TextKind.QUESTION].items()
    }
    if not questions and not passages:  # they have changed since the index was made
        return {}
    # All at once, because an encoder sorts texts by their length.
    coded = coded_vectors(encoder.encode([*questions.values(), *passages]))
    at = len(questions)
    return {
        TextKind.QUESTION: _EncodedTexts(
            np.array(list(questions), np.int64), CodedVectors(coded.codes[:at], coded.scales[:at])
        ),
        TextKind.ANSWER: _EncodedTexts(
            np.array(keys, np.int64), CodedVectors(coded.codes[at:], coded.scales[at:])
        ),
    }


@lru_cache(maxsize=1)
def _collection(path: Path, run: str) -> Collection:
    """Open the collection once in a run: it may change later."""
    return open_collection(path)


def _add(
    folder: Path,
    spec: VectorSpec,
    identity: ModelIdentity,
    held: Sequence[Mapping[TextKind, _EncodedTexts]],
) -> None:
    """Write vectors as parts of the index that is in force now, and put them in force."""
    if not held:
        return
    with lock_when_free(folder):
        manifest = read_manifest(folder)
        vectors = _opened(folder, manifest, spec.role)
        component = vectors.component
        if component.spec != spec or component.identity not in (None, identity):
            raise PorismError(
                f"{folder}: another process has changed the model of its vectors; run porism index "
                "--vectors again"
            )
        inside = generation_folder(folder, manifest.generation) / component.name
        for kind in TextKind:
            encoded = [each[kind] for each in held]
            files = component.vector_files(kind)
            writer = VectorWriter(inside, kind, files, identity.dimension)
            writer.add(
                np.concatenate([each.keys for each in encoded]),
                CodedVectors(
                    np.concatenate([each.coded.codes for each in encoded]),
                    np.concatenate([each.coded.scales for each in encoded]),
                ),
            )
            writer.merge_recent(vectors.table.all_texts(kind))
            component = component.with_vector_files(kind, writer.files)
        commit_component(folder, manifest, replace(component, identity=identity))


def _opened(folder: Path, manifest: Manifest, role: VectorRole) -> DocumentVectors:
    """Open the vectors of a state; an index without a place for them is refused."""
    component = vector_indexes(manifest.components).get(role)
    if component is None:
        raise PorismError(
            f"{folder}: an index without {role}; add them with porism index --vectors"
        )
    return component.open(generation_folder(folder, manifest.generation) / component.name)
