"""Builds an index folder from a collection, and updates it when the collection has changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from porism.analysis import Unit
from porism.collection.progress import Watch
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.filters import label_kinds
from porism.locking import ProcessLock
from porism.searchindex.collection_state.digests import PassingDigests, changes, read_digests
from porism.searchindex.collection_state.excluded_links import read_excluded_links
from porism.searchindex.collection_state.keywords import read_keywords
from porism.searchindex.components import Component, ComponentSpec, table_kinds
from porism.searchindex.components.formula_vectors import (
    FormulaVectorIndex,
    formula_vector_indexes,
    with_formula_vectors_of,
)
from porism.searchindex.components.kinds import planned_components
from porism.searchindex.components.vector_index import (
    VectorIndex,
    vector_indexes,
    with_vectors_of,
)
from porism.searchindex.files import remove_unreferenced_files
from porism.searchindex.formula_table import write_empty_table
from porism.searchindex.index_build import IndexBuild
from porism.searchindex.index_build import IndexOptions as IndexOptions  # callers have it from here
from porism.searchindex.manifest import (
    Manifest,
    generation_folder,
    index_path,
    is_search_index,
    read_manifest,
    readable_manifest,
    write_manifest,
)

LOCK = ".index.lock"


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What the index now has, and how many documents were written and deleted for that.

    ``skipped`` counts documents that were left out because of an error, which the log names.
    """

    answers: int
    formulas: int
    written: int
    deleted: int
    seconds: float
    skipped: int = 0
    questions: int = 0

    @property
    def documents(self) -> int:
        """All documents of the index."""
        return self.answers + self.questions + self.formulas


def build_index(
    collection: Collection,
    folder: Path,
    specs: Sequence[ComponentSpec],
    options: IndexOptions,
    watch: Watch,
) -> IndexReport:
    """Index a collection in ``folder``; an index there stays in force until the new one is done."""
    folder.mkdir(parents=True, exist_ok=True)
    with index_lock(folder):
        return _build(collection, folder, specs, options, watch)


def _build(
    collection: Collection,
    folder: Path,
    specs: Sequence[ComponentSpec],
    options: IndexOptions,
    watch: Watch,
) -> IndexReport:
    start = monotonic()
    # An index of another version, or a damaged one, is replaced like any other.
    before = readable_manifest(folder)
    if before is not None or not is_search_index(folder):
        remove_unreferenced_files(folder, before)
    numbers = (path.name.partition("-")[2] for path in folder.glob("generation-*"))
    last = max((int(number) for number in numbers if number.isdigit()), default=0)
    with _new_generation(folder, last + 1) as generation:
        work = IndexBuild(collection, generation, planned_components(specs), options, watch)
        indexed = work.post_digests()
        passing = PassingDigests()
        with work.writers() as writers, work.table_folder() as table:
            skipped = work.tokenise_formulas(table, writers)
            counts = [
                work.write_posts(table, writers),
                work.write_formulas(passing.noted(work.formulas()), table, writers),
            ]
            indexed = indexed.with_formulas(passing.table())
            commit = 1 if before is None else before.commit + 1
            components = tuple(writer.flush() for writer in writers)
            manifest = Manifest(
                generation=last + 1,
                commit=commit,
                collection=os.path.relpath(collection.path.resolve(), folder.resolve()),
                labels=label_kinds(),
                components=_with_vectors(components, generation, folder, before),
                digests=work.write_digests(indexed, commit),
                keywords=work.write_keywords(indexed, commit),
                excluded_links=work.write_excluded_links(),
                weights=options.weights,
                formula_weights=options.formula_weights,
                models=_with_models({} if before is None else before.models, options, folder),
                ranker_weights=options.ranker_weights,
            )
            write_manifest(folder, manifest)
    remove_unreferenced_files(folder, manifest)
    written = sum(each.written for each in counts)
    return _report(manifest, written, 0, start, skipped + sum(each.skipped for each in counts))


def _with_vectors(
    components: tuple[Component, ...], generation: Path, folder: Path, before: Manifest | None
) -> tuple[Component, ...]:
    """Return components with the vectors of the index that they replace, if it has any."""
    if before is None:
        return components
    old_generation = generation_folder(folder, before.generation)
    texts = {each.spec: each for each in vector_indexes(before.components).values()}
    formulas = {each.spec: each for each in formula_vector_indexes(before.components)}
    kept: list[Component] = []
    for each in components:
        inside, old_folder = generation / each.name, old_generation / each.name
        if isinstance(each, VectorIndex) and each.spec in texts:
            kept.append(with_vectors_of(each, inside, texts[each.spec], old_folder))
        elif isinstance(each, FormulaVectorIndex) and each.spec in formulas:
            kept.append(with_formula_vectors_of(each, inside, formulas[each.spec], old_folder))
        else:
            kept.append(each)
    return tuple(kept)


def index_lock(folder: Path) -> ProcessLock:
    """Lock an index folder; PorismError while another process writes to it."""
    return ProcessLock(
        folder / LOCK, f"{folder}: another process is making this index; wait for it"
    )


