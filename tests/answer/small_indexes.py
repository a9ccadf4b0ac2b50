"""Small indexes without vectors: of questions with answers, and of notes."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.searchindex.builder import IndexOptions, build_index
from tests.collection.dumps import Row, write_table

SYSTEMS = ("extract", "first-answer", "passage", "generate")


def index_of_posts(folder: Path, posts: Iterable[Row]) -> Path:
    """Ingest and index the posts of a dump; the answer is the index."""
    write_table(folder / "dump", "Posts", posts)
    return _index_of(folder / "dump", folder)


def index_of_notes(folder: Path, notes: Mapping[str, str]) -> Path:
    """Ingest and index notes by their file names."""
    (folder / "notes").mkdir()
    for name, text in notes.items():
        (folder / "notes" / name).write_text(text, encoding="utf-8")
    return _index_of(folder / "notes", folder)


def _index_of(source: Path, folder: Path) -> Path:
    ingest(source, folder / "collection", IngestOptions(jobs=1))
    index = folder / "collection" / "index"
    with open_collection(folder / "collection") as collection:
        options = IndexOptions(jobs=1)
        build_index(collection, index, index_plan(SYSTEMS), options, lambda progress: None)
    return index
