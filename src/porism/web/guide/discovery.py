"""What browsers and programs read: OpenSearch, suggestions, ``llms.txt`` and ``robots.txt``."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response

from porism import catalog
from porism.model import Task, plain_text
from porism.query.typed_topics import typed_answer_topic
from porism.rank.results import search
from porism.web.api_errors import ERROR_RESPONSES
from porism.web.current_index import index_of_request
from porism.web.guide.pages import collection_facts
from porism.web.page_templates import rendered
from porism.web.search.search_request import LONGEST_CARRIED_TEXT

router = APIRouter(include_in_schema=False)
suggestions_router = APIRouter(prefix="/api", tags=["search"], responses=ERROR_RESPONSES)


class SuggestionsResponse(JSONResponse):
    """Suggestions as OpenSearch has them."""

    media_type = "application/x-suggestions+json"


MOST_SUGGESTIONS = 8
READ = 40
"""Posts whose threads are suggested."""


_EXAMPLE = ["harm", ["Why does the harmonic series diverge?"], [""], ["https://a.example/?q=…"]]


@suggestions_router.get(
    "/suggest",
    response_model=list[str | list[str]],
    response_class=SuggestionsResponse,
    responses={200: {"content": {SuggestionsResponse.media_type: {"example": _EXAMPLE}}}},
)
def suggest(
    request: Request,
    q: Annotated[
        str,
        Query(
            max_length=LONGEST_CARRIED_TEXT,
            description="the beginning of a query",
            examples=["harmonic"],
        ),
    ] = "",
) -> SuggestionsResponse:
    """Titles that match what has been typed, as OpenSearch suggestions."""
    titles = _titles(request, q) if q.strip() else []
    addresses = [f"{_base(request)}?{urlencode({'q': title})}" for title in titles]
    return SuggestionsResponse([q, titles, ["" for _ in titles], addresses])


def _titles(request: Request, text: str) -> list[str]:
    search_index = index_of_request(request)
    collection = search_index.collection
    _, ranker = catalog.typed_search(Task.ANSWERS, search_index)
    found = search(search_index, ranker, typed_answer_topic(text), READ)
    parents = collection.parents(hit.doc_id for hit in found.ranking)
    threads = dict.fromkeys(parents.get(hit.doc_id, hit.doc_id) for hit in found.ranking)
    titles = (plain_text(collection.heading(thread).title) for thread in threads)
    return list(dict.fromkeys(filter(None, titles)))[:MOST_SUGGESTIONS]


def _base(request: Request) -> str:
    """The address of the search page, as the client wrote it."""
    return str(request.base_url)


@router.get("/opensearch.xml")
def opensearch(request: Request) -> Response:
    """The description by which a browser offers this search in its address bar."""
    text = rendered("opensearch.xml", base=_base(request))
    return Response(text, media_type="application/opensearchdescription+xml")


@router.get("/llms.txt")
def llms(request: Request) -> Response:
    """What this is and how programs use it, for language models."""
    facts = collection_facts(index_of_request(request))
    text = rendered("llms.txt", base=_base(request), facts=facts)
    return Response(text, media_type="text/plain; charset=utf-8")


ROBOTS = """User-agent: *
Disallow: /api/
Disallow: /ask
Disallow: /preview
Disallow: /*fragment=
Disallow: /*explain=
"""


@router.get("/robots.txt")
def robots() -> Response:
    """Crawlers read pages, but not what costs computing time."""
    return Response(ROBOTS, media_type="text/plain; charset=utf-8")
