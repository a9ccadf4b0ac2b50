"""Requests: whatever is sent to the search and assessment applications, none answers with 5xx."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import strategies as st

from fuzz.html_texts import WORDS as TAGS
from fuzz.properties import Property
from fuzz.runs import SAMPLES as RUNS
from fuzz.runs import WORDS as RUN_WORDS
from fuzz.strategies import FORMULAS, noise, repeated, soup, spoilt
from fuzz.strategies import WORDS as LATEX
from porism.catalog import plan
from porism.collection.ingest import Options as IngestOptions
from porism.collection.ingest import ingest
from porism.collection.sample import sample_qrels, sample_source
from porism.collection.store import open_collection
from porism.indexing.building import Options, build
from porism.web.app import create_app
from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.settings import AssessmentSettings
from porism.web.settings import Settings
from tests.web.assessment.assessing import ANSWERS, make_assessment

SYSTEMS = ("porism", "l8", "bm25")


class Request(NamedTuple):
    """What is sent; the path and the query are as they stand in the address."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: list[tuple[str, bytes]]
    body: bytes

    @property
    def size(self) -> int:
        return len(self.path) + sum(len(value) for _, value in self.query) + len(self.body)


SEARCH_PATHS = (
    *"/ /preview /threads /threads/ /threads/101 /formulas/1 /runs /runs/topics /runs/try".split(),
    *"/api/search /api/formulas /api/convert /api/posts/101 /api/threads/101 /api/health".split(),
    *"/api/metrics /api/openapi.json /static/porism.css /static/../app.py /nothing".split(),
)
ASSESS_PATHS = (
    *"/ /wishes /judgments /threads/101 /admin /admin/topics".split(),
    *"/admin/assign /admin/take-away /admin/by-wishes /admin/double /admin/instructions".split(),
    *"/admin/annotate /admin/annotations /admin/candidate /admin/missing /admin/results".split(),
    *"/admin/agreement /admin/disagreements /admin/files/qrels /admin/files/..".split(),
    *(f"/judge/{ANSWERS}/{topic}" for topic in ("A.1", "A.2", "A.999", "")),
)
NAMES = tuple(
    """
    q k tag since until votes accepted system explain page latex form to from source targets run
    topic batch grade doc_id token name text kind assessor judgments number value order seconds
    """.split()
)
VALUES = (
    *(*NAMES, "A.1", "Ada", ANSWERS, "101", "0", "-1", "10", "9" * 30, "1e999", "true", "x=1", ""),
    *("sum $x^2$", "$$", "\0", "\ud800", "é", "..", "/", "%", "<script>", "null", "[]", "{}"),
)
HEADER_NAMES = (
    *"Accept Accept-Encoding Accept-Language Content-Type Content-Encoding Cookie Origin".split(),
    *"Range If-None-Match If-Modified-Since X-Forwarded-For Expect Transfer-Encoding".split(),
)
HEADER_VALUES = (
    b"*/*",
    b"text/html",
    b"application/json",
    b"application/x-www-form-urlencoded",
    b"multipart/form-data",
    b"multipart/form-data; boundary=a",
    b"gzip, \xff",
    b"bytes=0-1,5-",
    b"\xff\xfe",
    b"",
    b"a" * 5_000,
    b'W/"x"',
    b"Thu, 99 Foo 2020",
    b"porism=x; session=\x80",
)


def _texts() -> st.SearchStrategy[str]:
    latex = soup(LATEX) | spoilt(FORMULAS, LATEX) | repeated(LATEX).map(lambda text: text[:2_000])
    formulas = latex.map(lambda text: f"${text}$")
    return st.sampled_from(VALUES) | latex | formulas | soup(TAGS) | noise()


def _bodies() -> st.SearchStrategy[bytes]:
    inner = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(VALUES)
    values = st.recursive(
        inner,
        lambda each: (
            st.lists(each, max_size=4)
            | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), each, max_size=5)
        ),
        max_leaves=8,
    )
    pairs = st.lists(st.tuples(st.sampled_from(NAMES), _texts()), max_size=5)
    return (
        st.binary(max_size=200)
        | values.map(lambda value: json.dumps(value).encode("utf-8", "replace"))
        | pairs.map(lambda each: "&".join(f"{n}={_quoted(v)}" for n, v in each).encode())
        | (soup(RUN_WORDS) | spoilt(RUNS, RUN_WORDS)).map(
            lambda text: (
                b"--a\r\nContent-Disposition: form-data; name=run; filename=r.tsv\r\n\r\n"
                + text.encode("utf-8", "replace")
                + b"\r\n--a--\r\n"
            )
        )
        | st.sampled_from((b"[" * 50_000, b'{"a":' * 5_000, b"1" * 5_000, b"\0" * 1_000))
    )


