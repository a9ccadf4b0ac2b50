"""Links in comments, which are written in Markdown or as bare addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_LINK = re.compile(
    r"""\[(?P<label>[^\[\]\n]{1,300})\]
        \(\s*(?P<target>https?://[^\s()<>"]{1,1000}(?:\([^\s()<>"]{0,300}\)[^\s()<>"]{0,300})?)
        (?:\s+"[^"\n]{0,300}")?\s*\)
      | (?P<bare>https?://[^\s<>"]{1,1000})""",
    re.VERBOSE,
)

_AFTER = ".,;:!?'"
"""Punctuation that follows an address rather than ending it."""


def with_links(
    render_text: Callable[[str], str], address_here: Callable[[str], str]
) -> Callable[[str], str]:
    """A function that renders the text of a comment with its links.

    ``render_text`` renders what is no link. ``address_here`` gives the address here of what an
    address elsewhere leads to, empty if it is not here.

    >>> html = with_links(escape, lambda address: "")
    >>> html("See [this](https://a.example/b).")
    'See <a href="https://a.example/b" rel="noreferrer nofollow">this</a>.'
    """

    def link(target: str, label: str) -> str:
        here = address_here(target)
        rel = "" if here else ' rel="noreferrer nofollow"'
        return f'<a href="{escape(here or target)}"{rel}>{label}</a>'

    def html(text: str) -> str:
        pieces: list[str] = []
        at = 0
        for match in _LINK.finditer(text):
            pieces.append(render_text(text[at : match.start()]))
            at = match.end()
            if match["bare"] is None:
                pieces.append(link(match["target"], render_text(match["label"])))
                continue
            bare = match["bare"].rstrip(_AFTER)
            if bare.endswith(")") and bare.count("(") < bare.count(")"):
                bare = bare[:-1].rstrip(_AFTER)
            at = match.start() + len(bare)
            pieces.append(link(bare, escape(bare)))
        return "".join((*pieces, render_text(text[at:])))

    return html
