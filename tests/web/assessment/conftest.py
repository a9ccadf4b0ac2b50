"""The sample assessment, fresh for each test, and its assessors."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page

from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.authentication import COOKIE
from porism.web.assessment.settings import AssessmentSettings
from porism.web.server.listener import server_of
from tests.web.assessment.sample_assessment import (
    Assessment,
    ServedAssessment,
    make_assessment,
    served_assessment,
)
from tests.web.browsing import watched
from tests.web.serving import running

SignIn = Callable[..., TestClient]
Browse = Callable[..., Page]


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, sample_collection: Path) -> Assessment:
    return make_assessment(tmp_path_factory.mktemp("sample"), sample_collection)


@pytest.fixture
def assessment(tmp_path: Path, sample: Assessment) -> Assessment:
    return replace(sample, path=Path(shutil.copy(sample.path, tmp_path)))


@pytest.fixture
def settings(assessment: Assessment) -> AssessmentSettings:
    return AssessmentSettings(assessment.path, assessment.collection, requests_a_second=0)


@pytest.fixture
def client_of(assessment: Assessment, settings: AssessmentSettings) -> Iterator[SignIn]:
    """A client for an assessor by name, or for nobody; optionally with other settings."""
    opened: list[TestClient] = []

    def signed_in(name: str = "", other_settings: AssessmentSettings | None = None) -> TestClient:
        cookies = {COOKIE: assessment.tokens[name]} if name else {}
        client = TestClient(
            create_assessment_app(other_settings or settings),
            cookies=cookies,
            follow_redirects=False,
            raise_server_exceptions=False,
        )
        opened.append(client.__enter__())
        return client

    yield signed_in
    for client in opened:
        client.__exit__()


@pytest.fixture
def ada(client_of: SignIn) -> TestClient:
    return client_of("Ada")


@pytest.fixture
def served(assessment: Assessment) -> Iterator[ServedAssessment]:
    with served_assessment(assessment) as server:
        yield server


@pytest.fixture
def site(request: pytest.FixtureRequest, settings: AssessmentSettings) -> Iterator[str]:
    """Where the assessment is served: by a process if the test uses it, else by a thread."""
    if "served" in request.fixturenames:
        server: ServedAssessment = request.getfixturevalue("served")
        yield server.address
        return
    with running(server_of(create_assessment_app(settings))) as address:
        yield address


NOON = "2026-01-01T12:00:00"
"""The time at the start of tests in pages, whose clocks run normally and can be advanced."""

EXPECTED = ("ERR_CONNECTION", "(Unauthorized)", "(Forbidden)", "(Service Unavailable)")
"""Console messages about unreachable servers and refused judgments."""


@pytest.fixture
def browse(browser: Browser, assessment: Assessment, site: str) -> Iterator[Browse]:
    """A page of an assessor who is signed in; faults of pages fail the test at its end."""
    contexts: list[tuple[BrowserContext, list[str]]] = []

    def opened(
        name: str,
        width: int = 1280,
        height: int = 800,
        has_script: bool = True,
        theme: str = "light",
    ) -> Page:
        context = browser.new_context(
            base_url=site,
            viewport={"width": width, "height": height},
            java_script_enabled=has_script,
            color_scheme="dark" if theme == "dark" else "light",
            has_touch=width < 1000,
        )
        context.clock.install(time=NOON)
        contexts.append((context, watched(context, site)))
        context.add_cookies([{"name": COOKIE, "value": assessment.tokens[name], "url": site}])
        return context.new_page()

    yield opened
    for context, _ in contexts:
        context.close()
    faults = [fault for _, messages in contexts for fault in messages]
    assert [fault for fault in faults if not any(word in fault for word in EXPECTED)] == []
