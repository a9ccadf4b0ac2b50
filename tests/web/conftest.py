"""The sample, served once for all tests that only read it, and a browser."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from porism.web.app import create_app
from porism.web.settings import SearchAppSettings
from tests.web.browsing import PHONE, keep_picture, opened_browser, watched
from tests.web.serving import exploring, sample_runs_in, served_by_command

HAS_FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def client(sample_index: Path) -> Iterator[TestClient]:
    """The application for the sample, without a rate limit."""
    app = create_app(SearchAppSettings(sample_index, requests_a_second=0))
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="session")
def sample_runs(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two systems for the sample's topics, which are beside them."""
    return sample_runs_in(tmp_path_factory.mktemp("runs"), sample_index)


@pytest.fixture(scope="session")
def address(sample_index: Path, sample_runs: Path) -> Iterator[str]:
    """The address at which the command serves the sample with its runs."""
    with served_by_command(sample_index, "--rate", "0", *exploring(sample_runs)) as url:
        yield url


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright, of which a thread can have only one."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with opened_browser(playwright) as opened:
        yield opened


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let fixtures know whether their test failed."""
    report = yield
    if report.when == "call":
        item.stash[HAS_FAILED] = report.failed
    return report


@pytest.fixture
def context(
    browser: Browser, address: str, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    """A fresh browser; any error on its console, and any request elsewhere, fails the test.

    Screenshots of the pages of a failed test are kept.
    """
    made = browser.new_context(base_url=address)
    yield from _used(made, address, request)


@pytest.fixture
def plain_context(
    browser: Browser, address: str, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    """The same without script, as wide as a phone."""
    made = browser.new_context(
        base_url=address, java_script_enabled=False, viewport={"width": PHONE, "height": 740}
    )
    yield from _used(made, address, request)


def _used(
    context: BrowserContext, address: str, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    faults = watched(context, address)
    yield context
    if request.node.stash.get(HAS_FAILED, False):
        for number, page in enumerate(context.pages):
            keep_picture(page, f"failed-{request.node.name.replace('/', '-')[:80]}-{number}")
    context.close()
    assert faults == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def plain_page(plain_context: BrowserContext) -> Page:
    return plain_context.new_page()
