"""What somebody does who judges in a browser, and what is kept of it."""

from playwright.sync_api import Page, expect

from porism.assess.records import Judgment
from tests.web.assessment.assessing import ANSWERS, Assessment

TOPIC = "/judge/official/A.1"


def rows(assessment: Assessment, batch: str = ANSWERS) -> list[Judgment]:
    return list(assessment.store.judgments(batch))


def press(page: Page, key: str) -> None:
    """Press a key as somebody does who has seen the candidate."""
    page.wait_for_timeout(250)
    page.keyboard.press(key)


def open_topic(page: Page, address: str = TOPIC) -> None:
    page.goto(address)
    expect(page.locator("#pause")).to_be_visible()


def is_saved(page: Page) -> None:
    expect(page.locator("#saving")).to_contain_text("Saved")
