"""Small dumps for tests, and all rows of a collection, to compare two of them."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from xml.sax.saxutils import quoteattr

from porism.collection.schema import DATABASE

Row = Mapping[str, str | int]


def write_table(folder: Path, name: str, rows: Iterable[Row]) -> Path:
    """Write a table of a dump with one row a line, from line 3 on."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "  <row " + " ".join(f"{key}={quoteattr(str(value))}" for key, value in row.items()) + " />"
        for row in rows
    ]
    root = name.lower()
    text = '<?xml version="1.0" encoding="utf-8"?>\n' + "\n".join(
        (f"<{root}>", *lines, f"</{root}>")
    )
    path = folder / f"{name}.xml"
    path.write_text(text + "\n", encoding="utf-8")
    return path


def question(post_id: int, body: str = "<p>Why?</p>", **more: str | int) -> Row:
    return {"Id": post_id, "PostTypeId": 1, "Title": f"Question {post_id}", "Body": body, **more}


def answer(post_id: int, parent_id: int, body: str = "<p>So.</p>", **more: str | int) -> Row:
    return {"Id": post_id, "PostTypeId": 2, "ParentId": parent_id, "Body": body, **more}


def comment(comment_id: int, post_id: int, text: str = "Nice.", **more: str | int) -> Row:
    return {"Id": comment_id, "PostId": post_id, "Text": text, **more}


def all_rows(collection: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of a finished collection."""
    with closing(sqlite3.connect(collection / DATABASE)) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith("sqlite_")
        ]
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr)
            for table in tables
        }
