"""Formulas in a real browser: columns, tags, boxes, scrolling, and the font of every glyph."""

import io
from typing import TypedDict
from urllib.parse import urlencode

import pytest
from PIL import Image
from playwright.sync_api import CDPSession, Page

from porism.formula.display import display_mathml, marked_places
from porism.formula.latex import parse_latex
from porism.formula.marks import with_marks
from porism.pages.formula_html import UNSTORED
from tests.web.browsing import PHONE, needs_browser, too_wide

pytestmark = needs_browser


class Box(TypedDict):
    """A place on the page, in pixels."""

    x: float
    right: float
    top: float
    bottom: float
    text: str


def boxes(page: Page, selector: str) -> list[Box]:
    found: list[Box] = page.evaluate(
        """selector => [...document.querySelectorAll(selector)].map(each => {
            const { x, right, top, bottom } = each.getBoundingClientRect();
            return { x, right, top, bottom, text: each.textContent };
        })""",
        selector,
    )
    return found


def display(page: Page, *formulas: str, is_alone: bool = True) -> None:
    """Show formulas alone on a page of the application."""
    html = "".join(f"<p>{UNSTORED.html('', each, is_alone)}</p>" for each in formulas)
    page.evaluate(
        """html => {
            document.querySelector("main").innerHTML = html;
            return document.fonts.load('1em "STIX Two Math"').then(() => true);
        }""",
        html,
    )


@pytest.fixture
def sheet(page: Page) -> Page:
    page.goto("/")
    return page


def test_relations_of_aligned_equations_are_below_each_other(sheet: Page) -> None:
    display(sheet, r"\begin{align}a+b&=c\\d&\le e\\f&=ggggg\end{align}")
    relations = [box for box in boxes(sheet, "mo") if box["text"] in "=≤"]
    assert len({round(box["right"] - 1) for box in relations}) == 1


def test_columns_of_an_array_are_aligned(sheet: Page) -> None:
    display(sheet, r"\begin{array}{l|r}aaa&bbb\\c&d\end{array}")
    cells = {box["text"]: box for box in boxes(sheet, "mi")}
    letters = boxes(sheet, "mi")
    assert round(cells["c"]["x"]) == round(letters[0]["x"])
    assert round(cells["d"]["right"]) == round(letters[5]["right"])
    width: str = sheet.evaluate("getComputedStyle(document.querySelectorAll('mtd')[1]).borderLeft")
    assert "solid" in width


def test_tags_are_at_the_right_edge_and_the_formula_in_the_middle(sheet: Page) -> None:
    display(sheet, r"x=1\tag{7}")
    [tag] = boxes(sheet, "mtd.tag mtext")
    [line] = boxes(sheet, ".display")
    left, right = boxes(sheet, "mi")[0]["x"], boxes(sheet, "mn")[0]["right"]
    assert tag["text"] == "(7)"
    assert tag["right"] == pytest.approx(line["right"], abs=2)
    assert (left + right) / 2 == pytest.approx((line["x"] + line["right"]) / 2, abs=12)


def test_boxes_and_strikes_are_drawn(sheet: Page) -> None:
    display(sheet, r"\boxed{x}\cancel{y}")
    border, strike = sheet.evaluate(
        """[...document.querySelectorAll("menclose")].map(each => {
            const style = getComputedStyle(each);
            return `${style.borderTopStyle} ${style.backgroundImage}`; })"""
    )
    assert border.startswith("solid")
    assert "linear-gradient" in strike


def test_limits_are_above_and_below_in_displayed_formulas_only(sheet: Page) -> None:
    display(sheet, r"\sum_a^b x")
    operator, below, above = (boxes(sheet, each)[0] for each in ("mo", "mi", "mi:nth-child(3)"))
    assert above["bottom"] <= operator["bottom"] < below["bottom"]
    assert below["x"] < operator["right"]
    display(sheet, r"\sum_a^b x", is_alone=False)
    assert boxes(sheet, "mi")[0]["x"] >= boxes(sheet, "mo")[0]["right"] - 1


def drawn_width(page: Page, latex: str) -> int:
    """The pixels between the first and the last column of a formula in which something is drawn."""
    display(page, latex)
    picture = Image.open(io.BytesIO(page.locator(".display").screenshot())).convert("L")
    box = picture.point(lambda value: 255 * (value < 128)).getbbox()
    assert box is not None
    return box[2] - box[0]


