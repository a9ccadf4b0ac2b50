"""Links, citations and LaTeX below a post; keys, chips and weight of the search page."""

import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.web.browsing import needs_browser

pytestmark = needs_browser


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_a_post_is_copied_cited_and_linked(context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto("/?q=harmonic+series")
    page.locator("article h2 a").first.click()
    page.wait_for_url("**/threads/**")
    tools = page.locator(".post-tools").first
    tools.get_by_role("button", name="Copy as LaTeX").click()
    expect(tools.get_by_role("button", name="Copied")).to_be_visible()
    assert "$" in clipboard(page)
    tools.locator("summary").click()
    tools.get_by_role("button", name="Copy", exact=True).first.click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('@misc'))")
    tools.get_by_role("link", name="Link").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.startsWith('http'))")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/threads/\d+#post-\d+", clipboard(page))


def test_keys_lead_through_the_results(page: Page) -> None:
    page.goto("/?q=sum+of+a+series")
    titles = page.locator("article h2 a")
    page.locator("#q").focus()
    page.keyboard.press("ArrowDown")
    expect(titles.nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("ArrowDown")
    expect(titles.nth(2)).to_be_focused()
    page.keyboard.press("k")
    expect(titles.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#q")).to_be_focused()
    page.locator("body").click(position={"x": 1, "y": 1})
    page.keyboard.press("?")
    page.wait_for_url("**/help#keys")


def test_submitted_searches_are_remembered_until_they_are_forgotten(page: Page) -> None:
    page.goto("/")
    page.locator("#q").fill("harmonic series")
    page.keyboard.press("Enter")
    expect(page.locator("article").first).to_be_visible()
    page.goto("/")
    recent = page.locator("#recent")
    recent.get_by_role("link", name="harmonic series").click()
    expect(page.locator("#q")).to_have_value("harmonic series")
    page.goto("/")
    recent.get_by_role("button", name="Forget these").click()
    expect(recent).to_be_hidden()
    page.reload()
    expect(recent).to_be_hidden()


def test_a_chip_is_switched_to_words_and_edited(page: Page) -> None:
    page.goto("/")
    page.locator("#q").press_sequentially("order of x^2 and more", delay=5)
    chip = page.locator("#preview .chip.formula")
    expect(chip.locator("msup")).to_be_visible()
    chip.locator(".chip-text").click()
    selected = "((box) => box.value.slice(box.selectionStart, box.selectionEnd))"
    selected += "(document.getElementById('q'))"
    assert page.evaluate(selected) == "x^2"
    chip.locator("a.switch").click()
    expect(page.locator("#preview .chip.literal")).to_be_visible()
    expect(page).to_have_url(re.compile("words=x%5E2"))
    page.locator("#preview a.switch").click()
    expect(page.locator("#preview .chip.formula")).to_be_visible()
    expect(page).not_to_have_url(re.compile("words="))


def test_other_answers_unfold_in_place(page: Page) -> None:
    page.goto("/?q=sum+of+a+series")
    link = page.locator("a.others").first
    number = int((link.text_content() or "0").split()[0])
    link.click()
    expect(page.locator(".others-list").first.locator("> li")).to_have_count(number)


def test_an_id_that_is_typed_opens_its_thread(page: Page) -> None:
    page.goto("/?q=sum+of+a+series")
    address = page.locator("article h2 a").first.get_attribute("href") or ""
    thread = address.split("?")[0].split("/")[-1]
    page.locator("#q").fill(f"id:{thread}")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/threads/{thread}**")


def test_results_arrive_without_moving_the_page(page: Page) -> None:
    page.goto("/?q=sum+of+a+series")
    shift: float = page.evaluate(
        """new Promise((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) => {
                for (const each of list.getEntries()) sum += each.hadRecentInput ? 0 : each.value;
            }).observe({ type: "layout-shift", buffered: true });
            requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        })"""
    )
    assert shift < 0.02


LIGHT = 700_000
"""Bytes of a page with its fonts and scripts, without the formula editor."""


def test_a_page_of_results_is_light(page: Page) -> None:
    sizes: dict[str, int] = {}
    page.on("response", lambda response: sizes.__setitem__(response.url, len(response.body())))
    page.goto("/?q=sum+of+a+series+1/n^2")
    page.wait_for_load_state("networkidle")
    assert page.locator("article").count() == 10
    assert sum(sizes.values()) < LIGHT, sizes
    assert not any("mathlive" in url for url in sizes)
