"""The pages in a real browser: what people see and do, with script and without."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
GAUSS = r"Gaussian integral $\int_{-\infty}^{\infty} e^{-x^2}\,dx$"

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
"""Root has no sandbox, and a browser in tests has nothing to ask of anybody else."""

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("CI") != "true",
    reason="no Chromium: apt-get install chromium (or your system's way to get it)",
)


@pytest.fixture(scope="module")
def address(sample_index: Path) -> Iterator[str]:
    """Where the real command serves the sample."""
    command = [sys.executable, "-m", "porism", "serve", str(sample_index), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = process.stdout.readline()
    yield told.split("is at ")[1].split("/ ")[0]
    process.terminate()
    process.wait(10)
    process.stdout.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    assert CHROMIUM is not None, "under CI the browser tests must run: install Chromium"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """A fresh browser; any error on its console, and any request elsewhere, fails the test."""
    made = browser.new_context(base_url=address)
    yield from _watched(made, address)


@pytest.fixture
def plain_context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """The same without script, as wide as a phone."""
    made = browser.new_context(
        base_url=address, java_script_enabled=False, viewport={"width": 360, "height": 740}
    )
    yield from _watched(made, address)


def _watched(context: BrowserContext, address: str) -> Iterator[BrowserContext]:
    faults: list[str] = []
    host = urlparse(address).netloc
    context.on(
        "console",
        lambda message: faults.append(message.text) if message.type == "error" else None,
    )
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on(
        "request",
        lambda request: (
            faults.append(f"asked {request.url}")
            if urlparse(request.url).netloc not in (host, "")
            else None
        ),
    )
    yield context
    context.close()
    assert faults == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def _search(page: Page, text: str) -> None:
    page.goto("/")
    page.get_by_role("searchbox").or_(page.locator("[name=q]")).first.fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("article").first).to_be_visible()


def test_a_question_with_a_formula_is_answered(page: Page) -> None:
    _search(page, GAUSS)
    assert "q=" in page.url
    assert page.locator("article").count() >= 5
    expect(page.locator("article mark").first).to_be_visible()
    assert page.locator("article mark math, article mark:has(math)").count() > 0


def test_mathematics_is_laid_out(page: Page) -> None:
    _search(page, r"$\frac{1}{n^2}$")
    fraction = page.locator("mfrac").first
    numerator = page.locator("mfrac > *").first
    whole, part = fraction.bounding_box(), numerator.bounding_box()
    assert whole is not None
    assert part is not None
    assert whole["height"] > 1.5 * part["height"]


def test_back_and_forward(page: Page) -> None:
    _search(page, "eigenvalues of a matrix")
    first = page.url
    page.locator("[name=q]").first.fill("prime numbers")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "prime" in url)
    page.go_back()
    page.wait_for_url(first)
    expect(page.locator("[name=q]").first).to_have_value("eigenvalues of a matrix")
    page.go_forward()
    page.wait_for_url(lambda url: "prime" in url)


def test_a_result_leads_to_its_thread_with_what_was_sought_marked(page: Page) -> None:
    _search(page, GAUSS)
    page.locator("article h2 a, article h3 a").first.click()
    page.wait_for_url("**/threads/**")
    expect(page.locator("mark").first).to_be_attached()
    assert page.locator("math").count() > 5


def test_formulas_lead_to_formulas_like_them(page: Page) -> None:
    page.goto(r"/?what=formulas&q=\frac{1}{n^2}")
    expect(page.locator("article").first).to_be_visible()
    page.locator("a[href^='/formulas/']").first.click()
    page.wait_for_url("**/formulas/**")
    assert page.locator("svg").count() >= 2  # the layout tree and the operator tree
    page.locator("a[href*='what=formulas']").first.click()
    expect(page.locator("article").first).to_be_visible()


def test_searching_follows_what_is_typed(page: Page) -> None:
    page.goto("/")
    page.locator("[name=q]").first.press_sequentially("compactness", delay=20)
    expect(page.locator("article").first).to_be_visible()


def test_a_tag_narrows_the_search(page: Page) -> None:
    _search(page, "sum of a series")
    tag = page.locator("article a[href*='tag=']").first
    name = (tag.text_content() or "").strip()
    tag.click()
    page.wait_for_url(lambda url: "tag=" in url)
    expect(page.locator("article").first).to_be_visible()
    for article in page.locator("article").all():
        assert name in (article.text_content() or "")


def test_the_editor_writes_a_formula(page: Page) -> None:
    page.goto("/")
    button = page.get_by_role("button", name="editor")
    if button.count() == 0:
        pytest.skip("the formula editor is not bundled: make bundle")
    button.first.click()
    field = page.locator("math-field").first
    expect(field).to_be_visible()
    field.click()
    page.keyboard.type("x^2")
    page.get_by_role("button", name="Insert").first.click()
    assert "x^2" in page.locator("[name=q]").first.input_value()


def test_hostile_text_stays_text(page: Page) -> None:
    page.goto("/?q=" + "%3Cscript%3Ealert(1)%3C/script%3E%20%3Cimg%20src=x%20onerror=alert(1)%3E")
    assert page.locator("main img").count() == 0
    assert "alert(1)" in (page.locator("[name=q]").first.input_value())


def test_everything_essential_works_without_script_on_a_phone(
    plain_context: BrowserContext,
) -> None:
    page = plain_context.new_page()
    page.goto("/")
    page.locator("[name=q]").first.fill("Gaussian integral")
    page.get_by_role("button", name="Search").first.click()
    expect(page.locator("article").first).to_be_visible()
    width = page.locator("html").evaluate("element => element.scrollWidth")
    assert width <= 360
    page.locator("article h2 a, article h3 a").first.click()
    page.wait_for_url("**/threads/**")
    assert page.locator("math").count() > 0


AXE = Path(__file__).parent.parent.parent / ".venv" / "axe-core" / "axe.min.js"


@pytest.mark.skipif(
    not AXE.is_file() and os.environ.get("CI") != "true", reason="no axe-core: make axe (needs npm)"
)
@pytest.mark.parametrize(
    "url",
    [
        "/",
        r"/?q=Gaussian+integral+%24e%5E%7B-x%5E2%7D%24",
        r"/?what=formulas&q=%5Cfrac%7B1%7D%7Bn%5E2%7D",
        "/?q=nothing-like-this-anywhere",
        "/threads/101?q=integral",
        "/runs",
    ],
)
def test_axe_finds_no_serious_fault(page: Page, url: str) -> None:
    page.goto(url)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    serious = [
        (fault["id"], [node["html"][:120] for node in fault["nodes"][:3]])
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    assert serious == []
