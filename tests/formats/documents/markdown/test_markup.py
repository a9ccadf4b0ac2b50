"""Markdown as documents."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from porism.formats.documents.markdown.markup import markdown_html, markdown_line
from porism.formats.documents.markdown.sections import read_markdown
from porism.formats.markup.formulas import find_formulas


def body(text: str) -> str:
    return markdown_html(text).body


def formulas(text: str) -> list[str]:
    return [formula.latex for formula in find_formulas(body(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an $x_1 y_1$ here", ["x_1 y_1"]),
        ("$$x^2$$", ["x^2"]),
        (r"\(a_1 b_1\) and \[c*d*e\]", ["a_1 b_1", "c*d*e"]),
        (r"doubled: \\(a_1\\), \\[b\\]", ["a_1", "b"]),
        (r"\[x\\[2pt] y\]", [r"x\\[2pt] y"]),
        (r"\\begin is no formula", []),
        ("$ x $", ["x"]),
        (r"2$\pi$ or $x$2", [r"\pi", "x"]),
        (r"$\text{if $x$}$ then $y$", [r"\text{if $x$}", "y"]),
        ("$`x`$", ["x"]),
        ("```math\nx^2\n```", ["x^2"]),
        (r"| a |" + "\n|---|\n| $x$ |", ["x"]),
        ("> $$\n> x\n> $$", ["x"]),
        ("- item\n  $$\n  - x\n  $$\n- next", ["- x"]),
        ("# On $x$\n\n## Of $y$\n\ntext", ["y"]),
        ("[^1] has\n\n[^1]: a note on $x$", ["x"]),
        ("[$x$](https://a.org/$b$)", ["x"]),
        ("![$x$](picture.png)", ["x"]),
        ("a\\\\$x$", ["x"]),
    ],
)
def test_formulas_become_spans(text: str, expected: list[str]) -> None:
    assert formulas(text) == expected


@pytest.mark.parametrize("name", ["align", "align*", "gather", "pmatrix", "eqnarray"])
def test_environments_with_rows_stay_complete(name: str) -> None:
    source = rf"\begin{{{name}}} a &= b \\ - c \end{{{name}}}"
    assert formulas(f"text\n{source}\nmore") == [source]
    assert formulas(f"text {source} more") == [source]


def test_equation_is_only_its_content() -> None:
    assert formulas("\\begin{equation}\nx\n\\end{equation}") == ["x"]


def test_displayed_formula_may_interrupt_a_paragraph_and_look_like_a_list() -> None:
    assert body("Thus\n$$\na\n- b\n$$\nholds.") == (
        '<p>Thus</p>\n<p><span class="math-container">a\n- b</span></p>\n<p>holds.</p>\n'
    )


def test_rest_of_the_line_of_a_displayed_formula_is_prose() -> None:
    assert body("$$\nx\n$$, *so* $y$") == (
        '<p><span class="math-container">x</span></p>\n'
        '<p>, <em>so</em> <span class="math-container">y</span></p>\n'
    )


def test_sentence_may_begin_with_a_displayed_formula() -> None:
    assert body("$$x$$ is even") == '<p><span class="math-container">x</span> is even</p>\n'


def test_blank_lines_end_a_formula_unless_its_delimiters_are_on_their_own_lines() -> None:
    assert formulas("$$\na\n\nb\n$$") == ["a\n\nb"]
    assert formulas("$$a\n\nb$$") == []


@pytest.mark.parametrize(
    "text",
    [
        "it costs $5 and $10",
        "from $5-$10",
        "it was 5$ and 6$.",
        "$5 each or 3 for $12",
        "US$20 and $30 million",
        r"\$x\$ and \$",
        "set $HOME and $PATH",
        "`$x$` and ``a $`` b $",
        "``` \n$x$\n```",
        "    $$x$$",
        "<code>$x$</code>",
        "<pre>\n$x$\n</pre>",
        "<!-- $x$ -->",
        "$$ $$",
        "a $ $ b",
        "one $ alone",
        r"\$5 and $x",
    ],
)
def test_texts_without_formulas(text: str) -> None:
    assert formulas(text) == []


def test_dollars_of_prose_are_escaped() -> None:
    assert body(r"\$x\$ or $5") == "<p>&#36;x&#36; or &#36;5</p>\n"


def test_scripts_and_attributes_are_removed() -> None:
    text = (
        "<script>alert(1)</script>\n\na <script>alert(2)</script> b\n\n"
        '<div onclick="x()" style="y"><p>kept</p></div>\n\n<iframe src="z"></iframe>'
        "\n\n[l](javascript:alert) <b onclick=x>bold</b> x<sup>2</sup>"
    )
    markup = body(text)
    for gone in ("<script", "onclick", "style", "iframe", "<b", "href"):
        assert gone not in markup
    assert "<div><p>kept</p>" in markup
    assert "x<sup>2</sup>" in markup


def test_spans_and_mathml_in_html_are_formulas() -> None:
    assert formulas('a <span class="math-container">x_1_2</span> b') == ["x_1_2"]
    assert "<math><mi>x</mi></math>" in body("a <math onclick=z><mi>x</mi></math> b")


def test_front_matter_has_title_tags_and_date() -> None:
    fragment = markdown_html(
        "---\ntitle: \"On $x$: a 'note'\"\ntags:\n  - number theory\n  - '#primes'\n"
        "date: 2021-03-04 10:00:00\nlayout: post\n---\n# Heading\n\ntext"
    )
    assert fragment.title == "On <span class=\"math-container\">x</span>: a 'note'"
    assert fragment.tags == ("number theory", "primes")
    assert fragment.created == "2021-03-04T10:00:00"
    assert fragment.body == "<h1>Heading</h1>\n<p>text</p>\n"


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("tags: [a, 'b c', a]", ("a", "b c")),
        ("keywords: a, b", ("a", "b")),
        ("tags: a # remark", ("a",)),
        ("tags:", ()),
        ("other: a", ()),
    ],
)
def test_tags_in_one_line(line: str, tags: tuple[str, ...]) -> None:
    assert markdown_html(f"---\n{line}\n---\ntext").tags == tags


def test_line_of_dashes_is_not_front_matter() -> None:
    fragment = markdown_html("---\n\ntitle: a\n")
    assert (fragment.title, fragment.body) == ("", "<hr><p>title: a</p>\n")


def test_underlined_heading_or_list_after_a_line_is_not_front_matter() -> None:
    assert body("---\nWhat it says\n---\n\nText.") == "<hr><h2>What it says</h2>\n<p>Text.</p>\n"
    assert "<li>one" in body("---\n- one\n---\n")


def test_title_in_front_matter_may_span_lines() -> None:
    assert markdown_html("---\ntitle: >\n  Groups and\n  rings\n---\nx").title == "Groups and rings"


def test_formulas_in_scripts_are_read_anywhere() -> None:
    script = '<script type="math/tex">x+1</script>'
    assert formulas(f"{script}\n\nin a line {script}") == ["x+1", "x+1"]


def test_first_heading_is_the_title_and_is_removed_at_the_start() -> None:
    opening, later = markdown_html("# A $x$\n\ntext"), markdown_html("text\n\n## B")
    assert (opening.title, opening.body) == (
        'A <span class="math-container">x</span>',
        "<p>text</p>\n",
    )
    assert (later.title, later.body) == ("B", "<p>text</p>\n<h2>B</h2>\n")


def test_title_falls_back_to_the_file_name(tmp_path: Path) -> None:
    (tmp_path / "a_$b.md").write_text("text", encoding="utf-8")
    (tmp_path / "blank.md").write_text("\n \n", encoding="utf-8")
    (row,) = read_markdown(tmp_path / "a_$b.md", "notes/a_$b.md")
    assert (row.title, row.name, row.id, row.line) == ("a_&#36;b", "notes/a_$b.md", 0, 1)
    assert list(read_markdown(tmp_path / "blank.md", "blank.md")) == []


def test_line_has_neither_headings_nor_lists() -> None:
    assert markdown_line("# 1. *x*") == "# 1. <em>x</em>"


SIGNS = r"""$ $$ \ \( \) \[ \] ` ``` > - # | [ ]( ) * _ x 5 { } & [^1] --- [^1]:""".split()
BLANKS = ["\n", "\n\n", " ", "    "]
ENVIRONMENTS = [r"\begin{align}", r"\end{align}", r"\\(", r"\\]"]
TAGS = [
    "<",
    "</",
    "<script>",
    "</script>",
    "<math>",
    "<div>",
    "<!--",
    "<code>",
    "</code>",
    "<a b='",
]


def pieces(*choices: list[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from([sign for choice in choices for sign in choice])
    return st.lists(signs | st.text(max_size=2), max_size=40).map("".join)


@given(pieces(SIGNS, BLANKS, ENVIRONMENTS, TAGS))
def test_any_text_becomes_clean_html(text: str) -> None:
    markup = body(text)
    tree = html.fromstring(f"<div>{markup}</div>")
    assert not {"script", "style", "iframe"} & {element.tag for element in tree.iter()}


@given(pieces(SIGNS, BLANKS, ENVIRONMENTS))
def test_only_spans_are_located_as_formulas(text: str) -> None:
    markup = body(text.replace("<", ""))
    assert len(find_formulas(markup)) == markup.count('<span class="math-container">')


def test_unclosed_delimiters_cost_little() -> None:
    for text in ("$", "$ ", "\\(", "\\[\n", "${", "<code>", "\\begin{align}\n"):
        assert formulas("a " + text * 2_000) == []
