"""The manifest of an index folder: which files are in force, and what they hold.

    INDEX/index.json          the manifest
    INDEX/generation-1/       a folder for each component, the keywords, and digests

``index.json`` names every file with the checksums of its content. It is replaced last and in one
step, so a reader sees all of a build or an update or nothing of it. Files that it does not name
were left by a process that was killed; the next writer removes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from porism.analysis import Unit
from porism.collection.schema import DATABASE
from porism.errors import PorismError
from porism.inverted import IndexFormatError
from porism.searchindex.components import REBUILD, Component, ComponentSpec, joined_specs
from porism.searchindex.components.inverted_index import unit_index
from porism.searchindex.components.kinds import component_record, parsed_component
from porism.searchindex.components.vector_index import vector_indexes
from porism.storage.array_file import StoredFile, stored_file, write_file
from porism.storage.checked_json import check_json, json_with_checksum, parsed_json

MANIFEST = "index.json"
MANIFEST_VERSION = 4

OLD_MANIFEST = "library.json"
"""The manifest of versions 1 and 2."""

EXCLUDED = "excluded_links"
"""The key of links that were left out, which few indexes have."""

INDEX = "index"
"""The folder of an index within that of its collection, unless another one is named."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``index.json`` says; the path of the collection is relative to the index folder.

    ``commit`` counts builds and updates. ``labels`` are the kinds of labels that documents have.
    ``digests`` tell an update what was indexed, ``excluded_links`` what it must leave out, too.
    ``weights`` are those of rankers of answers, ``formula_weights`` of formulas, and
    ``ranker_weights`` of further systems by their names, if they are not the ones that Porism
    comes with. ``models`` are the places of models by ``ModelRole``, relative to the index folder
    if they are beside it.
    """

    generation: int
    commit: int
    collection: str
    labels: tuple[str, ...]
    components: tuple[Component, ...]
    digests: Mapping[Unit, StoredFile]
    keywords: StoredFile
    excluded_links: StoredFile | None = None
    weights: Mapping[str, Any] | None = None  # Any: JSON of the rankers' own
    formula_weights: Mapping[str, Any] | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    ranker_weights: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def specs(self) -> tuple[ComponentSpec, ...]:
        """What the index has for systems."""
        return joined_specs(component.specs for component in self.components)

    @property
    def roles(self) -> frozenset[str]:
        """The roles for which the index has models, and vectors of texts."""
        return frozenset((*self.models, *vector_indexes(self.components)))

    def documents(self, unit: Unit) -> int:
        """Return how many documents of a unit the index has."""
        return unit_index(self.components, unit).meta.documents

    def files(self) -> Iterator[tuple[str, StoredFile]]:
        """Yield all files, each with its folder in the generation."""
        for component in self.components:
            for file in component.files:
                yield component.name, file
        for file in (self.keywords, *self.digests.values()):
            yield "", file
        if self.excluded_links is not None:
            yield "", self.excluded_links


def generation_folder(folder: Path, generation: int) -> Path:
    """Return the folder of a generation of an index folder."""
    return folder / f"generation-{generation}"


def is_search_index(folder: Path) -> bool:
    """Whether a folder holds a finished index, of any version."""
    return manifest_path(folder).is_file()


def index_path(folder: Path) -> Path:
    """Return where the index is: in the folder, or within that of a collection that has one."""
    inner = folder / INDEX
    is_collection = (folder / DATABASE).is_file() and not is_search_index(folder)
    return inner if is_collection and (is_search_index(inner) or _is_unfinished(inner)) else folder


def manifest_path(folder: Path) -> Path:
    """Return the path of the manifest, of any version, whether or not it is there."""
    old = folder / OLD_MANIFEST
    return old if old.is_file() and not (folder / MANIFEST).is_file() else folder / MANIFEST


def _is_unfinished(folder: Path) -> bool:
    return any(folder.glob("generation-*"))


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of an index folder."""
    path = manifest_path(folder)
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise PorismError(_absent(folder)) from None
    except OSError as error:
        raise PorismError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        data = parsed_json(text, path)
        version = data.get("version")
        if version != MANIFEST_VERSION:
            raise IndexFormatError(
                f"{folder}: an index of version {version}, and this Porism reads version "
                f"{MANIFEST_VERSION}; {REBUILD}"
            )
        check_json(text, path)
        return _manifest(data, path)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise IndexFormatError(f"{path}: damaged; {REBUILD}") from None


def readable_manifest(folder: Path) -> Manifest | None:
    """Return the manifest in force; None if there is none that can be read."""
    try:
        return read_manifest(folder)
    except PorismError:
        return None


def _manifest(data: Mapping[str, Any], path: Path) -> Manifest:  # Any: as ``write_manifest`` made
    return Manifest(
        generation=data["generation"],
        commit=data["commit"],
        collection=data["collection"],
        labels=tuple(map(str, data["labels"])),
        components=tuple(parsed_component(record, path) for record in data["components"]),
        # An index of an earlier Porism lacks units, and is made again by an update.
        digests={
            unit: stored_file(data["digests"][unit]) for unit in Unit if unit in data["digests"]
        },
        keywords=stored_file(data["keywords"]),
        excluded_links=stored_file(data[EXCLUDED]) if EXCLUDED in data else None,
        weights=data.get("weights"),
        formula_weights=data.get("formula_weights"),
        models=dict(data.get("models", {})),
        ranker_weights=data.get("ranker_weights", {}),
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put a build or an update in force, in one step."""
    data = {
        "version": MANIFEST_VERSION,
        "generation": manifest.generation,
        "commit": manifest.commit,
        "collection": manifest.collection,
        "labels": list(manifest.labels),
        "components": list(map(component_record, manifest.components)),
        "digests": {unit: asdict(file) for unit, file in manifest.digests.items()},
        "keywords": asdict(manifest.keywords),
    }
    if manifest.excluded_links is not None:
        data[EXCLUDED] = asdict(manifest.excluded_links)
    if manifest.weights is not None:
        data["weights"] = manifest.weights
    if manifest.formula_weights is not None:
        data["formula_weights"] = manifest.formula_weights
    if manifest.models:
        data["models"] = dict(manifest.models)
    if manifest.ranker_weights:
        data["ranker_weights"] = dict(manifest.ranker_weights)
    write_file(folder / MANIFEST, json_with_checksum(data))


def _absent(folder: Path) -> str:
    if (folder / DATABASE).exists():
        return f"{folder}: a collection, not an index; make one with porism index {folder}"
    if _is_unfinished(folder):
        return f"{folder}: an unfinished index; run the same porism index again"
    return f"{folder}: no index; make one with porism index COLLECTION -o {folder}"
