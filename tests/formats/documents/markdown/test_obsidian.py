"""What Obsidian adds to Markdown."""

from pathlib import Path

import pytest

from porism.formats.documents.markdown.markup import markdown_html
from porism.formats.documents.markdown.sections import read_markdown


def line(text: str) -> str:
    markup = markdown_html(text).body
    return markup.removeprefix("<p>").removesuffix("</p>\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Groups]]", '<a href="document:Groups">Groups</a>'),
        ("[[Groups|a group]]", '<a href="document:Groups">a group</a>'),
        ("[[a/Groups#Index|i]]", '<a href="document:a/Groups%23Index">i</a>'),
        ("[[Groups#Index#$H$]]",
         '<a href="document:Groups%23Index%23%24H%24">Groups &gt; Index &gt; &#36;H&#36;</a>'),
        ("[[#Index]]", '<a href="document:%23Index">Index</a>'),
        ("[[Groups#^abc]]", '<a href="document:Groups%23%5Eabc">Groups &gt; ^abc</a>'),
        ("![[Groups]]", '<a href="document:Groups">Groups</a>'),
        ("a ![[diagram.png]] b", "a  b"),
        ("![[diagram.png|300]]", ""),
        ("![[diagram.png|A diagram]]", "A diagram"),
        ("[[]] [[a", "[[]] [[a"),
        ("`[[a]]`", "<code>[[a]]</code>"),
        ("$[[x]]$", '<span class="math-container">[[x]]</span>'),
        ("[text](other.md#part)", '<a href="document:other.md%23part">text</a>'),
        ("[text](a%20b.md)", '<a href="document:a%20b.md">text</a>'),
        ("[text](https://a.org)", '<a href="https://a.org">text</a>'),
        ("[text](mailto:a@b.org)", "<a>text</a>"),
        ("a %%hidden $x$%% b", "a  b"),
        ("100%% sure", "100%% sure"),
        ("a ==marked *x*== b", "a marked <em>x</em> b"),
        ("a == b and c == d", "a == b and c == d"),
        ("a ==b", "a ==b"),
        ("Text. ^abc-1", 'Text. <a id="^abc-1"></a>'),
        ("x^2 and 2 ^ 3", "x^2 and 2 ^ 3"),
        ("a #tag b", "a #tag b"),
        ("issue #12", "issue #12"),
    ],
)  # fmt: skip
def test_inline_syntax(text: str, expected: str) -> None:
    assert line(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> [!note] Title\n> Text.", "<strong>Title</strong><br>Text."),
        ("> [!note]\n> Text.", "<strong>Note</strong><br>Text."),
        ("> [!theorem]- Lagrange\n> Text.", "<strong>Theorem (Lagrange)</strong><br>Text."),
        ("> [!lemma]+", "<strong>Lemma</strong>"),
        ("> [!x] Of $a$", '<strong>Of <span class="math-container">a</span></strong>'),
        ("> a quote", "a quote"),
    ],
)
def test_callouts_have_titles(text: str, expected: str) -> None:
    body = markdown_html(text).body.replace("<br>\n", "<br>")
    assert body == f"<blockquote>\n<p>{expected}</p>\n</blockquote>\n".replace(
        "<blockquote>\n", "<blockquote>"
    )


def test_comments_over_several_lines_are_left_out() -> None:
    text = "One.\n\n%%\nhidden\n\n# hidden\n%%\n\nTwo."
    assert markdown_html(text).body == "<p>One.</p>\n<p>Two.</p>\n"
    assert "never closed" in markdown_html("%%\nnever closed").body


def test_tags_are_those_of_the_file_and_of_the_section(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "---\ntags: [notes]\n---\n# A #algebra\n\nx #groups/finite #1 a#b `#code`\n\n"
        "# B\n\n#über-tag, #algebra $#x$",
        encoding="utf-8",
    )
    first, second = read_markdown(path, "a.md")
    assert first.tags == ("notes", "algebra", "groups/finite")
    assert second.tags == ("notes", "über-tag", "algebra")


def test_many_unclosed_marks_cost_little() -> None:
    for text in ("[[", "![[a|", "%%", "==a", "#a", "^a ", "> [!"):
        markdown_html("a " + text * 3_000)
