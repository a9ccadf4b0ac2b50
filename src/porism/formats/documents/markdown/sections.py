"""Markdown files as documents, one per section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it.token import Token

from porism.formats.documents.anchors import FileAnchors
from porism.formats.documents.html_fragments import file_title
from porism.formats.documents.markdown.front_matter import front_matter
from porism.formats.documents.markdown.markup import markdown_line, markdown_tokens, tokens_html
from porism.formats.documents.markdown.obsidian import hashtags
from porism.formats.documents.source_text import file_text
from porism.formats.dumps.rows import FilePart, PostRow
from porism.model import PostKind


def read_markdown(path: Path, name: str) -> Iterator[PostRow]:
    """The sections of a file as documents, named ``name#heading``; none if the file is empty.

    The first one is named ``name`` and is there even if it has no text of its own, so that the file
    can be found by its title: that of the front matter, else a heading at its start, else its name.
    Other sections without text of their own are only in the headings of those below them.
    """
    matter, rest = front_matter(file_text(path))
    tokens = markdown_tokens(rest)
    title = markdown_line(matter.title)
    anchors = FileAnchors()
    trail: list[_Heading] = []
    for number, section in enumerate(_sections(tokens)):
        heading = section.heading
        if heading is not None:
            trail = [each for each in trail if each.level < heading.level] + [heading]
        is_first = number == 0
        # The title of the front matter is that of the file; a heading at its start stays in it.
        body = section.tokens if is_first and title else section.content
        markup = tokens_html(body)
        anchor = "" if is_first or heading is None else anchors.anchor(heading.text)
        if not markup.strip() and not (is_first and (section.is_followed or heading)):
            continue
        own_title = "" if heading is None else tokens_html(heading.tokens).strip()
        headings = [each.text for each in trail if each.text]
        if matter.title and headings[:1] != [matter.title]:
            headings.insert(0, matter.title)
        yield PostRow(
            0,
            PostKind.DOCUMENT,
            (title if is_first and title else own_title) or title or file_title(path),
            markup,
            tags=tuple(dict.fromkeys((*matter.tags, *hashtags(section.tokens)))),
            created=matter.created,
            name=f"{name}#{anchor}" if anchor else name,
            line=1 if is_first else section.line,
            part=FilePart(name, tuple(headings), anchor),
        )


class _Heading(NamedTuple):
    """A heading: its level, its text with formulas between dollars, and its tokens."""

    level: int
    text: str
    tokens: Sequence[Token]


class _Section(NamedTuple):
    """A heading, none before the first one, and the tokens up to the next heading.

    ``tokens`` include the heading, ``content`` does not. ``is_followed`` by others or not.
    """

    heading: _Heading | None
    tokens: Sequence[Token]
    content: Sequence[Token]
    line: int
    is_followed: bool


HEADING_TOKENS = 3
"""The tokens of a heading: its start, its text, its end."""


def _sections(tokens: Sequence[Token]) -> Iterator[_Section]:
    starts = [
        index
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    if starts[:1] != [0]:
        end = starts[0] if starts else len(tokens)
        yield _Section(None, tokens[:end], tokens[:end], 1, bool(starts))
    for start, end in pairwise((*starts, len(tokens))):
        inline = tokens[start + 1].children or []
        heading = _Heading(int(tokens[start].tag[1:]), _text(inline), inline)
        first_line, _ = tokens[start].map or (0, 0)
        yield _Section(
            heading,
            tokens[start:end],
            tokens[start + HEADING_TOKENS : end],
            first_line + 1,
            end < len(tokens),
        )


def _text(tokens: Sequence[Token]) -> str:
    """The text of a heading on one line, with formulas between dollars."""
    pieces = (
        f"${token.content}$"
        if token.type == "math_inline"
        else _text(token.children)
        if token.children
        else " "
        if token.type in ("softbreak", "hardbreak")
        else token.content
        if token.type in ("text", "text_special", "code_inline")
        else ""
        for token in tokens
    )
    return " ".join("".join(pieces).split())
