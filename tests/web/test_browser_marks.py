"""Marked parts of formulas in a real browser: visible, without changes of layout."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import porism.web
from porism.formula.latex import parse_latex
from porism.formula.marks import with_marks
from porism.formula.mathml import presentation_mathml
from tests.web.browsing import needs_browser

pytestmark = needs_browser

STYLE = (Path(porism.web.__file__).parent / "static" / "porism.css").read_text("utf-8")


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    """A page without a server."""
    page = browser.new_page()
    yield page
    page.close()


def screenshot_and_places(page: Page, latex: str, *places: int) -> tuple[bytes, list[float]]:
    """A screenshot of a formula with marks, and the places of its symbols."""
    mathml = presentation_mathml(with_marks(parse_latex(latex).tree, places))
    page.set_content(f"<style>{STYLE}</style><p>{mathml}</p>")
    boxes: list[float] = page.evaluate(
        "[...document.querySelectorAll('mi, mn, mo')].map(each => each.getBoundingClientRect().x)"
    )
    return page.locator("p").screenshot(), boxes


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("latex", "places"),
    [
        ("x^2+y=1", (0, 1, 2, 3)),  # neighbours
        ("a+b-c=1", (1, 2)),  # what begins with a sign
        ("a+b-c=1", (2, 3)),  # what ends with one
        ("x^2+1", (0,)),  # a symbol without its exponent
        ("f(x+1)", (1,)),  # fences
        (r"\sum_{n=1}^k n", (0,)),  # a big operator without its limits
        (r"\frac{1}{2+n}", (3, 4)),  # within a denominator
        (r"2\sin x", (1, 2)),
    ],
)
def test_marks_are_visible_and_do_not_change_the_layout(
    blank: Page, latex: str, places: tuple[int, ...], scheme: str
) -> None:
    blank.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    plain, where = screenshot_and_places(blank, latex)
    marked, where_marked = screenshot_and_places(blank, latex, *places)
    assert blank.locator(".hit").count() > 0
    assert marked != plain
    assert where_marked == pytest.approx(where, abs=0.5)
