"""Actions of an assessor in a browser, and the stored judgments."""

import re

from playwright.sync_api import Page, Request, expect

from porism.assess.records import Judgment
from tests.web.assessment.sample_assessment import ANSWERS, Assessment

TOPIC = "/judge/official/A.1"
PREFETCHED = 5
"""Candidates that a page prefetches."""


def rows(assessment: Assessment, batch: str = ANSWERS) -> list[Judgment]:
    return list(assessment.store.judgments(batch))


def read(page: Page) -> None:
    """Advance the clock of the page until its candidate can have been read."""
    page.clock.fast_forward(250)


def press(page: Page, key: str) -> None:
    """Press a key after reading the requested candidate."""
    place = page.locator("#at").input_value()
    expect(page.locator("#candidate-heading")).to_have_text(re.compile(f"Candidate {place} "))
    read(page)
    page.keyboard.press(key)


def open_topic(page: Page, address: str = TOPIC) -> None:
    page.goto(address)
    expect(page.locator("#pause")).to_be_visible()


def open_topic_and_next(page: Page) -> None:
    """Open a topic and wait until the next candidates are fetched."""
    fetched: list[str] = []

    def note(request: Request) -> None:
        if "part=candidate" in request.url:
            fetched.append(request.url)

    page.on("requestfinished", note)
    open_topic(page)
    while len(fetched) < PREFETCHED:
        page.wait_for_event("requestfinished")


def is_saved(page: Page) -> None:
    expect(page.locator("#saving")).to_contain_text("Saved")


def pass_time(page: Page) -> None:
    """Advance the clock until failed requests are retried."""
    page.clock.fast_forward(20_000)
