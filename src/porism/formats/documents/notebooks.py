"""Jupyter notebooks as documents: Markdown, code, and results that are text.

A result is text if it is LaTeX or Markdown; numbers and pictures are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from porism.errors import FormatError
from porism.formats.documents.html_fragments import HtmlFragment, code_block, fragment_documents
from porism.formats.documents.latex.sections import latex_html
from porism.formats.documents.markdown.markup import markdown_html, markdown_line, markdown_part
from porism.formats.documents.source_text import clean_text, file_text, iso_date
from porism.formats.dumps.rows import PostRow

_Json = dict[str, Any]  # a notebook may have any JSON


def read_notebook(path: Path, name: str) -> Iterator[PostRow]:
    """The notebook as one document, or none if it is empty.

    Its title is that of its metadata, else its first heading, else the file's name.
    """
    notebook = _notebook(path)
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    title = markdown_line(_text(metadata.get("title")))
    parts: list[HtmlFragment] = []
    for cell in _cells(notebook, path):
        parts.append(_first_cell(cell) if not parts and not title else _cell(cell))
    if parts:
        fragment = HtmlFragment(
            "".join(part.body for part in parts),
            title or next((part.title for part in parts if part.title), ""),
            parts[0].tags,
            iso_date(_text(metadata.get("date"))) or parts[0].created,
        )
        yield from fragment_documents(fragment, path, name)


def _notebook(path: Path) -> _Json:
    try:
        notebook = json.loads(file_text(path))
    except RecursionError:
        raise FormatError(str(path), 1, "not a notebook: its JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        why = f"not a notebook, which is JSON: {error.msg}; save it again from Jupyter"
        raise FormatError(str(path), error.lineno, why) from None
    except ValueError:
        why = "not a notebook: its JSON has a number with too many digits"
        raise FormatError(str(path), 1, why) from None
    if not isinstance(notebook, dict):
        raise FormatError(str(path), 1, "not a notebook: expected a JSON object with cells")
    return notebook


def _cells(notebook: _Json, path: Path) -> list[_Json]:
    """The cells; in the second and third format, up to 2014, they are in worksheets."""
    sheets = notebook.get("worksheets")
    holders = [notebook, *(sheets if isinstance(sheets, list) else ())]
    lists = [
        holder["cells"]
        for holder in holders
        if isinstance(holder, dict) and isinstance(holder.get("cells"), list)
    ]
    cells = [cell for of_holder in lists for cell in of_holder]
    if not lists and not isinstance(sheets, list):
        raise FormatError(str(path), 1, 'not a notebook: expected a list "cells" in its JSON')
    if not all(isinstance(cell, dict) for cell in cells):
        raise FormatError(str(path), 1, "not a notebook: expected each cell to be a JSON object")
    return cells


def _first_cell(cell: _Json) -> HtmlFragment:
    """The first cell, which may have front matter and the notebook's title as a heading."""
    if cell.get("cell_type") in _TEXTS:
        return markdown_html(_source(cell))
    return _cell(cell)


def _cell(cell: _Json) -> HtmlFragment:
    kind = cell.get("cell_type")
    if kind in _TEXTS:
        return markdown_part(_source(cell))
    if kind == "heading":  # of the third format
        title = markdown_line(_source(cell))
        return HtmlFragment(f"<h2>{title}</h2>\n" if title else "", title)
    if kind != "code":
        return HtmlFragment("")
    source = _source(cell)
    outputs = cell.get("outputs")
    results = map(_result, outputs) if isinstance(outputs, list) else ()
    return HtmlFragment((code_block(source) if source.strip() else "") + "".join(results))


_TEXTS = ("markdown", "text", "html")
"""Types of text cells; the last two are of the first formats. Markdown may contain HTML."""


def _source(cell: _Json) -> str:
    """The text of a cell, under any of the names that the formats have for it."""
    return next(filter(None, (_text(cell.get(name)) for name in _SOURCES)), "")


_SOURCES = ("source", "input", "text", "code")


def _result(output: object) -> str:
    """A result of code as HTML; empty unless it has a text form."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    forms = data if isinstance(data, dict) else output
    # The third format has short names.
    latex = _text(forms.get("text/latex")) or _text(forms.get("latex"))
    return (
        latex_html(latex).body if latex else markdown_part(_text(forms.get("text/markdown"))).body
    )


def _text(value: object) -> str:
    """A string or list of lines as text; empty for anything else."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return clean_text(value) if isinstance(value, str) else ""
