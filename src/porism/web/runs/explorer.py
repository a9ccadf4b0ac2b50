"""The run explorer: what runs are worth, what they found for a topic, and a run of one's own.

Needs ``app.state.explored``, an ``RunFolder`` or None, beside ``app.state.served``. A run is named
in addresses by ``run``: those of the folder by their names, those that were tried by a secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from porism.collection.store import Collection, is_collection
from porism.errors import PorismError
from porism.model import TopicId
from porism.pages.topic_hits import topic_body_html, topic_title_html
from porism.searchindex.index_folder import SearchIndex
from porism.web.current_index import index_of_request
from porism.web.page_templates import render
from porism.web.runs.documents import DocumentViews
from porism.web.runs.run_folder import (
    MAX_TRIAL_RUNS,
    Leaderboard,
    ReadingProgress,
    RunFolder,
    ScoringBusy,
    UnscorableRun,
)
from porism.web.runs.scores import ExplorerRun
from porism.web.runs.tables import GRADE_WORDS, ORDERS, heat_table, score_table
from porism.web.runs.topic_view import (
    K_CHOICES,
    MAX_SHOWN_RUNS,
    ranking_differences,
    ranking_view,
    topic_view_options,
)
from porism.web.runs.upload import RunTooLarge, read_body, too_large_message, uploaded_run
from porism.web.search.search_request import similar_address

router = APIRouter(prefix="/runs", include_in_schema=False)

TRY = "/runs/try"
"""Where runs are sent to, which are larger than all else that is."""

START = "porism serve INDEX --runs DIR --qrels FILE"


@dataclass(frozen=True, slots=True)
class _Desk:
    """All that a page of the explorer is made of."""

    request: Request
    explored: RunFolder
    bench: Leaderboard
    collection: Collection | None
    tried: tuple[ExplorerRun, ...]  # those that the address names, before all others

    @property
    def runs(self) -> tuple[ExplorerRun, ...]:
        return self.tried + self.bench.runs

    def run(self, key: str) -> ExplorerRun | None:
        return next((run for run in self.runs if run.key == key), None)


@router.get("")
def runs_page(request: Request) -> Response:
    """The runs with their scores, and how each does on each topic."""
    desk = _desk(request)
    if isinstance(desk, Response):
        return desk
    judgments = desk.bench.judgments
    measure = request.query_params.get("measure", judgments.measures[0])
    order = request.query_params.get("order", "number")
    if measure not in judgments.measures or order not in ORDERS:
        return _refused(request, "There is no such measure, or no such order.", 400)
    return render(
        request,
        "runs.html",
        bench=desk.bench,
        scores=score_table(judgments, desk.runs, {run.key for run in desk.tried}),
        heat=heat_table(judgments, desk.runs, measure, order),
        measure=measure,
        order=order,
        orders=ORDERS,
        keys=[run.key for run in desk.tried],
        picked=[("run", run.key) for run in desk.runs[:2]],
        topic_address=_topic_address,
        topic_title=lambda topic: _title(desk.bench, topic),
        folder=desk.explored.folder.name,
        qrels=desk.explored.qrels.name,
    )


@router.get("/topics")
def pick_topic(request: Request) -> Response:
    """From a form, in which the topic is a field, to the topic's own address."""
    desk = _desk(request)
    if isinstance(desk, Response):
        return desk
    topic = request.query_params.get("topic") or desk.bench.judgments.topics[0]
    others = [
        (name, value)
        for name, value in request.query_params.multi_items()
        if name != "topic" and value
    ]
    return RedirectResponse(_topic_address(topic, others), status_code=303)


@router.get("/topics/{topic_id:path}")
def topic_page(request: Request, topic_id: str) -> Response:
    """What runs found for a topic, side by side."""
    desk = _desk(request)
    if isinstance(desk, Response):
        return desk
    judgments = desk.bench.judgments
    topics = judgments.topics
    topic = TopicId(topic_id)
    if topic not in judgments.grades:
        return _refused(request, f"There are no judgments for a topic {topic_id[:80]}.", 404)
    try:
        asked = topic_view_options(request.query_params)
    except PorismError as error:
        return _refused(request, str(error), 400)
    keys = asked.runs or tuple(run.key for run in desk.runs[:2])
    chosen = [desk.run(key) for key in keys[:MAX_SHOWN_RUNS]]
    runs = [run for run in chosen if run is not None]
    if len(runs) < len(chosen):
        missing = next(key for key, run in zip(keys, chosen, strict=False) if run is None)
        return _refused(request, f"There is no run {missing[:80]}. {_GONE}", 404)
    documents = DocumentViews(desk.collection, judgments.task)
    grades = judgments.grades[topic]
    found = {run.key: run.hits(topic) for run in runs}
    place = topics.index(topic)
    kept = asked.parameters(tuple(run.key for run in runs))
    return render(
        request,
        "run_topic.html",
        bench=desk.bench,
        topic=topic,
        text=_text(desk.bench, topic),
        columns=[ranking_view(run, found, grades, asked) for run in runs],
        differences=ranking_differences(runs, found, grades, asked.k),
        scores=score_table(judgments, runs, {run.key for run in desk.tried}, topic),
        documents=documents,
        words=GRADE_WORDS,
        asked=asked,
        left_out=len(keys) - len(chosen),
        all_runs=desk.runs,
        shown_keys=[run.key for run in runs],
        most_runs=MAX_SHOWN_RUNS,
        k_choices=K_CHOICES,
        previous=_topic_address(topics[place - 1], kept) if place else "",
        next=_topic_address(topics[place + 1], kept) if place + 1 < len(topics) else "",
        back="/runs" + _query([("run", run.key) for run in desk.tried]),
    )


