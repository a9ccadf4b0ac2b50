"""HTML of posts: any string gives located formulas, content and safe HTML."""

from __future__ import annotations

import re
from itertools import pairwise

from fuzz.properties import Property
from fuzz.strategies import mutated, noise, repeated, soup
from porism.collection.ingest.chunks import ID
from porism.collection.ingest.instance_ids import POSTS_FROM, PlacedText, identified_texts
from porism.collection.schema import InstancePlace
from porism.formats.documents.html_pages import page_html
from porism.formats.markup import (
    content,
    find_formulas,
    marked_content,
    plain_text,
    with_formula_spans,
)
from porism.model import Formula
from porism.pages.safe_html import HEADING_TAGS, PLAIN_TAGS, safe_html

WORDS = (
    *r"""
    $ $$ \( \) \[ \] \$ \\ \begin{align} \end{align} \begin{array} \end{array} { } \text{ <p> </p>
    <br> <em> </em> <b> <i>x</i> <a> <pre> </pre> <code> </code> <script> </script> <!-- --> <math>
    </math> <math/> <mi>x</mi> <textarea> </textarea> <style> </style> <svg> </svg> <table> <td>
    <noscript> <template> <select> <x &lt; &amp; &amp;lt; &amp;amp;lt; &gt &#39; &#0; &#xD800; & <
    > " ' ` `` ~ = / 5 10, x y^2 =1 \alpha and or cost word US . , ( ) </span> <span> <td> </div>
    <?xml <!DOCTYPE <![CDATA[ ]]> <span/ --!> <!--> <%
    """.split(),
    '<span class="math-container" id="7">',
    '<span class="math-container">',
    "<span id='8' class='math-container'>",
    '<math alttext="x&lt;y">',
    '<math alttext="$x$">',
    '<math display="block" ',
    '<annotation encoding="application/x-tex">',
    "</annotation>",
    '<a href="$">',
    '<a href="javascript:',
    "<img src=",
    '<img alt="" src="',
    ' a="1"',
    " b='",
    '">',
    *(" ", " ", "\n", "\t", "\0", "\xa0", "\ud800", "\\", "\\ ", "\ufdd0", "\U0010ffff"),
)
SAMPLES = (
    '<p>Let <span class="math-container" id="12">\\frac{1}{2} &lt; x</span> be $y$.</p>',
    '<p>See <a href="https://example.org/?a=1&amp;b=2">this</a>: $$\\sum_{n=1}^\\infty a_n$$</p>',
    "<pre><code>if a < b: $5</code></pre><ul><li>One \\(a\\)</li><li>Two</li></ul>",
    '<math alttext="x"><semantics><mi>x</mi></semantics></math> <img alt="a" src="//e.org/p.png">',
    "<blockquote><p>It costs $5 and $10.</p></blockquote><!-- $z$ -->"
    "<br>\\begin{align}a&=b\\end{align}",
)


def check_html(markup: str) -> None:
    """Locate, mark and read the formulas, and give them ids."""
    formulas = find_formulas(markup)
    at = 0
    for formula in formulas:
        assert at <= formula.start < formula.end <= len(markup)
        at = formula.end
    pieces = content(markup)
    read = [(piece.id, piece.latex) for piece in pieces if isinstance(piece, Formula)]
    assert read == [(formula.id, formula.latex) for formula in formulas]
    assert "" not in pieces
    assert (True, True) not in pairwise(isinstance(piece, str) for piece in pieces)
    plain_text(markup)
    ids = [f"n{number}" for number in range(len(formulas))]  # ids that do not occur in the markup
    again = find_formulas(with_formula_spans(markup, formulas, ids))
    assert [(each.id, each.latex, each.mathml, each.repairs) for each in again] == [
        (name, each.latex, each.mathml, ()) for name, each in zip(ids, formulas, strict=True)
    ]
    identified = identified_texts((PlacedText(markup, InstancePlace.BODY),), POSTS_FROM)
    assert len(identified.formulas) == len(formulas)
    stored = marked_content(identified.texts[0])
    assert [piece.id for piece in stored if isinstance(piece, Formula)] == [
        str(formula_id) for formula_id in identified.numbers[ID]
    ]
    # Broken MathML with spans in it would be read differently when it is in a span itself.
    if not any("math-container" in formula.mathml for formula in formulas):
        assert stored == content(identified.texts[0])


def check_page(markup: str) -> None:
    """Safe HTML of the text has only known elements, and a page of it can be parsed."""
    html = safe_html(markup, lambda formula, is_alone: "")
    assert "because of an error" not in html or "because of an error" in markup
    tags = re.findall(r"<[^>]*>", html)
    assert {re.sub(r"[</>]|\s.*", "", tag) for tag in tags} <= PLAIN_TAGS | {
        *HEADING_TAGS.values(),
        "a",
    }
    assert "<" not in re.sub(r"<[^>]*>", "", html)
    page = page_html(markup.encode("utf-8", "replace").decode())
    find_formulas(page.body)


PROPERTIES = tuple(
    Property(f"{name}-{kind}", strategy, check)
    for name, check in (("text", check_html), ("page", check_page))
    for kind, strategy in (
        ("noise", noise()),
        ("soup", soup(WORDS)),
        ("mutated", mutated(SAMPLES, WORDS)),
        ("repeated", repeated(WORDS)),
    )
)
