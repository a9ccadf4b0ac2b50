"""Accessibility of every page in a real browser: dark mode, phones, keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from porism.web.settings import SearchAppSettings
from tests.web.browsing import (
    AXE,
    IS_CI,
    PHONE,
    brightness,
    covered_links,
    foreign_fonts,
    keep_picture,
    needs_browser,
    serious_faults,
    too_wide,
    watched,
)
from tests.web.serving import served_by_thread

pytestmark = [
    needs_browser,
    pytest.mark.skipif(not AXE.is_file() and not IS_CI, reason="no axe-core: make axe (needs npm)"),
]

DARK = 60
LIGHT = 220


def check_accessibility(page: Page, name: str) -> None:
    """Check accessibility in light and dark mode, on a screen and on a phone."""
    assert covered_links(page) == []
    assert foreign_fonts(page) == []
    page.emulate_media(color_scheme="light")
    assert brightness(page) > LIGHT
    assert serious_faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert brightness(page) < DARK
    keep_picture(page, f"{name}-dark", is_whole=False)
    assert serious_faults(page, ("color-contrast",)) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": PHONE, "height": 740})
    keep_picture(page, f"{name}-phone", is_whole=False)
    assert too_wide(page) == []
    assert serious_faults(page, ("scrollable-region-focusable",)) == []


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("search-empty", "/"),
        ("search-results", r"/?q=Gaussian+integral+%24e%5E%7B-x%5E2%7D%24"),
        ("search-problems", r"/?q=integral+%24%5Cfrac%7B1%7D%7Bx%24"),
        ("search-nothing", "/?q=nothing-like-this-anywhere"),
        ("search-refused", "/?q=sum&since=12"),
        ("search-filtered", "/?q=sum&tag=calculus&since=2012&votes=2&accepted=1"),
        ("search-formulas", r"/?what=formulas&q=%5Cfrac%7B1%7D%7Bn%5E2%7D"),
        ("search-questions", "/?what=questions&q=prime+numbers"),
        ("search-chips", "/?q=sum+1/n^2+-proof+%22infinite+series%22&words=1/n%5E2"),
        ("search-corrected", "/?q=harmonnic+series"),
        ("thread", "/threads/101?q=integral"),
        ("runs", "/runs"),
        ("topic", "/runs/topics/A.1?k=10"),
        ("runs-refused", "/runs/topics/none"),
        ("not-found", "/threads/99999999"),
        ("help", "/help"),
        ("about", "/about"),
        ("rest", "/docs#get-api-search"),
    ],
)
def test_every_page_is_accessible(page: Page, name: str, url: str) -> None:
    page.goto(url)
    check_accessibility(page, name)


def to_formula(page: Page) -> None:
    page.goto(r"/?what=formulas&q=%5Csum_%7Bn%3D1%7D%5E%5Cinfty+%5Cfrac%7B1%7D%7Bn%5E2%7D")
    page.locator("a[href^='/formulas/']").first.click()
    page.wait_for_url("**/formulas/**")


def to_scores(page: Page) -> None:
    page.goto("/runs")
    page.get_by_label("Paste a run").fill("A.1\t101\t1\t2.5\tmine\nA.1\t<b>\t2\t1.5\tmine\n")
    page.get_by_role("button", name="Score this run").click()
    page.wait_for_url("**/runs/try/**")


def to_unscorable(page: Page) -> None:
    page.goto("/runs")
    page.get_by_label("Paste a run").fill("this is no run\n")
    page.get_by_role("button", name="Score this run").click()
    expect(page.get_by_role("heading", name="This run cannot be scored")).to_be_visible()


def to_why(page: Page) -> None:
    page.goto("/?q=prime+numbers+%24p%5E2%24")
    page.locator("a.why").first.click()
    expect(page.locator(".explanation > ul")).to_be_visible()


def to_tools(page: Page) -> None:
    page.goto("/")
    page.locator("#palette summary").click()
    page.locator("details.filters summary").click()
    editor = page.get_by_role("button", name="Formula editor")
    if editor.count():
        editor.click()
        expect(page.locator("math-field")).to_be_visible()


@pytest.mark.parametrize("way", [to_formula, to_scores, to_unscorable, to_why, to_tools])
def test_every_state_of_a_page_is_accessible(page: Page, way: Callable[[Page], None]) -> None:
    way(page)
    check_accessibility(page, way.__name__.removeprefix("to_"))


def test_runs_page_explains_how_to_add_runs(browser: Browser, sample_index: Path) -> None:
    with served_by_thread(SearchAppSettings(sample_index)) as address:
        context = browser.new_context(base_url=address)
        faults = watched(context, address)
        page = context.new_page()
        page.goto("/runs")
        expect(page.get_by_text("--runs DIR --qrels FILE")).to_be_visible()
        check_accessibility(page, "runs-start")
        context.close()
    assert faults == []


FOCUS = """() => {
    const at = document.activeElement;
    const style = getComputedStyle(at);
    const box = at.getBoundingClientRect();
    return {
        name: at.id || at.className || at.name || at.tagName,
        place: at.closest("header, form, article, nav, footer")?.tagName ?? "",
        isSeen: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
            && box.width > 0 && box.bottom > 0 && box.right > 0),
    };
}"""


def stops(page: Page, most: int) -> list[dict[str, str | bool]]:
    """The places that the tab key reaches, in order."""
    found = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found.append(page.evaluate(FOCUS))
    return found


def test_the_keyboard_leads_to_the_search_and_then_to_the_results(page: Page) -> None:
    page.goto("/?q=prime+numbers")
    expect(page.locator("article").first).to_be_visible()
    found = stops(page, 60)
    names = [each["name"] for each in found]
    assert names[0] == "skip"
    places = [each["place"] for each in found]
    order = [places.index(place) for place in ("HEADER", "FORM", "ARTICLE")]
    assert order == sorted(order)
    assert names.index("q") < places.index("ARTICLE")
    assert [each["name"] for each in found if not each["isSeen"]] == []


def test_the_skip_link_leads_to_the_content(page: Page) -> None:
    page.goto("/?q=prime+numbers")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_search_works_by_keyboard_alone(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("prime numbers")
    page.keyboard.press("Enter")
    page.locator("article h2 a").first.focus()
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.locator("article a.why").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".explanation > summary")).to_be_focused()
    page.locator("article h2 a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/threads/**")
