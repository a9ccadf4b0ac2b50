"""The REST interface."""

import json
from operator import itemgetter
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from porism.catalog import index_plan
from porism.collection.store import open_collection
from porism.searchindex.builder import IndexOptions, build_index
from porism.web.app import create_app
from porism.web.schemas import SearchResponse
from porism.web.server.guard import HEADERS
from porism.web.server.problems import ProblemType, problem_type
from porism.web.settings import SearchAppSettings
from tests.collection.dumps import answer, question
from tests.collection.small_site import ingested_site
from tests.web.serving import command, small_index


def test_answers_have_matches_marked(client: TestClient) -> None:
    text = r"Gaussian integral $\int_{-\infty}^{\infty} e^{-x^2}\,dx$"
    body = client.get("/api/search", params={"q": text, "k": 3}).json()
    assert len(body["results"]) == 3
    assert body["system"] == "porism"
    assert body["formulas"] == [r"\int_{-\infty}^{\infty} e^{-x^2}\,dx"]
    pieces = [piece for result in body["results"] for piece in result["snippet"]]
    assert any(piece["is_matched"] and piece["is_formula"] for piece in pieces)
    assert any(piece["is_matched"] and not piece["is_formula"] for piece in pieces)
    assert all("explanation" not in result for result in body["results"])


def test_formulas_are_found_in_their_posts(client: TestClient) -> None:
    body = client.get("/api/formulas", params={"q": r"\sum \frac{1}{n^2}", "k": 2}).json()
    assert all(result["formula"]["latex"] for result in body["results"])


def test_scores_are_explained_on_request(client: TestClient) -> None:
    body = client.get("/api/search", params={"q": "matrix", "k": 1, "explain": True}).json()
    (result,) = body["results"]
    assert result["explanation"]["value"] == pytest.approx(result["score"], rel=1e-5)
    assert result["explanation"]["details"][0]["label"]


def test_tags_filter_results(client: TestClient) -> None:
    body = client.get("/api/search?q=sum&tag=real-analysis&k=5").json()
    assert all("real-analysis" in result["tags"] for result in body["results"])
    none = client.get("/api/search", params={"q": "sum", "tag": "no-such-tag"}).json()
    assert none["results"] == []
    assert "no-such-tag" in none["problems"][0]["message"]


@pytest.mark.parametrize("what", ["search", "formulas"])
def test_votes_years_and_acceptance_filter_results(client: TestClient, what: str) -> None:
    address = f"/api/{what}?q=$x^2$ sum&k=100&since=2011&until=2014&votes=30"
    results = client.get(f"{address}&accepted=true").json()["results"]
    assert len(results) > 3
    for result in results:
        assert "2011" <= result["created"][:4] <= "2014"
        assert result["votes"] >= 30
        assert client.get(f"/api/posts/{result['post_id']}").json()["is_accepted"]
    more = client.get(address).json()["results"]
    assert len(more) > len(results)


def test_latex_that_fails_to_parse_is_reported_and_the_rest_searched(client: TestClient) -> None:
    body = client.get("/api/search", params={"q": r"integral $\frac{1}{x$"}).json()
    assert body["results"]
    assert body["problems"][0]["message"]


def test_posts_and_threads(client: TestClient) -> None:
    post = client.get("/api/posts/101").json()
    assert post["kind"] == "question"
    assert "<math" in post["html"]
    assert "$" in post["text"] or "$" in post["title"]
    thread = client.get("/api/threads/101").json()
    assert thread["question"] == post
    assert thread["answers"]
    answer = thread["answers"][0]["id"]
    assert client.get(f"/api/threads/{answer}").json() == thread


