"""Help, what is searched, and the description of the REST interface that can be tried out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from porism import catalog
from porism.model import PostKind, Task
from porism.pages.plurals import count_of
from porism.query.help_table import EXAMPLES, Example
from porism.query.parts import PartKind
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.manifest import MANIFEST
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.search.result_html import typed_formula_html
from porism.web.search.search_request import LONGEST_TEXT, SearchRequest

router = APIRouter(include_in_schema=False)

Json = dict[str, Any]
"""A part of an OpenAPI description, whose values are of all kinds."""


@dataclass(frozen=True, slots=True)
class HelpRow:
    """An example of what can be typed, how it is read, and a search for it."""

    example: Example
    formula: Markup
    address: str


@cache
def _help_rows() -> tuple[HelpRow, ...]:
    return tuple(
        HelpRow(
            each,
            typed_formula_html(each.value) if each.kind is PartKind.FORMULA else Markup(),
            SearchRequest(each.typed).address,
        )
        for each in EXAMPLES
    )


@router.get("/help")
def help_page(request: Request) -> HTMLResponse:
    """What can be typed, wildcards, and keys."""
    rows = _help_rows()
    return render(
        request,
        "help.html",
        formulas=[row for row in rows if row.example.kind is PartKind.FORMULA],
        operators=[row for row in rows if row.example.kind is not PartKind.FORMULA],
        longest=LONGEST_TEXT,
    )


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What a collection has: counts by kind, and the dates of its first and last posts."""

    counts: tuple[str, ...]
    first: str
    last: str


_known_facts: dict[str, CollectionFacts] = {}
"""By the fingerprint of an index, because all posts are counted."""


def collection_facts(search_index: SearchIndex) -> CollectionFacts:
    """What the collection of an index has."""
    fingerprint = search_index.fingerprint
    if fingerprint not in _known_facts:
        _known_facts.clear()
        _known_facts[fingerprint] = _counted(search_index)
    return _known_facts[fingerprint]


_NOUNS = {
    PostKind.QUESTION: "question",
    PostKind.ANSWER: "answer",
    PostKind.DOCUMENT: "note",
}


def _counted(search_index: SearchIndex) -> CollectionFacts:
    collection = search_index.collection
    kinds = collection.kinds()
    counts = [count_of(kinds[kind].posts, noun) for kind, noun in _NOUNS.items() if kind in kinds]
    counts.append(count_of(collection.count_formulas(), "distinct formula"))
    dates = [date for each in kinds.values() for date in (each.first, each.last) if date]
    return CollectionFacts(tuple(counts), min(dates, default="")[:10], max(dates, default="")[:10])


@router.get("/about")
def about_page(request: Request) -> HTMLResponse:
    """What is searched, how fresh it is, and by which systems."""
    search_index = index_of_request(request)
    changed = (search_index.folder / MANIFEST).stat().st_mtime
    systems = {
        task: catalog.default_system_name(task, search_index)
        for task in (Task.ANSWERS, Task.FORMULAS)
    }
    return render(
        request,
        "about.html",
        facts=collection_facts(search_index),
        site=search_index.collection.meta("site") or "",
        indexed=datetime.fromtimestamp(changed, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        bytes=sum(each.stat().st_size for each in search_index.folder.rglob("*") if each.is_file()),
        answers_system=systems[Task.ANSWERS],
        formulas_system=systems[Task.FORMULAS],
        notes=[
            note
            for task, name in systems.items()
            for note in catalog.ranking_notes(name, task, search_index)
        ],
        fingerprint=search_index.fingerprint,
    )


# The REST interface ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a request, and a value to try."""

    name: str
    place: str
    is_required: bool
    is_flag: bool
    description: str
    example: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A request of the REST interface, as it can be tried out."""

    method: str
    path: str
    summary: str
    parameters: tuple[Parameter, ...]
    body: str


@router.get("/docs")
def docs_page(request: Request) -> HTMLResponse:
    """The requests of the REST interface, each with a form that sends it."""
    return render(request, "docs.html", operations=operations(request.app))


def operations(app: FastAPI) -> list[Operation]:
    """The operations of an application, from its OpenAPI description."""
    description: Json = app.openapi()
    return [
        _operation(description, path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def _operation(description: Json, path: str, method: str, operation: Json) -> Operation:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    examples = _resolved(description, body.get("schema", {})).get("examples", [])
    return Operation(
        method.upper(),
        path,
        operation.get("description", "").partition("\n")[0].replace("`", ""),
        tuple(_parameter(each) for each in operation.get("parameters", ())),
        _json_text(examples[0]) if examples else "",
    )


def _resolved(description: Json, schema: Json) -> Json:
    name = schema.get("$ref", "").rpartition("/")[2]
    resolved: Json = description["components"]["schemas"][name] if name else schema
    return resolved


def _parameter(parameter: Json) -> Parameter:
    schema: Json = parameter["schema"]
    examples = schema.get("examples") or parameter.get("examples") or [""]
    example = examples[0] if isinstance(examples, list) else ""
    is_needed = bool(parameter.get("required"))
    return Parameter(
        parameter["name"],
        parameter["in"],
        is_needed,
        schema.get("type") == "boolean",
        schema.get("description") or parameter.get("description", ""),
        str(example[0] if isinstance(example, list) and example else example),
    )


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