def lock_when_free(folder: Path) -> ProcessLock:
    """Lock an index folder, after waiting for an update or a build to end."""
    while True:
        try:
            return index_lock(folder)
        except PorismError:  # after a second
            continue


def commit_component(folder: Path, manifest: Manifest, component: Component) -> None:
    """Put a state of one component in force, new or not, and leave the others unchanged."""
    others = tuple(each for each in manifest.components if each.name != component.name)
    new = replace(manifest, commit=manifest.commit + 1, components=(*others, component))
    write_manifest(folder, new)
    remove_unreferenced_files(folder, new)


@contextmanager
def _new_generation(folder: Path, number: int) -> Iterator[Path]:
    """Make an empty folder for a generation, and remove it unless that is put in force."""
    generation = generation_folder(folder, number)
    shutil.rmtree(generation, ignore_errors=True)
    generation.mkdir()
    try:
        yield generation
    except BaseException:
        # It may be in force already, if the interrupt came just after that.
        manifest = readable_manifest(folder)
        if manifest is None or manifest.generation != number:
            shutil.rmtree(generation, ignore_errors=True)
        raise


def update_index(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch
) -> IndexReport:
    """Index what has changed in the collection, and delete what is gone from it.

    An index that an earlier Porism made with other labels or units is rebuilt.
    """
    start = monotonic()
    folder = index_path(folder)
    with index_lock(folder):
        return _update(collection, folder, options, watch, start)


def _update(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch, start: float
) -> IndexReport:
    manifest = read_manifest(folder)
    remove_unreferenced_files(folder, manifest)
    generation = generation_folder(folder, manifest.generation)
    links = read_excluded_links(generation, manifest.excluded_links)
    options = replace(
        options,
        excluded_links=links,
        weights=manifest.weights,
        formula_weights=manifest.formula_weights,
        models=manifest.models,
        ranker_weights=manifest.ranker_weights,
    )
    work = IndexBuild(collection, generation, manifest.components, options, watch)
    passing = PassingDigests()
    for _ in passing.noted(work.formulas()):
        pass
    indexed = work.post_digests().with_formulas(passing.table())
    changed = {
        unit: changes(read_digests(generation, manifest.digests[unit]), digests)
        for unit, digests in indexed.units.items()
        if unit in manifest.digests
    }
    if manifest.labels != label_kinds() or len(changed) < len(indexed.units):
        rebuilt = _build(collection, folder, manifest.specs, options, watch)
        return replace(rebuilt, deleted=sum(len(each.to_delete) for each in changed.values()))
    if not any(each.is_any for each in changed.values()) and (
        indexed.keywords == read_keywords(generation, manifest.keywords)
    ):
        return _report(manifest, 0, 0, start, 0)
    deleted = 0
    with work.writers() as writers, work.table_folder() as table:
        write_empty_table(table, table_kinds(work.components))
        for unit, each in changed.items():
            deleted += work.delete(unit, writers, each.to_delete)
        to_write = {unit: each.to_write for unit, each in changed.items()}
        counts = [
            work.write_posts(table, writers, to_write),
            work.write_formulas(work.formulas(to_write[Unit.FORMULAS]), table, writers),
        ]
        skipped = sum(each.skipped for each in counts)
        written = sum(map(len, to_write.values())) - skipped
        commit = manifest.commit + 1
        manifest = replace(
            manifest,
            commit=commit,
            components=tuple(writer.flush() for writer in writers),
            digests=work.write_digests(indexed, commit),
            keywords=work.write_keywords(indexed, commit),
        )
        write_manifest(folder, manifest)
    remove_unreferenced_files(folder, manifest)
    return _report(manifest, written, deleted, start, skipped)


def _with_models(known: Mapping[str, str], options: IndexOptions, folder: Path) -> dict[str, str]:
    """Return the models of an index with those of the options; an empty one is removed.

    The path of a model beside the index becomes relative, so that both can be moved together.
    """
    beside = folder.resolve().parent
    models = {**known, **options.models}
    return {
        role: os.path.relpath(place, folder.resolve())
        if Path(place).is_absolute() and Path(place).is_relative_to(beside)
        else place
        for role, place in models.items()
        if place
    }


def set_rankers(folder: Path, options: IndexOptions) -> None:
    """Make the weights and models of the options, as far as given, those of rankers on an index."""
    folder = index_path(folder)
    with index_lock(folder):
        manifest = read_manifest(folder)
        if options.weights is not None:
            manifest = replace(manifest, weights=options.weights)
        if options.formula_weights is not None:
            manifest = replace(manifest, formula_weights=options.formula_weights)
        manifest = replace(manifest, models=_with_models(manifest.models, options, folder))
        ranker_weights = {**manifest.ranker_weights, **options.ranker_weights}
        manifest = replace(manifest, ranker_weights=ranker_weights)
        write_manifest(folder, manifest)


def _report(
    manifest: Manifest, written: int, deleted: int, start: float, skipped: int
) -> IndexReport:
    return IndexReport(
        answers=manifest.documents(Unit.ANSWERS),
        formulas=manifest.documents(Unit.FORMULAS),
        written=written,
        deleted=deleted,
        seconds=monotonic() - start,
        skipped=skipped,
        questions=manifest.documents(Unit.QUESTIONS),
    )
