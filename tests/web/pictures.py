"""The pictures of the documents, made anew: ``python -m tests.web.pictures``."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect, sync_playwright

from porism.assess.records import Assessor, Choice, NewJudgment
from porism.model import TopicId
from porism.web.assessment.authentication import COOKIE
from tests.built_once import sample_index_in
from tests.web.assessment.sample_assessment import (
    ANSWERS,
    Assessment,
    make_assessment,
    served_assessment,
)
from tests.web.browsing import PROJECT, opened_browser
from tests.web.serving import command, exploring, sample_runs_in, served_by_command

FOLDER = PROJECT / "docs" / "pictures"
LARGEST = 150_000
"""Bytes of a picture."""


def home(page: Page) -> None:
    page.goto("/")


def search(page: Page) -> None:
    query = "why does the harmonic series sum_(n=1)^oo 1/n diverge"
    page.goto(f"/?{urlencode({'q': query})}")
    page.reload()  # with warm caches


def why(page: Page) -> None:
    query = r"gaussian integral ∫_0^∞ e^(-x²) dx -probability [integration]"
    page.goto(f"/?{urlencode({'q': query, 'page': 1})}")
    page.locator("a.why").nth(1).click()
    expect(page.locator(".reasons")).to_be_visible()
    page.locator("a.others").first.click()
    expect(page.locator(".others-list")).to_be_visible()
    page.locator(".cards").evaluate("each => each.scrollIntoView()")


def phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 780})
    page.goto(f"/?{urlencode({'q': 'closed form of sum cos k theta', 'what': 'questions'})}")


def thread(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(f"/?{urlencode({'q': 'n-th roots of unity sum zero'})}")
    page.locator("article h2 a").first.click()
    page.wait_for_url("**/threads/**")
    page.locator(".cite summary").first.click()


def help_page(page: Page) -> None:
    page.goto("/help")


def about(page: Page) -> None:
    page.goto("/about")


def rest(page: Page) -> None:
    page.goto("/docs#get-api-search")
    page.locator("#get-api-search").get_by_role("button", name="Send").click()
    expect(page.locator("#get-api-search .response")).to_contain_text("results")


def missing(page: Page) -> None:
    page.goto("/threads/99999")


def notes(page: Page) -> None:
    page.goto(f"/?{urlencode({'q': 'gaussian integral int e^(-x^2) dx'})}")


def editor(page: Page) -> None:
    page.goto("/?what=formulas")
    page.get_by_role("button", name="Formula editor").click()
    expect(page.locator("math-field")).to_be_visible()
    page.keyboard.type("sum 1/n^2", delay=20)
    page.get_by_role("button", name="Insert", exact=True).click()
    expect(page.locator("article").first).to_be_visible()
    page.get_by_role("button", name="Formula editor").click()


def formula(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(r"/?what=formulas&q=%5Csum_%7Bn%3D1%7D%5E%5Cinfty+%5Cfrac%7B1%7D%7Bn%5E2%7D")
    page.locator("a[href^='/formulas/']").first.click()
    page.wait_for_url("**/formulas/**")


def runs(page: Page) -> None:
    page.goto("/runs/topics/A.2?k=10")


def judging(page: Page) -> None:
    page.goto("/judge/official/A.2?at=1")
    expect(page.locator("#pause")).to_be_visible()


def agreement(page: Page) -> None:
    page.goto(f"/admin/agreement?{urlencode({'batch': ANSWERS})}")


def judged(made: Assessment) -> None:
    """Two who judge the same topic, and do not always agree."""
    store = made.store
    store.assign(ANSWERS, "A.1", "Bob", is_second=True)
    topic = TopicId("A.1")
    answers = [each.doc_id for each in store.pool(ANSWERS).candidates if each.topic_id == topic]
    grades = (Choice.HIGH, Choice.MEDIUM, Choice.LOW, Choice.NOT_RELEVANT)
    for place, doc_id in enumerate(answers):
        for name, grade in (("Ada", place % 4), ("Bob", (place + place // 5) % 4)):
            new = NewJudgment(f"{name} {place}", ANSWERS, topic, doc_id, grades[grade], 30.0)
            store.record(Assessor(name), new)
    store.close()


def notes_index_in(folder: Path) -> Path:
    """The index of the sample notes."""
    command("ingest", "sample-notes", "-o", str(folder / "notes"))
    command("index", str(folder / "notes"), "--systems", "porism")
    return folder / "notes" / "index"


def picture(browser: Browser, address: str, show: Callable[[Page], None], token: str = "") -> None:
    """Make one picture, of what whoever has the token sees."""
    context = browser.new_context(
        base_url=address, viewport={"width": 1000, "height": 720}, color_scheme="light"
    )
    if token:
        context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
    page = context.new_page()
    show(page)
    path = FOLDER / f"{show.__name__}.png"
    page.screenshot(path=path)
    context.close()
    size = path.stat().st_size
    assert size <= LARGEST, f"{path} has {size:,} bytes"
    print(f"{path.relative_to(PROJECT)}: {size:,} bytes")


def main() -> None:
    """Make all pictures, of the sample."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as made,
        sync_playwright() as playwright,
        opened_browser(playwright) as browser,
    ):
        index = sample_index_in(Path(made))
        folder = Path(made) / "runs"
        folder.mkdir()
        sample_runs_in(folder, index)
        with served_by_command(index, *exploring(folder)) as address:
            for show in (home, search, why, phone, thread, editor, formula):
                picture(browser, address, show)
            for show in (help_page, about, rest, missing, runs):
                picture(browser, address, show)
        with served_by_command(notes_index_in(Path(made))) as address:
            picture(browser, address, notes)
        assessment = make_assessment(Path(made), index.parent)
        judged(assessment)
        with served_assessment(assessment) as served:
            picture(browser, served.address, judging, assessment.tokens["Bob"])
            picture(browser, served.address, agreement, assessment.tokens["Eve"])


if __name__ == "__main__":
    main()
