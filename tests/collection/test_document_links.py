"""Links between documents."""

from collections.abc import Iterator

import pytest

from porism.collection.document_links import linked_document
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import Collection, open_collection
from porism.model import Location

FILES = {
    "Groups.md": "# Groups\n\nText.\n\n## Index of $H$\n\nA claim. ^claim",
    "deep/er/Rings.md": "# Rings",
    "deep/Rings.md": "# Rings too",
    "deep/note.md": "# Note\n\n[[Groups]]",
    "paper.tex": r"\section{One}\label{one}Text.",
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("links")
    for name, text in FILES.items():
        path = folder / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    ingest(folder / "notes", folder / "collection", IngestOptions(jobs=1))
    with open_collection(folder / "collection") as opened:
        yield opened


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("notes/paper.tex#1-one", "notes/paper.tex#1-one"),
        ("Groups", "notes/Groups.md"),
        ("groups", "notes/Groups.md"),
        ("Groups.md", "notes/Groups.md"),
        ("../Groups.md", "notes/Groups.md"),
        ("Groups#Index of $H$", "notes/Groups.md#index-of-h"),
        ("Groups#index-of-h", "notes/Groups.md#index-of-h"),
        ("Groups#Groups#Index of $H$", "notes/Groups.md#index-of-h"),
        ("Groups#^claim", "notes/Groups.md#index-of-h"),
        ("Groups#^none", "notes/Groups.md"),
        ("Groups#No such heading", "notes/Groups.md"),
        ("Rings", "notes/deep/Rings.md"),
        ("er/Rings", "notes/deep/er/Rings.md"),
        ("#Note", "notes/deep/note.md"),
        ("paper.tex", "notes/paper.tex#1-one"),
        ("paper", None),
        ("oups", None),
        ("../../../etc/passwd", None),
        ("", "notes/deep/note.md"),
    ],
)
def test_links_lead_to_documents(target: str, expected: str | None, collection: Collection) -> None:
    origin = collection.post("notes/deep/note.md").location
    assert linked_document(collection, target, origin) == expected


def test_a_link_without_an_origin_is_by_name(collection: Collection) -> None:
    assert linked_document(collection, "Groups") == "notes/Groups.md"
    assert linked_document(collection, "#Groups") is None


def test_percent_and_underscore_in_a_target_match_only_themselves(collection: Collection) -> None:
    origin = Location("notes/deep/note.md")
    assert linked_document(collection, "%", origin) is None
    assert linked_document(collection, "Group_", origin) is None
