"""HTML of anybody on a page of ours."""

import re
from html.parser import HTMLParser

import nh3
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.formats.markup import LocatedFormula
from porism.pages.safe_html import DROPPED_TAGS, HEADING_TAGS, PLAIN_TAGS, safe_html


def show(formula: LocatedFormula, is_alone: bool) -> str:
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
        (
            "<table><tr><td colspan='x' rowspan='99999'>y</table>",
            "<table><tbody><tr><td>y</td></tr></tbody></table>",
        ),
        ("<td colspan='2'>no table around it</td>", "no table around it"),
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


def test_the_marks_of_formulas_cannot_be_forged_by_entities() -> None:
    for forged in ("&#xfdd0;0&#xFDD1;", "&#64976;0&#064977;", "&#xfdd00&#xfdd1;", "&#64976x"):
        assert safe(f"$x$ {forged}").count("[x]") == 1
    assert safe("&#xfd&#xfdd0;d0;0&#xfdd1;$x$").count("[x]") == 1


def test_deep_nesting_is_no_fault() -> None:
    assert "x" in safe("<b>" * 1000 + "x")


@pytest.mark.parametrize("name", ["b", "div", "blockquote", "ul><li", "table><tr><td", "span x=y"])
def test_of_what_is_nested_beyond_all_sense_the_text_stays(name: str) -> None:
    assert safe(f"<{name}>" * 100_000 + "<p>a $x$ b") == "a [x] b"


@pytest.mark.parametrize("start", ["<x", "<b ", "</x", "<x a="])
def test_tags_that_never_end_cost_no_more_than_their_length(start: str) -> None:
    """It would take hours if an end were looked for from each of them."""
    assert safe("<p>a</p>" + start * 100_000).startswith("<p>a</p>")


def test_many_paragraphs_that_are_not_closed_are_not_deep() -> None:
    assert safe("<p>a<br>" * 2000) == "<p>a<br></p>" * 2000


def test_formatting_that_is_never_closed_does_not_multiply() -> None:
    unclosed = "".join(f"<b class='c{number}'>" for number in range(900))
    assert len(safe(f"<p>{unclosed}" + "<p>x" * 900)) < 100_000


def test_ten_thousand_formulas_are_all_shown_in_their_order() -> None:
    markup = "<p>" + "so ".join(f"$x_{{{number}}}$" for number in range(10_000)) + "</p>"
    assert safe(markup) == "<p>" + "so ".join(f"[x_{{{n}}}]" for n in range(10_000)) + "</p>"


def test_a_formula_in_an_attribute_is_no_formula() -> None:
    assert safe('<a href="https://e.org/$x$" title="$y$">z</a>') == (
        '<a href="https://e.org/$x$" rel="noreferrer nofollow">z</a>'
    )
    span = '<span class="math-container" id="7">x</span>'
    for hostile in (f"<a href='https://e.org/{span}'>z</a>", f"<img alt='{span}' src='//e.org'>"):
        assert "[x]" not in re.sub(r">[^<]*<", "><", safe(hostile))
        assert "\ufdd0" not in safe(hostile)


def test_a_formula_is_a_link_but_not_within_another_one() -> None:
    markup = '<p>$x$ <a href="https://e.org/">of $y$</a> <a href="/here">of $z$</a></p>'
    shown = safe_html(markup, show, linked=lambda formula, html: f"<a>{html}</a>")
    assert shown == (
        '<p><a>[x]</a> <a href="https://e.org/" rel="noreferrer nofollow">of [y]</a> '
        "of <a>[z]</a></p>"
    )


def test_a_formula_that_is_not_shown_is_no_link() -> None:
    assert safe_html("$x$", lambda formula, is_alone: "", linked=lambda formula, html: "<a>") == ""


def test_text_is_said_as_it_was_meant_without_tags_and_formulas() -> None:
    heard: list[str] = []

    def said(text: str) -> str:
        heard.append(text)
        return "!"

    assert safe_html("<p>a &lt; <b>b&amp;c</b> $x$</p>", show, said) == "<p>!<b>!</b>![x]</p>"
    assert heard == ["a < ", "b&c", " "]


