"""Gives an index the vectors of its formulas by a trained model, and new formulas theirs.

All vectors of a new model are written beside the index, and put in force with the model in one
step: until then, and if the process is killed, the index has the model that it had. Formulas that
an update adds are encoded by the model of the index. Encoding holds no lock of the index; a process
that was killed leaves a folder, which the next one removes.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection, StoredFormula, open_collection
from porism.errors import PorismError
from porism.formula.operators import operator_tree
from porism.locking import ProcessLock
from porism.parallel import map_in_order
from porism.searchindex.builder import (
    IndexOptions,
    commit_component,
    index_lock,
    lock_when_free,
)
from porism.searchindex.components.formula_vectors import (
    FORMULAS,
    FormulaVectorIndex,
    FormulaVectors,
    FormulaVectorSpec,
    formula_vector_indexes,
)
from porism.searchindex.components.text_keys import Keys, TextKeys
from porism.searchindex.files import remove_unreferenced_files
from porism.searchindex.formula_table import write_empty_table
from porism.searchindex.index_build import IndexBuild, chunks
from porism.searchindex.manifest import Manifest, generation_folder, index_path, read_manifest
from porism.storage.array_file import link_files
from porism.structure.embeddings import (
    FormulaEncoder,
    FormulaInput,
    FormulaModel,
    open_formula_encoder,
    unit_vectors,
)
from porism.structure.embeddings.model_files import (
    StoredFormulaModel,
    packaged_model,
    read_formula_model,
    stored_formula_model,
    write_formula_model,
)
from porism.vectors.codes import CodedVectors, coded_vectors
from porism.vectors.store import VectorWriter

LOCK = ".formula-vectors.lock"

CHUNK_FORMULAS = 2_000
"""Formulas that are encoded together."""

FORMULAS_PER_PART = 1 << 19
"""Formulas whose vectors are written as one part: 150 MB of 300 components."""

_WORK = "formula-model-"


@dataclass(frozen=True, slots=True)
class FormulaVectorReport:
    """What vectors of formulas an index now has, and how many were encoded for that.

    ``without_vector`` counts formulas that the collection no longer has.
    """

    embedding: str
    vectors: int
    encoded: int
    without_vector: int
    seconds: float


class _FormulaChunk(NamedTuple):
    """Formulas to encode, by their numbers, and the model as JSON, whose file is in ``folder``.

    ``run`` identifies the run, in which a process opens collection and model once.
    """

    collection: Path
    run: str
    folder: Path
    model: str
    numbers: list[int]


class _EncodedFormulas(NamedTuple):
    numbers: Keys
    coded: CodedVectors


def formula_input(formula: StoredFormula) -> FormulaInput:
    """Return a stored formula as an encoder gets it; one that was refused has empty trees."""
    layout = formula.layout()
    return FormulaInput(formula.latex, layout, cache(partial(operator_tree, layout)))


def indexed_formulas(collection: Collection, folder: Path, embedding: str) -> Keys:
    """Return the numbers of all formulas of an index that get vectors by an embedding.

    The index gets a place for them if it has none.
    """
    component = _planned(collection, index_path(folder), embedding)
    manifest = read_manifest(index_path(folder))
    return _table(index_path(folder), manifest, component).all_texts(FORMULAS)


def store_formula_model(
    collection: Collection, folder: Path, model: FormulaModel, options: IndexOptions, watch: Watch
) -> FormulaVectorReport:
    """Encode all formulas of an index by a model, and put both in force in the place of others."""
    start = time.monotonic()
    folder = index_path(folder)
    with _filling_lock(folder), _work_folder(folder) as work:
        component = _planned(collection, folder, model.embedding)
        stored = write_formula_model(work / "model", model)
        numbers = _table(folder, read_manifest(folder), component).all_texts(FORMULAS)
        name = f"vectors-{stored.digest}"
        writer = VectorWriter(work, name, (), model.dimension)
        encoded = 0
        for part in _encoded_parts(collection.path, work, stored, numbers, options, watch):
            writer.add(*part)
            encoded += len(part.numbers)
        _put_in_force(folder, work, stored, replace(component, vectors=writer.files))
        new = _fill(collection, folder, model.embedding, options, watch)
    return replace(new, encoded=encoded + new.encoded, seconds=time.monotonic() - start)


def fill_formula_vectors(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch
) -> tuple[FormulaVectorReport, ...]:
    """Encode the formulas of an index that lack a vector, by each model that it has.

    An embedding without a model gets the one that Porism comes with, if there is one.
    """
    folder = index_path(folder)
    reports: list[FormulaVectorReport] = []
    for each in formula_vector_indexes(read_manifest(folder).components):
        packaged = packaged_model(each.spec.embedding) if each.model is None else None
        if packaged is not None:
            reports.append(store_formula_model(collection, folder, packaged, options, watch))
    trained = [
        each.spec.embedding
        for each in formula_vector_indexes(read_manifest(folder).components)
        if each.model is not None and not each.is_complete
    ]
    if trained:
        with _filling_lock(folder):
            reports += (_fill(collection, folder, each, options, watch) for each in trained)
    return tuple(reports)


def _filling_lock(folder: Path) -> ProcessLock:
    message = f"{folder}: another process is adding vectors of formulas to this index; wait for it"
    return ProcessLock(folder / LOCK, message)


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    """Make a folder for a new model, and remove those that killed processes left."""
    for left in folder.glob(f"{_WORK}*"):
        shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix=_WORK, dir=folder) as work:
        yield Path(work)


def _planned(collection: Collection, folder: Path, embedding: str) -> FormulaVectorIndex:
    """Return the component of an index for an embedding, which is added if it is not there."""
    manifest = read_manifest(folder)
    component = _component(manifest, embedding)
    if component is not None:
        return component
    with index_lock(folder):
        manifest = read_manifest(folder)
        generation = generation_folder(folder, manifest.generation)
        new = FormulaVectorIndex(FormulaVectorSpec(embedding))
        work = IndexBuild(collection, generation, (new,), IndexOptions(), lambda progress: None)
        with work.writers() as writers, work.table_folder() as table:
            write_empty_table(table, ())
            work.write_formulas(work.formulas(), table, writers)
            (written,) = (writer.flush() for writer in writers)
        assert isinstance(written, FormulaVectorIndex)
        commit_component(folder, manifest, written)
    return written


def _component(manifest: Manifest, embedding: str) -> FormulaVectorIndex | None:
    found = formula_vector_indexes(manifest.components)
    return next((each for each in found if each.spec.embedding == embedding), None)


def _table(folder: Path, manifest: Manifest, component: FormulaVectorIndex) -> TextKeys:
    inside = generation_folder(folder, manifest.generation) / component.name
    return TextKeys(inside, component.documents, (FORMULAS,))


def _put_in_force(
    folder: Path, work: Path, model: StoredFormulaModel, encoded: FormulaVectorIndex
) -> None:
    """Move a model and the vectors of ``encoded`` into the index that is in force now."""
    with lock_when_free(folder):
        manifest = read_manifest(folder)
        component = _component(manifest, model.embedding)
        if component is None:
            raise PorismError(
                f"{folder}: another process has made the index again, without "
                f"{encoded.spec.name}; make it with those, and train again"
            )
        if component.model is not None and component.model.digest == model.digest:
            remove_unreferenced_files(folder, manifest)
            return  # the same model, with its vectors
        inside = generation_folder(folder, manifest.generation) / component.name
        file = replace(model.file, name=f"model-{model.digest}")
        (work / model.file.name).rename(work / file.name)
        link_files((file, *encoded.vectors), work, inside)
        new = replace(
            component,
            model=replace(model, file=file),
            vectors=encoded.vectors,
            is_complete=component.documents == encoded.documents,
        )
        commit_component(folder, manifest, new)


def _fill(
    collection: Collection, folder: Path, embedding: str, options: IndexOptions, watch: Watch
) -> FormulaVectorReport:
    """Encode the formulas that lack a vector until an index has all of them."""
    start = time.monotonic()
    encoded = 0
    while True:
        manifest = read_manifest(folder)
        vectors = _opened(folder, manifest, embedding)
        assert vectors.model is not None
        inside = generation_folder(folder, manifest.generation) / vectors.component.name
        missing = vectors.missing()
        for part in _encoded_parts(collection.path, inside, vectors.model, missing, options, watch):
            _add(folder, vectors.model, part)
            encoded += len(part.numbers)
        with lock_when_free(folder):
            manifest = read_manifest(folder)
            now = _opened(folder, manifest, embedding)
            if now.component.documents != vectors.component.documents:
                continue  # an update has added formulas meanwhile
            if not now.is_complete:
                commit_component(folder, manifest, replace(now.component, is_complete=True))
            left = len(now.missing())
            return FormulaVectorReport(embedding, len(now), encoded, left, time.monotonic() - start)


def _opened(folder: Path, manifest: Manifest, embedding: str) -> FormulaVectors:
    component = _component(manifest, embedding)
    if component is None or component.model is None:
        raise PorismError(
            f"{folder}: another process has removed its model of the embedding {embedding}; "
            f"porism train {embedding} {folder} trains one"
        )
    return component.open(generation_folder(folder, manifest.generation) / component.name)


def _add(folder: Path, model: StoredFormulaModel, part: _EncodedFormulas) -> None:
    """Add vectors to the index that is in force now."""
    with lock_when_free(folder):
        manifest = read_manifest(folder)
        vectors = _opened(folder, manifest, model.embedding)
        component = vectors.component
        if vectors.model is None or vectors.model.digest != model.digest:
            raise PorismError(
                f"{folder}: another process has changed its model of the embedding "
                f"{model.embedding}; run porism update again"
            )
        inside = generation_folder(folder, manifest.generation) / component.name
        name = f"vectors-{model.digest}"
        writer = VectorWriter(inside, name, component.vectors, model.dimension)
        writer.add(*part)
        writer.merge_recent(vectors.table.all_texts(FORMULAS))
        commit_component(folder, manifest, replace(component, vectors=writer.files))


def _encoded_parts(
    collection: Path,
    folder: Path,
    model: StoredFormulaModel,
    numbers: Keys,
    options: IndexOptions,
    watch: Watch,
) -> Iterator[_EncodedFormulas]:
    """Encode formulas in other processes, and yield their vectors in parts."""
    run = f"{os.getpid()}-{time.monotonic_ns()}"
    record = json.dumps(model.record())
    waiting = (
        _FormulaChunk(collection, run, folder, record, chunk)
        for chunk in chunks(CHUNK_FORMULAS, numbers.tolist())
    )
    held: list[_EncodedFormulas] = []
    size = done = 0
    for encoded in map_in_order(_encoded, waiting, options.jobs):
        held.append(encoded)
        size += len(encoded.numbers)
        done = min(done + CHUNK_FORMULAS, len(numbers))
        watch(StepProgress("vectors of formulas", done, len(numbers), done))
        if size >= FORMULAS_PER_PART:
            yield _joined(held)
            held, size = [], 0
    if size:
        yield _joined(held)


def _joined(held: list[_EncodedFormulas]) -> _EncodedFormulas:
    return _EncodedFormulas(
        np.concatenate([each.numbers for each in held]),
        CodedVectors(
            np.concatenate([each.coded.codes for each in held]),
            np.concatenate([each.coded.scales for each in held]),
        ),
    )


def _encoded(chunk: _FormulaChunk) -> _EncodedFormulas:
    """Return the vectors of the formulas of a chunk; runs in another process."""
    collection = _collection(chunk.collection, chunk.run)
    inputs: dict[int, FormulaInput] = {}
    for number in chunk.numbers:
        formula = collection.formula(number)
        if formula is not None:  # else it has gone since the index was made
            inputs[number] = formula_input(formula)
    encoder = _encoder(chunk.folder, chunk.run, chunk.model)
    vectors = unit_vectors(encoder.encode(list(inputs.values())))
    return _EncodedFormulas(np.array(list(inputs), np.int64), coded_vectors(vectors))


@lru_cache(maxsize=1)
def _collection(path: Path, run: str) -> Collection:
    """Open the collection once in a run: it may change later."""
    return open_collection(path)


@lru_cache(maxsize=1)
def _encoder(folder: Path, run: str, record: str) -> FormulaEncoder:
    """Open the model once in a run."""
    model = read_formula_model(folder, stored_formula_model(json.loads(record)))
    return open_formula_encoder(model)
