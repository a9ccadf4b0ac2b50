"""Sanitized HTML from untrusted sources."""

import re
from html.parser import HTMLParser

import nh3
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.formats.markup import LocatedFormula
from porism.pages.safe_html import DROPPED_TAGS, HEADING_TAGS, PLAIN_TAGS, safe_html


def render(formula: LocatedFormula, is_alone: bool) -> str:
    return f"[{formula.latex}{'!' if is_alone else ''}]"


def safe(markup: str) -> str:
    return safe_html(markup, render)


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
def test_safe_markup_is_unchanged(markup: str) -> None:
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
def test_unsafe_markup_is_removed(markup: str, harmless: str) -> None:
    assert safe(markup) == harmless


def test_links_keep_only_web_addresses() -> None:
    assert safe('<a href="https://e.org/?a=1&amp;b=&quot;" onclick="x()">y</a>') == (
        '<a href="https://e.org/?a=1&amp;b=&quot;" rel="noreferrer nofollow">y</a>'
    )
    assert 'href="https://e.org/x"' in safe('<a href="//e.org/x">y</a>')


def test_pictures_become_links() -> None:
    assert safe('<img src="https://e.org/p.png" alt="a &lt; b" onerror="x()">') == (
        '<a href="https://e.org/p.png" rel="noreferrer nofollow">[a &lt; b]</a>'
    )
    assert safe('<img src="javascript:x()">') == "[picture]"


def test_a_picture_within_a_link_makes_no_nested_link() -> None:
    linked = safe('<a href="https://e.org/"><img src="https://e.org/p.png" alt="plot"></a>')
    assert linked == '<a href="https://e.org/" rel="noreferrer nofollow">[plot]</a>'


def test_formulas_bypass_the_html_parser() -> None:
    assert safe('<p>If <span class="math-container" id="7">a&lt;b&amp;c</span>.</p>') == (
        "<p>If [a<b&c].</p>"
    )
    assert safe("so $a<b$ holds") == "so [a<b] holds"


@pytest.mark.parametrize("around", ["<p>{}</p>", "<p> {} .</p>", "<blockquote><p>{}\n</p>"])
def test_a_formula_alone_in_its_paragraph_is_alone(around: str) -> None:
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


def test_deep_nesting_is_accepted() -> None:
    assert "x" in safe("<b>" * 1000 + "x")


@pytest.mark.parametrize("name", ["b", "div", "blockquote", "ul><li", "table><tr><td", "span x=y"])
def test_extreme_nesting_leaves_only_the_text(name: str) -> None:
    assert safe(f"<{name}>" * 100_000 + "<p>a $x$ b") == "a [x] b"


@pytest.mark.parametrize("start", ["<x", "<b ", "</x", "<x a="])
def test_unfinished_tags_take_linear_time(start: str) -> None:
    """Searching for an end from each of them would take hours."""
    assert safe("<p>a</p>" + start * 100_000).startswith("<p>a</p>")


def test_unclosed_paragraphs_are_not_nested() -> None:
    assert safe("<p>a<br>" * 2000) == "<p>a<br></p>" * 2000


def test_unclosed_formatting_does_not_multiply() -> None:
    unclosed = "".join(f"<b class='c{number}'>" for number in range(900))
    assert len(safe(f"<p>{unclosed}" + "<p>x" * 900)) < 100_000


def test_ten_thousand_formulas_keep_their_order() -> None:
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


def test_a_formula_is_linked_except_within_a_link() -> None:
    markup = '<p>$x$ <a href="https://e.org/">of $y$</a> <a href="/here">of $z$</a></p>'
    linked = safe_html(markup, render, link_formula=lambda formula, html: f"<a>{html}</a>")
    assert linked == (
        '<p><a>[x]</a> <a href="https://e.org/" rel="noreferrer nofollow">of [y]</a> '
        "of <a>[z]</a></p>"
    )


def test_an_empty_formula_is_no_link() -> None:
    html = safe_html("$x$", lambda formula, is_alone: "", link_formula=lambda formula, html: "<a>")
    assert html == ""


def test_render_text_gets_unescaped_text_without_tags_and_formulas() -> None:
    texts: list[str] = []

    def render_text(text: str) -> str:
        texts.append(text)
        return "!"

    html = safe_html("<p>a &lt; <b>b&amp;c</b> $x$</p>", render, render_text)
    assert html == "<p>!<b>!</b>![x]</p>"
    assert texts == ["a < ", "b&c", " "]


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


class TagCollector(HTMLParser):
    """Collects the tags of a text with a parser other than nh3."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def assert_safe(html: str) -> None:
    parser = TagCollector()
    parser.feed(html)
    parser.close()
    for name, values in parser.tags:
        assert name in PLAIN_TAGS | set(HEADING_TAGS.values()) | {"a"}
        assert values.keys() <= {"href", "rel", "start", "colspan", "rowspan"}
        assert re.match("https?:|mailto:", values.get("href") or "https:", re.IGNORECASE)
    assert "<!" not in html
    assert "\ufdd0" not in html


@pytest.mark.parametrize("markup", HOSTILE)
def test_known_attacks_are_defused(markup: str) -> None:
    assert_safe(safe_html(markup, lambda formula, is_alone: ""))


@given(st.lists(st.sampled_from([*HOSTILE, *"<>\"'&;$= /", "</p>", "<p>", "<table>", "<a "])))
def test_combined_attacks_are_defused(pieces: list[str]) -> None:
    assert_safe(safe_html("".join(pieces), lambda formula, is_alone: ""))


def test_safe_html_is_unchanged_by_another_sanitizer() -> None:
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
