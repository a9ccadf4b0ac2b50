"""HTML pages as documents."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from porism.formats.documents.html_cleaner import page_tree
from porism.formats.documents.html_pages import fragment_html, page_html, read_html_page
from porism.formats.documents.mathjax_macros import mathjax_macros
from porism.formats.markup.formulas import find_formulas
from porism.formats.markup.html_syntax import MAX_ATTRIBUTES, with_few_attributes

SPAN = '<span class="math-container">'


def formulas(markup: str) -> list[str]:
    return [formula.latex for formula in find_formulas(page_html(markup).body)]


@pytest.mark.parametrize(
    ("markup", "latex"),
    [
        ('<span class="math-container">$a &lt; b$</span>', "a < b"),
        ("<span id='7' class='x math-container'>x</span>", "x"),
        ('<span class="math inline">x^2</span>', "x^2"),
        (r'<span class="math display">\[x^2\]</span>', "x^2"),
        ('<script type="math/tex">x < y</script>', "x < y"),
        ('<script type="math/tex; mode=display">% <![CDATA[\nx %]]></script>', "x"),
        ('<math alttext="x"><mi>y</mi></math>', "x"),
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x</annotation>"
            "</semantics></math>",
            "x",
        ),
        (r'<img class="latex" src="a.png" alt="\pi">', r"\pi"),
        ("in prose $x$", "x"),
        (r"in prose \(x\)", "x"),
        (r"\begin{align}x\end{align}", r"\begin{align}x\end{align}"),
    ],
)
def test_formulas_of_every_kind(markup: str, latex: str) -> None:
    assert formulas(f"<p>a {markup} b</p>") == [latex]


def test_rendered_formulas_of_katex_and_mathjax_are_skipped() -> None:
    katex = (
        '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>'
        '<annotation encoding="application/x-tex">x</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">drawn</span></span>'
    )
    mathjax = (
        '<span class="MathJax_Preview">drawn</span><span class="MathJax">drawn</span>'
        '<script type="math/tex">y</script>'
    )
    third = (
        "<mjx-container><mjx-math>drawn</mjx-math>"
        "<mjx-assistive-mml><math><mi>z</mi></math></mjx-assistive-mml></mjx-container>"
    )
    body = page_html(f"<p>{katex}, {mathjax}, {third}</p>").body
    assert body == f"<p>{SPAN}x</span>, {SPAN}y</span>, <math><mi>z</mi></math></p>\n"


def test_mathml_without_latex_stays_mathml() -> None:
    markup = (
        '<m:math xmlns:m="x" onclick="y()" display="block"><!-- c --><m:mi mathvariant="bold">x'
        "</m:mi><script>z</script><m:mo>&lt;</m:mo></m:math>"
    )
    assert fragment_html(f"<p>{markup}</p>") == (
        '<p><math display="block"><mi mathvariant="bold">x</mi><mo>&lt;</mo></math></p>\n'
    )


def test_only_visible_content_is_kept() -> None:
    page = """
    <html><head><title> A
      page &amp; more</title><style>p {}</style><script>var x;</script></head>
    <body onload="go()"><header>top</header><nav>menu</nav>
    <p style="x">Text <b>bold</b> <i>it</i> <a href="javascript:x">no</a>
    <a href="https://a.org/?a=1&amp;b=%22">yes</a><br>end<!-- hidden --></p>
    <form><input value="v">field</form><svg><text>drawn</text></svg>
    <pre>$ ls
    a</pre><footer>bottom</footer></body></html>"""
    fragment = page_html(page)
    assert fragment.title == "A page &amp; more"
    for gone in "top menu var onload style field drawn bottom hidden javascript".split():
        assert gone not in fragment.body
    assert "Text <strong>bold</strong> <em>it</em> <a>no</a>" in fragment.body
    assert '<a href="https://a.org/?a=1&amp;b=%22">yes</a><br>end</p>' in fragment.body
    assert "<pre>$ ls\n    a</pre>" in fragment.body


def test_meta_elements_have_tags_and_date() -> None:
    fragment = page_html(
        '<meta name="keywords" content="rings, fields,rings">'
        '<meta property="article:published_time" content="2020-05-06T07:08:09Z"><p>x'
    )
    assert fragment.tags == ("rings", "fields")
    assert fragment.created == "2020-05-06T07:08:09"


def test_macros_of_the_page_are_passed_on() -> None:
    page = r"""<script>MathJax = {tex: {macros: {
        RR: "\\mathbb{R}",   // the reals
        'norm': ['\\left\\|#1\\right\\|', 1],
        opt: ["#1+#2", 2, "x"],
    }}};</script><p>$\RR$</p>"""
    assert page_html(page).macros.splitlines() == [
        r"\newcommand{\RR}{\mathbb{R}}",
        r"\newcommand{\norm}[1]{\left\|#1\right\|}",
        r"\newcommand{\opt}[2][x]{#1+#2}",
    ]


def test_macros_of_katex_have_a_backslash_and_no_count() -> None:
    script = r'renderMathInElement(document.body, {macros: {"\\f": "#1f(#2)"}});'
    assert mathjax_macros(script) == r"\newcommand{\f}[2]{#1f(#2)}"


@pytest.mark.parametrize(
    "script", [None, "", "macros", "macros: {", "macros: {f: g()}", "{a: 'b'}"]
)
def test_scripts_without_plain_macros(script: str | None) -> None:
    assert mathjax_macros(script) == ""


def test_xhtml_may_have_empty_scripts() -> None:
    page = (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
        '<title>T</title><script src="a.js"/></head><body><p>x</p>'
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math></body></html>'
    )
    fragment = page_html(page)
    assert (fragment.title, fragment.body) == ("T", "<p>x</p>\n<math><mi>x</mi></math>\n")


def test_doctype_declarations_are_not_read_as_text() -> None:
    page = '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x "y">]><html><p>a &amp; &x;</p></html>'
    assert page_html(page).body == "<p>a &amp; &amp;x;</p>\n"


def test_entities_of_xml_are_neither_expanded_nor_fetched(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("FETCHED", encoding="utf-8")
    page = (
        '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "EXPANDED">'
        f'<!ENTITY b SYSTEM "{tmp_path / "secret"}">]>'
        "<html><body><p>x &a; &b; y</p></body></html>"
    )
    read = page_html(page).body.partition("<p>x")[2]
    assert read
    assert "EXPANDED" not in read
    assert "FETCHED" not in read


def test_page_nested_too_deeply_keeps_its_text() -> None:
    assert "deep $x$" in page_html("<div>" * 5_000 + "deep $x$").body


@pytest.mark.parametrize(
    "markup", ["", "  ", "<!-- x -->", "<p></p>", "<div><br></div>", "<nav>x</nav>"]
)
def test_page_without_visible_text_is_not_a_document(markup: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(markup, encoding="utf-8")
    assert list(read_html_page(path, "page.html")) == []


def test_title_is_a_heading_or_else_the_file_name(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>x</p><h1>On $x$</h1>", encoding="utf-8")
    (heading,) = read_html_page(path, "pages/page.html")
    path.write_text("<p>x</p>", encoding="utf-8")
    (name,) = read_html_page(path, "pages/page.html")
    assert (heading.title, name.title, name.name) == ("On $x$", "page", "pages/page.html")


TAGS = """
<p> </p> <div> <b <script> </script> <math> </math> <!-- --> <? ?> <![CDATA[ ]]> & &lt; &#0;
<a href=" "> <title> <body> <html> <span class="math-container"> </span> <pre> $ \\( <?xml <m:math>
""".split()


@given(st.lists(st.sampled_from(TAGS) | st.text(max_size=3), max_size=30).map("".join))
def test_any_text_becomes_clean_html(text: str) -> None:
    markup = fragment_html(text.replace("\0", ""))
    if markup:
        tree = html.fromstring(f"<div>{markup}</div>")
        assert not {"script", "style"} & {element.tag for element in tree.iter()}


def test_attributes_beyond_the_first_hundred_are_not_parsed() -> None:
    """Parsers compare each name with all others: 300,000 of them would take minutes."""
    many = " ".join(f'a{number}="{number} > 1"' for number in range(300))
    for name in ("p", "math", "span"):
        tree = page_tree(f"<{name} id=1 {many}>$x$ <em title=t>and</em></{name}>")
        assert tree is not None
        assert max(len(element.attrib) for element in tree.iter()) == MAX_ATTRIBUTES
        assert "$x$ and" in "".join(str(text) for text in tree.itertext())


@pytest.mark.parametrize(
    "attribute", ["a", "a=1", "a='<>'", 'a = "/>"', "/a", "=a", "a/", 'a="1"b']
)
def test_attributes_are_counted_however_they_are_written(attribute: str) -> None:
    shortened = with_few_attributes(f"<p {f'{attribute} ' * 250}>$x$</p>")
    assert shortened.count(attribute.strip("/")[0:1]) <= 2 * MAX_ATTRIBUTES
    assert shortened.endswith(">$x$</p>")
    few = f"<p {f'{attribute} ' * 40}>$x$</p>"
    assert with_few_attributes(few) == few
