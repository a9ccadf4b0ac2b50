"""Sections of Markdown files as documents."""

from pathlib import Path

import pytest

from porism.formats.documents.markdown.sections import read_markdown
from porism.formats.dumps.rows import PostRow

ALGEBRA = """\
# Groups

A group has a unit.

## Subgroups of $G$

### Index

The index is $[G:H]$.

## Examples

Cyclic groups.

## Examples

Symmetric groups.
"""


def rows(folder: Path, text: str) -> list[PostRow]:
    path = folder / "algebra.md"
    path.write_text(text, encoding="utf-8")
    return list(read_markdown(path, "notes/algebra.md"))


def places(documents: list[PostRow]) -> list[tuple[str, int]]:
    return [(row.name, row.line) for row in documents]


def headings(documents: list[PostRow]) -> list[tuple[str, ...]]:
    return [row.part.headings for row in documents if row.part]


def test_each_section_with_text_is_a_document(tmp_path: Path) -> None:
    documents = rows(tmp_path, ALGEBRA)
    assert places(documents) == [
        ("notes/algebra.md", 1),
        ("notes/algebra.md#index", 7),
        ("notes/algebra.md#examples", 11),
        ("notes/algebra.md#examples-1", 15),
    ]
    assert headings(documents) == [
        ("Groups",),
        ("Groups", "Subgroups of $G$", "Index"),
        ("Groups", "Examples"),
        ("Groups", "Examples"),
    ]
    assert documents[0].body == "<p>A group has a unit.</p>\n"
    assert [row.title for row in documents] == ["Groups", "Index", "Examples", "Examples"]


def test_a_title_without_text_is_a_document_but_not_other_empty_sections(tmp_path: Path) -> None:
    documents = rows(tmp_path, "# Sums\n\n## One\n\n## Two\n\ntext")
    assert [(row.title, row.body) for row in documents] == [("Sums", ""), ("Two", "<p>text</p>\n")]


def test_text_before_the_first_heading_has_the_title_of_the_file(tmp_path: Path) -> None:
    first, second = rows(tmp_path, "Preface.\n\n## Later\n\ntext")
    assert (first.title, first.name, first.body) == (
        "algebra",
        "notes/algebra.md",
        "<p>Preface.</p>\n",
    )
    assert (second.name, second.line) == ("notes/algebra.md#later", 3)


def test_front_matter_holds_for_all_sections_and_counts_as_lines(tmp_path: Path) -> None:
    text = "---\ntitle: Algebra\ntags: [groups]\n---\nText.\n\n# Rings\n\nMore."
    documents = rows(tmp_path, text)
    assert places(documents) == [("notes/algebra.md", 1), ("notes/algebra.md#rings", 7)]
    assert headings(documents) == [("Algebra",), ("Algebra", "Rings")]
    assert [(row.title, row.tags) for row in documents] == [
        ("Algebra", ("groups",)),
        ("Rings", ("groups",)),
    ]


@pytest.mark.parametrize("text", ["> # Quoted\n\ntext", "- # Item\n\ntext", "```\n# Code\n```"])
def test_headings_within_other_blocks_begin_no_section(text: str, tmp_path: Path) -> None:
    assert places(rows(tmp_path, text)) == [("notes/algebra.md", 1)]


def test_a_document_of_the_front_matter_alone_is_found_by_its_heading(tmp_path: Path) -> None:
    (document,) = rows(tmp_path, "# Only a heading")
    assert (document.title, document.body) == ("Only a heading", "")