def _quoted(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"))


def requests(paths: Sequence[str]) -> st.SearchStrategy[Request]:
    """Requests to these paths, and a little beyond them."""
    places = st.sampled_from(paths)
    return st.builds(
        Request,
        st.sampled_from(("GET", "GET", "GET", "POST", "POST", "HEAD", "PUT", "OPTIONS", "DELETE")),
        places | st.tuples(places, st.sampled_from(VALUES)).map(lambda two: f"{two[0]}/{two[1]}"),
        st.lists(st.tuples(st.sampled_from(NAMES), _texts()), max_size=4),
        st.lists(
            st.tuples(st.sampled_from(HEADER_NAMES), st.sampled_from(HEADER_VALUES)), max_size=3
        ),
        st.just(b"") | _bodies(),
    )


def check_request(client: TestClient, request: Request) -> None:
    """Send the request, which must be answered and not by a failure of the server."""
    query = "&".join(f"{name}={_quoted(value)}" for name, value in request.query)
    response = client.request(
        request.method,
        _quoted(request.path) + (f"?{query}" if query else ""),
        content=request.body,
        headers=[(name.encode(), value) for name, value in request.headers],
    )
    assert response.status_code < 500, f"{response.status_code}: {response.text[:500]}"


@contextmanager
def open_properties() -> Iterator[tuple[Property, ...]]:
    """The applications over the sample, with runs and judgments, opened for a while."""
    with TemporaryDirectory(prefix="porism-fuzz-") as name, ExitStack() as stack:
        folder = Path(name)
        collection = folder / "sample"
        ingest(sample_source(), collection, IngestOptions(jobs=1))
        with open_collection(collection) as opened:
            build(opened, collection / "index", plan(SYSTEMS), Options(), lambda progress: None)
        (folder / "runs").mkdir()
        (folder / "runs" / "a.tsv").write_text("A.1\t102\t1\t10.5\ta\nA.2\t103\t1\t9.5\ta\n")
        assessment = make_assessment(folder, collection)
        search = search_client(collection / "index", folder / "runs", sample_qrels(1))
        strange = assessment_client(assessment.path, collection, None)
        signed_in = assessment_client(assessment.path, collection, assessment.tokens["Eve"])
        yield (
            search_property(stack.enter_context(search)),
            assessment_property("stranger", stack.enter_context(strange)),
            assessment_property("administrator", stack.enter_context(signed_in)),
        )


def search_property(client: TestClient) -> Property:
    """What must hold of requests to the search application."""
    return _property("search", client, SEARCH_PATHS)


def assessment_property(name: str, client: TestClient) -> Property:
    """What must hold of requests to the assessment application by one client."""
    return _property(f"assess-{name}", client, ASSESS_PATHS)


def _property(name: str, client: TestClient, paths: Sequence[str]) -> Property:
    check = partial(check_request, client)
    return Property(name, requests(paths), check, lambda request: request.size)


@contextmanager
def search_client(index: Path, runs: Path, qrels: Path) -> Iterator[TestClient]:
    """A client of the search application."""
    app = create_app(Settings(index, runs=runs, qrels=qrels, requests_a_second=0))
    with _client(app) as client:
        yield client


@contextmanager
def assessment_client(store: Path, collection: Path, token: str | None) -> Iterator[TestClient]:
    """A client of the assessment application, signed in if a token is given."""
    app = create_assessment_app(AssessmentSettings(store, collection, requests_a_second=0))
    with _client(app) as client:
        if token is not None:
            done = client.post("/sign-in", data={"token": token})
            assert done.status_code == 303, done.text
        yield client


def _client(app: FastAPI) -> TestClient:
    return TestClient(
        app,
        base_url="http://127.0.0.1",
        raise_server_exceptions=False,
        follow_redirects=False,
    )
