"""A small site of two questions and two answers, as a Stack Exchange dump."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from porism.collection.ingest.pipeline import IngestOptions, ingest

Row = Mapping[str, str | int]

QUESTION = (
    '<p>I know that <span class="math-container" id="11">x^2 \\ge 0</span>.</p>\n'
    "<p>$$\\int_0^1 x\\,dx$$</p>\n"
    '<p>See <a href="https://example.org/a?b=1&amp;c=2">this</a> and '
    '<img src="https://example.org/p.png" alt="a plot">.</p>'
)
ANSWER = '<p>Since $a &lt; b$ we have <span class="math-container" id="12">\\frac{1}{2}</span>.</p>'

POSTS: list[Row] = [
    {
        "Id": 1,
        "PostTypeId": 1,
        "CreationDate": "2011-03-04T05:06:07.000",
        "Score": 7,
        "ViewCount": 1234,
        "OwnerUserId": 5,
        "Title": "Is $x^2$ positive?",
        "Body": QUESTION,
        "AnswerCount": 2,
        "AcceptedAnswerId": 3,
        "Tags": "<algebra><real-numbers>",
    },
    {
        "Id": 2,
        "PostTypeId": 2,
        "CreationDate": "2011-03-05T00:00:00.000",
        "Score": 9,
        "ParentId": 1,
        "Body": ANSWER,
    },
    {
        "Id": 3,
        "PostTypeId": 2,
        "CreationDate": "2012-01-01T00:00:00.000",
        "Score": -1,
        "ParentId": 1,
        "Body": "<p>Yes, by <code>squaring</code>.</p>",
    },
    {
        "Id": 4,
        "PostTypeId": 1,
        "CreationDate": "2012-02-01T00:00:00.000",
        "Title": "What is $x^2$?",
        "Body": "<p>A square, $x^2$?</p>",
        "Tags": "<algebra>",
    },
]
COMMENTS: list[Row] = [
    {
        "Id": 21,
        "PostId": 2,
        "Text": "Why is $a<b$?",
        "Score": 2,
        "CreationDate": "2011-03-06T00:00:00.000",
        "UserId": 6,
    }
]
LINKS: list[Row] = [
    {"Id": 31, "PostId": 1, "RelatedPostId": 4, "LinkTypeId": 3},
    {"Id": 32, "PostId": 1, "RelatedPostId": 99, "LinkTypeId": 1},
]
USERS: list[Row] = [{"Id": 5, "Reputation": 10, "DisplayName": "Emmy <b>N</b>"}]
TAGS: list[Row] = [{"Id": 1, "TagName": "algebra", "Count": 2}]
VOTES: list[Row] = [
    {"Id": 1, "PostId": 1, "VoteTypeId": 2},
    {"Id": 2, "PostId": 1, "VoteTypeId": 2},
]


def write_table(path: Path, root: str, rows: Sequence[Row]) -> None:
    """Write rows as a table of a dump, with every value escaped."""
    lines = [
        "  <row " + " ".join(f'{name}="{_value(value)}"' for name, value in row.items()) + " />"
        for row in rows
    ]
    text = "\n".join(('<?xml version="1.0" encoding="utf-8"?>', f"<{root}>", *lines, f"</{root}>"))
    path.write_text(text, encoding="utf-8")


def _value(value: str | int) -> str:
    return escape(str(value)).replace("\n", "&#xA;")


def write_site(folder: Path, posts: Sequence[Row] | None = None) -> Path:
    """Write the site's files into a new folder and return it."""
    folder.mkdir()
    write_table(folder / "Posts.xml", "posts", POSTS if posts is None else posts)
    write_table(folder / "Comments.xml", "comments", COMMENTS)
    write_table(folder / "PostLinks.xml", "postlinks", LINKS)
    write_table(folder / "Users.xml", "users", USERS)
    write_table(folder / "Tags.xml", "tags", TAGS)
    write_table(folder / "Votes.xml", "votes", VOTES)
    return folder


def ingested_site(folder: Path) -> Path:
    """Ingest the site into a collection in ``folder`` and return its path."""
    ingest(write_site(folder / "site"), folder / "collection", IngestOptions(jobs=1))
    return folder / "collection"
