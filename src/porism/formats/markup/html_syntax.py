"""Tags, element ends and entities in HTML that people wrote by hand.

Comments and topics have bare ``<`` in their text and formulas (``$0<p<1$``), so a tag needs a known
name or attributes with values. All searches are linear in the text.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

# A value has no "<", so that the search for the end of a tag never runs into the next tag.
ATTRIBUTE = r"""\s+[A-Za-z_][\w:.-]*+\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=`]++)"""
ATTRIBUTES = rf"(?:{ATTRIBUTE})*+\s*+/?>"
"""The rest of a tag after its name."""

BLOCKS = (
    "p|li|ul|ol|dl|dt|dd|blockquote|div|h[1-6]|hr|table|thead|tbody|tfoot|tr|pre"
    "|section|article|figure|figcaption|header|footer|main|nav|aside|center|caption|body|html|head"
)
"""Block elements, as a pattern; they begin on a new line."""

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
    """The text with its entities decoded once.

    An entity must end in a semicolon: the ``&lt`` of ``x &lt y`` may be the alignment of a formula,
    although browsers decode it.
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    name: str = entity[1]
    if name[0] == "#":
        return unescape(entity[0])
    return html5.get(name + ";", entity[0])


def escaped(text: str) -> str:
    """The text escaped for use between tags: ``&``, ``<`` and ``>``, but not quotes."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    if ">" in text:
        text = text.replace(">", "&gt;")
    return text


def attributes(tag: str) -> dict[str, str]:
    """The values of the tag's attributes by lower-case name; the first of a name counts."""
    values: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(tag):
        value = next(group for group in attribute.groups()[1:] if group is not None)
        values.setdefault(attribute[1].lower(), unescaped(value))
    return values


MAX_ATTRIBUTES = 100
"""Attributes of one tag that are passed to an HTML parser. Parsers compare the name of each with
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
    """The ends of elements and comments in one text.

    It remembers where no more ends follow, so that many unclosed elements cost little.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._none_from: dict[str, int] = {}

    def after(self, name: str, at: int) -> int | None:
        """The position after the next end from ``at`` of such an element, or comment (``!--``).

        None if there is none; the beginning is then best treated as text.
        """
        if at >= self._none_from.get(name, at + 1):
            return None
        end = _ENDS[name].search(self._text, at)
        if end is None:
            self._none_from[name] = at
            return None
        return end.end()


_ENDS = {
    "!--": re.compile("-->"),
    **{
        name: re.compile(rf"</{name}\s*+>", re.IGNORECASE)
        for name in ("math", "pre", *VERBATIM.split("|"))
    },
}