def test_a_thread_has_its_comments_and_links(tmp_path: Path) -> None:
    folder = ingested_site(tmp_path)
    with open_collection(folder) as opened:
        build_index(
            opened, folder / "index", index_plan(["l8"]), IndexOptions(), lambda progress: None
        )
    with TestClient(create_app(SearchAppSettings(folder / "index"))) as client:
        thread = client.get("/api/threads/1").json()
    (comment,) = thread["comments"]
    assert comment["html"].startswith("Why is <span")
    assert {**comment, "html": ""} == {
        "id": "21",
        "post_id": "2",
        "text": "Why is $a<b$?",
        "html": "",
        "votes": 2,
        "created": "2011-03-06T00:00:00.000",
    }
    assert sorted(thread["links"], key=itemgetter("id")) == [
        {"id": "4", "kind": "duplicate", "title": "What is $x^2$?", "in_collection": True},
        {"id": "99", "kind": "related", "title": "", "in_collection": False},
    ]


def test_formulas_are_converted(client: TestClient) -> None:
    query = {"source": r"\frac12", "to": ["mathml", "slt", "l8"]}
    body = client.post("/api/convert", json=query).json()
    assert body["forms"]["slt"] == "[O!divide,o[N!1],u[N!2]]"
    assert "<mfrac>" in body["forms"]["mathml"]
    assert isinstance(body["forms"]["l8"], list)
    assert body["problems"] == []


@pytest.mark.parametrize(
    ("method", "url", "status"),
    [
        ("GET", "/api/search", 422),
        ("GET", "/api/search?q=", 422),
        ("GET", f"/api/search?q={'x' * 30_001}", 422),
        ("GET", "/api/search?q=x&k=0", 422),
        ("GET", "/api/search?q=x&k=101", 422),
        ("GET", "/api/search?q=x&since=12", 422),
        ("GET", "/api/search?q=x&until=12", 422),
        ("GET", "/api/search?q=x&votes=-1", 422),
        ("GET", "/api/formulas?q=x&votes=101", 422),
        ("GET", "/api/search?q=x&accepted=perhaps", 422),
        ("GET", "/api/search?q=x&since=2016&until=2015", 400),
        ("GET", "/api/search?q=x&system=none", 400),
        ("GET", "/api/search?q=%20", 400),
        ("GET", "/api/search?q=x&system=formula-base", 400),
        ("GET", "/api/posts/no-such-post", 404),
        ("GET", "/api/threads/99999999", 404),
        ("GET", "/api/nothing", 404),
        ("GET", "/api", 404),
        ("DELETE", "/api/search", 405),
        ("POST", "/api/convert", 422),
    ],
)
def test_failures_are_problems(client: TestClient, method: str, url: str, status: int) -> None:
    response = client.request(method, url)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["detail"]
    assert body["type"] in set(ProblemType) - {ProblemType.OTHER}


def test_problem_types_are_stable() -> None:
    types = {status: problem_type(status) for status in (400, 404, 405, 413, 422, 429, 500, 503)}
    assert len(set(types.values())) == len(types)
    assert types[404] == "urn:porism:problem:not-found"
    assert problem_type(503, retry_after=1) == "urn:porism:problem:busy"
    assert problem_type(418) == "about:blank"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?q=sum",
        "/threads/101",
        "/runs",
        "/static/porism.css",
        "/api/search?q=sum",
        "/api/posts/101",
        "/api/openapi.json",
        "/api/nothing",
        "/api/convert",
    ],
)
def test_head_is_get_without_a_body(client: TestClient, path: str) -> None:
    got, head = client.get(path), client.head(path)
    assert head.content == b""
    assert head.status_code == got.status_code
    changing = {"content-length"} if "search" in path or "q=" in path else set()  # times vary
    assert head.headers.keys() == got.headers.keys()
    assert all(head.headers[name] == got.headers[name] for name in head.headers.keys() - changing)


def test_a_formula_that_is_refused_is_a_problem(client: TestClient) -> None:
    response = client.post("/api/convert", json={"source": "{" * 5000})
    assert response.status_code in (200, 400)
    assert response.json()


def test_health_and_metrics(client: TestClient) -> None:
    body = client.get("/api/health").json()
    assert body["status"] == "ok"
    assert body["answers"] == 194
    client.get("/api/posts/101")
    text = client.get("/api/metrics").text
    assert 'porism_requests_total{route="/api/posts/{post_id:path}",status="200"}' in text
    assert "/api/posts/101" not in text


