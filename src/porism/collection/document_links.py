"""Links between documents: from what an author wrote to the document that it means."""

from __future__ import annotations

import posixpath

from porism.collection.schema import storable
from porism.collection.store import Collection
from porism.formats.documents.anchors import slug
from porism.model import DocId, Location

NOTE_SUFFIXES = (".md", ".markdown")
"""Suffixes that links between notes leave out."""


def linked_document(
    collection: Collection, target: str, origin: Location | None = None
) -> DocId | None:
    """The document that a link in the document at ``origin`` leads to; None if it is not there.

    A target is the name of a document, or a file and a heading, ``Groups#Index``: a path relative
    to the file with the link, or the name of a note in any folder, of which the shortest path
    counts. A heading that the file does not have leads to the file.
    """
    if target and collection.find_number(target) is not None:
        return DocId(target)
    file, _, fragment = target.partition("#")
    path = _linked_path(collection, file.strip(), origin)
    if path is None:
        return None
    found = _part(collection, path, fragment.rpartition("#")[2].strip()) if fragment else None
    return found or _beginning(collection, path)


def _linked_path(collection: Collection, file: str, origin: Location | None) -> str | None:
    """The path of the file that a link names; that of its own file if it names none."""
    if not file:
        return None if origin is None else origin.path
    own_folder = posixpath.dirname(origin.path) if origin else ""
    for suffix in ("", *NOTE_SUFFIXES):
        path = posixpath.normpath(posixpath.join(own_folder, file + suffix))
        if _beginning(collection, path) is not None:
            return path
    names = [storable(f"{file.lstrip('/')}{suffix}".casefold()) for suffix in ("", *NOTE_SUFFIXES)]
    matching = (
        path
        for path in collection.document_paths
        if any(f"/{path.casefold()}".endswith(f"/{name}") for name in names)
    )
    return min(matching, key=lambda path: (path.count("/"), len(path), path), default=None)


def _part(collection: Collection, path: str, fragment: str) -> DocId | None:
    """The part of a file with a heading, an anchor or the id of a block."""
    if fragment.startswith("^"):
        return collection.document_with(path, f'<a id="{fragment}"></a>')
    for anchor in (fragment, slug(fragment)):
        if collection.find_number(f"{path}#{anchor}") is not None:
            return DocId(f"{path}#{anchor}")
    # The first section has the name of the file alone.
    return None


def _beginning(collection: Collection, path: str) -> DocId | None:
    """The first document of a file."""
    if collection.find_number(path) is not None:
        return DocId(path)
    return collection.document_with(path, "")
