"""Questions by REST and on a page without script: one short answer, whole or as it is written."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from porism import catalog, deadlines
from porism.answer.answerer import AnswerTools
from porism.answer.records import answer_record, source_record
from porism.answer.short_answer import SILENT, AnswerKind, AnswerListener, AnswerSource, ShortAnswer
from porism.deadlines import Cancelled
from porism.generation.generator import GenerationError, TextGenerator
from porism.model import Topic
from porism.query.typed_topics import typed_answer_topic
from porism.searchindex.index_folder import SearchIndex
from porism.web.answers.answer_html import AnswerRenderer, SourceView
from porism.web.answers.generations import (
    AnswerEvent,
    AnswerEventName,
    Generations,
    SendEvent,
)
from porism.web.answers.schemas import AskQuery, AskResponse
from porism.web.api_errors import ERROR_RESPONSES
from porism.web.current_index import index_of_request
from porism.web.page_templates import render, rendered
from porism.web.search.result_html import Passages, typed_html
from porism.web.search.search_request import SearchRequest, parse_search_request
from porism.web.server.event_stream import COMMENT, EVENT_STREAM, HEADERS, server_event
from porism.web.server.guard import in_side_thread
from porism.web.server.problems import RequestRefused, problem_of

log = logging.getLogger(__name__)

ASK = "/api/ask"
ASK_PAGE = "/ask"
GENERATE = "generate"
"""The system behind the button of the search page."""

_EVENT_SCHEMA = {
    "type": "object",
    "properties": {
        "event": {"enum": ["sources", "text", "answer", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}
"""Each event of a stream, as OpenAPI describes them."""

_STREAM_EXAMPLE = server_event("text", "The sum") + server_event("text", " is ")

router = APIRouter(tags=["search"], responses=ERROR_RESPONSES)
page_router = APIRouter(include_in_schema=False)


def generator_of(request: Request) -> TextGenerator | None:
    """The language model of the server, if it has one."""
    generator: TextGenerator | None = request.app.state.generator
    return generator


def is_generated(request: Request) -> bool:
    """Whether a language model will write the response; the guard lets such requests stream."""
    path = request.url.path
    if path not in (ASK, ASK_PAGE) or generator_of(request) is None:
        return False
    name = GENERATE if path == ASK_PAGE else request.query_params.get("system", "")
    return name in catalog.SYSTEMS and catalog.SYSTEMS[name].needs_generator


@dataclass(frozen=True, slots=True)
class _Question:
    """A question that is answered in one thread, and where it came from."""

    request: Request
    system: str
    search: SearchRequest

    def record(self, send: SendEvent | None = None) -> dict[str, object]:
        """The answer as the value of ``AskResponse``; ``send`` gets what is there before it."""
        search_index = index_of_request(self.request)
        typed = typed_answer_topic(self.search.text)
        renderer = AnswerRenderer(Passages(search_index.collection), self.search)
        listener = SILENT if send is None else _SentEvents(renderer, send)
        answer = self._answer(search_index, typed.topic, listener)
        view = renderer.view(answer)
        return {
            "question": self.search.text,
            **answer_record(answer),
            "sources": [source_value(each) for each in view.sources],
            "html": rendered(_template(answer), view=view),
            "problems": [asdict(problem) for problem in typed.problems],
        }

    def events(self, send: SendEvent) -> None:
        """Send what is there before the answer, and the answer."""
        send(AnswerEvent(AnswerEventName.ANSWER, self.record(send)))

    def _answer(
        self, search_index: SearchIndex, topic: Topic, listener: AnswerListener
    ) -> ShortAnswer:
        tools = AnswerTools(generator_of(self.request))
        answerer = catalog.answerer(self.system, search_index, tools)
        within = self.search.post_filter.index_filter()
        try:
            return answerer.answer(topic, within, listener)
        except GenerationError as error:
            settings = self.request.app.state.settings.language_model
            # Clients need not know where the model is, nor what it says of the server's account.
            log.warning(
                "the language model failed: %s", _without_key(str(error), settings.key_variable)
            )
            message = "the language model failed; the log of the server says why"
            raise RequestRefused(502, message) from None


def _without_key(message: str, key_variable: str) -> str:
    """A message without the key, which a service may repeat in its errors."""
    key = os.environ.get(key_variable, "").strip()
    return message.replace(key, "***") if key else message


@dataclass(frozen=True, slots=True)
class _SentEvents:
    """Sends an answer while it is made."""

    renderer: AnswerRenderer
    send: SendEvent

    def sources(self, sources: tuple[AnswerSource, ...]) -> None:
        """Send the sources."""
        views = [source_value(self.renderer.source(each)) for each in sources]
        self.send(AnswerEvent(AnswerEventName.SOURCES, views))

    def text(self, piece: str) -> None:
        """Send a piece of text, unless nobody waits for it any more."""
        deadlines.check()
        if piece:
            self.send(AnswerEvent(AnswerEventName.TEXT, piece))


def source_value(view: SourceView) -> dict[str, object]:
    """A source for JSON, with its HTML."""
    return {**source_record(view.source), "html": rendered("_source.html", source=view)}


def _template(answer: ShortAnswer) -> str:
    if not answer.text:
        return "_no_answer.html"
    return "_extract.html" if answer.kind is AnswerKind.EXTRACT else "_generated.html"


@router.get(
    ASK,
    response_model=AskResponse,
    responses={
        200: {
            "description": "the answer; as a stream, the events `sources` (a list of sources), "
            "`text` (a piece of unchecked text), and finally `answer` (this object) or `error` (a "
            "problem), each with JSON as its data",
            "content": {EVENT_STREAM: {"schema": _EVENT_SCHEMA, "example": _STREAM_EXAMPLE}},
        }
    },
)
async def ask(request: Request, query: Annotated[AskQuery, Query()]) -> Response:
    """One short answer to a question in words and formulas, with its sources."""
    search = SearchRequest(query.q, filters=query.filters)
    _ = search.post_filter  # refuses filters that contradict each other
    name = query.system or catalog.DEFAULT_ANSWERER
    _refuse_without_model(request, name)
    question = _Question(request, name, search)
    is_stream = query.stream or EVENT_STREAM in request.headers.get("accept", "")
    if is_generated(request):
        events = _generated(request, question)
    else:
        # In the worker that the guard has given to this request, as a search.
        record = await run_in_threadpool(question.record)
        events = _only(record)
    if is_stream:
        return StreamingResponse(
            _stream(request.url.path, events), media_type=EVENT_STREAM, headers=HEADERS
        )
    return JSONResponse(await _record(events))


def _refuse_without_model(request: Request, name: str) -> None:
    if catalog.system(name).needs_generator and generator_of(request) is None:
        raise RequestRefused(
            400,
            f"{name} needs a language model, and this server has none; porism serve --endpoint URL "
            "--model NAME or --model FILE.gguf gives it one",
        )


def _generated(request: Request, question: _Question) -> AsyncIterator[AnswerEvent]:
    # A model costs time and perhaps money, so another site must not even link to it.
    if _is_from_elsewhere(request):
        raise RequestRefused(403, "the request was sent by a page of another site")
    generations: Generations = request.app.state.generations
    return generations.start(question.events)


def _is_from_elsewhere(request: Request) -> bool:
    origins = request.app.state.settings.origins
    headers = request.headers
    return headers.get("sec-fetch-site") == "cross-site" and headers.get("origin") not in origins


async def _only(record: dict[str, object]) -> AsyncIterator[AnswerEvent]:
    yield AnswerEvent(AnswerEventName.SOURCES, record["sources"])
    yield AnswerEvent(AnswerEventName.ANSWER, record)


async def _record(events: AsyncIterator[AnswerEvent]) -> object:
    """The answer at the end of the events."""
    value: object = None
    async for event in events:
        if event.name is AnswerEventName.ANSWER:
            value = event.value
    return value


async def _stream(path: str, events: AsyncIterator[AnswerEvent]) -> AsyncIterator[str]:
    """Server-sent events, the last of which is an answer or an error."""
    try:
        async for event in events:
            if event.name is AnswerEventName.KEEP_ALIVE:
                yield COMMENT
            else:
                yield server_event(event.name, event.value)
    except Cancelled:
        return  # nobody reads this
    except Exception as error:  # the status has been sent already
        yield server_event(AnswerEventName.ERROR, problem_of(path, error))


@page_router.get(ASK_PAGE)
async def ask_page(request: Request) -> Response:
    """The finished answer as a page, for browsers without script."""
    parsed = parse_search_request(request.query_params)
    search = parsed.search
    if parsed.errors:
        raise RequestRefused(400, " ".join(parsed.errors))
    if search.is_empty or _is_from_elsewhere(request):
        return RedirectResponse(search.address, 303)  # searching costs nothing
    _refuse_without_model(request, GENERATE)
    record = await _record(_generated(request, _Question(request, GENERATE, search)))
    return await in_side_thread(_page, request, search, record)


def _page(request: Request, search: SearchRequest, record: object) -> HTMLResponse:
    assert isinstance(record, dict)
    question = typed_html(typed_answer_topic(search.text).topic.title)
    return render(request, "ask.html", search=search, question=question, html=record["html"])
