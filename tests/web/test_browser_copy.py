"""Copying from pages in a real browser: formulas become the LaTeX of their authors."""

from pathlib import Path
from typing import TypedDict

import pytest
from playwright.sync_api import Page

import porism.web
from porism.pages.formula_html import UNSTORED
from tests.web.browsing import needs_browser

pytestmark = needs_browser

STATIC = Path(porism.web.__file__).parent / "static"

COPY = """selector => {
    const range = document.createRange();
    const [first, last = first] = selector.map(each => document.querySelector(each));
    range.setStartBefore(first);
    range.setEndAfter(last);
    document.getSelection().removeAllRanges();
    document.getSelection().addRange(range);
    const data = new DataTransfer();
    const event = new ClipboardEvent(
        "copy", { clipboardData: data, bubbles: true, cancelable: true });
    first.dispatchEvent(event);
    return { text: data.getData("text/plain"), html: data.getData("text/html"),
             handled: event.defaultPrevented, left: document.querySelectorAll(".copied").length };
}"""


class Copied(TypedDict):
    """What is on the clipboard, and what is left on the page."""

    text: str
    html: str
    handled: bool
    left: int


def copied(page: Page, *selectors: str) -> Copied:
    result: Copied = page.evaluate(COPY, list(selectors))
    return result


@pytest.fixture
def passage(page: Page) -> Page:
    """A passage with formulas, on a page of the application."""
    page.goto("/")
    inline = UNSTORED.html("", r"a<b\,c")
    displayed = UNSTORED.html("", r"\int_0^1 x\,dx", is_alone=True)
    aligned = UNSTORED.html("", r"\begin{align}a&=b\end{align}", is_alone=True)
    refused = UNSTORED.html("", "{" * 100)
    page.evaluate(
        "html => { document.querySelector('main').innerHTML = html; }",
        f'<p id="one">If {inline}, then</p><p id="two">{displayed}</p>'
        f'<p id="three">and {aligned}.</p><p id="four">{refused}</p><p id="five">no formula</p>'
        '<textarea id="six">x</textarea>',
    )
    return page


def test_formulas_are_copied_as_latex(passage: Page) -> None:
    assert copied(passage, "#one")["text"] == r"If $a<b\,c$, then"
    assert copied(passage, "#two")["text"] == r"$$\int_0^1 x\,dx$$"
    assert copied(passage, "#four")["text"] == "$" + "{" * 100 + "$"


def test_environments_that_are_displayed_need_no_dollars(passage: Page) -> None:
    assert copied(passage, "#three")["text"] == "and\n\\begin{align}a&=b\\end{align}\n."


def test_paragraphs_stay_apart(passage: Page) -> None:
    text = copied(passage, "#one", "#two")["text"]
    assert text.split("\n\n") == [r"If $a<b\,c$, then", r"$$\int_0^1 x\,dx$$"]


def test_part_of_a_formula_is_copied_as_the_whole(passage: Page) -> None:
    assert copied(passage, "#one mi")["text"] == r"$a<b\,c$"


def test_html_keeps_its_formulas(passage: Page) -> None:
    result = copied(passage, "#one")
    assert "<math" in result["html"]
    assert "$" not in result["html"]
    assert result["left"] == 0


def test_text_without_formulas_is_left_to_the_browser(passage: Page) -> None:
    assert not copied(passage, "#five")["handled"]
    assert not copied(passage, "#six")["handled"]


def test_a_passage_of_a_thread_is_copied(page: Page) -> None:
    page.goto("/threads/101?q=integral")
    formula = page.locator("main [data-latex]").first
    latex = formula.get_attribute("data-latex")
    assert latex
    assert latex in copied(page, "main")["text"]
