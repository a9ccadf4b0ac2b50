"""Searching in a real browser: typing, formulas, filters, going back, with script and without."""

import re
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.web.browsing import (
    CHROMIUM,
    QUIET,
    SAFETY_NET,
    keep_picture,
    needs_browser,
    too_wide,
)

pytestmark = needs_browser

GAUSS = r"Gaussian integral $\int_{-\infty}^{\infty} e^{-x^2}\,dx$"


def search(page: Page, text: str) -> None:
    page.goto("/")
    page.locator("#q").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("article").first).to_be_visible()


def open_filters(page: Page) -> None:
    page.locator("details.filters summary").click()


def years(page: Page) -> list[int]:
    return [int((each.text_content() or "")[:4]) for each in page.locator("article time").all()]


def test_a_question_with_a_formula_has_matches_marked(page: Page) -> None:
    search(page, GAUSS)
    assert "q=" in page.url
    assert page.locator("article").count() >= 5
    expect(page.locator("article mark").first).to_be_visible()
    marked = page.locator("article mark:has(math), article .hit").first
    expect(marked).to_be_visible()
    keep_picture(page, "search")


def test_the_matching_part_of_a_formula_is_marked(page: Page) -> None:
    page.goto(r"/?what=formulas&q=\frac{1}{n^2}")
    parts = page.locator("article mark .hit")
    expect(parts.first).to_be_visible()
    whole = page.locator("article mark:has(.hit) math").first.bounding_box()
    part = parts.first.bounding_box()
    assert whole is not None
    assert part is not None
    assert 0 < part["width"] < whole["width"]
    colour = parts.first.evaluate("each => getComputedStyle(each).backgroundColor")
    assert colour not in ("rgba(0, 0, 0, 0)", "transparent")


def test_mathematics_is_laid_out(page: Page) -> None:
    search(page, r"$\frac{1}{n^2}$")
    fraction = page.locator("article mfrac").first.bounding_box()
    numerator = page.locator("article mfrac > *").first.bounding_box()
    assert fraction is not None
    assert numerator is not None
    assert fraction["height"] > 1.5 * numerator["height"]
    base = page.locator("article msup > :first-child").first.bounding_box()
    power = page.locator("article msup > :nth-child(2)").first.bounding_box()
    assert base is not None
    assert power is not None
    assert power["y"] + power["height"] / 2 < base["y"] + base["height"] / 2
    assert page.locator("article math[alttext]").count() > 0


def has_caret(page: Page) -> None:
    """Wait until the caret is there; a click alone is too early to type."""
    expect(page.locator("math-field")).to_be_focused()
    page.wait_for_function("document.querySelector('math-field').hasFocus()")


def test_a_formula_is_typed_in_the_editor_and_found(page: Page) -> None:
    page.goto("/")
    button = page.get_by_role("button", name="Formula editor")
    button.click()
    field = page.locator("math-field")
    expect(field).to_be_visible()
    field.click()
    has_caret(page)
    page.keyboard.type("1/n^2")
    keep_picture(page, "editor")
    page.get_by_role("button", name="Insert", exact=True).click()
    assert page.locator("#q").input_value() == r"$\frac{1}{n^2}$"
    expect(page.locator("#preview mfrac")).to_be_visible()
    expect(page.locator("article mfrac").first).to_be_visible()
    expect(page.locator("article mark").first).to_be_visible()


HOSTILE_COMMANDS = (
    r"\htmlStyle{position:fixed;inset:0}{x}",
    r"\style {color:red}{x}",
    r"\htmlData{a=b}{x}",
    r"\htmlClass{ML__fieldcontainer}{x}",
    r"\class{search}{x}",
    r"\cssId{search}{x}",
    r"\htmlId{search}{x}",
    r"\href{https://evil.example/}{x}",
    r"\bbox[5px, border: 2px solid red]{x}",
    r"\html\class{a}Style{position:fixed}{x}",
    r"\csname htmlStyle\endcsname{position:fixed}{x}",
    r"\htmlStyle{\htmlStyle{a}{b}}{\htmlStyle{position:fixed}{x}}",
    r"\def\a#1{\htmlStyle{position:fixed}{#1}}\a{x}",
)


FORBIDDEN = re.compile(
    r"\\(html(Style|Data|Class|Id)|style|class|cssId|href|bbox|csname)(?![A-Za-z])"
)


