"""``porism check``."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.analysis import Unit
from porism.cli.main import porism
from porism.collection.checksums import CHECKSUMS
from porism.searchindex.components.inverted_index import unit_index
from porism.searchindex.manifest import MANIFEST, generation_folder, read_manifest
from tests.collection.small_site import ingested_site


def check(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(porism, ["check", str(folder), *options])


def flip(path: Path, place: int) -> None:
    """Change one bit of a file, which other folders may have a link to."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.unlink()
    path.write_bytes(content)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with its index."""
    collection = ingested_site(tmp_path_factory.mktemp("site"))
    made = ["index", str(collection), "--systems", "porism", "--jobs", "1"]
    assert CliRunner().invoke(porism, made).exit_code == 0
    return collection


@pytest.fixture
def index(site: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(site / "index", tmp_path / "index"))


def test_an_index_without_damage_passes(index: Path) -> None:
    result = check(index)
    assert result.exit_code == 0
    assert result.stdout.endswith("bytes: no damage found\n")


def test_every_array_of_every_file_is_checked(index: Path) -> None:
    contents = read_manifest(index)
    generation = generation_folder(index, contents.generation)
    for folder, file in contents.files():
        path = generation / folder / file.name
        for array in file.arrays:
            if array.size:
                whole = path.read_bytes()
                flip(path, array.offset + array.size // 2)
                result = check(index)
                path.write_bytes(whole)
                assert result.exit_code == 1
                assert f"{file.name} is damaged (the checksum of {array.name}" in result.stdout
                assert "make the index again with porism index" in result.stdout
    assert check(index).exit_code == 0


def test_every_byte_of_the_manifest_is_checked(index: Path) -> None:
    size = (index / MANIFEST).stat().st_size
    for place in [*range(40), *range(40, size, size // 40), size - 1]:
        whole = (index / MANIFEST).read_bytes()
        flip(index / MANIFEST, place)
        assert check(index).exit_code == 1, place
        (index / MANIFEST).write_bytes(whole)


def test_zeros_between_arrays_are_checked(index: Path) -> None:
    contents = read_manifest(index)
    segment = unit_index(contents.components, Unit.ANSWERS).meta.segments[0].file
    array = next(each for each in segment.arrays if (each.offset + each.size) % 64)
    flip(index / "generation-1" / "answers" / segment.name, array.offset + array.size)
    assert f"the checksum of {array.name} does not match" in check(index).stdout


def test_a_file_that_is_missing_or_cut_off_is_reported(index: Path) -> None:
    generation = generation_folder(index, 1)
    (keywords,) = generation.glob("keywords-*")
    keywords.unlink()
    part = generation / "forward-paths" / "000001.part"
    part.write_bytes(part.read_bytes()[:-1])
    record = json.loads(check(index, "--json").stdout)
    assert record["kind"] == "index"
    assert [message.partition(" is damaged ")[2][:7] for message in record["damages"]] == [
        "(it has",
        "(it is ",
    ]


def test_a_collection_is_compared_with_its_checksum(site: Path, tmp_path: Path) -> None:
    collection = tmp_path / "collection"
    shutil.copytree(site, collection, ignore=shutil.ignore_patterns("index"))
    assert check(collection).stdout.endswith("bytes: no damage found\n")
    database = collection / "collection.sqlite"
    flip(database, database.stat().st_size - 1)  # in a page that SQLite may not read
    result = check(collection)
    assert result.exit_code == 1
    assert "its checksum does not match" in result.stdout
    (collection / CHECKSUMS).write_text("{")
    assert f"{CHECKSUMS} is damaged" in check(collection).stdout


def test_a_collection_without_checksum_is_reported_as_such(site: Path, tmp_path: Path) -> None:
    collection = tmp_path / "collection"
    shutil.copytree(site, collection, ignore=shutil.ignore_patterns("index", CHECKSUMS))
    result = check(collection)
    assert result.exit_code == 0
    assert "no damage found (no checksum recorded;" in result.stdout
    (collection / "collection.sqlite").write_bytes(b"no database")
    assert check(collection).exit_code == 1


def test_another_folder_is_refused(tmp_path: Path) -> None:
    result = check(tmp_path)
    assert result.exit_code == 1
    assert "neither an index nor a collection" in result.stderr
