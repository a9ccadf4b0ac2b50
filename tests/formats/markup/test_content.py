"""Markup with formulas: how they are marked, what a reader sees, and what real collections hold."""

import csv
import gzip
import html
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from porism.formats.markup import (
    content,
    find_formulas,
    marked_content,
    plain_text,
    with_formula_spans,
)
from porism.formats.markup.formulas import LocatedFormula, MarkupRepair
from porism.model import Formula


def renumbered(markup: str) -> tuple[str, list[LocatedFormula]]:
    formulas = find_formulas(markup)
    return with_formula_spans(
        markup, formulas, [str(number) for number in range(len(formulas))]
    ), formulas


def test_formulas_are_marked_and_the_rest_stays() -> None:
    markup = "<p>If $a &lt; b$ &amp; \\[c\\], it's $5.</p>"
    assert with_formula_spans(markup, find_formulas(markup), ["7", "q_8"]) == (
        '<p>If <span class="math-container" id="7">a &lt; b</span> &amp; '
        '<span class="math-container" id="q_8">c</span>, it\'s $5.</p>'
    )


def test_span_with_the_same_id_stays_byte_for_byte() -> None:
    markup = '<span class="math-container" id="3">$a &amp;lt; b$</span>'
    formulas = find_formulas(markup)
    assert with_formula_spans(markup, formulas, ["3"]) == markup
    assert with_formula_spans(markup, formulas, ["4"]) == (
        '<span class="math-container" id="4">a &lt; b</span>'
    )


def test_span_of_another_form_gets_the_one_form() -> None:
    markup = "<span id='3' class='math-container'>$a &amp;lt; <em>b</em>$</span>"
    assert with_formula_spans(markup, find_formulas(markup), ["3"]) == (
        '<span class="math-container" id="3">a &lt; b</span>'
    )


def test_span_in_a_comment_is_not_read_as_a_formula() -> None:
    span = '<span class="math-container" id="3">x</span>'
    for markup in (f"<!-- {span} --> y", f"<!-- {span} -->{span}"):
        found = find_formulas(markup)
        marked = with_formula_spans(markup, found, [formula.id for formula in found])
        assert marked_content(marked) == content(markup)


def test_formula_may_stay_without_id() -> None:
    markup = "$x$"
    assert (
        with_formula_spans(markup, find_formulas(markup), [""])
        == '<span class="math-container">x</span>'
    )


def test_each_formula_needs_an_id() -> None:
    with pytest.raises(ValueError, match="shorter"):
        with_formula_spans("$x$", find_formulas("$x$"), [])


def test_unusual_ids_are_read_back() -> None:
    again = find_formulas(with_formula_spans("$x$", find_formulas("$x$"), ['a"<&b']))
    assert [formula.id for formula in again] == ['a"<&b']


def test_mathml_without_latex_is_kept_when_marked() -> None:
    markup = "so <math><mi>x</mi></math>"
    again, _ = renumbered(markup)
    assert find_formulas(again)[0]._replace(start=0, end=0) == LocatedFormula(
        0, 0, "", "0", "<math><mi>x</mi></math>"
    )


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("", ()),
        ("  \n ", ()),
        ("<p></p>", ()),
        ("a\n  b", ("a b",)),
        ("<p>a</p>\n\n<p>b</p>", ("a\nb",)),
        ("a<br/>b<hr>c", ("a\nb\nc",)),
        ("<ul><li>a</li> <li>b</li></ul>", ("a\nb",)),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", ("a b\nc",)),
        ("<em>a</em>b <strong>c</strong>", ("ab c",)),
        ('see <a href="http://x">this</a><img src="a.png" alt="b"/>.', ("see this.",)),
        ("a &lt; b &amp;amp; &eacute;&#8217;s", ("a < b &amp; é’s",)),
        ("if 0<p<1 and <g,h> are", ("if 0<p<1 and <g,h> are",)),
        ('<odd name="x">a</odd>', ("a",)),
        ("a<!-- b --> c<script>d</script>", ("a c",)),
        ("a <!-- b", ("a <!-- b",)),
        ("<p>a</p><pre><code>b\n  $c$ &lt; d\n</code></pre><p>e</p>", ("a\nb\n  $c$ < d\ne",)),
        ("it costs $5 or $6", ("it costs $5 or $6",)),
        ("$x$", (Formula("", "x"),)),
        ("a $x$", ("a ", Formula("", "x"))),
        ("$x$<br>$y$", (Formula("", "x"), "\n", Formula("", "y"))),
        ("<p><em>$x$</em></p> <p>b</p>", (Formula("", "x"), "\nb")),
        ("<code>a <span class='math-container' id='3'>x</span></code>", ("a ", Formula("3", "x"))),
        ("a\0$x$", ("a\N{REPLACEMENT CHARACTER}", Formula("", "x"))),
    ],
)
def test_content_is_the_visible_text(markup: str, expected: tuple[str | Formula, ...]) -> None:
    assert content(markup) == expected


