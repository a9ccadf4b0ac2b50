"""The whole story on the sample: topics drawn, systems run, pooled, judged, adjudicated, scored.

Commands do what commands do, and real browsers what people do, at the same time and on one file.
"""

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, BrowserContext, Page, expect

from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.pool_folder import read_pool
from porism.assess.records import Choice
from porism.cli.main import porism
from porism.collection.store import open_collection
from porism.formats.qrels import read_qrels
from porism.formats.topic_links import read_topic_links
from tests.web.assessment.browser_actions import read
from tests.web.browsing import (
    FITTING,
    PHONE,
    foreign_fonts,
    keep_picture,
    needs_browser,
    serious_faults,
    too_wide,
    watched,
)

pytestmark = [needs_browser, pytest.mark.slow]

SYSTEMS = {"porism": "primary", "tangent-l": "primary", "l8": "alternate", "bm25": "baseline"}
TOPICS = 3
ASSESSORS = ("Ann", "Ben")
Grades = dict[tuple[str, str], Choice]


def output(*arguments: str) -> str:
    """Standard output of a command, which must succeed."""
    done = CliRunner().invoke(porism, [*arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def record(*arguments: str) -> Any:  # the type of the JSON depends on the command
    return json.loads(output(*arguments, "--json"))


@dataclass(frozen=True)
class Campaign:
    """The files, and the right choices, which assessors mostly make."""

    index: Path
    folder: Path
    right: Grades

    @property
    def collection(self) -> Path:
        return self.index.parent

    @property
    def db(self) -> Path:
        return self.folder / "judgments.db"

    @property
    def pool(self) -> Path:
        return self.folder / "pool"

    def right_of(
        self, topic: str, instead: Mapping[Choice, Choice] = MappingProxyType({})
    ) -> Callable[[str], Choice]:
        """The choices for a topic's candidates: the right ones, with replacements."""

        def choice_of(document: str) -> Choice:
            choice = self.right[topic, document]
            return instead.get(choice, choice)

        return choice_of

    def right_qrels(self, dropped: list[str]) -> dict[str, dict[str, int | None]]:
        grades: dict[str, dict[str, int | None]] = {}
        for (topic, document), choice in self.right.items():
            if topic not in dropped:
                grades.setdefault(topic, {})[document] = choice.grade
        return grades


def draw_run_and_pool(index: Path, folder: Path) -> Campaign:
    """Topics of the sample, runs of four systems, and their pool."""
    drawn = folder / "topics"
    output("topics", "draw", str(index.parent), "--number", str(TOPICS), "-o", str(drawn))
    topics = str(drawn / "topics_task1.xml")
    with (folder / "runs.tsv").open("w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(("file", "team", "kind", "mode"))
        for system, kind in SYSTEMS.items():
            run = folder / f"{system}.tsv"
            options = ("--system", system, "--task", "1", "--topics", topics, "-k", "50")
            output("run", str(index), *options, "-o", str(run))
            writer.writerow((run.name, f"team of {system}", kind, "automatic"))
    depths = ("--depths", "primary=5,alternate=3,baseline=5")
    runs = ("--runs", str(folder / "runs.tsv"), "--topics", topics)
    collection = ("--collection", str(index.parent))
    output("pool", "--task", "1", *runs, *depths, *collection, "-o", str(folder / "pool"))
    return Campaign(index, folder, right_grades(index.parent, drawn, folder / "pool"))


def right_grades(collection: Path, drawn: Path, pool: Path) -> Grades:
    """Answers to the question are High, those to its duplicates Medium, others not relevant."""
    duplicates = read_topic_links(drawn / "duplicates.tsv")
    with (drawn / "own_posts.tsv").open(newline="") as file:
        own = {(row["topic"], row["post"]) for row in csv.DictReader(file, delimiter="\t")}
    grades: Grades = {}
    with open_collection(collection) as opened:
        for each in read_pool(pool).candidates:
            is_own = (each.topic_id, each.doc_id) in own
            is_like = opened.parent(each.doc_id) in duplicates.get(each.topic_id, ())
            grade = Choice.HIGH if is_own else Choice.MEDIUM if is_like else Choice.NOT_RELEVANT
            grades[each.topic_id, each.doc_id] = grade
    return grades


@contextmanager
def served(campaign: Campaign) -> Iterator[dict[str, str]]:
    """``porism assess serve`` in a process of its own; yields what it prints at the start."""
    options = ("--db", str(campaign.db), "--collection", str(campaign.collection), "--port", "0")
    command = [sys.executable, "-m", "porism", "assess", "serve", str(campaign.pool), *options]
    process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


class People:
    """Browsers of signed-in users, watched for errors."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self._address = address
        self._opened: list[tuple[BrowserContext, list[str]]] = []

    def sign_in(self, token: str, width: int = 1280) -> Page:
        context = self._browser.new_context(
            base_url=self._address, viewport={"width": width, "height": 800}, accept_downloads=True
        )
        context.clock.install()
        self._opened.append((context, watched(context, self._address)))
        page = context.new_page()
        page.goto("/")
        page.get_by_label("Your token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("heading", name="My topics")).to_be_visible()
        return page

    def close(self) -> None:
        for context, faults in self._opened:
            context.close()
            assert faults == []


def judge(page: Page, topic: str, choice_of: Callable[[str], Choice]) -> None:
    """Judge all candidates of a topic on an assessor's home page."""
    page.goto("/")
    page.locator("a.go", has=page.get_by_text(topic, exact=True)).click()
    progress = page.locator("#progress-text")
    while not (before := progress.inner_text()).startswith("✓"):
        card = page.locator("article.candidate")
        document = card.get_attribute("data-document")
        assert document is not None
        read(page)
        card.locator(f"button.choice[value={choice_of(document)}]").click()
        expect(progress).not_to_have_text(before)
        if not progress.inner_text().startswith("✓"):
            expect(card).not_to_have_attribute("data-document", document)
    expect(page.locator("#saving")).to_have_attribute("data-state", "saved")


def topics_of(campaign: Campaign, name: str) -> list[str]:
    assignments = JudgmentStore(campaign.db).assignments("pool")
    return [str(each.topic_id) for each in assignments if each.assessor == name]


def wish(page: Page, topic: str) -> None:
    page.goto("/")
    card = page.locator("#wishes li.card", has=page.get_by_text(topic, exact=True))
    card.get_by_label("Most of all").check()
    page.get_by_role("button", name="Save wishes").click()
    expect(page.get_by_text("Your wishes are saved")).to_be_visible()


def assign_by_wishes(admin: Page) -> None:
    admin.get_by_role("link", name="Administration").click()
    admin.get_by_role("link", name="pool", exact=True).click()
    keep_picture(admin, "administration-topics")
    admin.get_by_role("button", name="Assign all unassigned topics").click()
    expect(admin.get_by_role("status").filter(has_text="topics were assigned")).to_be_visible()


def assign_second(admin: Page) -> None:
    admin.goto("/admin/topics?batch=pool")
    admin.get_by_text("Double assessment").click()
    admin.get_by_label("Topics per assessor").fill("1")
    admin.get_by_role("button", name="Assign to second assessors").click()
    expect(admin.get_by_role("status").filter(has_text="second assessors")).to_be_visible()


def adjudicate_all(admin: Page, right: Grades) -> int:
    """Adjudicate all disagreements one by one; return how many there were."""
    admin.goto("/admin/disagreements?batch=pool")
    keep_picture(admin, "administration-disagreements")
    cards = admin.locator("li.disagreement")
    count = cards.count()
    cards.first.get_by_role("link").click()
    for number in range(count):
        heading = admin.get_by_role("heading", level=2).first.inner_text()
        document, _, topic = heading.partition(" for ")
        if number == 0:
            keep_picture(admin, "administration-candidate")
        admin.locator(f"input[name=choice][value={right[topic, document]}]").check()
        admin.get_by_label("Comment").fill("as we agreed")
        admin.get_by_role("button", name="Record").click()
        expect(admin.get_by_role("status").filter(has_text=document)).to_be_visible()
    expect(admin.get_by_text("of which 0 are open")).to_be_visible()
    return count


def download(admin: Page, name: str) -> bytes:
    admin.goto("/admin/results?batch=pool")
    with admin.expect_download() as coming:
        admin.get_by_role("link", name=name, exact=True).click()
    path = coming.value.path()
    return Path(path).read_bytes()


def check_pages(admin: Page) -> None:
    """All administration pages are accessible and fit a phone."""
    for page in (
        "topics",
        "agreement",
        "disagreements?show=all&",
        "annotations",
        "missing",
        "results",
    ):
        admin.goto(f"/admin/{page}{'' if page.endswith('&') else '?'}batch=pool")
        assert foreign_fonts(admin) == [], page
        assert serious_faults(admin) == [], page
        admin.emulate_media(color_scheme="dark")
        assert serious_faults(admin, ("color-contrast",)) == [], page
        admin.emulate_media(color_scheme="light")
        for width in (1280, PHONE):
            admin.set_viewport_size({"width": width, "height": 800})
            assert too_wide(admin) == [], (page, width)
            assert serious_faults(admin, FITTING) == [], (page, width)
        admin.set_viewport_size({"width": 1280, "height": 800})
    keep_picture(admin, "administration-results")


def judge_first(campaign: Campaign, pages: dict[str, Page]) -> None:
    """Everybody judges their topics correctly."""
    for name, page in pages.items():
        for topic in topics_of(campaign, name):
            judge(page, topic, campaign.right_of(topic))


def judge_again(campaign: Campaign, pages: dict[str, Page], first: dict[str, list[str]]) -> None:
    """Everybody judges a topic of the other, too strictly."""
    stricter = {Choice.HIGH: Choice.MEDIUM, Choice.MEDIUM: Choice.LOW}
    for name, page in pages.items():
        (topic,) = set(topics_of(campaign, name)) - set(first[name])
        judge(page, topic, campaign.right_of(topic, stricter))


def test_from_a_collection_to_scores(sample_index: Path, tmp_path: Path, browser: Browser) -> None:
    campaign = draw_run_and_pool(sample_index, tmp_path)
    topics = list(dict.fromkeys(topic for topic, _ in campaign.right))
    assert len(topics) == TOPICS
    db = ("--db", str(campaign.db))
    with served(campaign) as started:
        people = People(browser, started["address"].rstrip("/"))
        admin = people.sign_in(started["token"])
        pages = {
            name: people.sign_in(record("assess", "assessor", name, *db)["token"])
            for name in ASSESSORS
        }
        wished = dict(zip(ASSESSORS, topics, strict=False))
        for name, topic in wished.items():
            wish(pages[name], topic)
        assign_by_wishes(admin)
        first = {name: topics_of(campaign, name) for name in ASSESSORS}
        assert all(topic in first[name] for name, topic in wished.items())
        assert sorted(chain(*first.values())) == sorted(topics)
        judge_first(campaign, pages)
        assign_second(admin)
        judge_again(campaign, pages, first)
        disputed = adjudicate_all(admin, campaign.right)
        check_pages(admin)
        by_browser = download(admin, "qrels.tsv")
        people.close()

    exported = record("assess", "export", *db, "-o", str(tmp_path / "export"))
    assert (exported["unjudged"], exported["disputed"]) == (0, [])
    qrels = tmp_path / "export" / "qrels.tsv"
    assert qrels.read_bytes() == by_browser
    assert read_qrels(qrels).grades == campaign.right_qrels(exported["dropped_topics"])
    assert record("assess", "agreement", *db)["pool"]["total"]["four_way"] < 1
    assert record("assess", "statistics", *db)["adjudicated"] == disputed > 0

    runs = [str(tmp_path / f"{system}.tsv") for system in SYSTEMS]
    scored = {
        each["run"]: each for each in record("evaluate", *runs, "--qrels", str(qrels))["runs"]
    }
    assert scored.keys() == SYSTEMS.keys()
    # Each run returns the answers to the topic's own question among its first.
    assert all(each["means"]["nDCG'"] > 0.5 for each in scored.values())
