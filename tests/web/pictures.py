"""The pictures of the README, made anew: ``python -m tests.web.pictures``."""

import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.web.browsing import PROJECT, opened_browser
from tests.web.serving import exploring, sample_index_in, sample_runs_in, served_by_command

FOLDER = PROJECT / "docs" / "pictures"
LARGEST = 150_000
"""Bytes of a picture."""


def search(page: Page) -> None:
    asked = r"why does $\sum_{n=1}^\infty \frac1n$ diverge?"
    page.goto(f"/?{urlencode({'q': asked})}")
    page.reload()  # what was read once is shown sooner, as to whoever searches for a while


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


def main() -> None:
    """Make all pictures, of the sample."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        index = sample_index_in(Path(made))
        folder = Path(made) / "runs"
        folder.mkdir()
        sample_runs_in(folder, index)
        with served_by_command(index, *exploring(folder)) as address, opened_browser() as browser:
            for shown in (search, editor, formula, runs):
                page = browser.new_page(
                    base_url=address, viewport={"width": 1000, "height": 720}, color_scheme="light"
                )
                shown(page)
                path = FOLDER / f"{shown.__name__}.png"
                page.screenshot(path=path)
                page.close()
                size = path.stat().st_size
                assert size <= LARGEST, f"{path} has {size:,} bytes"
                print(f"{path.relative_to(PROJECT)}: {size:,} bytes")


if __name__ == "__main__":
    main()