def test_plain_text_has_formulas_between_dollars() -> None:
    assert plain_text("<p>Let $$a &lt; b$$</p> <p>&amp;</p>") == "Let $a < b$\n&"


PIECES = (
    *r"""
    $ $$ \( \) \[ \] \$ \\ \begin{align} \end{align} \begin{array} \end{array} { } \text{ <p> </p>
    <br> <em> </em> <b> <i>x</i> <a> <pre> </pre> <code> </code> <script> </script> <!-- --> <math>
    </math> <math/> <mi>x</mi> &lt; &amp; &amp;lt; &amp;amp;lt; &gt &#39; &#0; & < > " ' ` `` ~ 5
    10, x y^2 =1 \alpha and or cost word US . , ( ) </span> <span> <td> <x
    """.split(),
    '<span class="math-container" id="7">',
    '<span class="math-container">',
    "<span id='8' class='math-container'>",
    '<math alttext="x&lt;y">',
    '<math alttext="$x$">',
    '<img alt="" src="',
    '">',
    "<textarea>",
    "</textarea>",
    '<annotation encoding="application/x-tex">',
    "</annotation>",
    '<a href="$">',
    *(" ", " ", " ", "\n", "\t", "\0", "\xa0", "\ud800", "\\", "\\ "),
)


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)


@settings(max_examples=500, deadline=None)
@given(texts())
def test_formulas_are_in_order_and_do_not_overlap(markup: str) -> None:
    at = 0
    for formula in find_formulas(markup):
        assert at <= formula.start < formula.end <= len(markup)
        at = formula.end


@settings(max_examples=1000, deadline=None)
@given(texts())
@example('<math altt<math alttext="x"><mi>x</mi></math>')
def test_marked_formulas_are_located_again_without_repairs(markup: str) -> None:
    formulas = find_formulas(markup)
    ids = [f"n{number}" for number in range(len(formulas))]  # so that none has its id already
    again = find_formulas(with_formula_spans(markup, formulas, ids))
    assert [formula.latex for formula in again] == [formula.latex for formula in formulas]
    assert [formula.mathml for formula in again] == [formula.mathml for formula in formulas]
    assert [formula.id for formula in again] == ids
    assert {repair for formula in again for repair in formula.repairs} == set()


@settings(max_examples=500, deadline=None)
@given(texts())
@example('<math alttext="$x$">')
@example("""<img alt="" src="$a'><i>b$">""")
@example("<textarea><!--</textarea>$x$-->")
def test_content_has_all_formulas_and_no_empty_or_split_prose(markup: str) -> None:
    pieces = content(markup)
    formulas = [(formula.id, formula.latex) for formula in find_formulas(markup)]
    assert [(p.id, p.latex) for p in pieces if isinstance(p, Formula)] == formulas
    assert "" not in pieces
    kinds = [isinstance(piece, str) for piece in pieces]
    assert (True, True) not in pairwise(kinds)


SPANS = (
    '<span class="math-container" id="7">x</span>',
    '<span class="math-container">y</span>',
    '<span class="math-container" id="9"><math><mi>x</mi></math></span>',
    "<math><mi>y</mi></math>",
)


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(st.sampled_from((*PIECES, *SPANS)) | st.text(max_size=3), max_size=30).map("".join),
    st.booleans(),
)
@example("<MATH </MATH</MATH>", False)
@example("<!-- " + SPANS[0] + " -->", True)
def test_marked_content_is_that_of_the_formulas_found_before(markup: str, keeps_ids: bool) -> None:
    found = find_formulas(markup)
    ids = [formula.id if keeps_ids else str(number) for number, formula in enumerate(found)]
    marked = with_formula_spans(markup, found, ids)
    read = marked_content(marked)
    assert [(piece.id, piece.latex) for piece in read if isinstance(piece, Formula)] == [
        (name, formula.latex) for name, formula in zip(ids, found, strict=True)
    ]
    # Broken MathML with spans in it would be read differently when it is in a span itself.
    if not any("math-container" in formula.mathml for formula in found):
        assert content(marked) == read


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<math alttext="$x$"> is $y$', ("is ", Formula("", "y"))),
        ("""a <img alt="" src="$a'><i>b$"> b""", ("a ", Formula("", "a'><i>b"), " b")),
        ("<textarea><!--</textarea>$x$-->", ("<textarea>", Formula("", "x"))),
    ],
)
def test_broken_markup_loses_no_formula(markup: str, expected: tuple[str | Formula, ...]) -> None:
    assert content(markup) == expected


