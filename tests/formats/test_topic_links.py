"""Files of posts that belong to topics."""

from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.topic_links import read_topic_links, write_topic_links
from porism.model import DocId, TopicId

POSTS = {TopicId("L.12"): (DocId("4"), DocId("3")), TopicId("L.2"): (DocId("4"),)}


def test_written_posts_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "posts.tsv"
    write_topic_links(path, "post", POSTS.items())
    assert path.read_text() == "topic\tpost\nL.12\t4\nL.12\t3\nL.2\t4\n"
    assert read_topic_links(path) == POSTS


def test_two_columns_that_begin_with_a_topic_need_no_header(tmp_path: Path) -> None:
    path = tmp_path / "posts.tsv"
    path.write_text("L.12\t4\nL.12\t3\nL.2\t4\n")
    assert read_topic_links(path) == POSTS


@pytest.mark.parametrize("text", ["", "one\ttwo\nA.1\t2\n", "A.1\t2\t3\n", "topic\tdocument\n"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "posts.tsv"
    path.write_text(text)
    with pytest.raises(FormatError):
        read_topic_links(path)
