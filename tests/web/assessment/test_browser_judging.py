"""Judging in a real browser: keys, undo, comments, and nothing lost when the server is away."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from porism.assess.records import Assessor, Choice, NewJudgment
from porism.model import TopicId
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
from tests.web.assessment.sample_assessment import ANSWERS, FORMULAS, Assessment, ServedAssessment
from tests.web.browsing import (
    FITTING,
    PHONE,
    foreign_fonts,
    keep_picture,
    needs_browser,
    serious_faults,
    too_wide,
)

pytestmark = needs_browser

TABLET = (820, 1180)
LATER = "2026-01-01T13:00:00"


def place(page: Page) -> str:
    return page.locator("#at").input_value()


def test_keys_judge_and_move_on_and_undo_withdraws(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada")
    open_topic(page)
    for number, key in enumerate(("h", "2", "l", "n"), 2):
        press(page, key)
        expect(page.locator("#at")).to_have_value(str(number))
    is_saved(page)
    expect(page.locator("#progress-text")).to_have_text("4 of 13 judged")
    press(page, "u")
    expect(page.locator("#at")).to_have_value("4")
    expect(page.locator("#progress-text")).to_have_text("3 of 13 judged")
    press(page, "m")
    is_saved(page)
    choices = [row.choice for row in rows(assessment)]
    assert choices == [Choice.HIGH, Choice.MEDIUM, Choice.LOW, Choice.NOT_RELEVANT, None, "medium"]
    assert all(row.seconds > 0 for row in rows(assessment)[:4])


def test_keys_move_and_judged_candidates_can_be_skipped(browse: Browse) -> None:
    page = browse("Ada")
    open_topic(page, f"{TOPIC}?at=1")
    press(page, "h")
    expect(page.locator("#at")).to_have_value("2")
    for key, wanted in (("j", "3"), ("ArrowRight", "4"), ("k", "3"), ("ArrowLeft", "2")):
        press(page, key)
        expect(page.locator("#at")).to_have_value(wanted)
    page.locator("#only").click()
    press(page, "k")
    expect(page.locator("#at")).to_have_value("13")
    page.go_back()
    expect(page.locator("#at")).to_have_value("2")
    page.locator("#at").fill("9")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("at=9"))
    page.get_by_text("All candidates").click()
    page.locator("#overview a[data-at='5']").click()
    expect(page).to_have_url(re.compile("at=5"))


def test_a_key_held_or_pressed_twice_judges_one_candidate(
    browse: Browse, assessment: Assessment
) -> None:
    page = browse("Ada")
    open_topic(page)
    page.clock.pause_at(LATER)  # so that no key press is late on a busy machine
    heading = page.locator("#candidate-heading")
    page.keyboard.down("h")
    expect(heading).to_have_text(re.compile("Candidate 2 "))
    page.clock.run_for(250)
    page.keyboard.down("h")  # repeats
    page.keyboard.up("h")
    expect(heading).to_have_text(re.compile("Candidate 2 "))
    page.keyboard.press("m")
    expect(heading).to_have_text(re.compile("Candidate 3 "))
    page.keyboard.press("m")
    is_saved(page)
    expect(page.locator("#at")).to_have_value("3")
    assert len(rows(assessment)) == 2


def test_help_lists_the_keys_which_can_be_turned_off(
    browse: Browse, assessment: Assessment
) -> None:
    page = browse("Ada")
    open_topic(page)
    press(page, "?")
    expect(page.locator("#help")).to_be_visible()
    assert serious_faults(page) == []
    keep_picture(page, "assess-help", is_whole=False)
    page.get_by_label("Use these keys").uncheck()
    page.get_by_role("button", name="Close").click()
    press(page, "h")
    expect(page.locator("#saving")).to_be_hidden()
    expect(page.locator("#progress-text")).to_have_text("0 of 13 judged")
    assert rows(assessment) == []


def test_do_not_know_requests_a_comment_which_is_saved(
    browse: Browse, assessment: Assessment
) -> None:
    page = browse("Ada")
    open_topic(page)
    press(page, "d")
    expect(page.get_by_text("Please explain")).to_be_visible()
    expect(page.locator("textarea")).to_be_focused()
    page.keyboard.type("not my field <b>&</b>")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#at")).to_have_value("2")
    is_saved(page)
    assert [row.comment for row in rows(assessment)] == ["", "not my field <b>&</b>"]
    press(page, "k")
    expect(page.locator("textarea")).to_have_value("not my field <b>&</b>")


def test_an_unsent_comment_survives_a_reload(browse: Browse) -> None:
    page = browse("Ada")
    open_topic(page)
    press(page, "c")
    page.keyboard.type("half a thou")
    page.reload()
    expect(page.locator("textarea")).to_have_value("half a thou")
    press(page, "j")
    expect(page.locator("textarea")).to_have_value("")


def test_each_occurrence_of_a_formula_is_judged_separately(
    browse: Browse, assessment: Assessment
) -> None:
    page = browse("Ada")
    open_topic(page, "/judge/formulas/B.4?at=1")
    cards = page.locator("article.candidate")
    expect(cards).to_have_count(3)
    expect(cards.nth(0)).to_have_class(re.compile("current"))
    press(page, "h")
    expect(cards.nth(1)).to_have_class(re.compile("current"))
    cards.nth(2).locator("button.choice.low").click()
    expect(page.locator("#at")).to_have_value("1")
    press(page, "m")
    expect(page.locator("#at")).to_have_value("2")
    is_saved(page)
    chosen = {row.doc_id: row.choice for row in rows(assessment, FORMULAS)}
    assert list(chosen.values()) == [Choice.HIGH, Choice.LOW, Choice.MEDIUM]
    yellow = page.locator(".question mark.found").first
    assert yellow.evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(255, 232, 154)"


def test_judgments_made_offline_are_sent_later(
    browse: Browse, assessment: Assessment, served: ServedAssessment
) -> None:
    page = browse("Ada")
    open_topic_and_next(page)
    expect(page.locator("#at")).to_have_value("1")
    served.kill()
    for number in range(2, 8):
        press(page, "m")
        expect(page.locator("#at")).to_have_value(str(number))
    expect(page.locator("#saving")).to_contain_text("Waiting to be sent (6)")
    expect(page.locator("#trouble")).to_contain_text("The server does not answer")
    read(page)
    page.keyboard.press("h")  # the page does not show the requested candidate
    expect(page.locator("#saving")).to_contain_text("Waiting to be sent (6)")
    page.keyboard.press("u")
    expect(page.locator("#at")).to_have_value("6")
    press(page, "l")
    keep_picture(page, "assess-waiting", is_whole=False)
    assert rows(assessment) == []
    with page.expect_event("dialog") as dialog:
        page.close(run_before_unload=True)
    assert dialog.value.type == "beforeunload"
    dialog.value.dismiss()
    served.start()
    pass_time(page)
    is_saved(page)
    expect(page.locator("#trouble")).to_be_hidden()
    expect(page.locator("#progress-text")).to_have_text("6 of 13 judged")
    choices = [row.choice for row in rows(assessment)]
    assert choices == [Choice.MEDIUM] * 6 + [None, Choice.LOW]


def test_a_judgment_with_a_lost_acknowledgement_is_stored_once(
    browse: Browse, assessment: Assessment
) -> None:
    page = browse("Ada")
    sent: list[str] = []

    def lose_the_first(route: Route) -> None:
        sent.append(route.request.post_data or "")
        answer = route.fetch()
        if len(sent) == 1:
            route.abort("connectionreset")
        else:
            route.fulfill(response=answer)

    page.route("**/judgments", lose_the_first)
    open_topic(page)
    press(page, "h")
    expect(page.locator("#saving")).to_contain_text("Waiting to be sent (1)")
    pass_time(page)
    is_saved(page)
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert len(rows(assessment)) == 1


def test_a_reopened_browser_sends_stored_judgments(
    browse: Browse, assessment: Assessment, served: ServedAssessment
) -> None:
    page = browse("Ada")
    open_topic_and_next(page)
    served.kill()
    press(page, "l")
    expect(page.locator("#saving")).to_contain_text("Waiting to be sent (1)")
    page.close()
    served.start()
    other = browse("Bob")
    other.goto("/")
    assert rows(assessment) == []
    again = page.context.new_page()
    again.goto("/")
    is_saved(again)
    assert [row.assessor for row in rows(assessment)] == ["Ada"]


def test_refused_judgments_are_shown_to_be_copied(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada")
    open_topic(page)
    assessment.store.unassign(ANSWERS, ["A.1"], "Ada")
    press(page, "c")
    page.keyboard.type("hard work")
    page.locator("button.choice.high").click()
    refused = page.locator("#refused")
    expect(refused).to_contain_text("topic A.1 is not assigned to you")
    expect(refused.locator("textarea")).to_have_value(re.compile("High\nhard work"))
    page.goto("/")
    expect(page.locator("#refused textarea")).to_have_value(re.compile("hard work"))
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#refused")).to_be_hidden()


def test_nothing_is_lost_by_being_signed_out(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada")
    open_topic(page)
    token = assessment.store.add_assessor("Ada")
    press(page, "h")
    expect(page.locator("#saving")).to_contain_text("Sign in to send 1")
    page.locator("#saving a").click()
    page.fill("#token", token)
    page.keyboard.press("Enter")
    is_saved(page)
    assert [row.choice for row in rows(assessment)] == [Choice.HIGH]


def test_the_clock_stops_in_pauses(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada")
    page.clock.pause_at(LATER)
    open_topic(page)
    page.clock.run_for(4_000)
    page.keyboard.press("p")
    expect(page.locator("#clock")).to_contain_text("paused")
    page.clock.run_for(60_000)
    page.keyboard.press("p")
    page.clock.run_for(2_000)
    page.keyboard.press("h")
    is_saved(page)
    (row,) = rows(assessment)
    assert row.seconds == 6


def test_reading_a_thread_counts(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada")
    page.add_init_script(
        "Object.defineProperty(document, 'hidden', {get: () => window.isAway === true})"
    )
    open_topic(page, f"{TOPIC}?at=3")
    with page.context.expect_page() as opened:
        page.locator("#candidate .thread-link").click()
    page.evaluate("window.isAway = true")
    thread = opened.value
    expect(thread.locator("#post-138")).to_be_visible()
    page.context.clock.run_for(3_000)
    expect(page.locator("#clock")).to_have_text(re.compile(r"\d:(0[3-9]|[1-5]\d) paused"))
    thread.close()
    page.evaluate("window.isAway = false")
    press(page, "h")
    is_saved(page)
    assert rows(assessment)[0].seconds >= 3


def test_revisiting_judged_candidates_adds_nothing(browse: Browse, assessment: Assessment) -> None:
    first = assessment.store.pool(ANSWERS).candidates[0].doc_id
    judgment = NewJudgment("k", ANSWERS, TopicId("A.1"), first, Choice.LOW, comment=" a\r\nb \n")
    assessment.store.record(Assessor("Ada"), judgment)
    page = browse("Ada")
    open_topic(page, f"{TOPIC}?at=1")
    press(page, "j")
    press(page, "k")
    expect(page.locator("textarea")).to_have_value(" a\nb \n")
    page.goto("/")
    assert len(rows(assessment)) == 1


def test_a_topic_can_be_judged_without_script(browse: Browse, assessment: Assessment) -> None:
    page = browse("Ada", width=PHONE, height=740, has_script=False)
    page.goto("/")
    page.get_by_role("link", name="A.1").click()
    for _ in range(3):
        page.get_by_role("button", name="Medium").click()
    expect(page.get_by_text("Saved: Medium for candidate 3.")).to_be_visible()
    expect(page.locator("#progress-text")).to_have_text("3 of 13 judged")
    page.get_by_role("link", name="Previous").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator("#progress-text")).to_have_text("2 of 13 judged")
    assert [row.choice for row in rows(assessment)] == [Choice.MEDIUM] * 3 + [None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("home", "/"),
        ("answer", f"{TOPIC}?at=3"),
        ("formula", "/judge/formulas/B.4?at=1"),
        ("missing", f"{TOPIC}?at=13"),
        ("thread", "/threads/137"),
    ],
)
def test_pages_are_accessible_and_fit(browse: Browse, name: str, address: str) -> None:
    page = browse("Ada")
    page.goto(address)
    assert foreign_fonts(page) == []
    assert serious_faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert serious_faults(page, ("color-contrast",)) == []
    keep_picture(page, f"assess-{name}-dark", is_whole=False)
    page.emulate_media(color_scheme="light")
    for width, height in ((1280, 800), TABLET, (PHONE, 740)):
        page.set_viewport_size({"width": width, "height": height})
        assert too_wide(page) == []
        assert serious_faults(page, FITTING) == []
        keep_picture(page, f"assess-{name}-{width}", is_whole=False)


def test_touch_targets_are_large_enough(browse: Browse) -> None:
    page = browse("Ada", *TABLET)
    open_topic(page, f"{TOPIC}?at=3")
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, .button, .thread-link, #at, textarea")]
            .filter((each) => each.checkVisibility())
            .map((each) => [each.textContent.trim(), each.getBoundingClientRect()])
            .filter(([, box]) => box.width < 44 || box.height < 44)
            .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
    )
    assert small == []
    page.locator("button.choice.high").tap()
    expect(page.locator("#at")).to_have_value("4")
    for part in (".question", "#candidate", "button.choice.do_not_know", "#saving"):
        expect(page.locator(part)).to_be_in_viewport()


def test_on_a_phone_the_candidate_starts_on_top_with_buttons_below(
    browse: Browse,
) -> None:
    page = browse("Ada", PHONE, 740)
    open_topic(page, f"{TOPIC}?at=3")
    page.locator("button.choice.high").tap()
    expect(page.locator("#at")).to_have_value("4")
    page.wait_for_function("document.getElementById('candidate').getBoundingClientRect().y < 60")
    expect(page.locator("button.choice.do_not_know")).to_be_in_viewport(ratio=1)


def test_judgments_made_while_the_file_is_missing_are_sent_later(
    browse: Browse, assessment: Assessment
) -> None:
    page = browse("Ada")
    open_topic(page)
    press(page, "h")
    is_saved(page)
    aside = assessment.path.with_suffix(".aside")
    assessment.path.rename(aside)
    press(page, "m")
    expect(page.locator("#saving")).to_contain_text("Waiting to be sent (1)")
    expect(page.locator("#saving")).to_contain_text("deleted or replaced")
    aside.rename(assessment.path)
    page.evaluate("document.dispatchEvent(new Event('porism:reached'))")
    is_saved(page)
    assert [row.choice for row in rows(assessment)] == [Choice.HIGH, Choice.MEDIUM]