WORDS = st.lists(st.text("abcxyz&<>\"'.é", min_size=1, max_size=8), min_size=1, max_size=9)


@given(WORDS, WORDS)
def test_content_keeps_the_text(first: list[str], second: list[str]) -> None:
    one, two = " ".join(first), " ".join(second)
    markup = f"<p>{html.escape(one)}</p> <p>{html.escape(two)} $n$</p>"
    assert content(markup) == (f"{one}\n{two} ", Formula("", "n"))


@given(st.text("ab\\{}^_ &;ltgmp#39<>$é\n", max_size=20))
def test_marking_preserves_latex(latex: str) -> None:
    once = with_formula_spans("$x$", [LocatedFormula(0, 3, latex)], ["1"])
    [formula] = find_formulas(once)
    if not formula.repairs:
        assert formula.latex == latex.strip() or formula.latex == latex.strip() + " "
    twice = find_formulas(with_formula_spans(once, [formula], ["2"]))
    assert [(again.latex, again.repairs) for again in twice] == [(formula.latex, ())]


def mini_texts(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Each text of the mini collection with its kind and the id of its post or comment."""
    for path, names in (
        ("Posts.V1.3.xml.gz", ("Title", "Body")),
        ("Comments.V1.3.xml.gz", ("Text",)),
    ):
        with gzip.open(folder / path) as file:
            for _, row in etree.iterparse(file, tag="row"):
                for name in names:
                    if (text := row.get(name)) is not None:
                        yield name, str(row.get("Id")), str(text)
                row.clear()


KINDS = {"title": "Title", "question": "Body", "answer": "Body", "comment": "Text"}


def test_all_formulas_of_the_mini_collection_are_located(shared: Path) -> None:
    folder = shared / "data" / "arqmath-mini"
    by_id: dict[tuple[str, str, str], LocatedFormula] = {}
    repairs: Counter[MarkupRepair] = Counter()
    for name, owner, text in mini_texts(folder):
        formulas = find_formulas(text)
        assert [f.latex for f in find_formulas(renumbered(text)[0])] == [f.latex for f in formulas]
        repairs.update(repair for formula in formulas for repair in formula.repairs)
        by_id |= {(name, owner, formula.id): formula for formula in formulas if formula.id}
    assert repairs == {
        MarkupRepair.NO_ID: 4832,
        MarkupRepair.UNMARKED: 730,
        MarkupRepair.DOLLARS: 176,
    }

    counts: Counter[str] = Counter()
    with gzip.open(folder / "latex_representation_v3" / "1.tsv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            owner = row["comment_id"] if row["type"] == "comment" else row["post_id"]
            formula = by_id[KINDS[row["type"]], owner, row["id"]]
            if formula.latex == row["formula"]:
                counts["same"] += 1
            elif formula.latex == html.unescape(row["formula"]):
                counts["escaped in the file"] += 1
            else:
                assert formula.latex == row["formula"].strip("$ ")
                counts["with dollars in the file"] += 1
    assert counts == {"same": 74_283, "escaped in the file": 1_989, "with dollars in the file": 3}


NO_SPAN_HAS_THIS_ID = """
    q_31 q_32 q_69 q_115 q_120 q_503 q_515 q_544 q_549 q_552 q_594 q_608 q_643 q_697
    """
CUT_SHORT_AT_A_BARE_SIGN = "q_439 q_465 q_987 q_988"
TWO_FORMULAS_IN_ONE_SPAN = "q_250"


@pytest.mark.parametrize(
    ("year", "formulas", "differing"),
    [
        ("2020", 1008, ""),
        ("2021", 843, NO_SPAN_HAS_THIS_ID),
        ("2022", 1050, CUT_SHORT_AT_A_BARE_SIGN + " " + TWO_FORMULAS_IN_ONE_SPAN),
    ],
)
def test_formulas_of_the_topics_are_those_of_their_tables(
    shared: Path, year: str, formulas: int, differing: str
) -> None:
    folder = shared / "data" / "topics"
    [topics] = (folder / "task1").glob(f"Topics_Task1_{year}_*.xml")
    by_id = {
        formula.id: formula.latex.strip()
        for text in etree.parse(str(topics)).iter("Title", "Question")
        for formula in find_formulas(text.text or "")
    }
    [table] = (folder / "formulas").glob(f"Topics_{year}_Formulas_latex_*.tsv.gz")
    with gzip.open(table, "rt", newline="") as file:
        rows = {row["id"]: row["formula"] for row in csv.DictReader(file, delimiter="\t")}
    assert len(rows) == formulas
    others = [i for i, latex in rows.items() if by_id.get(i) != html.unescape(latex).strip()]
    assert set(others) == set(differing.split())
