"""Short answers in a real browser: the extract, a generated answer as it is written, its errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from porism.generation.generator import GenerationError
from porism.web.app import create_app
from porism.web.server.listener import server_of
from porism.web.settings import SearchAppSettings
from tests.collection.dumps import answer, question
from tests.web.browsing import (
    AXE,
    FITTING,
    PHONE,
    keep_picture,
    needs_browser,
    serious_faults,
    too_wide,
    watched,
)
from tests.web.pausing_generator import PausingGenerator
from tests.web.serving import SAFETY_NET, running, small_index

pytestmark = needs_browser

HARMONIC = r"why does the harmonic series $\sum_{n=1}^\infty \frac1n$ diverge?"
ADDRESS = f"/?q={quote(HARMONIC)}"
WRITTEN = (
    "The harmonic series diverges ",
    r"because $\frac1{n+1}+\dots+\frac1{2n}\ge\frac12$ [1]. It grows like $\ln n$ [2][9]. "
    "<b>bold</b>",
)


@dataclass
class Opened:
    """A page of a server with a language model."""

    page: Page
    generator: PausingGenerator

    @property
    def button(self) -> str:
        return "form.ask button"

    def ask(self) -> None:
        self.page.goto(ADDRESS)
        self.page.get_by_role("button", name="Answer from these sources").click()


@contextmanager
def opened(
    browser: Browser, index: Path, generator: PausingGenerator, has_script: bool = True
) -> Iterator[Opened]:
    """The page; anything on its console and any request elsewhere fails the test."""
    settings = SearchAppSettings(index, requests_a_second=0)
    with running(server_of(create_app(settings, generator))) as address:
        context = browser.new_context(base_url=address, java_script_enabled=has_script)
        faults = watched(context, address)
        try:
            yield Opened(context.new_page(), generator)
        finally:
            generator.go.set()
            context.close()
        assert faults == []


@pytest.fixture
def paused(browser: Browser, sample_index: Path) -> Iterator[Opened]:
    """With a model that waits in the midst of its answer."""
    with opened(browser, sample_index, PausingGenerator(WRITTEN, pauses=True)) as given:
        yield given


def check_fits(page: Page, name: str) -> None:
    """Check a state of the page in light and dark mode, on a screen and on a phone."""
    has_axe = AXE.is_file()
    keep_picture(page, name)
    assert not has_axe or serious_faults(page) == []
    page.emulate_media(color_scheme="dark")
    keep_picture(page, f"{name}-dark")
    assert not has_axe or serious_faults(page, ("color-contrast",)) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": PHONE, "height": 740})
    keep_picture(page, f"{name}-phone")
    assert too_wide(page) == []
    assert not has_axe or serious_faults(page, FITTING) == []
    page.set_viewport_size({"width": 1280, "height": 720})


def test_the_extract_is_above_the_results_and_links_to_its_post(page: Page) -> None:
    page.goto("/")
    page.locator("#q").fill(HARMONIC)  # found while typing, as the results are
    extract = page.get_by_role("region", name="Extract from an answer")
    expect(extract).to_be_visible()
    expect(extract).to_contain_text("not checked")
    expect(extract.locator("math").first).to_be_visible()
    box, card = extract.bounding_box(), page.locator("article").first.bounding_box()
    assert box is not None
    assert card is not None
    assert box["y"] + box["height"] < card["y"]
    expect(page.locator("form.ask")).to_have_count(0)
    check_fits(page, "extract")
    extract.locator(".origin a").click()
    page.wait_for_url("**/threads/**")
    post = page.url.split("#")[1]
    expect(page.locator(f"[id='{post}']")).to_be_in_viewport()


LONG_ANSWER = "".join(
    f"<p>Step {step}: the partial sum of the series is larger than {step} halves.</p>"
    for step in range(1, 16)
)


def test_a_long_extract_is_folded_and_unfolds_without_script(
    browser: Browser, tmp_path: Path
) -> None:
    index = small_index(tmp_path, [question(1), answer(2, 1, LONG_ANSWER)])
    with opened(browser, index, PausingGenerator(), has_script=False) as given:
        given.page.goto("/?q=partial+sum+of+the+series")
        extract = given.page.locator(".extract")
        expect(extract.get_by_text("Step 1:")).to_be_visible()
        rest = extract.get_by_text("Step 15:")
        expect(rest).to_be_hidden()
        extract.get_by_text("Show all").click()
        expect(rest).to_be_visible()
        expect(extract.get_by_text("Show less")).to_be_visible()


def test_a_draft_becomes_a_checked_answer_whose_citations_open_passages(paused: Opened) -> None:
    page = paused.page
    paused.ask()
    draft = page.locator(".draft")
    expect(draft.locator(".draft-text")).to_have_text(WRITTEN[0].strip())
    expect(draft).to_contain_text("not checked yet")
    expect(draft.locator(".sources li").first).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="writing a draft")).to_be_visible()
    expect(page.locator(paused.button)).to_have_text("Stop")
    expect(page.locator(paused.button)).to_be_focused()
    check_fits(page, "ask-draft")
    paused.generator.go.set()
    answer = page.get_by_role("region", name="Generated by scripted from these sources")
    expect(answer).to_be_visible()
    expect(draft).to_have_count(0)
    expect(answer).to_contain_text("may be wrong")
    expect(answer).to_contain_text("<b>bold</b>")  # inert
    expect(answer).not_to_contain_text("[9] .")
    expect(answer.locator("math").first).to_be_visible()
    expect(page.locator(paused.button)).to_have_text("Answer again")
    passage = page.locator("#source-2")
    expect(passage).to_be_hidden()
    answer.get_by_role("link", name="Source 2").click()
    expect(passage).to_be_visible()
    expect(passage).to_be_in_viewport()
    check_fits(page, "ask-answer")
    page.go_back()
    expect(answer).to_be_visible()  # a jump in the page does not load it again


def test_stop_ends_the_generation(paused: Opened) -> None:
    page = paused.page
    paused.ask()
    expect(page.locator(".draft-text")).to_have_text(WRITTEN[0].strip())
    page.keyboard.press("Enter")  # the button has the focus
    expect(page.get_by_role("status").filter(has_text="Stopped")).to_be_visible()
    assert paused.generator.stopped.wait(SAFETY_NET)
    expect(page.locator(paused.button)).to_have_text("Answer from these sources")
    expect(page.locator(".draft-text")).to_have_text(WRITTEN[0].strip())


def test_another_search_ends_the_generation(paused: Opened) -> None:
    page = paused.page
    paused.ask()
    expect(page.locator(".draft-text")).to_have_text(WRITTEN[0].strip())
    page.locator("#q").fill("prime numbers")
    assert paused.generator.stopped.wait(SAFETY_NET)
    expect(page.locator(".draft")).to_have_count(0)


def test_a_failing_model_leaves_the_results(browser: Browser, sample_index: Path) -> None:
    failing = PausingGenerator(WRITTEN, failure=GenerationError("no"))
    with opened(browser, sample_index, failing) as given:
        given.ask()
        fault = given.page.locator("form.ask .fault")
        expect(fault).to_contain_text("the language model failed")
        expect(given.page.locator(".draft")).to_have_count(0)
        expect(given.page.locator("article").first).to_be_visible()
        check_fits(given.page, "ask-failed")
        expect(given.page.locator(given.button)).to_have_text("Answer from these sources")


def test_a_model_that_finds_no_answer_says_so(browser: Browser, sample_index: Path) -> None:
    with opened(browser, sample_index, PausingGenerator(("NO ANSWER",))) as given:
        given.ask()
        refusal = given.page.locator(".no-answer")
        expect(refusal).to_contain_text("No answer found")
        expect(refusal.locator(".sources li").first).to_be_visible()
        check_fits(given.page, "ask-no-answer")


def test_without_script_the_button_leads_to_a_page(browser: Browser, sample_index: Path) -> None:
    with opened(browser, sample_index, PausingGenerator(WRITTEN), has_script=False) as given:
        given.ask()
        given.page.wait_for_url("**/ask?**")
        expect(given.page.get_by_text("Generated by scripted")).to_be_visible()
        given.page.get_by_role("link", name="Source 1").click()
        expect(given.page.locator("#source-1")).to_be_visible()
        keep_picture(given.page, "ask-page")
        given.page.get_by_role("link", name="All results of this search").click()
        expect(given.page.locator("article").first).to_be_visible()
