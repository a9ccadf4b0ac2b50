"""Hostile input: scripts everywhere, huge posts, costly searches, large bodies."""

import json
import socket
from collections.abc import Callable, Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from porism.collection.sample import sample_qrels
from porism.web.app import create_app
from porism.web.server import limits
from porism.web.server.guard import HEADERS
from porism.web.settings import SearchAppSettings
from tests.collection.dumps import answer, comment, question
from tests.web.serving import served_by_thread, small_index, until

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
LINK = '<a href="javascript:alert(1)" onclick="alert(1)">here</a>'
STYLE = "<style>body { display: none }</style><p style='position: fixed'>styled</p>"
BREAKOUT = '"><svg onload=alert(1)>'
HOSTILE = f"{SCRIPT}{IMAGE}{LINK}{STYLE}{BREAKOUT}"
HOSTILE_FORMULA = r"$\text{<script>alert(1)</script>} \href{javascript:alert(1)}{x}$"

MANY = 3_000


class Faults(HTMLParser):
    """What a page has that can act: scripts, handlers, addresses that are scripts, foreign styles.

    Our own pages have scripts by address alone, and styles only in the head.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.is_in_head = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_in_head = self.is_in_head and tag != "body"
        values = {name: (value or "").strip().lower() for name, value in attrs}
        if tag == "script" and not values.get("src", "").startswith("/static/"):
            self.found.append(f"<{tag}>")
        if tag in ("style", "iframe", "object", "embed", "base") and not self.is_in_head:
            self.found.append(f"<{tag}>")
        for name, value in values.items():
            if name.startswith("on") or name == "style":
                self.found.append(f"<{tag} {name}>")
            if name in ("href", "src", "action", "xlink:href") and "script:" in value[:20]:
                self.found.append(f"<{tag} {name}={value}>")


def faults(page: str) -> list[str]:
    parser = Faults()
    parser.feed(page)
    return parser.found


def test_active_content_is_detected() -> None:
    assert len(faults(f"<html><body>{HOSTILE}")) == 7
    assert faults('<html><head><style>p{}</style><script src="/static/a.js"></script>') == []


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A collection with hostile text in every field, and hostile runs."""
    folder = tmp_path_factory.mktemp("hostile")
    text = f"<p>{HOSTILE} about sums {HOSTILE_FORMULA}</p>"
    tags = f"<sums><{SCRIPT}><{BREAKOUT}>"
    posts = [
        question(1, text, Title=f"{HOSTILE} sums {HOSTILE_FORMULA}", Tags=tags),
        answer(2, 1, text),
        question(3, text, Title="Other sums", Tags="<sums>"),
        answer(4, 3, f"<p>sums $x^2$</p>{HOSTILE}"),
    ]
    comments = [comment(5, 1, HOSTILE), comment(6, 2, f"{HOSTILE} $x$")]
    index = small_index(folder, posts, comments)
    runs = folder / "runs"
    runs.mkdir()
    (runs / "hostile.tsv").write_text(f"A.1\t{IMAGE}\t1\t2.5\t{SCRIPT}\nA.1\t2\t2\t1\tx\n")
    (runs / f"{IMAGE}.tsv").write_text(f"A.1\t2\t{SCRIPT}\t2.5\tbroken\n")
    app = create_app(
        SearchAppSettings(index, requests_a_second=0, runs=runs, qrels=sample_qrels(1))
    )
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("/?q=sums", escape(SCRIPT)),
        ("/?q=sums&what=questions", escape(SCRIPT)),
        ("/?q=sums&explain=1", escape(SCRIPT)),
        ("/?q=sums&fragment=results", escape(SCRIPT)),
        ("/?q=sums&fragment=why&explain=1", "is the sum of these parts"),
        ("/?q=x&what=formulas", "alert"),
        ("/threads/1?q=sums", escape(SCRIPT)),
        ("/threads/2", escape(SCRIPT)),
        ("/threads/3", "Other sums"),
        ("/runs", escape(IMAGE)),
        ("/runs/topics/A.1", escape(IMAGE)),
    ],
)
def test_hostile_posts_and_runs_are_shown_as_text(
    hostile: TestClient, address: str, text: str
) -> None:
    response = hostile.get(address)
    assert response.status_code == 200
    assert faults(response.text) == []
    assert text in response.text


@pytest.mark.parametrize("text", [SCRIPT, IMAGE, LINK, STYLE, BREAKOUT, HOSTILE_FORMULA])
@pytest.mark.parametrize("address", ["/", "/preview", "/threads/1", "/threads/{}", "/formulas/{}"])
@pytest.mark.parametrize("name", ["q", "tag", "what", "since", "page", "explain"])
def test_hostile_queries_have_no_effect(
    hostile: TestClient, name: str, address: str, text: str
) -> None:
    response = hostile.get(address.format(text), params={"q": "sums", name: text})
    assert response.status_code in (200, 400, 404)
    assert faults(response.text) == []


