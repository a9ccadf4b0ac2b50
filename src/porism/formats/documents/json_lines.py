"""Documents in JSON Lines: one object per line, streamed.

A line has ``id`` (or ``name``), ``title``, and its text under one of the keys of ``TEXT_FORMS``;
``tags`` (or ``keywords``, or ``msc``), ``created`` (or ``date``) and ``macros`` are optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from porism.errors import FormatError
from porism.formats.documents.html_fragments import HtmlFragment
from porism.formats.documents.html_pages import fragment_html, page_html
from porism.formats.documents.latex.prose import without_paragraphs
from porism.formats.documents.latex.sections import latex_html
from porism.formats.documents.markdown.markup import markdown_line, markdown_part
from porism.formats.documents.plain_text import plain_text_html
from porism.formats.documents.source_text import clean_text, comma_separated, iso_date
from porism.formats.dumps.rows import FilePart, PostRow
from porism.formats.markup.html_syntax import escaped
from porism.formats.text_lines import read_lines
from porism.model import PostKind


class TextForm(NamedTuple):
    """How a text and its title become HTML."""

    body: Callable[[str], HtmlFragment]
    title: Callable[[str], str]


def _body(text: str) -> HtmlFragment:
    """Text of unspecified form: HTML if it has such tags, otherwise LaTeX."""
    return page_html(text) if _HTML.search(text) else latex_html(text)


_HTML = re.compile(
    r"</?(?:p|div|span|br|em|strong|h[1-6]|ul|ol|li|a|table|pre|code)\b[^<>]*>", re.I
)


def _latex_title(text: str) -> str:
    return without_paragraphs(latex_html(text).body)


TEXT_FORMS: dict[str, TextForm] = {
    "text": TextForm(plain_text_html, escaped),
    "html": TextForm(page_html, lambda text: without_paragraphs(fragment_html(text))),
    "markdown": TextForm(markdown_part, markdown_line),
    "latex": TextForm(latex_html, _latex_title),
    "tex": TextForm(latex_html, _latex_title),
    "body": TextForm(_body, _latex_title),
}
"""The keys under which a line may have its text; the first that is not empty is used."""


def read_json_lines(path: Path, name: str) -> Iterator[PostRow]:
    """The lines as documents named ``name#id``; the body of an empty text is None.

    The file may be gzip-compressed. An invalid line raises a FormatError.
    """
    for number, line in read_lines(path):
        record = _record(line, path, number)
        title = _string(record, "title", path, number)
        form, text = _form(record, path, number)
        fragment = form.body(text)
        identity = _identity(record, path, number)
        macros = filter(None, (_string(record, "macros", path, number), fragment.macros))
        yield PostRow(
            0,
            PostKind.DOCUMENT,
            form.title(title) if title.strip() else fragment.title,
            fragment.body or None,
            tags=_tags(record, path, number) or fragment.tags,
            created=_created(record) or fragment.created,
            name=f"{name}#{identity}",
            macros="\n".join(macros),
            line=number,
            part=FilePart(name, anchor=identity),
        )


_Json = dict[str, Any]  # whatever JSON the line holds


def _record(line: str, path: Path, number: int) -> _Json:
    try:
        record = json.loads(line)
    except RecursionError:
        raise FormatError(str(path), number, "not a document: nested too deeply") from None
    except ValueError as error:
        raise FormatError(str(path), number, f"not a line of JSON: {error}") from None
    if not isinstance(record, dict):
        raise FormatError(str(path), number, f"expected a JSON object, as in {_EXAMPLE}")
    return record


_EXAMPLE = '{"id": "groups-1", "title": "Groups", "markdown": "Let $G$ be a group."}'


def _identity(record: _Json, path: Path, number: int) -> str:
    for key in ("id", "name"):
        value = record.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return clean_text(str(value)).strip()
    raise FormatError(
        str(path), number, f'expected a string or a whole number under "id" or "name": {_EXAMPLE}'
    )


def _form(record: _Json, path: Path, number: int) -> tuple[TextForm, str]:
    present = [key for key in TEXT_FORMS if record.get(key) is not None]
    for key in (*filter(record.get, present), *present):
        return TEXT_FORMS[key], _string(record, key, path, number)
    keys = ", ".join(f'"{key}"' for key in TEXT_FORMS)
    raise FormatError(str(path), number, f"found no text; expected it under one of {keys}")


def _string(record: _Json, key: str, path: Path, number: int) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FormatError(str(path), number, f'expected a string under "{key}"')
    return clean_text(value)


def _tags(record: _Json, path: Path, number: int) -> tuple[str, ...]:
    for key in ("tags", "keywords", "msc"):
        value = record.get(key)
        if isinstance(value, str):
            return comma_separated(clean_text(value))
        if isinstance(value, list) and all(isinstance(tag, str) for tag in value):
            tags = (clean_text(tag).strip() for tag in value)
            return tuple(dict.fromkeys(tag for tag in tags if tag))
        if value is not None:
            raise FormatError(str(path), number, f'expected a list of strings under "{key}"')
    return ()


def _created(record: _Json) -> str | None:
    for key in ("created", "date"):
        if isinstance(record.get(key), str) and (date := iso_date(record[key])):
            return date
    return None
