"""Rows written as Stack Exchange tables."""

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import PorismError
from porism.formats.dumps.rows import CommentRow, LinkRow, PostRow, TagRow, UserRow
from porism.formats.dumps.stack_exchange import (
    read_comments,
    read_links,
    read_posts,
    read_tags,
    read_users,
)
from porism.formats.dumps.stack_exchange_writer import (
    POST_ATTRIBUTES,
    attribute_order,
    write_comments,
    write_links,
    write_posts,
    write_tags,
    write_users,
)
from porism.formats.dumps.tables import find_tables, table_at
from porism.model import PostKind

QUESTION = PostRow(
    5, PostKind.QUESTION, 'a "b"', "<p>x &lt; y</p>\r\n\tz", tags=("c++", "limits"), score=0
)


def test_posts_are_written_in_the_format_of_the_lab(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    write_posts(path, [QUESTION, PostRow(6, PostKind.ANSWER, body="", parent_id=5)])
    assert path.read_text(encoding="utf-8") == (
        '<?xml version="1.0" ?>\n'
        "<posts>\n"
        '   <row Id="5" PostTypeId="1" Score="0" Title="a &quot;b&quot;" '
        'Body="&lt;p&gt;x &amp;lt; y&lt;/p&gt;&#13;&#10;&#9;z" '
        'Tags="&lt;c++&gt;&lt;limits&gt;"/>\n'
        '   <row Id="6" PostTypeId="2" Body="" ParentId="5"/>\n'
        "</posts>\n"
    )


def test_given_order_drops_no_attributes(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    write_posts(path, [PostRow(6, PostKind.ANSWER, body="b", parent_id=5)], ("ParentId", "Body"))
    assert '<row ParentId="5" Body="b" Id="6" PostTypeId="2"/>' in path.read_text(encoding="utf-8")


def test_unknown_attribute_in_an_order_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="without Sccore: expected an order of Id, "):
        write_posts(tmp_path / "Posts.xml", [], ("Id", "Sccore"))


def test_document_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match=r"'notes/a\.md' is a document"):
        write_posts(tmp_path / "Posts.xml", [PostRow(0, PostKind.DOCUMENT, name="notes/a.md")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tag", ["", "a<b", "a>b"])
def test_unreadable_tag_is_rejected(tmp_path: Path, tag: str) -> None:
    with pytest.raises(PorismError, match="post 1 has a tag that cannot be written"):
        write_posts(tmp_path / "Posts.xml", [PostRow(1, PostKind.QUESTION, tags=("x", tag))])


@pytest.mark.parametrize("char", ["\0", "\x0b", "\x0c", "\x1f", "\ud800", "\uffff"])
def test_character_that_xml_cannot_hold_is_rejected(tmp_path: Path, char: str) -> None:
    path = tmp_path / "Comments.xml"
    path.write_bytes(b"old")
    with pytest.raises(PorismError, match=rf"Text of 7 has the character U\+{ord(char):04X}"):
        write_comments(path, [CommentRow(7, 1, f"a{char}b")])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_gzip_by_suffix(tmp_path: Path) -> None:
    write_tags(tmp_path / "Tags.xml", [TagRow("a", 1, 2)])
    write_tags(tmp_path / "Tags.xml.gz", [TagRow("a", 1, 2)])
    packed = (tmp_path / "Tags.xml.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "Tags.xml").read_bytes()
    assert packed[4:8] == bytes(4)  # no time


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufffe\uffff")).map(
    lambda text: "".join(char for char in text if char >= " " or char in "\t\n\r")
)
NUMBER = st.integers(-(10**18) + 1, 10**18 - 1)
MAYBE_NUMBER = st.none() | NUMBER
MAYBE_TEXT = st.none() | TEXT
TAG = TEXT.filter(lambda tag: tag and not set(tag) & {"<", ">"})
POST = st.builds(
    PostRow,
    NUMBER,
    st.sampled_from([PostKind.QUESTION, PostKind.ANSWER]),
    title=MAYBE_TEXT,
    body=MAYBE_TEXT,
    parent_id=MAYBE_NUMBER,
    tags=st.lists(TAG, max_size=4).map(tuple),
    created=MAYBE_TEXT,
    score=MAYBE_NUMBER,
    views=MAYBE_NUMBER,
    owner_id=MAYBE_NUMBER,
    accepted_id=MAYBE_NUMBER,
    answer_count=MAYBE_NUMBER,
    comment_count=MAYBE_NUMBER,
    name=st.just(""),
    macros=st.just(""),
    line=st.just(0),
    part=st.none(),  # only documents have one
)
COMMENT = st.builds(
    CommentRow, NUMBER, NUMBER, TEXT, MAYBE_TEXT, MAYBE_NUMBER, MAYBE_NUMBER, st.just(0)
)
LINK = st.builds(LinkRow, NUMBER, NUMBER, NUMBER, MAYBE_NUMBER, MAYBE_TEXT, st.just(0))
TAG_ROW = st.builds(TagRow, TEXT.filter(bool), MAYBE_NUMBER, MAYBE_NUMBER, st.just(0))
USER = st.builds(UserRow, NUMBER, MAYBE_TEXT, MAYBE_NUMBER, MAYBE_TEXT, st.just(0))


@given(st.lists(POST, max_size=5), st.permutations(POST_ATTRIBUTES))
def test_posts_read_back_as_written_in_any_order(posts: list[PostRow], order: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "Posts.xml")
        write_posts(path, posts, order)
        read = list(read_posts(path))
        assert [post._replace(line=0) for post in read] == posts
        assert [post.line for post in read] == list(range(3, len(posts) + 3))


@given(
    st.lists(COMMENT, max_size=3),
    st.lists(LINK, max_size=3),
    st.lists(TAG_ROW, max_size=3),
    st.lists(USER, max_size=3),
)
def test_other_tables_read_back_as_written(
    comments: list[CommentRow], links: list[LinkRow], tags: list[TagRow], users: list[UserRow]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.xml")
        write_comments(path, comments)
        assert [row._replace(line=0) for row in read_comments(path)] == comments
        write_links(path, links)
        assert [row._replace(line=0) for row in read_links(path)] == links
        write_tags(path, tags)
        assert [row._replace(line=0) for row in read_tags(path)] == tags
        write_users(path, users)
        assert [row._replace(line=0) for row in read_users(path)] == users


def order_of(folder: Path, root: str, name: str, *rows: str) -> tuple[str, ...]:
    path = folder / "table.xml"
    body = "".join(f"<row {row}/>\n" for row in rows)
    path.write_text(f"<{root}>\n{body}</{root}>", encoding="utf-8")
    return attribute_order(table_at(path, name))


def test_order_merges_those_of_different_rows(tmp_path: Path) -> None:
    assert order_of(
        tmp_path,
        "posts",
        "Posts",
        'Id="" PostTypeId="" LastEditDate="" Title="" Body="" Tags=""',
        'Id="" PostTypeId="" ParentId="" Body=""',
    ) == ("Id", "PostTypeId", "Title", "ParentId", "Body", "Tags")


def test_order_of_no_rows_and_of_tables_that_are_not_written_is_empty(tmp_path: Path) -> None:
    assert order_of(tmp_path, "posts", "Posts") == ()
    assert order_of(tmp_path, "votes", "Votes", 'Id=""') == ()


def test_rows_that_disagree_have_no_order(tmp_path: Path) -> None:
    assert order_of(tmp_path, "tags", "Tags", 'Id="" TagName=""', 'TagName="" Id=""') == ()


def test_sample_of_the_official_files_has_the_default_order(shared: Path) -> None:
    path = shared / "data" / "arqmath-mini" / "official_sample_7_rows.xml"
    assert attribute_order(table_at(path, "Posts")) == POST_ATTRIBUTES


def test_rows_of_the_official_sample_are_written_back_unchanged(
    shared: Path, tmp_path: Path
) -> None:
    sample = shared / "data" / "arqmath-mini" / "official_sample_7_rows.xml"
    write_posts(tmp_path / "Posts.xml", read_posts(sample))
    written = (tmp_path / "Posts.xml").read_bytes().splitlines()
    assert written[:-1] == sample.read_bytes().splitlines()[:-1]  # its last line is indented


def test_mini_collection_is_written_back_byte_for_byte(shared: Path, tmp_path: Path) -> None:
    tables = find_tables(shared / "data" / "arqmath-mini")
    (posts,), (comments,), (links,) = tables["Posts"], tables["Comments"], tables["PostLinks"]
    path = tmp_path / "table.xml"
    write_posts(path, read_posts(posts), attribute_order(posts))
    assert path.read_bytes() == gzip.decompress(posts.path.read_bytes())
    write_comments(path, read_comments(comments), attribute_order(comments))
    assert path.read_bytes() == gzip.decompress(comments.path.read_bytes())
    write_links(path, read_links(links), attribute_order(links))
    assert path.read_bytes() == gzip.decompress(links.path.read_bytes())
