"""Links in comments, in Markdown and bare."""

from collections import defaultdict
from html import escape

import pytest

from porism.pages.comment_links import with_links

HERE = defaultdict(str, {"http://math.stackexchange.com/q/7": "/threads/7"})


def linked(text: str) -> str:
    """The comment as HTML, where the post 7 is here."""
    return with_links(escape, HERE.__getitem__)(text)


REL = 'rel="noreferrer nofollow"'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("no link [here] (at all)", "no link [here] (at all)"),
        (
            "[a & b](https://x.example/?a=1&b=2)",
            f'<a href="https://x.example/?a=1&amp;b=2" {REL}>a &amp; b</a>',
        ),
        (
            "(see https://x.example/a_(b).)",
            f'(see <a href="https://x.example/a_(b)" {REL}>https://x.example/a_(b)</a>.)',
        ),
        ("[it](http://math.stackexchange.com/q/7)", '<a href="/threads/7">it</a>'),
        (
            "http://math.stackexchange.com/questions/9/title",
            f'<a href="http://math.stackexchange.com/questions/9/title" {REL}>http://math.stackexchange.com/questions/9/title</a>',
        ),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        (
            '[x](https://e.example/"onclick=a)',
            '[x](<a href="https://e.example/" rel="noreferrer nofollow">https://e.example/</a>&quot;onclick=a)',
        ),
    ],
)
def test_links_are_those_of_markdown_and_bare_addresses(text: str, html: str) -> None:
    assert linked(text) == html


def test_a_long_comment_of_brackets_takes_no_time() -> None:
    text = "[" * 20_000 + "](" * 20_000
    assert linked(text) == text