def test_commands_that_style_or_link_do_not_reach_the_editor(page: Page) -> None:
    page.goto("/")
    plain: list[str] = page.evaluate(
        """async (sources) => {
            const { plainLatex } = await import("/static/plain_latex.js");
            return sources.map(plainLatex);
        }""",
        [*HOSTILE_COMMANDS, r"\frac{1}{2} + \classical \mathrm{href}"],
    )
    assert plain[-1] == r"\frac{1}{2} + \classical \mathrm{href}"
    for each in plain[:-1]:
        assert "x" in each
        assert not FORBIDDEN.search(each)
    page.goto(f"/?what=formulas&q={quote(HOSTILE_COMMANDS[0])}")
    page.get_by_role("button", name="Formula editor").click()
    has_caret(page)
    made: str = page.evaluate("document.querySelector('math-field').shadowRoot.innerHTML")
    assert "inset:0" not in made
    assert "position:fixed" not in made


def test_the_editor_takes_wildcards_and_is_opened_again_after_escape(page: Page) -> None:
    page.goto("/")
    button = page.get_by_role("button", name="Formula editor")
    button.click()
    page.locator("math-field").click()
    page.keyboard.press("Escape")
    expect(page.locator("math-field")).to_be_hidden()
    button.click()
    page.locator("math-field").click()
    has_caret(page)
    page.keyboard.type("?y^2")
    expect(page.locator("math-field")).to_have_js_property("value", "?y^2")
    page.keyboard.press("Enter")
    expect(page.locator("#q")).to_have_value("$?y^2$")


def test_the_palette_writes_a_formula(page: Page) -> None:
    page.goto("/")
    page.locator("#palette summary").click()
    page.get_by_role("button", name="Insert fraction").click()
    page.keyboard.type("1")
    assert page.locator("#q").input_value() == r"$\frac{1}{}$"


def test_results_follow_typing(page: Page) -> None:
    page.goto("/")
    page.locator("#q").press_sequentially("compactness", delay=20)
    expect(page.locator("article").first).to_be_visible()
    expect(page).to_have_url(re.compile("q=compactness"))
    page.locator("#q").press_sequentially(r" $\sqrt{x", delay=20)
    expect(page.locator("#preview msqrt")).to_be_visible()


def test_back_and_forward(page: Page) -> None:
    search(page, "eigenvalues of a matrix")
    first = page.url
    page.locator("#q").fill("prime numbers")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "prime" in url)
    page.go_back()
    page.wait_for_url(first)
    expect(page.locator("#q")).to_have_value("eigenvalues of a matrix")
    expect(page.locator("article").first).to_be_visible()
    page.go_forward()
    page.wait_for_url(lambda url: "prime" in url)
    expect(page.locator("#q")).to_have_value("prime numbers")


def test_back_undoes_a_filter(page: Page) -> None:
    search(page, "sum of a series")
    page.get_by_label("Questions").check()
    page.wait_for_url(lambda url: "what=questions" in url)
    page.go_back()
    page.wait_for_url(lambda url: "what=" not in url)
    expect(page.get_by_label("Answers", exact=True)).to_be_checked()


def test_a_tag_of_a_result_filters_the_search(page: Page) -> None:
    search(page, "sum of a series")
    tag = page.locator("article .tags a").first
    name = (tag.text_content() or "").strip()
    tag.click()
    page.wait_for_url(lambda url: "tag=" in url)
    expect(page.locator("article").first).to_be_visible()
    for article in page.locator("article").all():
        assert name in article.locator(".tags").all_inner_texts()[0]


def test_a_typed_tag_filters_and_can_be_removed(page: Page) -> None:
    search(page, "sum of a series")
    open_filters(page)
    page.get_by_label("Tag", exact=True).fill("calculus")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "tag=calculus" in url)
    expect(page.locator("article .tags [aria-current]").first).to_have_text("calculus")
    keep_picture(page, "filters")
    page.locator(".active-filters a").first.click()
    page.wait_for_url(lambda url: "tag=" not in url)


def test_a_second_typed_tag_is_added_to_the_first(page: Page) -> None:
    search(page, "sum of a series")
    open_filters(page)
    page.get_by_label("Tag", exact=True).fill("calculus")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url.endswith("tag=calculus"))
    expect(page.get_by_label("Another tag")).to_be_focused()
    page.keyboard.type("limits")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url.endswith("tag=calculus&tag=limits"))
    expect(page.locator(".active-filters li")).to_have_count(2)
    page.get_by_role("checkbox", name="calculus").uncheck()
    page.wait_for_url(lambda url: "calculus" not in url and url.endswith("tag=limits"))


