"""Locating tables, and reading them as streams."""

import gzip
from pathlib import Path

import pytest
from py7zr import FILTER_COPY, SevenZipFile

from porism.errors import FormatError, PorismError
from porism.formats.dumps.tables import DumpTable, find_tables, open_table, table_at, version_of

POSTS = b'<?xml version="1.0" ?>\n<posts>\n</posts>\n'


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(POSTS) if name.endswith(".gz") else POSTS)


def put_archive(path: Path, *entries: str) -> None:
    with SevenZipFile(path, "w", filters=[{"id": FILTER_COPY}]) as packed:
        for entry in entries:
            packed.writestr(POSTS, entry)


def tables_in(source: Path) -> dict[str, list[str]]:
    base = source if source.is_dir() else source.parent
    return {
        name: [str(table.path.relative_to(base)) + f"|{table.entry}" for table in tables]
        for name, tables in find_tables(source).items()
    }


@pytest.mark.parametrize(
    ("file_name", "table"),
    [
        ("Posts.xml", "Posts"),
        ("Posts.xml.gz", "Posts"),
        ("posts.xml", "Posts"),
        ("PostLinks.V1.3.xml", "PostLinks"),
        ("Comments.V1.3.xml.gz", "Comments"),
        ("Votes_V1_0.xml", "Votes"),
        ("stackoverflow.com-Votes.xml", "Votes"),
        ("Users.xml", "Users"),
        ("Tags.xml", "Tags"),
    ],
)
def test_tables_are_recognised_by_file_name(tmp_path: Path, file_name: str, table: str) -> None:
    put(tmp_path, file_name)
    assert tables_in(tmp_path) == {table: [f"{file_name}|"]}
    assert tables_in(tmp_path / file_name) == {table: [f"{file_name}|"]}


def test_other_files_are_not_tables(tmp_path: Path) -> None:
    put(tmp_path, "PostHistory.xml", "Posts.xml.partial", "Posts.txt", "MyPosts.xml", "1.tsv")
    assert find_tables(tmp_path) == {}
    assert find_tables(tmp_path / "1.tsv") == {}


@pytest.mark.parametrize(
    ("names", "newest"),
    [
        (["Posts.V1.2.xml", "Posts.V1.3.xml.gz"], "Posts.V1.3.xml.gz"),
        (["Posts.V1.9.xml", "Posts.V1.10.xml"], "Posts.V1.10.xml"),
        (["Posts.xml", "Posts.V1.0.xml"], "Posts.V1.0.xml"),
        (["Posts.V1.3.xml", "Posts.V1.3.xml.gz"], "Posts.V1.3.xml"),
    ],
)
def test_newest_version_is_used_and_plain_before_gzip(
    tmp_path: Path, names: list[str], newest: str
) -> None:
    put(tmp_path, *names)
    assert tables_in(tmp_path) == {"Posts": [f"{newest}|"]}


def test_archive_of_a_site_has_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "math.stackexchange.com.7z"
    put_archive(path, "Badges.xml", "Votes.xml", "in/Posts.xml")
    assert tables_in(path) == {
        "Votes": [f"{path.name}|Votes.xml"],
        "Posts": [f"{path.name}|in/Posts.xml"],
    }
    assert tables_in(tmp_path) == tables_in(path)
    (table,) = find_tables(path)["Posts"]
    assert table.size == path.stat().st_size
    assert str(table) == f"{path}/in/Posts.xml"
    with open_table(table) as stream:
        assert stream.read() == POSTS


def test_large_sites_have_an_archive_for_each_table(tmp_path: Path) -> None:
    put_archive(tmp_path / "stackoverflow.com-Posts.7z", "Posts.xml")
    put_archive(tmp_path / "stackoverflow.com-Tags.7z", "Tags.xml")
    assert tables_in(tmp_path) == {
        "Posts": ["stackoverflow.com-Posts.7z|Posts.xml"],
        "Tags": ["stackoverflow.com-Tags.7z|Tags.xml"],
    }


def test_unpacked_table_is_preferred_to_the_archive(tmp_path: Path) -> None:
    put_archive(tmp_path / "site.7z", "Posts.xml", "Tags.xml")
    put(tmp_path, "Posts.xml")
    assert tables_in(tmp_path) == {"Posts": ["Posts.xml|"], "Tags": ["site.7z|Tags.xml"]}


def test_two_sites_give_two_tables(tmp_path: Path) -> None:
    put_archive(tmp_path / "a.7z", "Posts.xml")
    put_archive(tmp_path / "b.7z", "Posts.xml")
    assert tables_in(tmp_path) == {"Posts": ["a.7z|Posts.xml", "b.7z|Posts.xml"]}


def test_subfolders_of_a_folder_without_tables_are_searched(tmp_path: Path) -> None:
    put(tmp_path, "Collection/Posts.V1.3.xml", "deep/er/Posts.xml")
    assert tables_in(tmp_path) == {"Posts": ["Collection/Posts.V1.3.xml|"]}
    put(tmp_path, "Tags.xml")
    assert tables_in(tmp_path) == {"Tags": ["Tags.xml|"]}


@pytest.mark.parametrize("name", ["sample.xml", "sample.xml.gz"])
def test_file_with_another_name_is_recognised_by_its_root_element(
    tmp_path: Path, name: str
) -> None:
    put(tmp_path, name)
    assert tables_in(tmp_path / name) == {"Posts": [f"{name}|"]}
    assert find_tables(tmp_path) == {}


def test_root_element_may_follow_comments(tmp_path: Path) -> None:
    path = tmp_path / "sample.xml"
    path.write_bytes(b"\xef\xbb\xbf<?xml version='1.0'?><!-- <posts> -->\n<votes>\n</votes>")
    assert list(find_tables(path)) == ["Votes"]
    path.write_bytes(b"<html>")
    assert find_tables(path) == {}


def test_truncated_gzip_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "sample.xml.gz"
    path.write_bytes(gzip.compress(POSTS)[:-8])
    with pytest.raises(FormatError, match="truncated") as caught:
        find_tables(path)
    assert caught.value.line == 1


def test_damaged_archive_is_reported(tmp_path: Path) -> None:
    (tmp_path / "site.7z").write_bytes(b"7z but not really")
    with pytest.raises(FormatError, match="not a complete"):
        find_tables(tmp_path)


def test_missing_source_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="does not exist"):
        find_tables(tmp_path / "none")


def test_consumed_counts_bytes_of_the_file(tmp_path: Path) -> None:
    put(tmp_path, "Posts.xml.gz")
    consumed: list[int] = []
    table = table_at(tmp_path / "Posts.xml.gz", "Posts")
    with open_table(table, consumed.append) as stream:
        assert stream.read() == POSTS
    assert consumed[-1] == table.size


def test_version_is_read_from_the_name() -> None:
    assert version_of(Path("Posts.V1.3.xml.gz")) == (1, 3)
    assert version_of(Path("Posts.xml")) == ()
    assert version_of(Path("other.txt")) == ()


def test_mini_collection_has_three_tables(shared: Path) -> None:
    folder = shared / "data" / "arqmath-mini"
    assert find_tables(folder) == {
        name: (DumpTable(name, path, "", path.stat().st_size),)
        for name in ("Comments", "PostLinks", "Posts")
        for path in [folder / f"{name}.V1.3.xml.gz"]
    }