def test_arrows_are_as_long_as_their_labels(sheet: Page) -> None:
    # Without a label the arrow alone is drawn; a browser reports its box as not stretched.
    long = drawn_width(sheet, r"\xrightarrow{\phantom{abcdefghijkl}}")
    assert long > drawn_width(sheet, r"\xrightarrow{\phantom{f}}") + 25


@pytest.mark.parametrize("width", [PHONE, 800])
def test_wide_formulas_scroll_from_their_beginning(sheet: Page, width: int) -> None:
    sheet.set_viewport_size({"width": width, "height": 740})
    long = "+".join(f"x_{{{number}}}" for number in range(80))
    display(sheet, long, rf"{long}\tag{{1}}", rf"\begin{{align}}y&={long}\end{{align}}")
    lines = boxes(sheet, ".display")
    starts = boxes(sheet, "math mi:first-of-type")
    assert too_wide(sheet) == []
    assert sheet.evaluate(
        "[...document.querySelectorAll('.display')].map(e => e.scrollWidth > e.clientWidth)"
    ) == [True] * len(lines)
    assert min(box["x"] for box in starts) >= min(box["x"] for box in lines)


def fonts(session: CDPSession, selector: str) -> set[tuple[str, bool]]:
    """The fonts of the glyphs in the elements, and whether they are files of the page."""
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    names = set()
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    for node in nodes:
        used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        names |= {(each["familyName"], each["isCustomFont"]) for each in used}
    return names


def test_every_symbol_has_a_glyph_in_the_bundled_font(sheet: Page) -> None:
    display(
        sheet,
        r"\varnothing\emptyset\mathbb{ABCDEFGHIJKLMNOPQRSTUVWXYZ}\mathcal{ABCDE}\mathfrak{gXz}",
        r"\int\iint\oint\sum\prod\bigoplus\bigcup\le\leqslant\not\subset\rightleftharpoons\hbar\ell",
        r"\boldsymbol{\alpha\Omega}\mathsf{T}\mathtt{x}\mathit{diff}\vec v\widehat{abc}\ddot x",
        r"f'''\ldots\cdots\ddots\vdots\aleph\wp\Re\Im\lfloor x\rceil\llbracket x\rrbracket\square",
        r"\text{naïve Gödel – “quoted”}\xrightarrow{f}\iff\implies\models\vdash\blacksquare",
    )  # fmt: skip
    session = sheet.context.new_cdp_session(sheet)
    assert fonts(session, "math") == {("STIX Two Math", True)}


@pytest.mark.parametrize(
    ("latex", "places"),
    [
        ("a+b-c=1", (1, 2)),  # what begins with a sign
        ("a+b-c=1", (2, 3)),  # what ends with one
        ("x^2+1", (0,)),
        (r"\sum_{n=1}^k n", (0,)),
        (r"\frac{1}{2+n}", (3, 4)),
        (r"2\sin x", (1, 2)),
        (r"\left(x+1\right)^2", (0,)),
    ],
)
def test_marks_do_not_move_symbols(sheet: Page, latex: str, places: tuple[int, ...]) -> None:
    marks = marked_places(with_marks(parse_latex(latex).tree, places), latex, {})
    positions = []
    for each in ({}, marks):
        mathml = display_mathml(latex, marks=each)
        sheet.evaluate("html => { document.querySelector('main').innerHTML = html; }", mathml)
        positions.append([box["x"] for box in boxes(sheet, "mi, mn, mo")])
    assert sheet.locator(".hit").count() > 0
    assert positions[0] == pytest.approx(positions[1], abs=0.5)


def test_no_gap_follows_a_root(page: Page) -> None:
    """Chromium makes roots as wide as with the widest form of the sign, which the font narrows."""
    query = urlencode({"q": r"$\sqrt{2}$"})
    page.goto(f"/?{query}")
    gap: float = page.locator("#preview msqrt").evaluate(
        """root => {
            const size = parseFloat(getComputedStyle(root).fontSize);
            const inner = root.lastElementChild.getBoundingClientRect();
            return (root.getBoundingClientRect().right - inner.right) / size;
        }"""
    )
    assert 0 <= gap < 0.15
