"""Files of links between questions."""

from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.link_pairs import read_link_pairs, write_links
from porism.model import DocId, Link, LinkKind

LINKS = [
    Link(DocId("1"), DocId("4"), LinkKind.DUPLICATE),
    Link(DocId("7"), DocId("1"), LinkKind.RELATED),
]


def test_written_links_are_read_as_pairs(tmp_path: Path) -> None:
    path = tmp_path / "links.tsv"
    write_links(path, LINKS)
    assert path.read_text() == "question\tlinked\tkind\n1\t4\tduplicate\n7\t1\trelated\n"
    assert list(read_link_pairs(path)) == [("1", "4"), ("7", "1")]


def test_two_columns_of_ids_need_no_header(tmp_path: Path) -> None:
    path = tmp_path / "links.tsv"
    path.write_text("1\t4\n7\t1\n")
    assert list(read_link_pairs(path)) == [("1", "4"), ("7", "1")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("from\tto\n1\t4\n", "expected one named question"),
        ("1\t4\t3\n", "expected one named question"),
        ("question\tlinked\n1\tfour\n", "expected the ids of two questions"),
        ("question\tlinked\n1\n", "found 1 cells"),
        ('<row PostId="1" RelatedPostId="4" />\n', "expected one named question"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "links.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        list(read_link_pairs(path))
