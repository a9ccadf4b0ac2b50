"""The run explorer: scores of runs, their hits for a topic, and uploaded runs.

Needs ``app.state.run_folder``, a ``RunFolder`` or None, and ``app.state.current_index``. The
parameter ``run`` of addresses is the name of a run in the folder or the key of an uploaded one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
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
from porism.web.runs.trial_runs import UnscorableRun
from porism.web.runs.upload import RunTooLarge, read_body, too_large_message, uploaded_run
from porism.web.search.search_request import similar_address

router = APIRouter(prefix="/runs", include_in_schema=False)

UPLOAD_PATH = "/runs/try"
"""Where runs are uploaded, for which larger bodies are allowed."""

START = "porism serve INDEX --runs DIR --qrels FILE"


@dataclass(frozen=True, slots=True)
class _Explorer:
    """The data of an explorer page."""

    run_folder: RunFolder
    leaderboard: Leaderboard
    collection: Collection | None
    collection_path: Path
    trial_runs: tuple[ExplorerRun, ...]  # uploaded runs that the address names, listed first

    @property
    def runs(self) -> tuple[ExplorerRun, ...]:
        return self.trial_runs + self.leaderboard.runs

    def run(self, key: str) -> ExplorerRun | None:
        return next((run for run in self.runs if run.key == key), None)


@router.get("")
def runs_page(request: Request) -> Response:
    """The runs with their scores, overall and on each topic."""
    explorer = _explorer(request)
    if isinstance(explorer, Response):
        return explorer
    judgments = explorer.leaderboard.judgments
    measure = request.query_params.get("measure", judgments.measures[0])
    order = request.query_params.get("order", "number")
    if measure not in judgments.measures or order not in ORDERS:
        return _refused(request, "There is no such measure or order.", 400)
    return render(
        request,
        "runs.html",
        leaderboard=explorer.leaderboard,
        scores=score_table(judgments, explorer.runs, {run.key for run in explorer.trial_runs}),
        heat=heat_table(judgments, explorer.runs, measure, order),
        measure=measure,
        order=order,
        orders=ORDERS,
        keys=[run.key for run in explorer.trial_runs],
        picked=[("run", run.key) for run in explorer.runs[:2]],
        topic_address=_topic_address,
        topic_title=lambda topic: _title(explorer.leaderboard, topic),
        folder=explorer.run_folder.folder.name,
        qrels=explorer.run_folder.qrels.name,
    )


@router.get("/topics")
def pick_topic(request: Request) -> Response:
    """Redirect from a form with a topic field to the address of the topic."""
    explorer = _explorer(request)
    if isinstance(explorer, Response):
        return explorer
    topic = request.query_params.get("topic") or explorer.leaderboard.judgments.topics[0]
    others = [
        (name, value)
        for name, value in request.query_params.multi_items()
        if name != "topic" and value
    ]
    return RedirectResponse(_topic_address(topic, others), status_code=303)


@router.get("/topics/{topic_id:path}")
def topic_page(request: Request, topic_id: str) -> Response:
    """The hits of runs for a topic, side by side."""
    explorer = _explorer(request)
    if isinstance(explorer, Response):
        return explorer
    judgments = explorer.leaderboard.judgments
    topics = judgments.topics
    topic = TopicId(topic_id)
    if topic not in judgments.grades:
        return _refused(request, f"There are no judgments for a topic {topic_id[:80]}.", 404)
    try:
        options = topic_view_options(request.query_params)
    except PorismError as error:
        return _refused(request, str(error), 400)
    keys = options.runs or tuple(run.key for run in explorer.runs[:2])
    chosen = [explorer.run(key) for key in keys[:MAX_SHOWN_RUNS]]
    runs = [run for run in chosen if run is not None]
    if len(runs) < len(chosen):
        missing = next(key for key, run in zip(keys, chosen, strict=False) if run is None)
        return _refused(request, f"There is no run {missing[:80]}. {_GONE}", 404)
    documents = DocumentViews(explorer.collection, judgments.task)
    grades = judgments.grades[topic]
    hits = {run.key: run.hits(topic) for run in runs}
    place = topics.index(topic)
    parameters = options.parameters(tuple(run.key for run in runs))
    return render(
        request,
        "run_topic.html",
        leaderboard=explorer.leaderboard,
        topic=topic,
        text=_text(explorer.leaderboard, topic),
        columns=[ranking_view(run, hits, grades, options) for run in runs],
        differences=ranking_differences(runs, hits, grades, options.k),
        scores=score_table(judgments, runs, {run.key for run in explorer.trial_runs}, topic),
        documents=documents,
        words=GRADE_WORDS,
        options=options,
        left_out=len(keys) - len(chosen),
        all_runs=explorer.runs,
        shown_keys=[run.key for run in runs],
        most_runs=MAX_SHOWN_RUNS,
        k_choices=K_CHOICES,
        previous=_topic_address(topics[place - 1], parameters) if place else "",
        next=_topic_address(topics[place + 1], parameters) if place + 1 < len(topics) else "",
        back="/runs" + _query([("run", run.key) for run in explorer.trial_runs]),
    )


@router.post("/try")
def upload_run(request: Request, body: Annotated[bytes | None, Depends(read_body)]) -> Response:
    """Score a run that was pasted or sent as a file, and redirect to its page."""
    explorer = _explorer(request)
    if isinstance(explorer, Response):
        return explorer
    if request.headers.get("sec-fetch-site") == "cross-site":
        return _refused(request, "Runs cannot be sent from another site.", 403)
    if body is None:
        return _refused(request, f"The run is too large: {too_large_message()}.", 413)
    try:
        upload = uploaded_run(request.headers.get("content-type", ""), body)
        trial = explorer.run_folder.add_trial_run(
            upload, explorer.leaderboard, explorer.collection_path
        )
    except RunTooLarge as error:
        return _refused(request, f"The run is too large: {error}.", 413)
    except ScoringBusy as error:
        return _refused(request, str(error), 503)
    except UnscorableRun as error:
        return render(
            request,
            "run_unscorable.html",
            422,
            message=str(error),
            run=upload.name,
            findings=error.findings,
        )
    except PorismError as error:
        return _refused(request, f"The request has no run: {error}.", 400)
    return RedirectResponse(f"{UPLOAD_PATH}/{trial.run.key}", status_code=303)


@router.get("/try/{key}")
def trial_run_page(request: Request, key: str) -> Response:
    """The scores of an uploaded run beside the others, and the problems found in its file."""
    explorer = _explorer(request, key)
    if isinstance(explorer, Response):
        return explorer
    trial = explorer.run_folder.trial_run(key)
    if trial is None:
        return _refused(request, f"There is no such run. {_GONE}", 404)
    return render(
        request,
        "run_scores.html",
        leaderboard=explorer.leaderboard,
        run=trial.run,
        findings=trial.findings,
        scores=score_table(explorer.leaderboard.judgments, explorer.runs, {key}),
        most_trial_runs=MAX_TRIAL_RUNS,
        topic_address=_topic_address,
        compared=[("run", key), *(("run", run.key) for run in explorer.leaderboard.runs[:1])],
    )


_GONE = (
    f"Uploaded runs are kept until {MAX_TRIAL_RUNS} others have come or the server stops; if yours "
    "is gone, upload it again."
)


def _explorer(request: Request, *keys: str) -> _Explorer | Response:
    """The data of a page, or a page that says why there is none yet."""
    run_folder: RunFolder | None = request.app.state.run_folder
    if run_folder is None:
        return render(request, "run_start.html", start=START)
    search_index = index_of_request(request)
    try:
        leaderboard = run_folder.leaderboard(search_index.collection_path)
    except PorismError as error:
        return _refused(request, f"The runs cannot be shown: {error}", 503)
    if isinstance(leaderboard, ReadingProgress):
        return render(request, "run_reading.html", 503, progress=leaderboard)
    named = dict.fromkeys((*keys, *request.query_params.getlist("run")))
    trials = [run_folder.trial_run(key) for key in named if leaderboard.run(key) is None]
    return _Explorer(
        run_folder,
        leaderboard,
        _collection(search_index),
        search_index.collection_path,
        tuple(trial.run for trial in trials if trial is not None),
    )


def _collection(search_index: SearchIndex) -> Collection | None:
    return search_index.collection if is_collection(search_index.collection_path) else None


def _refused(request: Request, message: str, status: int) -> HTMLResponse:
    return render(request, "run_refused.html", status, message=message)


def _topic_address(topic: str, parameters: list[tuple[str, str]] | None = None) -> str:
    return f"/runs/topics/{quote(topic, safe='')}" + _query(parameters or [])


def _query(parameters: list[tuple[str, str]]) -> str:
    return f"?{urlencode(parameters)}" if parameters else ""


def _title(leaderboard: Leaderboard, topic: TopicId) -> Markup:
    known = leaderboard.topics.get(topic)
    return Markup("") if known is None else Markup(topic_title_html(known, similar_address))


def _text(leaderboard: Leaderboard, topic: TopicId) -> dict[str, object] | None:
    known = leaderboard.topics.get(topic)
    if known is None:
        return None
    return {
        "title": _title(leaderboard, topic),
        "body": Markup(topic_body_html(known, similar_address)),
        "tags": known.tags,
    }
