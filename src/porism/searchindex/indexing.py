"""Makes an index with or without vectors, as its user decides or by default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from porism.collection.progress import Watch
from porism.collection.store import Collection
from porism.embed import DEFAULT_MODEL, is_installed
from porism.embed.models import local_model
from porism.errors import PorismError
from porism.searchindex.builder import (
    IndexOptions,
    IndexReport,
    build_index,
    set_weights,
    update_index,
)
from porism.searchindex.collection_state.excluded_links import read_excluded_links
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.components.formula_vectors import formula_vector_indexes
from porism.searchindex.components.vector_index import VectorSpec, vector_index
from porism.searchindex.formula_vector_filling import (
    FormulaVectorReport,
    fill_formula_vectors,
)
from porism.searchindex.manifest import (
    Manifest,
    generation_folder,
    index_path,
    read_manifest,
)
from porism.searchindex.text_encoders import shared_encoder
from porism.searchindex.vector_filling import VectorReport, add_vectors, fill_vectors

SMALL_COLLECTION = 200_000
"""Posts of a collection up to which an index gets vectors by default."""


@dataclass(frozen=True, slots=True)
class VectorChoice:
    """Whether an index gets vectors, and by which model; None means the default.

    By default it does if the model is installed, and the collection is small or its index has
    vectors already; but not if it is made for systems that do not use them.
    """

    is_wanted: bool | None = None
    model: str | None = None
    is_used: bool = True


@dataclass(frozen=True, slots=True)
class IndexingReport:
    """What was indexed, and the vectors that it now has; None if it is an index without vectors.

    ``formula_vectors`` are reports on each embedding whose model had formulas to encode.
    ``vector_problem`` says why new texts or formulas have no vectors.
    """

    index: IndexReport
    vectors: VectorReport | None = None
    vector_problem: str = ""
    formula_vectors: tuple[FormulaVectorReport, ...] = ()


def index_collection(
    collection: Collection,
    folder: Path,
    specs: Sequence[ComponentSpec],
    choice: VectorChoice,
    options: IndexOptions,
    watch: Watch,
) -> IndexingReport:
    """Index a collection, and add vectors to the index if they are wanted.

    If they are wanted expressly, or weights are given, and the folder has an index of the
    collection with all other ``specs``, that is only updated. Trained models of formulas stay, for
    whatever systems the index is made, and encode new formulas.
    """
    report = _indexed(collection, folder, specs, choice, options, watch)
    return _with_formula_vectors(report, collection, folder, options, watch)


def _indexed(
    collection: Collection,
    folder: Path,
    specs: Sequence[ComponentSpec],
    choice: VectorChoice,
    options: IndexOptions,
    watch: Watch,
) -> IndexingReport:
    before = _manifest(folder)
    model = local_model(choice.model or DEFAULT_MODEL)
    given = tuple(spec for spec in specs if not isinstance(spec, VectorSpec))
    others = joined_specs([given, () if before is None else _trained(before)])
    gets_vectors = _gets_vectors(collection, before, choice)
    if gets_vectors:
        shared_encoder(model)  # refuses a model that is not installed before the work begins
    if (
        (choice.is_wanted or (options.has_weights and choice.is_wanted is None))
        and before is not None
        and frozenset(others) <= frozenset(before.specs)
        and _is_of(before, folder, collection, options)
    ):
        updated = update_index(collection, folder, options, watch)
        if options.has_weights:
            set_weights(folder, options)
        if not gets_vectors:
            return IndexingReport(updated)
        return IndexingReport(updated, add_vectors(collection, folder, model, options, watch))
    if not gets_vectors:
        return IndexingReport(build_index(collection, folder, others, options, watch))
    built = build_index(collection, folder, (*others, VectorSpec(model)), options, watch)
    return IndexingReport(built, fill_vectors(collection, folder, options, watch))


def _trained(manifest: Manifest) -> tuple[ComponentSpec, ...]:
    """Return the vectors of formulas of an index that have a model."""
    indexes = formula_vector_indexes(manifest.components)
    return tuple(each.spec for each in indexes if each.model is not None)


def _gets_vectors(collection: Collection, before: Manifest | None, choice: VectorChoice) -> bool:
    if choice.is_wanted is not None:
        return choice.is_wanted
    if choice.model is not None:
        return True
    has_vectors = before is not None and vector_index(before.components) is not None
    return (
        choice.is_used
        and is_installed(DEFAULT_MODEL)
        and (has_vectors or collection.count_posts() <= SMALL_COLLECTION)
    )


def _is_of(manifest: Manifest, folder: Path, collection: Collection, options: IndexOptions) -> bool:
    """Whether an index is one of the collection, with the same links left out."""
    generation = generation_folder(folder, manifest.generation)
    return (
        folder / manifest.collection
    ).resolve() == collection.path.resolve() and read_excluded_links(
        generation, manifest.excluded_links
    ) == options.excluded_links


def _manifest(folder: Path) -> Manifest | None:
    """Return the manifest of the index in a folder; None if it has none that can be read."""
    try:
        return read_manifest(folder)
    except PorismError:
        return None


def update_collection_index(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch
) -> IndexingReport:
    """Update an index, and encode its new texts and formulas if it has vectors.

    The update stays in force if that is not possible, as without the model.
    """
    report = _updated(collection, folder, options, watch)
    return _with_formula_vectors(report, collection, folder, options, watch)


def _updated(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch
) -> IndexingReport:
    updated = update_index(collection, folder, options, watch)
    if vector_index(read_manifest(index_path(folder)).components) is None:
        return IndexingReport(updated)
    try:
        return IndexingReport(updated, fill_vectors(collection, folder, options, watch))
    except PorismError as error:
        return IndexingReport(updated, vector_problem=str(error))


def _with_formula_vectors(
    report: IndexingReport,
    collection: Collection,
    folder: Path,
    options: IndexOptions,
    watch: Watch,
) -> IndexingReport:
    """Encode new formulas by the models of an index; the index stays in force if that fails."""
    try:
        reports = fill_formula_vectors(collection, folder, options, watch)
    except PorismError as error:
        problems = filter(None, (report.vector_problem, str(error)))
        return replace(report, vector_problem="; ".join(problems))
    return replace(report, formula_vectors=reports)