@pytest.mark.parametrize("address", ["/runs/topics/{}", "/runs/try/{}", "/runs?measure={}"])
def test_hostile_parameters_of_run_pages_have_no_effect(hostile: TestClient, address: str) -> None:
    response = hostile.get(address.format(BREAKOUT))
    assert response.status_code in (400, 404)
    assert faults(response.text) == []


@pytest.mark.parametrize(
    "run", [f"A.1\t{IMAGE}\t1\t2.5\t{SCRIPT}\n", f"{SCRIPT}\n", f"A.1\t2\t{IMAGE}\t1\t{SCRIPT}\n"]
)
def test_a_hostile_run_has_no_effect(hostile: TestClient, run: str) -> None:
    sent = {"file": (f"{IMAGE}.tsv", run, "text/plain")}
    response = hostile.post("/runs/try", files=sent)
    assert response.status_code in (200, 422)
    assert faults(response.text) == []


def test_rest_responses_have_no_active_content(hostile: TestClient) -> None:
    found = hostile.get("/api/threads/1").json()
    for post in (found["question"], *found["answers"]):
        assert faults(f"<html><body>{post['html']}") == []
        assert "<p>[picture]here</p>" in post["html"]  # the words are kept
    assert hostile.get("/api/search", params={"q": HOSTILE}).headers["content-type"] == (
        "application/json"
    )


@pytest.fixture(scope="module")
def enormous(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """An answer with thousands of formulas."""
    body = "<p>" + " and ".join(f"$x_{{{number}}}^2$" for number in range(MANY)) + "</p>"
    posts = [question(1), answer(2, 1, body), question(3), answer(4, 3, "<p>$x_3^2$</p>")]
    index = small_index(tmp_path_factory.mktemp("enormous"), posts)
    with TestClient(create_app(SearchAppSettings(index, requests_a_second=0))) as opened:
        yield opened


@pytest.mark.parametrize(
    "address",
    [
        "/?q=%24x_3%5E2%24",
        "/?q=x_3%5E2&what=formulas",
        "/threads/1?q=%24x_3%5E2%24",
        "/api/search?q=%24x_3%5E2%24",
        "/api/formulas?q=x_3%5E2&k=100",
        "/api/threads/2",
    ],
)
def test_a_post_with_thousands_of_formulas_is_served(enormous: TestClient, address: str) -> None:
    response = enormous.get(address)
    assert response.status_code == 200
    assert "x_3^2" in response.text.replace("{", "").replace("}", "")


DEEP = 60
COSTLY = {
    "nested fractions": r"\frac{1}{1+" * 150 + "x" + "}" * 150,
    "fractions, unclosed": r"\frac" * 400,
    "wildcards": " + ".join(f"?{letter}{number}" for number in range(30) for letter in "abcdefghi"),
    "wildcards alone": "?x" * 600,
    "deep braces": "{" * 1000 + "x" + "}" * 990,
    "deep roots": r"\sqrt{" * 280 + "x" + "}" * 280,
    "powers": "x^" * 900 + "x",
    "left without right": r"\left(" * 300,
    "a large matrix": r"\begin{matrix}" + "x&" * 900 + r"\end{matrix}",
    "many matrices": r"\begin{matrix}" * 100,
    "sums of everything": "+".join("abcdefghijklmnopqrstuvwxyz" * 38),
    "dollars": "$" * 2000,
    "definitions": r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\a}" * 20 + r"\a",
    "one word": "x" * 2000,
    "many formulas": "$$".join(f"a+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" * 11),
    "words": "sum of a series " * 120,
}


@pytest.mark.parametrize("name", COSTLY)
def test_costly_searches_are_answered(client: TestClient, name: str) -> None:
    latex = COSTLY[name][:1990]
    for path, text in (
        ("/api/formulas", latex),
        ("/api/search", f"${latex}$"),
        ("/", f"sum ${latex}$"),
        ("/preview", f"${latex}$"),
        ("/threads/104", f"${latex}$"),
    ):
        response = client.get(path, params={"q": text})
        assert response.status_code in (200, 400), response.text
    assert client.get("/api/health").status_code == 200


@pytest.mark.parametrize(
    "broken",
    [r"\frac{1}{x", r"x^{2", r"\begin{matrix} a & b", r"\left( x", "{" * 500],
)
def test_the_place_of_a_latex_problem_is_shown_and_the_rest_searched(
    client: TestClient, broken: str
) -> None:
    page = client.get("/", params={"q": f"harmonic series ${broken}$"}).text
    assert 'aria-label="Problems with the query"' in page
    assert "<mark>" in page.partition('class="problems"')[2].partition("</ul>")[0]
    assert page.count("<article") > 0


