"""Comments and annotations in a real browser before, with and after a choice."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from porism.assess.pools.active_order import ActiveOrderSettings, with_active_order
from porism.assess.records import BatchKind, Candidate, Choice, Judgment, Pool
from porism.model import DocId, Topic, TopicId
from porism.web.assessment.authentication import COOKIE
from tests.web.assessment.browser_actions import (
    TOPIC,
    is_saved,
    open_topic,
    open_topic_and_next,
    pass_time,
    press,
    read,
    rows,
)
from tests.web.assessment.conftest import Browse
from tests.web.assessment.sample_assessment import ANSWERS, FORMULAS, Assessment
from tests.web.browsing import needs_browser

pytestmark = needs_browser

MACHINE, UNRELATED = "Seems machine-generated", "Contains unrelated information"
LAST = 13


@pytest.fixture
def ada(browse: Browse, assessment: Assessment) -> Page:
    """A page of an assessor who is asked for annotations."""
    assessment.store.set_instructions(None, asks_annotations=True)
    return browse("Ada")


def write(page: Page, comment: str) -> None:
    page.locator("textarea").first.fill(comment)
    page.keyboard.press("Escape")


def leads_to(page: Page, place: int) -> None:
    """The requested candidate is on the page, not only in its bar."""
    expect(page.locator("#at")).to_have_value(str(place))
    expect(page.locator("#candidate-heading")).to_have_text(re.compile(f"Candidate {place} of"))


def verdict(row: Judgment) -> tuple[Choice | None, str, bool | None, bool | None]:
    return row.choice, row.comment, row.is_machine_made, row.is_unrelated


def test_undo_restores_the_comment_of_the_earlier_choice(ada: Page, assessment: Assessment) -> None:
    open_topic(ada)
    write(ada, "as in the book")
    ada.get_by_label(MACHINE).check()
    press(ada, "h")
    leads_to(ada, 2)
    expect(ada.get_by_label(MACHINE)).not_to_be_checked()
    press(ada, "u")
    leads_to(ada, 1)
    expect(ada.locator("textarea")).to_have_value("as in the book")
    expect(ada.get_by_label(MACHINE)).to_be_checked()
    expect(ada.get_by_label(UNRELATED)).not_to_be_checked()
    press(ada, "m")
    is_saved(ada)
    assert [verdict(row) for row in rows(assessment)] == [
        (Choice.HIGH, "as in the book", True, False),
        (None, "", None, None),
        (Choice.MEDIUM, "as in the book", True, False),
    ]


def test_annotations_survive_leaving_and_are_sent_with_the_choice(
    ada: Page, assessment: Assessment
) -> None:
    open_topic(ada)
    ada.get_by_label(UNRELATED).check()
    press(ada, "j")
    leads_to(ada, 2)
    expect(ada.get_by_label(UNRELATED)).not_to_be_checked()
    ada.goto("/")
    open_topic(ada, f"{TOPIC}?at=1")
    expect(ada.get_by_label(UNRELATED)).to_be_checked()
    assert rows(assessment) == []
    press(ada, "l")
    is_saved(ada)
    assert [verdict(row) for row in rows(assessment)] == [(Choice.LOW, "", False, True)]


def test_an_annotation_after_the_choice_is_a_new_judgment(
    ada: Page, assessment: Assessment
) -> None:
    open_topic(ada)
    press(ada, "h")
    leads_to(ada, 2)
    press(ada, "k")
    leads_to(ada, 1)
    ada.get_by_label(MACHINE).check()
    press(ada, "j")
    leads_to(ada, 2)
    is_saved(ada)
    assert [row.is_machine_made for row in rows(assessment)] == [False, True]


def test_enter_on_a_checkbox_does_not_judge(ada: Page, assessment: Assessment) -> None:
    open_topic(ada)
    ada.get_by_label(MACHINE).focus()
    press(ada, "Space")
    press(ada, "Enter")
    expect(ada.locator("#saving")).to_be_hidden()
    expect(ada.locator("#progress-text")).to_have_text(f"0 of {LAST} judged")
    assert rows(assessment) == []


def test_an_unchanged_choice_is_not_sent_again(ada: Page, assessment: Assessment) -> None:
    open_topic(ada)
    for number in range(1, LAST + 1):
        leads_to(ada, number)
        press(ada, "n")
    expect(ada.locator("#progress-text")).to_have_text(f"✓ all {LAST} judged")
    is_saved(ada)
    open_topic(ada, f"{TOPIC}?at={LAST}")
    expect(ada.locator("#saving")).to_be_hidden()
    press(ada, "n")
    press(ada, "n")
    expect(ada.locator("#saving")).to_contain_text("Saved: Not relevant")
    expect(ada.locator("button.choice.not_relevant")).to_have_attribute("aria-pressed", "true")
    expect(ada.locator("#undo")).to_be_hidden()
    assert len(rows(assessment)) == LAST
    ada.get_by_label(MACHINE).check()
    press(ada, "n")
    write(ada, "another")
    press(ada, "n")
    press(ada, "l")
    is_saved(ada)
    assert [verdict(row)[:3] for row in rows(assessment)[LAST:]] == [
        (Choice.NOT_RELEVANT, "Not in the collection.", True),
        (Choice.NOT_RELEVANT, "another", True),
        (Choice.LOW, "another", True),
    ]


def test_a_comment_is_requested_until_there_is_one_or_another_choice(ada: Page) -> None:
    open_topic(ada)
    why = ada.get_by_text("Please explain")
    press(ada, "d")
    expect(why).to_be_visible()
    ada.keyboard.type("no idea")
    expect(why).to_be_hidden()
    ada.locator("#undo").click()
    expect(ada.locator("button.choice.do_not_know")).to_have_attribute("aria-pressed", "false")
    expect(ada.locator("textarea")).to_have_value("no idea")
    write(ada, "")
    press(ada, "s")
    expect(why).to_be_visible()
    ada.locator("#undo").click()
    expect(why).to_be_hidden()
    press(ada, "s")
    expect(why).to_be_visible()
    ada.locator("button.choice.high").click()
    leads_to(ada, 2)
    press(ada, "k")
    leads_to(ada, 1)
    expect(why).to_be_hidden()


def test_a_comment_is_requested_once_and_the_same_choice_moves_on(
    ada: Page, assessment: Assessment
) -> None:
    open_topic(ada)
    press(ada, "d")
    expect(ada.get_by_text("Please explain")).to_be_visible()
    ada.keyboard.press("Escape")
    press(ada, "d")
    leads_to(ada, 2)
    is_saved(ada)
    assert len(rows(assessment)) == 1


def test_the_request_for_a_comment_disappears(ada: Page) -> None:
    open_topic(ada, f"{TOPIC}?at=1&why=102")
    expect(ada.get_by_text("Please explain in the comment of 102")).to_be_visible()
    press(ada, "h")
    leads_to(ada, 2)
    expect(ada.get_by_text("Please explain in the comment of 102")).to_have_count(0)


def test_the_comment_stays_if_a_choice_is_withdrawn(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada")
    open_topic(page, "/judge/formulas/B.4?at=1")
    second = page.locator("article.candidate").nth(1)
    second.locator("textarea").fill("by context")
    read(page)
    second.locator("button.choice.high").click()
    second.get_by_role("button", name="Withdraw").click()
    is_saved(page)
    page.goto("/")
    open_topic(page, "/judge/formulas/B.4?at=1")
    expect(second.locator("textarea")).to_have_value("by context")
    assert [row.choice for row in rows(assessment, FORMULAS)] == [Choice.HIGH, None]


def test_a_window_without_input_keeps_drafts_of_others(ada: Page) -> None:
    open_topic(ada)
    other = ada.context.new_page()
    open_topic(other)
    write(other, "half a thou")
    other.close()
    ada.clock.run_for(1_100)
    press(ada, "j")
    leads_to(ada, 2)
    press(ada, "k")
    expect(ada.locator("textarea")).to_have_value("half a thou")


def test_judgments_appear_in_other_windows(ada: Page, assessment: Assessment) -> None:
    open_topic(ada)
    press(ada, "h")
    leads_to(ada, 2)
    other = ada.context.new_page()
    open_topic(other, f"{TOPIC}?at=1")
    press(ada, "k")
    leads_to(ada, 1)
    write(ada, "on second")
    other.reload()
    expect(other.locator("textarea")).to_have_value("on second")
    write(ada, "on second thoughts")
    press(ada, "l")
    leads_to(ada, 2)
    expect(other.locator("button.choice.low")).to_have_attribute("aria-pressed", "true")
    expect(other.locator("textarea")).to_have_value("on second thoughts")
    press(other, "j")
    leads_to(other, 2)
    press(other, "k")
    leads_to(other, 1)
    press(other, "h")  # the choice when this window was opened
    leads_to(other, 2)
    is_saved(other)
    assert [verdict(row)[:2] for row in rows(assessment)[-2:]] == [
        (Choice.LOW, "on second thoughts"),
        (Choice.HIGH, "on second thoughts"),
    ]


def test_a_comment_is_sent_when_the_page_closes(ada: Page, assessment: Assessment) -> None:
    open_topic(ada)
    press(ada, "h")
    leads_to(ada, 2)
    is_saved(ada)
    press(ada, "k")
    leads_to(ada, 1)
    ada.locator("textarea").press_sequentially("one more thing")
    ada.close(run_before_unload=True)
    while len(rows(assessment)) < 2:  # a closed page cannot report this
        expect(ada.context.new_page()).to_have_url("about:blank")
    assert [row.comment for row in rows(assessment)] == ["", "one more thing"]


def test_a_refused_choice_restores_the_earlier_one(ada: Page, assessment: Assessment) -> None:
    open_topic(ada)
    press(ada, "l")
    leads_to(ada, 2)
    is_saved(ada)
    press(ada, "k")
    leads_to(ada, 1)
    assessment.store.unassign(ANSWERS, ["A.1"], "Ada")
    read(ada)
    ada.get_by_label(MACHINE).check()
    ada.locator("button.choice.high").click()
    expect(ada.locator("#refused textarea")).to_have_value(re.compile(f"High\n{MACHINE}"))
    press(ada, "k")
    leads_to(ada, 1)
    expect(ada.locator("button.choice.low")).to_have_attribute("aria-pressed", "true")
    expect(ada.locator("#progress-text")).to_have_text(f"1 of {LAST} judged")


def test_signing_in_again_in_another_window_resumes(ada: Page, assessment: Assessment) -> None:
    open_topic_and_next(ada)  # which cannot be fetched with the old token
    token = assessment.store.add_assessor("Ada")
    ada.locator("#at").fill("9")
    ada.keyboard.press("Enter")
    expect(ada.locator("#trouble")).to_contain_text("You are signed out")
    site = ada.evaluate("location.origin")
    ada.context.add_cookies([{"name": COOKIE, "value": token, "url": site}])
    pass_time(ada)
    leads_to(ada, 9)
    expect(ada.locator("#trouble")).to_be_hidden()
    press(ada, "h")
    is_saved(ada)


def test_without_storage_signing_in_opens_another_window(ada: Page, assessment: Assessment) -> None:
    ada.add_init_script(
        """Storage.prototype.setItem = () => {
            throw new DOMException("full", "QuotaExceededError");
        };"""
    )
    open_topic_and_next(ada)  # which cannot be fetched with the old token
    token = assessment.store.add_assessor("Ada")
    write(ada, "not kept")
    press(ada, "h")
    leads_to(ada, 2)
    with ada.context.expect_page() as opened:
        ada.locator("#saving a").click()
    opened.value.fill("#token", token)
    opened.value.keyboard.press("Enter")
    expect(opened.value).to_have_url(re.compile("/judge/"))
    opened.value.close()
    is_saved(ada)
    assert [verdict(row)[:2] for row in rows(assessment)] == [(Choice.HIGH, "not kept")]


def test_going_back_shows_the_first_candidate(ada: Page) -> None:
    open_topic(ada)
    press(ada, "j")
    leads_to(ada, 2)
    press(ada, "j")
    leads_to(ada, 3)
    ada.go_back()
    leads_to(ada, 2)
    ada.go_back()
    leads_to(ada, 1)


def test_composing_keys_do_not_judge(ada: Page) -> None:
    open_topic(ada)
    box = ada.locator("textarea")
    box.focus()
    composed = "{ key: 'Escape', isComposing: true, bubbles: true }"
    box.evaluate(f"each => each.dispatchEvent(new KeyboardEvent('keydown', {composed}))")
    expect(box).to_be_focused()
    ada.keyboard.press("Escape")
    expect(box).not_to_be_focused()


def test_arrows_scroll_a_focused_wide_formula(ada: Page) -> None:
    open_topic(ada)
    ada.locator("#candidate .post").evaluate(
        """each => {
            const wide = document.createElement("div");
            wide.textContent = "wide";
            wide.style.width = "300rem";
            each.replaceChildren(wide);
            each.tabIndex = 0;
            each.focus();
        }"""
    )
    press(ada, "ArrowRight")
    ada.wait_for_function("() => document.querySelector('#candidate .post').scrollLeft > 0")
    expect(ada.locator("#at")).to_have_value("1")
    ada.locator("#candidate-heading").focus()
    press(ada, "ArrowRight")
    leads_to(ada, 2)


def test_the_page_of_a_captive_portal_is_not_a_candidate(ada: Page) -> None:
    strange: list[str] = []

    def answer_first(route: Route) -> None:
        if len(strange) < 3:
            strange.append(route.request.url)
            route.fulfill(status=200, content_type="text/html", body="<h1>Buy time</h1>")
        else:
            route.continue_()

    ada.route("**/*at=9&part=candidate", answer_first)
    open_topic(ada)
    ada.locator("#at").fill("9")
    ada.keyboard.press("Enter")
    expect(ada.locator("#trouble")).to_contain_text("The server does not answer")
    while len(strange) < 3:
        pass_time(ada)
        expect(ada.locator("#trouble")).to_contain_text("The server does not answer")
    pass_time(ada)
    leads_to(ada, 9)
    expect(ada.locator("body")).not_to_contain_text("Buy time")


LATER = "2026-01-01T13:00:00"
POLL = 10  # milliseconds until the page checks again whether its judgment is saved
ACTIVE, ACTIVE_TOPIC, MANY = "active", TopicId("A.1"), 40


def active_pool() -> Pool:
    """Answers of two kinds in turn, so that each judgment changes the order."""
    kinds = ("Prime numbers divide products", "The determinant of a matrix vanishes")
    candidates = (
        Candidate(ACTIVE_TOPIC, DocId(f"d{number}"), text=f"{kinds[number % 2]}, {number % 7}.")
        for number in range(MANY)
    )
    pool = Pool(3, (Topic(ACTIVE_TOPIC, ("What is meant?",)),), tuple(candidates))
    return with_active_order(pool, ActiveOrderSettings())


def test_the_estimate_updates_and_every_fifth_candidate_is_a_draw(
    browse: Browse, assessment: Assessment
) -> None:
    assessment.store.add_batch(ACTIVE, BatchKind.OFFICIAL, active_pool())
    assessment.store.assign(ACTIVE, ACTIVE_TOPIC, "Ada")
    page = browse("Ada")
    page.clock.pause_at(LATER)  # so that the page waits for the learned order however long it takes
    open_topic(page, f"/judge/{ACTIVE}/{ACTIVE_TOPIC}")
    left = page.locator("#remaining")
    expect(left).to_be_empty()
    for number in range(1, 16):
        document = page.locator("article.candidate").get_attribute("data-document")
        press(page, "hn"[number // 3 % 2])
        is_saved(page)
        page.clock.run_for(POLL)
        expect(page.locator(f"article[data-document={document}]")).to_have_count(0)
        if number >= 5:
            estimate = f"of the {MANY - number} candidates left .* from {number // 5} draw"
            expect(left).to_have_text(re.compile(estimate))
