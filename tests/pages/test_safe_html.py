"""HTML of anybody on a page of ours."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.formats.markup import Found
from porism.pages.safe_html import DROPPED, HEADINGS, PLAIN, safe_html


def show(formula: Found, is_alone: bool) -> str:
    return f"[{formula.latex}{'!' if is_alone else ''}]"


def safe(markup: str) -> str:
    return safe_html(markup, show)


@pytest.mark.parametrize(
    "markup",
    [
        "<p>text</p>",
        "<p>a <em>b</em> <strong>c</strong><br>d</p>",
        "<ul><li>one</li><li>two</li></ul>",
        '<ol start="3"><li>three</li></ol>',
        "<blockquote><p>said</p></blockquote>",
        "<pre><code>if a &lt; b:\n    pass</code></pre>",
        '<table><tbody><tr><td colspan="2">x</td></tr></tbody></table>',
        "",
        "a &amp; b &lt; c",
    ],
)
def test_what_is_harmless_stays_as_it_is(markup: str) -> None:
    assert safe(markup) == markup


@pytest.mark.parametrize(
    ("markup", "harmless"),
    [
        ("a<script>alert(1)</script>b", "ab"),
        ("a<style>p { color: red }</style>b", "ab"),
        ("a<iframe src='https://e.org'>x</iframe>b", "ab"),
        ("<p onclick='alert(1)' style='color: red' class='c' id='i'>x</p>", "<p>x</p>"),
        ("<a href='javascript:alert(1)'>x</a>", "x"),
        ("<a href=' \tjava\nscript:alert(1)'>x</a>", "x"),
        ("<a href='data:text/html,x'>x</a>", "x"),
        ("<a href='/questions/1'>x</a>", "x"),
        ("<a href='&#106;avascript:alert(1)'>x</a>", "x"),
        ("<svg onload='alert(1)'><text>x</text></svg>b", "b"),
        ("<math><mi>x</mi></math>", "[]"),
        ("a<!-- <script>x</script> -->b", "ab"),
        ("a<?php x ?>b", "ab"),
        ("<form action='//e.org'><input name='x'>y</form>z", "z"),
        ("<span>x</span><div>y</div><font color='red'>z</font><blink>!</blink>", "xyz!"),
        ("<h1>Big</h1><h2>Less</h2>", "<h4>Big</h4><h5>Less</h5>"),
        ("<td colspan='x' rowspan='99999'>y</td>", "<td>y</td>"),
        ("</div></body></html><b>x</b>", "<b>x</b>"),
    ],
)
def test_what_may_harm_is_left_out(markup: str, harmless: str) -> None:
    assert safe(markup) == harmless


def test_links_lead_only_into_the_web() -> None:
    assert safe('<a href="https://e.org/?a=1&amp;b=&quot;" onclick="x()">y</a>') == (
        '<a href="https://e.org/?a=1&amp;b=&quot;" rel="noreferrer nofollow">y</a>'
    )
    assert 'href="https://e.org/x"' in safe('<a href="//e.org/x">y</a>')


def test_pictures_become_links() -> None:
    assert safe('<img src="https://e.org/p.png" alt="a &lt; b" onerror="x()">') == (
        '<a href="https://e.org/p.png" rel="noreferrer nofollow">[a &lt; b]</a>'
    )
    assert safe('<img src="javascript:x()">') == "[picture]"


def test_a_picture_in_a_link_makes_no_second_one() -> None:
    linked = safe('<a href="https://e.org/"><img src="https://e.org/p.png" alt="plot"></a>')
    assert linked == '<a href="https://e.org/" rel="noreferrer nofollow">[plot]</a>'


def test_formulas_never_meet_the_parser_of_html() -> None:
    assert safe('<p>If <span class="math-container" id="7">a&lt;b&amp;c</span>.</p>') == (
        "<p>If [a<b&c].</p>"
    )
    assert safe("so $a<b$ holds") == "so [a<b] holds"


@pytest.mark.parametrize("around", ["<p>{}</p>", "<p> {} .</p>", "<blockquote><p>{}\n</p>"])
def test_a_formula_alone_in_its_paragraph_is_told_so(around: str) -> None:
    assert "[x!]" in safe(around.format("$x$"))


@pytest.mark.parametrize("around", ["<p>Let {}</p>", "<p>{} and $y$</p>", "<li>{}</li>", "{}"])
def test_a_formula_among_words_is_not_alone(around: str) -> None:
    assert "[x]" in safe(around.format("$x$"))


def test_the_marks_of_formulas_cannot_be_forged() -> None:
    assert safe("$x$ \ufdd00\ufdd1") == "[x] 0"


def test_deep_nesting_is_no_fault() -> None:
    assert "x" in safe("<b>" * 1000 + "x")


@given(st.text(alphabet=st.sampled_from("<>/=\"'&;$\\ abps!-#x0\ufdd0\ufdd1\0\n"), max_size=60))
@example('<a href="https://e.org/><b>')
@example("<p title='>$x$'>")
def test_any_text_gives_known_elements_only(markup: str) -> None:
    allowed = PLAIN | set(HEADINGS.values()) | {"a"}
    safe_text = safe_html(markup, lambda formula, is_alone: "")
    tags = re.findall(r"<[^>]*>", safe_text)
    assert {re.sub(r"[</>]|\s.*", "", tag) for tag in tags} <= allowed
    assert "<" not in re.sub(r"<[^>]*>", "", safe_text)
    assert not allowed & DROPPED