@pytest.mark.parametrize(
    ("parameters", "is_fine"),
    [
        ({"q": "x" * 30_000}, True),
        ({"q": "x" * 30_001}, False),
        ({"q": "sum", "k": 100}, True),
        ({"q": "sum", "k": 101}, False),
        ({"q": "sum", "k": 0}, False),
        ({"q": "sum", "k": "ten"}, False),
        ({"q": "sum", "tag": ["a"] * 10}, True),
        ({"q": "sum", "tag": ["a"] * 11}, False),
        ({"q": "sum", "tag": ["a" * 100]}, True),
        ({"q": "sum", "tag": ["a" * 101]}, False),
        ({"q": "sum", "since": 9999}, True),
        ({"q": "sum", "since": 10000}, False),
        ({"q": "sum", "system": "x" * 41}, False),
    ],
)
@pytest.mark.parametrize("path", ["/api/search", "/api/formulas"])
def test_limits_of_a_search(
    client: TestClient, path: str, parameters: dict[str, str | int | list[str]], is_fine: bool
) -> None:
    response = client.get(path, params=parameters)
    assert response.status_code == (200 if is_fine else 422)
    if not is_fine:
        assert response.headers["content-type"] == "application/problem+json"
        assert next(iter(set(parameters) - {"q"}), "q") in response.json()["detail"]


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"source": "x" * 10_000}, 200),
        ({"source": "x" * 10_001}, 422),
        ({"source": "x", "to": []}, 422),
        ({"source": "x", "to": ["mathml"] * 100}, 422),
        ({"source": "x", "form": "picture"}, 422),
    ],
)
def test_limits_of_a_conversion(
    client: TestClient, parameters: dict[str, object], status: int
) -> None:
    assert client.post("/api/convert", json=parameters).status_code == status


def _in_pieces(size: int) -> Iterator[bytes]:
    """A body without a Content-Length."""
    yield b'{"source": "'
    for _ in range(size // 1000):
        yield b"x" * 1000
    yield b'"}'


@pytest.mark.parametrize("path", ["/api/convert", "/runs/try"])
def test_a_large_body_is_refused_with_or_without_content_length(
    sample_index: Path, path: str
) -> None:
    small = TestClient(create_app(SearchAppSettings(sample_index, body_bytes=5000, run_bytes=5000)))
    response = small.post(path, content=b"x" * 5001)
    assert (response.status_code, "5,000 bytes" in response.text) == (413, True)
    unsaid = small.post(path, content=_in_pieces(20_000), headers={"content-type": "text/plain"})
    assert (unsaid.status_code, "5,000 bytes" in unsaid.text) == (413, True)
    as_json = {"content-type": "application/json"}
    fits = small.post("/api/convert", content=_in_pieces(3000), headers=as_json)
    assert fits.status_code == 200


@pytest.mark.parametrize("path", ["/api/health", "/", "/threads/101", "/static/porism.css"])
def test_too_many_requests_are_told_when_to_retry(
    sample_index: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: 0.0))
    hasty = TestClient(create_app(SearchAppSettings(sample_index, requests_a_second=1)))
    answers = [hasty.get(path) for _ in range(3)]
    assert [each.status_code for each in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_a_client_that_disconnects_during_an_upload_is_not_an_error(
    sample_index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"POST /runs/try HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nA.1"
    with served_by_thread(SearchAppSettings(sample_index)) as address:
        url = urlsplit(address)
        with socket.create_connection((url.hostname, url.port or 0)) as connection:
            connection.sendall(head)
        counted = 'porism_requests_total{route="other",status="499"} 1.0'
        until(lambda: counted in urlopen(f"{address}/api/metrics").read().decode())
    assert caplog.records == []


def _broken() -> None:
    raise RuntimeError("secret")


@pytest.mark.parametrize("path", ["/api/broken", "/broken"])
def test_internal_errors_are_reported_without_details(sample_index: Path, path: str) -> None:
    app: FastAPI = create_app(SearchAppSettings(sample_index))
    broken: Callable[[], None] = _broken
    app.add_api_route(path, broken)
    response = TestClient(app).get(path)
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    assert {name: response.headers[name] for name in HEADERS} == HEADERS
    assert response.headers["content-type"].startswith(
        "application/problem+json" if path.startswith("/api") else "text/html"
    )
    metrics = TestClient(app).get("/api/metrics").text
    assert f'porism_requests_total{{route="{path}",status="500"}} 1.0' in metrics


def test_bodies_that_are_not_json_are_refused(client: TestClient) -> None:
    for body in (b"", b"{", b"[]", b"\xff\xfe", b"null", json.dumps("x").encode(), b"1" * 5000):
        response = client.post("/api/convert", content=body)
        assert response.status_code in (400, 422)
        assert response.headers["content-type"] == "application/problem+json"


def test_method_not_allowed_names_the_allowed_methods(client: TestClient) -> None:
    response = client.delete("/api/search")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")
