"""Which folders are opened as an index, and which are refused."""

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.inverted import IndexFormatError
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.files import check_index
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import (
    MANIFEST,
    MANIFEST_VERSION,
    OLD_MANIFEST,
    index_path,
    is_search_index,
)

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manifest")
    (folder / "notes").mkdir()
    (folder / "notes" / "sums.md").write_text("# Sums\n\nThe sum $\\sum_n n^2$ is large.\n")
    ingest(folder / "notes", folder / "collection", IngestOptions(jobs=1))
    return folder / "collection"


def indexed(collection: Path, folder: Path) -> Path:
    with open_collection(collection) as opened:
        build_index(opened, folder, index_plan(["l8"]), IndexOptions(), lambda progress: None)
    return folder


def old_index(folder: Path) -> Path:
    """An index of two notes that Porism made before components."""
    with ZipFile(GOLDEN / "index-version-2.zip") as archive:
        archive.extractall(folder)
    return folder


def test_an_index_of_version_2_is_refused(tmp_path: Path) -> None:
    index = old_index(tmp_path / "index")
    assert is_search_index(index)
    expected = (
        f"{index}: an index of version 2, and this Porism reads version {MANIFEST_VERSION}; "
        "make it again with porism index"
    )
    with pytest.raises(IndexFormatError) as refused:
        open_index(index)
    assert str(refused.value) == expected
    assert check_index(index, lambda progress: None).damages == (expected,)


def test_an_index_of_version_2_is_replaced_by_a_build(collection: Path, tmp_path: Path) -> None:
    index = indexed(collection, old_index(tmp_path / "index"))
    assert {path.name for path in index.iterdir()} == {MANIFEST, "generation-2", ".index.lock"}
    assert open_index(index).answers.documents == 1


def test_an_old_manifest_beside_a_new_one_is_ignored(collection: Path, tmp_path: Path) -> None:
    index = indexed(collection, tmp_path / "index")
    (index / OLD_MANIFEST).write_text('{"version": 2}')
    assert open_index(index).answers.documents == 1


def test_a_collection_with_an_index_is_opened_as_its_index(
    collection: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(collection, tmp_path / "collection")
    with pytest.raises(PorismError, match="a collection, not an index; make one with porism index"):
        open_index(copy)
    index = indexed(copy, copy / "index")
    with open_index(copy) as opened:
        assert opened.folder == index
        assert opened.answers.documents == 1
        assert opened.collection_path.samefile(copy)
        report = update_index(opened.collection, copy, IndexOptions(), lambda progress: None)
    assert report.written == 0
    assert check_index(copy, lambda progress: None).damages == ()


def test_an_old_or_unfinished_index_of_a_collection_is_named(
    collection: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(collection, tmp_path / "collection")
    old_index(copy / "index")
    with pytest.raises(IndexFormatError, match="collection/index: an index of version 2"):
        open_index(copy)
    (copy / "index" / OLD_MANIFEST).unlink()
    with pytest.raises(PorismError, match="collection/index: an unfinished index"):
        open_index(copy)
    shutil.rmtree(copy / "index")
    assert index_path(copy) == copy
