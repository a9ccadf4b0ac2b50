"""Requests: no request to the search and assessment applications gives a 5xx response."""

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
from fuzz.strategies import FORMULAS, mutated, noise, repeated, soup
from fuzz.strategies import WORDS as LATEX
from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.sample import sample_qrels, sample_source
from porism.collection.store import open_collection
from porism.formula.forms import ConversionTarget, FormulaForm
from porism.searchindex.builder import IndexOptions, build_index
from porism.web.app import create_app
from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.settings import AssessmentSettings
from porism.web.settings import SearchAppSettings
from tests.web.assessment.sample_assessment import ANSWERS, make_assessment

SYSTEMS = ("porism", "l8", "bm25")


class Request(NamedTuple):
    """A request; the path is unquoted."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: list[tuple[str, bytes]]
    body: bytes

    @property
    def size(self) -> int:
        return len(self.path) + sum(len(value) for _, value in self.query) + len(self.body)


SEARCH = (
    *"/ /preview /threads /threads/101 /threads/102 /formulas/1 /runs /runs/topics".split(),
    *"/runs/topics/A.1 /runs/try/x /api/search /api/formulas /api/posts/101 /api/posts".split(),
    *"/api/threads/102 /api/health /api/metrics /api/openapi.json /static/porism.css".split(),
    *"POST:/api/convert POST:/runs/try /static/../app.py".split(),
)
ASSESS = (
    *"/ /threads/101 /admin /admin/topics /admin/annotations /admin/candidate".split(),
    *"/admin/missing /admin/results /admin/agreement /admin/disagreements".split(),
    *"/admin/files/qrels /admin/files/judgments.tsv /admin/files/..".split(),
    *(f"/judge/{ANSWERS}/{topic}" for topic in ("A.1", "A.2", "A.999")),
    *(f"POST:/judge/{ANSWERS}/{topic}" for topic in ("A.1", "A.999")),
    *"POST:/judgments POST:/wishes POST:/admin/assign POST:/admin/take-away".split(),
    *"POST:/admin/by-wishes POST:/admin/double POST:/admin/instructions".split(),
    *"POST:/admin/annotate POST:/admin/candidate".split(),
)
"""Paths, for GET unless prefixed with another method."""

METHODS = ("GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE", "TRACE")

NAMES = tuple(
    """
    q k tag since until votes accepted system explain page latex form to from source targets run
    runs topic batch grade doc_id document token name text kind assessor campaign number value order
    seconds key choice comment seed second wishes done show same_look opened only measure at each
    is_unrelated is_machine_made instructions fragment assigned annotations formula
    """.split()
)
VALUES = (
    *(*NAMES, "A.1", "Ada", "Eve", ANSWERS, "101", "0", "-1", "10", "9" * 30, "1e999", "true", ""),
    *("sum $x^2$", "$$", "\0", "\ud800", "é", "..", "/", "%", "<script>", "null", "[]", "{}"),
    *("mathml", "latex", "slt", "opt", "bm25", "l8", "porism", "nDCG'@10", "x=1", "NaN"),
)
HEADER_NAMES = (
    *"Accept Accept-Encoding Accept-Language Content-Type Content-Encoding Cookie".split(),
    *"Range If-None-Match If-Modified-Since X-Forwarded-For Expect".split(),
)
HEADER_VALUES = (
    b"*/*",
    b"text/html",
    b"application/json",
    b"multipart/form-data",
    b"gzip, \xff",
    b"bytes=0-1,5-",
    b"\xff\xfe",
    b"",
    b"a" * 5_000,
    b'W/"x"',
    b"Thu, 99 Foo 2020",
    b"porism=x; session=\x80",
)
JSON, FORM, FILE = (
    b"application/json",
    b"application/x-www-form-urlencoded",
    b"multipart/form-data; boundary=a",
)


def _texts() -> st.SearchStrategy[str]:
    latex = soup(LATEX) | mutated(FORMULAS, LATEX) | repeated(LATEX).map(lambda text: text[:2_000])
    formulas = latex.map(lambda text: f"${text}$")
    return st.sampled_from(VALUES) | latex | formulas | soup(TAGS) | noise()


def _pairs() -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(st.tuples(st.sampled_from(NAMES), _texts()), max_size=6)


def _values() -> st.SearchStrategy[object]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | _texts()
    names = st.sampled_from(NAMES) | st.text(max_size=3)
    return st.recursive(
        leaves,
        lambda each: st.lists(each, max_size=4) | st.dictionaries(names, each, max_size=8),
        max_leaves=8,
    )


def _bodies() -> st.SearchStrategy[tuple[bytes, bytes]]:
    """Content types with matching or random bodies."""
    conversions = st.fixed_dictionaries(
        {"source": _texts()},
        optional={
            "form": st.sampled_from([*FormulaForm]),
            "to": st.lists(st.sampled_from([*ConversionTarget]), max_size=4),
        },
    )
    files = soup(RUN_WORDS) | mutated(RUNS, RUN_WORDS) | repeated(RUN_WORDS)
    odd = st.binary(max_size=200) | st.sampled_from((b"[" * 50_000, b"1" * 5_000, b"\0" * 1_000))
    return (
        st.tuples(st.just(JSON), (_values() | conversions).map(_as_json))
        | st.tuples(st.just(FORM), _pairs().map(lambda pairs: _form(pairs).encode()))
        | st.tuples(st.just(FILE), files.map(_as_file))
        | st.tuples(st.sampled_from((JSON, FORM, FILE, b"text/plain")), odd)
    )


def _as_json(value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "replace")


def _as_file(text: str) -> bytes:
    head = b'--a\r\nContent-Disposition: form-data; name="run"; filename="r.tsv"\r\n\r\n'
    return head + text.encode("utf-8", "replace") + b"\r\n--a--\r\n"


def _form(pairs: Sequence[tuple[str, str]]) -> str:
    return "&".join(f"{name}={_quoted(value)}" for name, value in pairs)


def _quoted(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"))


@st.composite
def requests(draw: st.DrawFn, paths: Sequence[str]) -> Request:
    """Requests to these paths and similar ones."""
    method, _, path = draw(st.sampled_from(paths)).rpartition(":")
    if draw(st.integers(0, 9)) == 0:
        path = f"{path}/{draw(st.sampled_from(VALUES))}"
    if draw(st.integers(0, 9)) == 0:
        method = draw(st.sampled_from(METHODS))
    headers = st.tuples(st.sampled_from(HEADER_NAMES), st.sampled_from(HEADER_VALUES))
    more = draw(st.lists(headers, max_size=2)) if draw(st.integers(0, 3)) == 0 else []
    kind, body = draw(_bodies()) if method else (b"", b"")
    sent = [("Content-Type", kind)] if kind else []
    return Request(method or "GET", path, draw(_pairs()), [*sent, *more], body)


def check_request(client: TestClient, request: Request) -> None:
    """Send the request; the response must not be a server error."""
    query = _form(request.query)
    response = client.request(
        request.method,
        _quoted(request.path) + (f"?{query}" if query else ""),
        content=request.body,
        headers=[(name.encode(), value) for name, value in request.headers],
    )
    assert response.status_code < 500, f"{response.status_code}: {response.text[:500]}"


@contextmanager
def open_properties() -> Iterator[tuple[Property, ...]]:
    """The properties of both applications over the sample, with runs and judgments."""
    with TemporaryDirectory(prefix="porism-fuzz-") as name, ExitStack() as stack:
        folder = Path(name)
        collection = folder / "sample"
        ingest(sample_source(), collection, IngestOptions(jobs=1))
        with open_collection(collection) as opened:
            build_index(
                opened,
                collection / "index",
                index_plan(SYSTEMS),
                IndexOptions(),
                lambda progress: None,
            )
        (folder / "runs").mkdir()
        (folder / "runs" / "a.tsv").write_text("A.1\t102\t1\t10.5\ta\nA.2\t103\t1\t9.5\ta\n")
        assessment = make_assessment(folder, collection)
        search = search_client(collection / "index", folder / "runs", sample_qrels(1))
        anonymous = assessment_client(assessment.path, collection, None)
        signed_in = assessment_client(assessment.path, collection, assessment.tokens["Eve"])
        yield (
            search_property(stack.enter_context(search)),
            assessment_property("stranger", stack.enter_context(anonymous)),
            assessment_property("administrator", stack.enter_context(signed_in)),
        )


def search_property(client: TestClient) -> Property:
    """The property of requests to the search application."""
    return _property("search", client, SEARCH)


def assessment_property(name: str, client: TestClient) -> Property:
    """The property of requests to the assessment application by one client."""
    return _property(f"assess-{name}", client, ASSESS)


def _property(name: str, client: TestClient, paths: Sequence[str]) -> Property:
    check = partial(check_request, client)
    return Property(name, requests(paths), check, lambda request: request.size)


@contextmanager
def search_client(index: Path, runs: Path, qrels: Path) -> Iterator[TestClient]:
    """A client of the search application."""
    app = create_app(SearchAppSettings(index, runs=runs, qrels=qrels, requests_a_second=0))
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