HOSTILE = [
    "<math><mtext><table><mglyph><style><!--</style><img title='--><img src=1 onerror=alert(1)>'>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<svg><foreignObject><p onclick=alert(1)>x</p></foreignObject></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<math href='javascript:alert(1)'>x",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<select><template><style></select><img src=x onerror=alert(1)></style>",
    "<a href='java&#9;script:alert(1)'>x</a>",
    "<a href='&#x6A;&#x61;vascript&colon;alert(1)'>x</a>",
    "<a href='\x01javascript:alert(1)'>x</a>",
    "<a href='vbscript:x'>x</a><a href='feed:javascript:x'>x</a><a href='blob:x'>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
    "<img src='data:image/svg+xml,<svg onload=x>'>",
    "<p style='background: url(javascript:x)' STYLE='x' onmouseover=alert(1)>x</p>",
    "<div style='position: fixed'><a href='//e.org' style='x' target='_blank' ping='//f.org'>x</a>",
    "<!-- <img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<img/src='x'/onerror=alert(1)>",
    "<img src=x:x onerror\x0b=alert(1) alt='\"><script>alert(1)</script>'>",
    "<<script>script>alert(1)</</script>script>",
    "<scr<!-- -->ipt>alert(1)</script>",
    "<p id='post-1' class='accepted' name='x'>x</p>",
    "<base href='//e.org'><meta http-equiv=refresh content='0;//e.org'><link rel=x href=//e.org>",
    "<xmp><script>alert(1)</script></xmp><plaintext><script>alert(1)</script>",
    "$<script>alert(1)</script>$ <b title='$'>$x$",
    "<title><a title='</title><img src=x onerror=alert(1)>'>",
    "<b <script>alert(1)</script>>x</b foo='<img src=x onerror=alert(1)>'>",
]


class Tags(HTMLParser):
    """All tags of a text, read by a parser that is not the one that wrote them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(shown: str) -> None:
    tags = Tags()
    tags.feed(shown)
    tags.close()
    for name, values in tags.found:
        assert name in PLAIN_TAGS | set(HEADING_TAGS.values()) | {"a"}
        assert values.keys() <= {"href", "rel", "start", "colspan", "rowspan"}
        assert re.match("https?:|mailto:", values.get("href") or "https:", re.IGNORECASE)
    assert "<!" not in shown
    assert "\ufdd0" not in shown


@pytest.mark.parametrize("markup", HOSTILE)
def test_known_attacks_give_nothing_that_acts(markup: str) -> None:
    assert_harmless(safe_html(markup, lambda formula, is_alone: ""))


@given(st.lists(st.sampled_from([*HOSTILE, *"<>\"'&;$= /", "</p>", "<p>", "<table>", "<a "])))
def test_attacks_put_together_give_nothing_that_acts(pieces: list[str]) -> None:
    assert_harmless(safe_html("".join(pieces), lambda formula, is_alone: ""))


def test_what_was_made_safe_stays_as_it_is_when_it_is_read_again() -> None:
    for markup in HOSTILE:
        once = safe_html(markup, lambda formula, is_alone: "")
        assert nh3.clean(once, link_rel=None, attributes={"a": {"href", "rel"}}) == once


@given(st.text(alphabet=st.sampled_from("<>/=\"'&;$\\ abps!-#x0\ufdd0\ufdd1\0\n"), max_size=60))
@example('<a href="https://e.org/><b>')
@example("<p title='>$x$'>")
def test_any_text_gives_known_elements_only(markup: str) -> None:
    allowed = PLAIN_TAGS | set(HEADING_TAGS.values()) | {"a"}
    safe_text = safe_html(markup, lambda formula, is_alone: "")
    tags = re.findall(r"<[^>]*>", safe_text)
    assert {re.sub(r"[</>]|\s.*", "", tag) for tag in tags} <= allowed
    assert "<" not in re.sub(r"<[^>]*>", "", safe_text)
    assert not allowed & DROPPED_TAGS
