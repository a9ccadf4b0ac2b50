"""The fonts of the pages are bundled, so installed fonts make no difference."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Route

from porism.web.server.guard import STATIC
from tests.web.browsing import FONTS, PHONE, needs_browser, opened_browser, too_wide, watched

STYLES = sorted(STATIC.glob("*.css"))
WIDTHS = (320, PHONE, 800)
PAGES = (
    "/?q=Gaussian+integral+%24e%5E%7B-x%5E2%7D%24&explain=1",
    "/threads/101?q=integral",
    "/runs",
    "/runs/topics/A.1?k=10",
)

# The time of a search is shown, and varies.
LAYOUT = """() => document.fonts.ready.then(() =>
    document.querySelector(".summary")?.replaceChildren() ??
    [...document.querySelectorAll("body *")].map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return `${each.tagName} ${[x, y, width, height].map(Math.round)}`;
    }))"""


def test_font_files_are_those_that_the_styles_use() -> None:
    used = re.findall(r'url\("fonts/([^"]+)"\)', (STATIC / "fonts.css").read_text(encoding="utf-8"))
    assert sorted(used) == sorted(file.name for file in (STATIC / "fonts").glob("*.woff2"))


def test_every_font_has_its_licence() -> None:
    families = {"source-sans-3", "source-code-pro", "stix-two-math"}
    for file in (STATIC / "fonts").glob("*.woff2"):
        assert any(file.name.startswith(family) for family in families)
    for family in families:
        licence = (STATIC / "fonts" / f"OFL-{family}.txt").read_text(encoding="utf-8")
        assert "SIL OPEN FONT LICENSE" in licence


def test_fonts_are_cached_for_a_year(client: TestClient) -> None:
    response = client.get("/static/fonts/stix-two-math-3.woff2")
    assert response.headers["content-type"] == "font/woff2"
    assert "max-age=31536000" in response.headers["cache-control"]
    assert "cache-control" not in client.get("/static/fonts/none.woff2").headers


@pytest.mark.parametrize("style", STYLES, ids=[style.name for style in STYLES])
def test_styles_name_no_fonts_but_those_that_are_bundled(style: Path) -> None:
    text = style.read_text(encoding="utf-8")
    if style.name != "fonts.css":
        named = re.findall(r"[\s{;]font(?:-family)?:([^;}]*)", text)
        assert [each for each in named if not re.search(r"var\(--\w+\)|inherit", each)] == []


@pytest.fixture(scope="module")
def bare_browser(
    playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser on a machine with one font, of Latin letters only."""
    folder = tmp_path_factory.mktemp("fonts")
    (folder / "cmr10.ttf").symlink_to(FONTS / "cmr10.ttf")
    with opened_browser(playwright, folder) as browser:
        yield browser


def layout(browser: Browser, address: str, url: str) -> list[str]:
    """The place of every element of a page on a phone."""
    context = browser.new_context(base_url=address, viewport={"width": PHONE, "height": 740})
    faults = watched(context, address)
    page = context.new_page()
    page.goto(url)
    found: list[str] = page.evaluate(LAYOUT)
    assert too_wide(page) == []
    context.close()
    assert faults == []
    return found


@needs_browser
@pytest.mark.parametrize("url", PAGES)
def test_layout_does_not_depend_on_installed_fonts(
    browser: Browser, bare_browser: Browser, address: str, url: str
) -> None:
    assert layout(browser, address, url) == layout(bare_browser, address, url)


def without_fonts(context: BrowserContext) -> Page:
    """A page without the bundled fonts, shown in those of the machine."""

    def refuse(route: Route) -> None:
        route.fulfill(status=204)

    context.route("**/*.woff2", refuse)
    return context.new_page()


@needs_browser
@pytest.mark.parametrize("url", PAGES)
def test_pages_fit_the_screen_in_a_wide_font(context: BrowserContext, url: str) -> None:
    page = without_fonts(context)
    page.goto(url)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        assert too_wide(page) == [], width