def test_the_back_link_of_a_thread_leads_to_the_same_results(page: Page) -> None:
    address = "/?q=sum+of+a+series&what=questions&votes=2&page=2"
    page.goto(address)
    page.locator("article h2 a").first.click()
    page.wait_for_url("**/threads/**")
    page.get_by_role("link", name="Back to the results").click()
    page.wait_for_url(f"**{address}")


def test_years_filter_results(page: Page) -> None:
    search(page, "sum of a series")
    assert len(set(years(page))) > 2
    open_filters(page)
    page.locator("[name=since]").fill("2014")
    page.locator("[name=until]").fill("2015")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "since=2014" in url and "until=2015" in url)
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    assert set(years(page)) <= {2014, 2015}


def test_votes_and_acceptance_filter_results(page: Page) -> None:
    search(page, "sum of a series")
    summary = page.locator("#summary")
    before = summary.text_content()
    open_filters(page)
    page.locator("[name=votes]").fill("20")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "votes=20" in url)
    votes = [
        int(found[1])
        for each in page.locator("article .facts").all()
        if (found := re.search(r"(-?\d+) votes?", each.text_content() or ""))
    ]
    assert min(votes) >= 20
    page.locator("[name=accepted]").check()
    page.wait_for_url(lambda url: "accepted=1" in url)
    expect(page.locator("article").first).to_be_visible()
    assert summary.text_content() != before


def test_a_result_is_explained_in_its_place(page: Page) -> None:
    search(page, "prime numbers")
    page.locator("a.why").first.click()
    explanation = page.locator("article").first.locator(".explanation > ul")
    expect(explanation).to_be_visible()
    assert explanation.locator("li").count() > 0


def test_more_results_are_on_the_next_page(page: Page) -> None:
    search(page, "sum of a series")
    first = page.locator("article h2").first.text_content()
    page.locator(".pages a[rel=next]").click()
    page.wait_for_url(lambda url: "page=2" in url)
    assert page.locator("article h2").first.text_content() != first


def test_latex_that_fails_to_parse_is_reported_with_its_place(page: Page) -> None:
    search(page, r"integral $\frac{1}{x$")
    expect(page.locator(".problems mark")).to_be_visible()
    expect(page.locator("article").first).to_be_visible()


def test_a_busy_server_is_reported(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address)  # one that is not watched: it has an error to tell
    page.set_default_timeout(SAFETY_NET)
    page.goto("/")
    page.route("**/?*fragment=results*", lambda route: route.fulfill(status=503))
    page.locator("#q").fill("prime numbers")
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("busy")
    page.close()


def test_hostile_text_stays_text(page: Page) -> None:
    page.goto("/?q=%3Cscript%3Ealert(1)%3C/script%3E%20%3Cimg%20src=x%20onerror=alert(1)%3E")
    assert page.locator("main img").count() == 0
    assert "alert(1)" in page.locator("#q").input_value()


def test_searching_works_without_script_on_a_phone(plain_page: Page) -> None:
    plain_page.goto("/")
    assert too_wide(plain_page) == []
    plain_page.locator("#q").fill(GAUSS)
    plain_page.get_by_role("button", name="Search").click()
    expect(plain_page.locator("article mark").first).to_be_visible()
    assert too_wide(plain_page) == []
    keep_picture(plain_page, "phone-without-script", is_whole=False)
    open_filters(plain_page)
    plain_page.locator("[name=since]").fill("2014")
    plain_page.get_by_role("button", name="Search").click()
    assert min(years(plain_page)) >= 2014
    plain_page.locator("article .why").first.click()
    expect(plain_page.locator("article .explanation li").first).to_be_visible()
    plain_page.locator("article h2 a").first.click()
    plain_page.wait_for_url("**/threads/**")
    assert plain_page.locator("math").count() > 0
    assert too_wide(plain_page) == []


def test_a_foreign_host_name_is_refused(browser: Browser, address: str) -> None:
    """DNS rebinding: the name of an attacker's page, by which it could read the answers."""
    rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    rebound = browser.browser_type.launch(executable_path=CHROMIUM, args=[*QUIET, rules])
    try:
        page = rebound.new_page()
        answer = page.goto(f"http://evil.example:{urlsplit(address).port}/api/search?q=sum")
        assert answer is not None
        assert answer.status == 421
        assert "results" not in answer.json()
    finally:
        rebound.close()
