"""What counts as a tag, an element's end or an entity in HTML that people wrote by hand.

Comments and topics have bare ``<`` in their text and formulas (``$0<p<1$``), so a tag is only what
is spelled like one: a known name, or attributes with values. All searches are linear in the text.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

# A value has no "<", so that a search for the end of a tag never runs over the next tag.
ATTRIBUTE = r"""\s+[A-Za-z_][\w:.-]*+\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=`]++)"""
ATTRIBUTES = rf"(?:{ATTRIBUTE})*+\s*+/?>"
"""The rest of a tag after its name."""

BLOCKS = (
    "p|li|ul|ol|dl|dt|dd|blockquote|div|h[1-6]|hr|table|thead|tbody|tfoot|tr|pre"
    "|section|article|figure|figcaption|header|footer|main|nav|aside|center|caption|body|html|head"
)
"""Elements, as a pattern, that begin on a line of their own."""

CELLS = "td|th"
VERBATIM = "code|script|style|textarea"
INLINE = (
    "em|strong|span|sub|sup|wbr|strike|del|ins|font|small|big|kbd|tt|var|samp|mark|abbr|cite|dfn"
    "|img|label|nobr|code"
)

_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ATTRIBUTE = re.compile(
    r"""\s([A-Za-z_][\w:.-]*+)\s*+=\s*+(?:"([^"<]*+)"|'([^'<]*+)'|([^\s"'<>=`]++))"""
)


def unescaped(text: str) -> str:
    """The text with its entities as characters, each read once.

    Only what ends in a semicolon is an entity: the ``&lt`` of ``x &lt y`` may well be the alignment
    of a formula, whatever browsers make of it.
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    name: str = entity[1]
    if name[0] == "#":
        return unescape(entity[0])
    return html5.get(name + ";", entity[0])


def escaped(text: str) -> str:
    """The text as it stands between tags: ``&``, ``<`` and ``>`` are entities, quotes stay."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    return text


def attributes(tag: str) -> dict[str, str]:
    """The values of the tag's attributes by lower-case name; the first of two alike counts."""
    values: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(tag):
        value = next(group for group in found.groups()[1:] if group is not None)
        values.setdefault(found[1].lower(), unescaped(value))
    return values


MAX_ATTRIBUTES = 100
"""Attributes of one tag that are handed to a parser of HTML. Parsers compare the name of each with
all others of its tag, so 300,000 of them took minutes."""

_ANY_ATTRIBUTE = (
    r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+))?+"""
)
_MANY_ATTRIBUTES = re.compile(
    rf"(</?[A-Za-z][^\s/>]*+(?:{_ANY_ATTRIBUTE}){{{MAX_ATTRIBUTES}}}+)(?:{_ANY_ATTRIBUTE})++"
)


def with_few_attributes(markup: str) -> str:
    """The markup without the attributes of any tag beyond the first ``MAX_ATTRIBUTES``."""
    return _MANY_ATTRIBUTES.sub(r"\1", markup)


class ElementEnds:
    """Where elements and comments of one text end.

    It remembers from where on no more ends follow, so that many unclosed ones cost little.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._none_from: dict[str, int] = {}

    def after(self, name: str, at: int) -> int | None:
        """The place after the next end of such an element (or of a comment, ``!--``) from ``at``.

        None says that there is none, and the beginning is then best taken as text.
        """
        if at >= self._none_from.get(name, at + 1):
            return None
        found = _ENDS[name].search(self._text, at)
        if found is None:
            self._none_from[name] = at
            return None
        return found.end()


_ENDS = {
    "!--": re.compile("-->"),
    **{
        name: re.compile(rf"</{name}\s*+>", re.IGNORECASE)
        for name in ("math", "pre", *VERBATIM.split("|"))
    },
}
