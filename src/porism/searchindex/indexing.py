"""Makes an index with or without vectors, as its user decides or by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    set_rankers,
    update_index,
)
from porism.searchindex.collection_state.excluded_links import read_excluded_links
from porism.searchindex.components import ComponentSpec, joined_specs
from porism.searchindex.components.formula_vectors import formula_vector_indexes
from porism.searchindex.components.vector_index import (
    VectorSpec,
    vector_indexes,
    vector_spec,
)
from porism.searchindex.formula_vector_filling import (
    FormulaVectorReport,
    fill_formula_vectors,
)
from porism.searchindex.manifest import (
    Manifest,
    generation_folder,
    index_path,
    read_manifest,
    readable_manifest,
)
from porism.searchindex.model_roles import VectorRole
from porism.searchindex.text_encoders import shared_encoder
from porism.searchindex.vector_filling import VectorReport, add_vectors, fill_vectors

SMALL_COLLECTION = 200_000
"""Posts of a collection up to which an index gets vectors by default."""


@dataclass(frozen=True, slots=True)
class VectorChoice:
    """Whether an index gets vectors, and by which model; None means the default.

    By default it does if the model is installed, and the collection is small or its index has
    vectors already; but not if it is made for systems that do not use them. ``models`` are those of
    other sets of vectors, by their roles; an index gets each set that has a model here.
    """

    is_wanted: bool | None = None
    model: str | None = None
    is_used: bool = True
    models: Mapping[VectorRole, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexingReport:
    """What was indexed, and the vectors that it now has; None if it is an index without vectors.

    ``formula_vectors`` are reports on each embedding whose model had formulas to encode,
    ``more_vectors`` on other sets of vectors of texts. ``vector_problem`` says why new texts or
    formulas have no vectors.
    """

    index: IndexReport
    vectors: VectorReport | None = None
    vector_problem: str = ""
    formula_vectors: tuple[FormulaVectorReport, ...] = ()
    more_vectors: tuple[VectorReport, ...] = ()


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
    before = readable_manifest(folder)
    given = tuple(spec for spec in specs if not isinstance(spec, VectorSpec))
    others = joined_specs([given, () if before is None else _trained(before)])
    wanted = _vector_specs(collection, before, specs, choice)
    for spec in wanted:
        shared_encoder(spec.model)  # refuses a model that is not installed before the work begins
    has_new_rankers = options.is_about_rankers or bool(choice.models)
    if (
        (choice.is_wanted or (has_new_rankers and choice.is_wanted is None))
        and before is not None
        and frozenset(others) <= frozenset(before.specs)
        and _is_of(before, folder, collection, options)
    ):
        updated = update_index(collection, folder, options, watch)
        if has_new_rankers:
            set_rankers(folder, options)
        added = [add_vectors(collection, folder, spec, options, watch) for spec in wanted]
        return _with_text_vectors(IndexingReport(updated), added)
    built = build_index(collection, folder, (*others, *wanted), options, watch)
    filled = [fill_vectors(collection, folder, options, watch, spec.role) for spec in wanted]
    return _with_text_vectors(IndexingReport(built), filled)


def _with_text_vectors(report: IndexingReport, made: Iterable[VectorReport]) -> IndexingReport:
    """Return a report with those on vectors of texts."""
    by_role = {each.role: each for each in made}
    vectors = by_role.pop(VectorRole.TEXTS, None)
    return replace(report, vectors=vectors, more_vectors=tuple(by_role.values()))


def _vector_specs(
    collection: Collection,
    before: Manifest | None,
    specs: Sequence[ComponentSpec],
    choice: VectorChoice,
) -> list[VectorSpec]:
    """Return the vectors that an index gets: the usual ones first, then other sets.

    A set that a system needs is made by the usual model if it has no other, except that of doc2vec,
    which no sentence encoder replaces. Those that the index has stay.
    """
    if choice.is_wanted is False:
        return []
    known = {} if before is None else vector_indexes(before.components)
    models = {role: each.spec.model for role, each in known.items()}
    usual = choice.model or models.pop(VectorRole.TEXTS, DEFAULT_MODEL)
    if _gets_vectors(collection, before, choice):
        models[VectorRole.TEXTS] = usual
        if any(
            isinstance(each, VectorSpec) and each.role is VectorRole.COMPUBERT for each in specs
        ):
            models.setdefault(VectorRole.COMPUBERT, usual)
    models |= choice.models
    return [vector_spec(local_model(model), role) for role, model in models.items()]


def _trained(manifest: Manifest) -> tuple[ComponentSpec, ...]:
    """Return the vectors of formulas of an index that have a model."""
    indexes = formula_vector_indexes(manifest.components)
    return tuple(each.spec for each in indexes if each.model is not None)


def _gets_vectors(collection: Collection, before: Manifest | None, choice: VectorChoice) -> bool:
    if choice.is_wanted is not None:
        return choice.is_wanted
    if choice.model is not None:
        return True
    has_vectors = before is not None and VectorRole.TEXTS in vector_indexes(before.components)
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
    updated = IndexingReport(update_index(collection, folder, options, watch))
    roles = vector_indexes(read_manifest(index_path(folder)).components)
    filled: list[VectorReport] = []
    problems: list[str] = []
    for role in roles:
        try:
            filled.append(fill_vectors(collection, folder, options, watch, role))
        except PorismError as error:
            problems.append(str(error))
    return replace(_with_text_vectors(updated, filled), vector_problem="; ".join(problems))


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
