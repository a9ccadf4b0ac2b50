"""Reports, which are single files and have the fonts of the machine, in a real browser."""

import re
from pathlib import Path

from click.testing import CliRunner
from playwright.sync_api import BrowserContext, Page, expect

from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from porism.pages.reports.assessment_report import assessment_report_page
from tests.pages.reports.test_assessment_report import report as assessment_report
from tests.web.browsing import PHONE, needs_browser, too_wide

pytestmark = needs_browser

WIDTHS = (320, PHONE, 1000)


def check(page: Page, path: Path) -> None:
    """In a wide font a file fits every screen, and tables that scroll can be reached."""
    page.goto(path.as_uri())
    for folded in page.locator("details").all():
        folded.evaluate("each => { each.open = true; }")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        assert too_wide(page) == [], width
    for table in page.locator(".wide").all():
        expect(table).to_have_accessible_name(re.compile("."))
        expect(table).to_have_attribute("tabindex", "0")


def written(*arguments: str) -> None:
    done = CliRunner().invoke(porism, arguments)
    assert done.exit_code == 0, done.stderr


def test_the_page_of_a_thread_fits_every_screen(
    context: BrowserContext, sample_index: Path, tmp_path: Path
) -> None:
    page = tmp_path / "thread.html"
    written("show", str(sample_index.parent), "thread", "101", "--html", "-o", str(page))
    check(context.new_page(), page)


def test_the_report_of_an_evaluation_fits_every_screen(
    context: BrowserContext, sample_index: Path, sample_runs: Path, tmp_path: Path
) -> None:
    runs = [str(run) for run in sorted(sample_runs.glob("*.tsv"))]
    qrels = ("--qrels", str(sample_qrels(1)), "--topics", str(sample_topics(1)))
    options = ("--collection", str(sample_index.parent), "-o", str(tmp_path / "report.html"))
    written("evaluate", *runs, *qrels, *options)
    check(context.new_page(), tmp_path / "report.html")


def test_the_report_of_an_assessment_fits_every_screen(
    context: BrowserContext, tmp_path: Path
) -> None:
    path = tmp_path / "assessment.html"
    path.write_text(assessment_report_page(assessment_report()), encoding="utf-8")
    check(context.new_page(), path)
