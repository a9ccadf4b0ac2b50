"""Stack Exchange tables as rows."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.dumps.rows import (
    CommentRow,
    LinkRow,
    PostRow,
    TagRow,
    UserRow,
    VoteRow,
)
from porism.formats.dumps.stack_exchange import (
    read_comments,
    read_links,
    read_posts,
    read_tags,
    read_users,
    read_votes,
    tag_names,
)
from porism.formats.dumps.tables import DumpTable, find_tables
from porism.model import PostKind


def table(folder: Path, root: str, *rows: str) -> Path:
    path = folder / f"{root}.xml"
    lines = [f"<{root}>", *(f"  <row {row} />" for row in rows), f"</{root}>"]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


QUESTION = (
    'Id="5" PostTypeId="1" AcceptedAnswerId="7" CreationDate="2010-07-20T19:18:01.250" Score="-3" '
    'ViewCount="12722" Body="&lt;p&gt;$x &amp;lt; 1$&lt;/p&gt;&#xA;" OwnerUserId="-1" '
    'LastActivityDate="2023-01-01T00:00:00.000" Title="Why is $x$?" '
    'Tags="&lt;limits&gt;&lt;c++&gt;" AnswerCount="14" CommentCount="0" ContentLicense="CC"'
)


def test_question_has_all_attributes_of_its_row(tmp_path: Path) -> None:
    assert list(read_posts(table(tmp_path, "posts", QUESTION))) == [
        PostRow(
            id=5,
            kind=PostKind.QUESTION,
            title="Why is $x$?",
            body="<p>$x &lt; 1$</p>\n",
            tags=("limits", "c++"),
            created="2010-07-20T19:18:01.250",
            score=-3,
            views=12722,
            owner_id=-1,
            accepted_id=7,
            answer_count=14,
            comment_count=0,
            line=2,
        )
    ]


def test_missing_attributes_of_an_answer_are_none(tmp_path: Path) -> None:
    path = table(
        tmp_path, "posts", 'Id="9" PostTypeId="2" Score=""', 'Id="8" PostTypeId="2" Body=""'
    )
    assert list(read_posts(path)) == [
        PostRow(9, PostKind.ANSWER, line=2),
        PostRow(8, PostKind.ANSWER, body="", line=3),
    ]


def test_posts_of_other_types_are_skipped(tmp_path: Path) -> None:
    path = table(tmp_path, "posts", 'Id="1" PostTypeId="5"', 'Id="2" PostTypeId="2" ParentId="7"')
    assert list(read_posts(path)) == [PostRow(2, PostKind.ANSWER, parent_id=7, line=3)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ()),
        ("<limits>", ("limits",)),
        ("<limits><real-analysis>", ("limits", "real-analysis")),
        ("|limits|real-analysis|", ("limits", "real-analysis")),
        ("|limits|", ("limits",)),
        ("||", ()),
        ("limits", ("limits",)),
    ],
)
def test_tags_are_read_in_both_notations(text: str, names: tuple[str, ...]) -> None:
    assert tag_names(text) == names


def test_comments(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "comments",
        'Id="1" PostId="3" Score="2" Text="see $x$" CreationDate="2010-07-20" UserId="4"',
        'Id="2" PostId="3"',
    )
    assert list(read_comments(path)) == [
        CommentRow(1, 3, "see $x$", "2010-07-20", 2, 4, 2),
        CommentRow(2, 3, "", line=3),
    ]


def test_links_under_both_names_of_their_kind(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "postlinks",
        'Id="1" CreationDate="2010" PostId="3" RelatedPostId="4" LinkTypeId="3"',
        'PostId="5" RelatedPostId="6" PostLinkTypeId="1"',
    )
    assert list(read_links(path)) == [LinkRow(3, 4, 3, 1, "2010", 2), LinkRow(5, 6, 1, line=3)]


def test_tags_users_and_votes(tmp_path: Path) -> None:
    tags = table(tmp_path, "tags", 'Id="1" TagName="limits" Count="9"', 'TagName="b"')
    assert list(read_tags(tags)) == [TagRow("limits", 9, 1, 2), TagRow("b", line=3)]
    users = table(tmp_path, "users", 'Id="-1" Reputation="1" CreationDate="2010" DisplayName="é"')
    assert list(read_users(users)) == [UserRow(-1, "é", 1, "2010", 2)]
    votes = table(tmp_path, "votes", 'Id="1" PostId="2" VoteTypeId="3" CreationDate="2010"')
    assert list(read_votes(votes)) == [VoteRow(1, 2, 3, "2010", 2)]


Reader = Callable[[DumpTable | Path], Iterator[object]]


@pytest.mark.parametrize(
    ("reader", "root", "row", "why"),
    [
        (read_posts, "posts", 'PostTypeId="1"', "without Id (PostTypeId)"),
        (read_posts, "posts", 'Id="1"', "without PostTypeId (Id)"),
        (read_posts, "posts", 'Id="x7" PostTypeId="1"', "found Id='x7': expected a whole number"),
        (read_posts, "posts", 'Id="1_0" PostTypeId="1"', "found Id='1_0'"),
        (read_posts, "posts", 'Id="٣" PostTypeId="1"', "found Id='٣'"),
        (read_posts, "posts", 'Id="²" PostTypeId="1"', "found Id='²'"),
        (read_posts, "posts", f'Id="{"9" * 19}" PostTypeId="1"', "expected a whole number"),
        (read_posts, "posts", f'Id="{"9" * 5000}" PostTypeId="1"', "99...'"),
        (read_posts, "posts", 'Id="1" PostTypeId="2" Score="1.5"', "found Score='1.5'"),
        (read_posts, "posts", 'Id="1" PostTypeId="one"', "found PostTypeId='one'"),
        (read_comments, "comments", 'Id="1" Text="x"', "without PostId (Id, Text)"),
        (read_comments, "comments", 'PostId="1"', "without Id"),
        (read_links, "postlinks", 'PostId="1" LinkTypeId="1"', "without RelatedPostId"),
        (read_links, "postlinks", 'PostId="1" RelatedPostId="1"', "without PostLinkTypeId"),
        (read_tags, "tags", 'Id="1" TagName=""', "without TagName"),
        (read_users, "users", "", "without Id (no attributes)"),
        (read_votes, "votes", 'Id="1" VoteTypeId="1"', "without PostId"),
    ],
)
def test_invalid_row_is_reported_with_its_line(
    tmp_path: Path, reader: Reader, root: str, row: str, why: str
) -> None:
    path = table(tmp_path, root, row)
    with pytest.raises(FormatError) as caught:
        list(reader(path))
    assert why in caught.value.why
    assert (caught.value.path, caught.value.line) == (str(path), 2)


def test_consumed_counts_the_bytes_read(tmp_path: Path) -> None:
    path = table(tmp_path, "posts", QUESTION)
    consumed: list[int] = []
    assert len(list(read_posts(path, consumed.append))) == 1
    assert consumed[-1] == path.stat().st_size


def test_reading_streams(tmp_path: Path) -> None:
    path = table(tmp_path, "posts", *[QUESTION] * 20_000)
    consumed: list[int] = []
    posts = read_posts(path, consumed.append)
    assert len(list(islice(posts, 100))) == 100
    assert 0 < consumed[-1] < path.stat().st_size // 4


def test_mini_collection_posts(shared: Path) -> None:
    posts = list(read_posts(find_tables(shared / "data" / "arqmath-mini")["Posts"][0]))
    kinds = [post.kind for post in posts]
    assert (kinds.count(PostKind.QUESTION), kinds.count(PostKind.ANSWER)) == (2_769, 3_395)
    first, tenth, last = posts[0], posts[9], posts[-1]
    assert (first.id, first.kind, first.title, first.line) == (
        154,
        PostKind.QUESTION,
        "Do complex numbers really exist?",
        3,
    )
    assert first.tags[0] == "soft-question"
    assert first.body is not None
    assert first.body.startswith("<p>Complex numbers involve the square root of negative one")
    assert (tenth.kind, tenth.line, tenth.parent_id) == (PostKind.QUESTION, 12, None)
    assert (last.id, last.kind, last.parent_id, last.line) == (
        3_055_993,
        PostKind.ANSWER,
        3_055_952,
        6_166,
    )
    assert last.body is not None
    assert '<span class="math-container" id="28299327">\\dfrac{1}{1-x^{k}}</span>' in last.body
    assert {post.parent_id for post in posts} - {None} <= {post.id for post in posts}


def test_mini_collection_comments_and_links(shared: Path) -> None:
    tables = find_tables(shared / "data" / "arqmath-mini")
    comments = list(read_comments(tables["Comments"][0]))
    assert len(comments) == 16_712
    assert comments[0] == CommentRow(
        441,
        320,
        "For 2., it is vital that the inverse is unique. Otherwise, this is a very nice summary",
        line=3,
    )
    assert comments[9].line == 12
    assert comments[-1] == CommentRow(
        6_300_427, 3_055_952, "Yes, It looked clear enough for me. I will edit it,", line=16_714
    )
    links = list(read_links(tables["PostLinks"][0]))
    assert len(links) == 7_027
    assert links[0] == LinkRow(154, 19_108, 1, line=3)
    assert links[9] == LinkRow(154, 138_325, 1, line=12)
    assert links[-1] == LinkRow(3_053_109, 1_649_179, 1, line=7_029)


def test_sample_of_the_official_files_has_every_attribute(shared: Path) -> None:
    posts = list(read_posts(shared / "data" / "arqmath-mini" / "official_sample_7_rows.xml"))
    assert [post.id for post in posts] == [1, 3, 4, 5, 6, 7, 8]
    assert posts[0]._replace(body=None) == PostRow(
        1,
        PostKind.QUESTION,
        "What Does it Really Mean to Have Different Kinds of Infinities?",
        None,
        tags=("elementary-set-theory", "intuition", "infinity", "faq"),
        created="2010-07-20T19:09:27.200",
        score=155,
        views=8695,
        owner_id=10,
        accepted_id=9,
        answer_count=9,
        comment_count=0,
        line=3,
    )
    assert posts[5]._replace(body=None) == PostRow(
        7,
        PostKind.ANSWER,
        parent_id=5,
        created="2010-07-20T19:21:52.240",
        score=80,
        owner_id=45,
        comment_count=10,
        line=8,
    )
