"""What somebody does who judges in a browser, and what is kept of it."""

import re

from playwright.sync_api import Page, Request, expect

from porism.assess.records import Judgment
from tests.web.assessment.assessing import ANSWERS, Assessment

TOPIC = "/judge/official/A.1"
AHEAD = 5
"""Candidates that a page fetches before they are needed."""


def rows(assessment: Assessment, batch: str = ANSWERS) -> list[Judgment]:
    return list(assessment.store.judgments(batch))


def read(page: Page) -> None:
    """Let so much time pass, by the clock of the page, that its candidate can have been seen."""
    page.clock.fast_forward(250)


def press(page: Page, key: str) -> None:
    """Press a key as somebody does who has seen the candidate that is wanted."""
    place = page.locator("#at").input_value()
    expect(page.locator("#candidate-heading")).to_have_text(re.compile(f"Candidate {place} "))
    read(page)
    page.keyboard.press(key)


def open_topic(page: Page, address: str = TOPIC) -> None:
    page.goto(address)
    expect(page.locator("#pause")).to_be_visible()


def open_topic_and_next(page: Page) -> None:
    """Open a topic and wait until the next candidates are there too."""
    fetched: list[str] = []

    def note(request: Request) -> None:
        if "part=candidate" in request.url:
            fetched.append(request.url)

    page.on("requestfinished", note)
    open_topic(page)
    while len(fetched) < AHEAD:
        page.wait_for_event("requestfinished")


def is_saved(page: Page) -> None:
    expect(page.locator("#saving")).to_contain_text("Saved")


def pass_time(page: Page) -> None:
    """Let so much time pass that whatever failed is tried again."""
    page.clock.fast_forward(20_000)