def test_openapi_describes_every_operation_with_examples(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    operations = [each for path in described["paths"].values() for each in path.values()]
    for operation in operations:
        assert {"405", "413", "500"} < operation["responses"].keys()
        for parameter in operation.get("parameters", ()):
            assert parameter["schema"]["examples"], parameter["name"]
        for status, response in operation["responses"].items():
            for content in response["content"].values():
                name = content["schema"].get("$ref", "").split("/")[-1]
                model = described["components"]["schemas"].get(name)
                assert "example" in content or (model and model["examples"]), status
    assert set(described["paths"]) >= {
        "/api/search",
        "/api/formulas",
        "/api/ask",
        "/api/posts/{post_id}",
        "/api/threads/{post_id}",
        "/api/convert",
        "/api/health",
        "/api/metrics",
    }


def test_every_response_has_security_headers(client: TestClient) -> None:
    for url in ("/api/health", "/api/nothing", "/runs"):
        headers = client.get(url).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
        assert "unsafe-eval" not in headers["content-security-policy"]


def test_cors_is_allowed_for_named_origins_only(sample_index: Path) -> None:
    origin = {"Origin": "https://example.org"}
    plain = TestClient(create_app(SearchAppSettings(sample_index)))
    assert "access-control-allow-origin" not in plain.get("/api/health", headers=origin).headers
    named = TestClient(
        create_app(SearchAppSettings(sample_index, origins=("https://example.org",)))
    )
    allowed = named.get("/api/health", headers=origin).headers
    assert allowed["access-control-allow-origin"] == "https://example.org"
    for method in ("GET", "POST"):
        before = {
            **origin,
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type",
        }
        assert named.options("/api/convert", headers=before).status_code == 200
        assert plain.options("/api/convert", headers=before).status_code == 405


def test_too_many_requests_get_429_with_retry_after(sample_index: Path) -> None:
    hasty = TestClient(create_app(SearchAppSettings(sample_index, requests_a_second=2)))
    answers = [hasty.get("/api/health") for _ in range(8)]
    refused = [each for each in answers if each.status_code == 429]
    assert refused
    assert int(refused[0].headers["retry-after"]) >= 1
    assert refused[0].headers["content-type"] == "application/problem+json"


def test_a_request_that_is_too_large_is_refused(sample_index: Path) -> None:
    small = TestClient(create_app(SearchAppSettings(sample_index, body_bytes=100)))
    response = small.post("/api/convert", content=json.dumps({"source": "x" * 200}))
    assert response.status_code == 413


def test_a_rebuilt_index_is_opened(tmp_path: Path) -> None:
    index = small_index(tmp_path, [question(1), answer(2, 1, "<p>a sum</p>")])
    client = TestClient(create_app(SearchAppSettings(index)))
    before = client.get("/api/health").json()["fingerprint"]
    command("index", str(index.parent), "--systems", "bm25")
    after = client.get("/api/health").json()
    assert after["fingerprint"] != before
    assert client.get("/api/search", params={"q": "sum"}).json()["results"]


@pytest.mark.parametrize("what", ["search", "formulas"])
@pytest.mark.parametrize("explain", ["false", "true"])
def test_responses_match_the_schema(client: TestClient, what: str, explain: str) -> None:
    body = client.get(f"/api/{what}", params={"q": "$x^2$", "explain": explain}).json()
    assert SearchResponse.model_validate(body).model_dump(exclude_unset=True) == body


def test_a_post_has_a_citation(client: TestClient) -> None:
    found = client.get("/api/search", params={"q": "harmonic series", "k": 1}).json()["results"][0]
    post = client.get(f"/api/posts/{found['post_id']}").json()
    assert post["citation"]["bibtex"].startswith("@misc{")
    assert "(answer)}," in post["citation"]["bibtex"]
    assert post["citation"]["markdown"].endswith(post["created"][:10])
