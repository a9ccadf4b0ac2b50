"""Two assessors at once, and a server that is killed again and again: nothing is lost."""

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from porism.assess.records import BatchKind, Candidate, Choice, Pool
from porism.assess.store import Store
from porism.model import DocId, Topic, TopicId
from porism.web.assessment.signing_in import COOKIE
from tests.web.assessment.assessing import Assessment, ServedAssessment, served_assessment
from tests.web.browsing import needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

JUDGMENTS, KILLS = 200, 10
NAMES = ("Ada", "Bob")
TOPIC = TopicId("A.1")
KEYS = {"h": Choice.HIGH, "m": Choice.MEDIUM, "l": Choice.LOW, "n": Choice.NOT_RELEVANT}

NOTE_WHAT_IS_SAVED = """
window.saved = [];
document.addEventListener("porism:saved", (event) => {
  window.saved.push([event.detail.judgment.key, event.detail.number]);
});
"""


class Row(NamedTuple):
    """A judgment as it is in the database."""

    number: int
    key: str
    assessor: str
    document: str
    choice: str


def two_assessors(folder: Path) -> Assessment:
    """Both have the same topic, as in training, with many short answers."""
    candidates = (
        Candidate(TOPIC, DocId(f"d{number}"), text=f"It is $x^{{{number}}}$.")
        for number in range(JUDGMENTS)
    )
    store = Store(folder / "judgments.db")
    store.add_batch(
        "b", BatchKind.TRAINING, Pool(3, (Topic(TOPIC, ("What?",)),), tuple(candidates))
    )
    tokens = {name: store.add_assessor(name) for name in NAMES}
    for name in NAMES:
        store.assign("b", TOPIC, name, is_second=True)
    store.close()
    return Assessment(folder / "judgments.db", None, tokens)


@contextmanager
def killed_again_and_again(served: ServedAssessment, seed: int) -> Iterator[list[float]]:
    """Kill the server at times that nobody can foresee, and start it anew; when it was killed."""
    chance = random.Random(seed)
    times: list[float] = []

    def kill() -> None:
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.5, 2.5))
            served.kill()
            times.append(time.monotonic())
            time.sleep(chance.uniform(0.0, 0.5))
            served.start()

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield times
    finally:
        thread.join()


def judge_all(pages: dict[str, Page]) -> dict[str, dict[str, Choice]]:
    """Both judge in turn, each as soon as they see the next; what each said of each document."""
    said: dict[str, dict[str, Choice]] = {name: {} for name in pages}
    chance = random.Random(1)
    while any(len(each) < JUDGMENTS for each in said.values()):
        for name, page in pages.items():
            shown = page.locator("article.candidate").get_attribute("data-document")
            assert shown is not None
            if shown in said[name] or len(said[name]) == JUDGMENTS:
                continue  # the next has not come yet
            key, choice = chance.choice(list(KEYS.items()))
            page.keyboard.press(key)
            progress = int(page.locator("#progress").evaluate("each => each.value"))
            if progress > len(said[name]):  # else it was too soon after the one before
                said[name][shown] = choice
        time.sleep(0.05)
    return said


def test_every_judgment_that_was_acknowledged_is_there_once(
    browser: Browser, tmp_path: Path
) -> None:
    assessment = two_assessors(tmp_path)
    with served_assessment(assessment) as served:
        pages = {}
        for name in NAMES:
            context = browser.new_context(base_url=served.address)
            context.add_init_script(NOTE_WHAT_IS_SAVED)
            context.add_cookies(
                [{"name": COOKIE, "value": assessment.tokens[name], "url": served.address}]
            )
            pages[name] = context.new_page()
            pages[name].goto(f"/judge/b/{TOPIC}")
        with killed_again_and_again(served, seed=7) as times:
            said = judge_all(pages)
            ended = time.monotonic()
        assert len(times) == KILLS
        for page in pages.values():
            expect(page.locator("#saving")).to_contain_text("Saved", timeout=30_000)
            expect(page.locator("#progress-told")).to_have_text(f"✓ all {JUDGMENTS} judged")
        acknowledged = {name: page.evaluate("window.saved") for name, page in pages.items()}
        for page in pages.values():
            page.context.close()
    assert sum(killed < ended for killed in times) >= KILLS - 2, "killed while they judged"
    connection = sqlite3.connect(assessment.path)
    query = "SELECT number, key, assessor, document, choice FROM judgments"
    rows = [Row(*row) for row in connection.execute(query)]
    connection.close()
    assert len(rows) == len({row.key for row in rows}) == JUDGMENTS * len(NAMES)
    for name in NAMES:
        mine = [row for row in rows if row.assessor == name]
        assert {(row.key, row.number) for row in mine} == {
            tuple(each) for each in acknowledged[name]
        }
        assert len(acknowledged[name]) == JUDGMENTS
        assert {row.document: row.choice for row in mine} == said[name]
