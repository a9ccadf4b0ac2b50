"""Signing in by token, with a cookie that scripts and other sites cannot use."""

import logging
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

from porism.assess.judgments.store import JudgmentStore
from porism.web.assessment import authentication
from porism.web.assessment.authentication import (
    COOKIE,
    MAX_WRONG_TOKENS,
    WRONG_TOKEN_MEMORY_SECONDS,
    WrongTokenCounter,
)
from porism.web.assessment.settings import AssessmentSettings
from tests.web.assessment.conftest import SignIn
from tests.web.assessment.sample_assessment import Assessment

FORGED = "forged-token-of-nobody"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "WRONG_TOKEN_SECONDS", 0.0)


def test_signing_in_redirects_to_the_form_and_back(
    client_of: SignIn, assessment: Assessment
) -> None:
    client = client_of()
    address = "/judge/official/A.1?at=3"
    answer = client.get(address)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/sign-in?to={quote(address, safe='/')}"
    form = client.get(answer.headers["location"])
    assert 'value="/judge/official/A.1?at=3"' in form.text
    fields = {"token": assessment.tokens["Ada"], "to": address}
    signed = client.post("/sign-in", data=fields)
    assert (signed.status_code, signed.headers["location"]) == (303, address)
    assert client.get(address).status_code == 200


@pytest.mark.parametrize("path", ["/", "/judge/official/A.1", "/threads/138", "/admin"])
def test_all_pages_need_signing_in(client_of: SignIn, path: str) -> None:
    client = client_of()
    client.cookies.set(COOKIE, FORGED)
    answer = client.get(path)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_an_unauthenticated_judgment_is_refused_as_problem_json(client_of: SignIn) -> None:
    answer = client_of().post("/judgments", json={})
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_cookie_is_http_only_and_same_site(client_of: SignIn, assessment: Assessment) -> None:
    answer = client_of().post("/sign-in", data={"token": f" {assessment.tokens['Ada']}\n"})
    parts = answer.headers["set-cookie"].lower()
    for wanted in ("httponly", "samesite=strict", "path=/"):
        assert wanted in parts
    assert "secure" not in parts
    secure = client_of()
    secure.base_url = "https://testserver"
    answer = secure.post("/sign-in", data={"token": assessment.tokens["Ada"]})
    assert "secure" in answer.headers["set-cookie"].lower()


def test_wrong_tokens_are_delayed(client_of: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(authentication, "WRONG_TOKEN_SECONDS", 1.5)
    monkeypatch.setattr("porism.web.assessment.authentication.asyncio.sleep", sleep)
    answer = client_of().post("/sign-in", data={"token": FORGED})
    assert answer.status_code == 401
    assert "token is not valid" in answer.text
    assert FORGED not in answer.text
    assert waited == [1.5]


def test_wrong_tokens_are_limited_and_valid_ones_are_not(
    client_of: SignIn, assessment: Assessment
) -> None:
    client = client_of()
    for _ in range(MAX_WRONG_TOKENS):
        assert client.post("/sign-in", data={"token": FORGED}).status_code == 401
    refused = client.post("/sign-in", data={"token": FORGED})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 60
    # Others may share the address, as behind a proxy.
    accepted = client.post("/sign-in", data={"token": assessment.tokens["Ada"]})
    assert accepted.status_code in (200, 303)
    assert client.get("/").status_code == 200


def test_the_limit_of_an_address_expires() -> None:
    wrong = WrongTokenCounter()
    for _ in range(MAX_WRONG_TOKENS):
        assert wrong.wait("a", 0.0) == 0.0
        wrong.count("a", 0.0)
    assert wrong.wait("a", 1.0) == WRONG_TOKEN_MEMORY_SECONDS - 1.0
    assert wrong.wait("b", 1.0) == 0.0
    assert wrong.wait("a", WRONG_TOKEN_MEMORY_SECONDS + 1) == 0.0


@pytest.mark.parametrize("to", ["//evil.example/", "https://evil.example/", "/\\evil.example", ""])
def test_signing_in_redirects_to_this_site_only(
    client_of: SignIn, assessment: Assessment, to: str
) -> None:
    form = {"token": assessment.tokens["Ada"], "to": to}
    assert client_of().post("/sign-in", data=form).headers["location"] == "/"


def test_a_new_token_revokes_the_old_one(ada: TestClient, assessment: Assessment) -> None:
    assert ada.get("/").status_code == 200
    JudgmentStore(assessment.path).add_assessor("Ada")
    assert ada.get("/").status_code == 303


def test_signing_out_deletes_the_cookie(client_of: SignIn, assessment: Assessment) -> None:
    client = client_of()
    client.post("/sign-in", data={"token": assessment.tokens["Ada"]})
    assert client.get("/").status_code == 200
    assert client.post("/sign-out").headers["location"] == "/sign-in"
    assert client.get("/").status_code == 303


def test_tokens_appear_in_no_log_and_no_page(
    client_of: SignIn, assessment: Assessment, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        client = client_of()
        client.post("/sign-in", data={"token": FORGED})
        client.post("/sign-in", data={"token": assessment.tokens["Eve"]})
        pages = client.get("/").text + client.get("/judge/official/A.1").text
    for token in (FORGED, *assessment.tokens.values()):
        assert token not in caplog.text
        assert token not in pages


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://testserver"},
    ],
)
def test_other_sites_cannot_send_anything(ada: TestClient, headers: dict[str, str]) -> None:
    for path in ("/sign-in", "/sign-out", "/wishes", "/judgments", "/judge/official/A.1"):
        assert ada.post(path, headers=headers).status_code == 403
    # A person may follow a link of any site to the home page.
    link = {**headers, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert ada.get("/", headers=link).status_code == 200


def test_own_pages_can_send(ada: TestClient) -> None:
    own = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    assert ada.post("/sign-out", headers=own).status_code == 303


def test_administration_needs_the_token_of_an_administrator(client_of: SignIn) -> None:
    assert client_of("Ada").get("/admin").status_code == 403
    assert client_of("Eve").get("/admin").status_code == 200


def test_pages_are_not_cached_and_have_no_inline_script(ada: TestClient) -> None:
    headers = ada.get("/").headers
    assert headers["cache-control"] == "no-store"
    assert "script-src 'self';" in headers["content-security-policy"]


def test_large_bodies_are_refused(client_of: SignIn, settings: AssessmentSettings) -> None:
    answer = client_of("Ada").post("/judgments", content=b"x" * (settings.body_bytes + 1))
    assert answer.status_code == 413
