"""What a path to be served is, and where its collection and index are cached."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from os import fsencode
from pathlib import Path

from porism.collection.sample import named_source
from porism.collection.schema import DATABASE
from porism.errors import PorismError
from porism.formats.documents.readers import document_reader
from porism.formats.dumps.tables import find_tables
from porism.searchindex.manifest import index_path, is_search_index
from porism.user_folders import cache_folder, is_writable

COLLECTION = "collection"
INDEX = "index"
UNFINISHED = "unfinished"


class SourceKind(StrEnum):
    """What a path is, by what has to be done before it can be searched."""

    INDEX = "index"
    COLLECTION = "collection"
    DUMP = "dump"
    DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class ServedSource:
    """A source, its collection and its index; both are in ``folder`` if they are made of it.

    While ``unfinished`` exists, the index may be older than the collection.
    """

    path: Path
    kind: SourceKind
    folder: Path
    collection: Path
    index: Path

    @property
    def unfinished(self) -> Path:
        return self.folder / UNFINISHED

    @property
    def is_watched(self) -> bool:
        """Whether changes of the source are to be expected while it is served."""
        return self.kind is SourceKind.DOCUMENTS

    @property
    def is_finished(self) -> bool:
        """Whether the cache has an index of the state of its collection."""
        return is_search_index(self.index) and not self.unfinished.exists()


def served_source(path: Path) -> ServedSource:
    """The source at ``path``; nothing is written unless it needs a cache, whose folder is made.

    ``sample`` is the packaged sample, unless there is such a file or folder.
    """
    index = index_path(path)
    if is_search_index(index):
        return ServedSource(path, SourceKind.INDEX, index, path, index)
    path = named_source(str(path))
    if not path.exists():
        raise PorismError(
            f"{path}: there is no such file or folder; expected an index, a collection, a dump or "
            "a folder of notes"
        )
    kind = _kind(path)
    folder = _cache_of(path.resolve())
    collection = path if kind is SourceKind.COLLECTION else folder / COLLECTION
    return ServedSource(path, kind, folder, collection, folder / INDEX)


def _kind(path: Path) -> SourceKind:
    if (path / DATABASE).is_file():
        return SourceKind.COLLECTION
    if path.is_file() and document_reader(path) is not None:
        return SourceKind.DOCUMENTS
    # A folder with tables but no posts is refused by ingest, which says what it lacks.
    return SourceKind.DUMP if path.is_file() or find_tables(path) else SourceKind.DOCUMENTS


def _cache_of(path: Path) -> Path:
    """The folder for what is made of a source, which says of which one."""
    caches = cache_folder()
    name = re.sub(r"[^\w.-]", "_", path.name)[:40]
    digest = blake2b(fsencode(path), digest_size=8).hexdigest()
    folder = caches / "served" / f"{name}-{digest}" if caches is not None else None
    if folder is None or not is_writable(folder):
        raise PorismError(
            f"the index of {path} cannot be cached: {folder or 'there is no home'} is not "
            "writable; name a folder with XDG_CACHE_HOME, or use porism ingest and porism index"
        )
    (folder / "source.json").write_text(json.dumps({"path": str(path)}), encoding="utf-8")
    return folder