@router.post("/try")
def try_run(request: Request, body: Annotated[bytes | None, Depends(read_body)]) -> Response:
    """Take a run that was pasted or sent as a file, and go to its page."""
    desk = _desk(request)
    if isinstance(desk, Response):
        return desk
    if request.headers.get("sec-fetch-site") == "cross-site":
        return _refused(request, "A run is sent from this page, not from another site.", 403)
    if body is None:
        return _refused(request, f"The run is too large: {too_large_message()}.", 413)
    try:
        sent = uploaded_run(request.headers.get("content-type", ""), body)
        tried = desk.explored.try_run(sent, desk.bench, desk.collection)
    except RunTooLarge as error:
        return _refused(request, f"The run is too large: {error}.", 413)
    except ScoringBusy as error:
        return _refused(request, str(error), 503)
    except UnscorableRun as error:
        return render(
            request, "run_unfit.html", 422, why=str(error), run=sent.name, findings=error.findings
        )
    except PorismError as error:
        return _refused(request, f"No run was sent: {error}.", 400)
    return RedirectResponse(f"/runs/try/{tried.run.key}", status_code=303)


@router.get("/try/{key}")
def tried_page(request: Request, key: str) -> Response:
    """The scores of a run that was tried, among the others, and what is wrong with its file."""
    desk = _desk(request, key)
    if isinstance(desk, Response):
        return desk
    tried = desk.explored.tried(key)
    if tried is None:
        return _refused(request, f"There is no such run. {_GONE}", 404)
    return render(
        request,
        "run_scores.html",
        bench=desk.bench,
        run=tried.run,
        findings=tried.findings,
        scores=score_table(desk.bench.judgments, desk.runs, {key}),
        most_tried=MAX_TRIAL_RUNS,
        topic_address=_topic_address,
        compared=[("run", key), *(("run", run.key) for run in desk.bench.runs[:1])],
    )


_GONE = (
    f"Runs that were tried are kept until {MAX_TRIAL_RUNS} others have come, or the server stops: "
    "if yours is gone, send it again."
)


def _desk(request: Request, *tried: str) -> _Desk | Response:
    """What a page is made of; or a page that says why there is nothing yet."""
    explored: RunFolder | None = request.app.state.explored
    if explored is None:
        return render(request, "run_start.html", start=START)
    library = index_of_request(request)
    try:
        bench = explored.bench(library.collection_path)
    except PorismError as error:
        return _refused(request, f"The runs cannot be shown: {error}", 503)
    if isinstance(bench, ReadingProgress):
        return render(request, "run_reading.html", 503, progress=bench)
    keys = dict.fromkeys((*tried, *request.query_params.getlist("run")))
    found = [explored.tried(key) for key in keys if bench.run(key) is None]
    runs = tuple(each.run for each in found if each is not None)
    return _Desk(request, explored, bench, _collection(library), runs)


def _collection(library: SearchIndex) -> Collection | None:
    return library.collection if is_collection(library.collection_path) else None


def _refused(request: Request, why: str, status: int) -> HTMLResponse:
    return render(request, "run_refused.html", status, why=why)


def _topic_address(topic: str, parameters: list[tuple[str, str]] | None = None) -> str:
    return f"/runs/topics/{quote(topic, safe='')}" + _query(parameters or [])


def _query(parameters: list[tuple[str, str]]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


def _title(bench: Leaderboard, topic: TopicId) -> Markup:
    known = bench.topics.get(topic)
    return Markup("") if known is None else Markup(topic_title_html(known, similar_address))


def _text(bench: Leaderboard, topic: TopicId) -> dict[str, object] | None:
    known = bench.topics.get(topic)
    if known is None:
        return None
    return {
        "title": _title(bench, topic),
        "body": Markup(topic_body_html(known, similar_address)),
        "tags": known.tags,
    }
