"""Two assessors at once, and a server that is killed repeatedly: nothing is lost."""

import random
import re
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import BatchKind, Candidate, Choice, Pool
from porism.model import DocId, Topic, TopicId
from porism.web.assessment.authentication import COOKIE
from tests.web.assessment.browser_actions import is_saved, open_topic, pass_time, press
from tests.web.assessment.sample_assessment import Assessment, ServedAssessment, served_assessment
from tests.web.browsing import SAFETY_NET, needs_browser

pytestmark = [needs_browser, pytest.mark.slow]

JUDGMENTS = 20
NAMES = ("Ada", "Bob")
TOPIC = TopicId("A.1")
KEYS = {"h": Choice.HIGH, "m": Choice.MEDIUM, "l": Choice.LOW, "n": Choice.NOT_RELEVANT}

RECORD_SAVED = """
window.saved = [];
document.addEventListener("porism:saved", (event) => {
  window.saved.push([event.detail.judgment.key, event.detail.number]);
});
"""


class Row(NamedTuple):
    """A judgment in the database."""

    number: int
    key: str
    assessor: str
    document: str
    choice: str


def two_assessors(folder: Path) -> Assessment:
    """Two assessors of the same topic with many short answers."""
    candidates = (
        Candidate(TOPIC, DocId(f"d{number}"), text=f"It is $x^{{{number}}}$.")
        for number in range(JUDGMENTS)
    )
    store = JudgmentStore(folder / "judgments.db")
    store.add_batch(
        "b", BatchKind.TRAINING, Pool(3, (Topic(TOPIC, ("What?",)),), tuple(candidates))
    )
    tokens = {name: store.add_assessor(name) for name in NAMES}
    for name in NAMES:
        store.assign("b", TOPIC, name, is_second=True)
    store.close()
    return Assessment(folder / "judgments.db", None, tokens)


def kill_before_it_records(served: ServedAssessment, page: Page) -> None:
    """Kill the server when the page sends its next judgment, before it arrives."""

    def kill(route: Route) -> None:
        served.kill()
        route.abort("connectionrefused")

    page.route("**/judgments", kill, times=1)


def kill_before_it_answers(served: ServedAssessment, page: Page) -> None:
    """Kill the server after it has recorded the next judgment, before it responds."""

    def kill(route: Route) -> None:
        route.fetch()
        served.kill()
        route.abort("connectionreset")

    page.route("**/judgments", kill, times=1)


def kill_on_the_way(served: ServedAssessment, page: Page) -> None:
    """Kill the server while the next judgment is on its way."""

    def kill(route: Route) -> None:
        route.continue_()
        served.kill()

    page.route("**/judgments", kill, times=1)


KILLS = {
    3: kill_before_it_records,
    8: kill_before_it_answers,
    14: kill_on_the_way,
}
"""How the server is killed, by the number of judgments of each assessor."""


@dataclass
class Judge:
    """An assessor with a page, and their choice for each document."""

    page: Page
    chance: random.Random
    chosen: dict[str, Choice] = field(default_factory=dict)

    def wait(self) -> None:
        """Wait until the requested candidate is on the page."""
        place = self.page.locator("#at").input_value()
        heading = self.page.locator("#candidate-heading")
        expect(heading).to_have_text(re.compile(f"Candidate {place} "))

    def judge(self) -> None:
        """Judge the candidate on the page."""
        document = self.page.locator("article.candidate").get_attribute("data-document")
        assert document is not None
        key, choice = self.chance.choice(list(KEYS.items()))
        press(self.page, key)
        self.chosen[document] = choice
        if len(self.chosen) < JUDGMENTS:
            progress = f"{len(self.chosen)} of {JUDGMENTS} judged"
            expect(self.page.locator("#progress-text")).to_have_text(progress)


def judge_all(judges: dict[str, Judge], served: ServedAssessment) -> None:
    """Both judge in turn; at some judgments of the first the server is killed and restarted."""
    for number in range(JUDGMENTS):
        for judge in judges.values():
            judge.wait()
        if number in KILLS:
            first = judges[NAMES[0]].page
            KILLS[number](served, first)
        for judge in judges.values():
            judge.judge()
        if number in KILLS:
            while served.is_running:
                first.evaluate("0")  # lets the intercepted request be handled
            for judge in judges.values():
                # Whether the server has answered before it was killed is left to chance.
                expect(judge.page.locator("#saving")).not_to_have_attribute("data-state", "sending")
            served.start()
            for judge in judges.values():
                pass_time(judge.page)


def test_every_acknowledged_judgment_is_stored_once(browser: Browser, tmp_path: Path) -> None:
    assessment = two_assessors(tmp_path)
    with served_assessment(assessment) as served:
        judges = {}
        for name in NAMES:
            context = browser.new_context(base_url=served.address)
            context.set_default_timeout(SAFETY_NET)
            context.clock.install()
            context.add_init_script(RECORD_SAVED)
            context.add_cookies(
                [{"name": COOKIE, "value": assessment.tokens[name], "url": served.address}]
            )
            judges[name] = Judge(context.new_page(), random.Random(name))
            open_topic(judges[name].page, f"/judge/b/{TOPIC}")
        judge_all(judges, served)
        pages = {name: judge.page for name, judge in judges.items()}
        for page in pages.values():
            is_saved(page)
            expect(page.locator("#progress-text")).to_have_text(f"✓ all {JUDGMENTS} judged")
        acknowledged = {name: page.evaluate("window.saved") for name, page in pages.items()}
        for page in pages.values():
            page.context.close()
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
        assert {row.document: row.choice for row in mine} == judges[name].chosen
