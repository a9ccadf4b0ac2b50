"""Sanitizes HTML from untrusted sources.

nh3 parses as browsers do and keeps elements and attributes by name. Of other elements only the text
stays, and of active ones, such as scripts, nothing. Formulas are taken out first, so that their
``<`` and ``&`` never meet a parser, and put back in a pass over the output of nh3, which is always
well-formed. That pass also turns pictures into links and shrinks headings.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable
from html import escape, unescape
from typing import Protocol
from urllib.parse import unquote

import nh3

from porism.errors import PorismError, error_summary
from porism.formats.documents.html_fragments import DOCUMENT_SCHEME
from porism.formats.markup import LocatedFormula, bare_text, find_formulas
from porism.formats.markup.html_syntax import with_few_attributes

log = logging.getLogger(__name__)

PLAIN_TAGS = frozenset(
    "p br hr em strong b i u s strike del ins sub sup small big tt var samp mark abbr cite dfn "
    "blockquote pre code kbd ul ol li dl dt dd table caption thead tbody tfoot tr td th "
    "figure figcaption".split()
)
"""Elements that are kept, with no attributes but those in ``_NUMBERS``."""

HEADING_TAGS = {"h1": "h4", "h2": "h5", "h3": "h6", "h4": "h6", "h5": "h6", "h6": "h6"}
"""Headings within a post rank below those of the page."""

DROPPED_TAGS = frozenset(
    "script style template iframe frame frameset object embed applet noscript noembed noframes "
    "head title meta link base form button select option input textarea svg math audio video "
    "canvas dialog".split()
)
"""Elements that are removed with their text."""

MAX_DEPTH = 1_000
"""Maximum nesting depth; of deeper markup only the text is kept.

A parser searches all open elements for the one that ends, so 100,000 levels would take nh3 half a
minute. Browsers show about 500.
"""

_NUMBERS = {"ol": {"start"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
_NUMBER = re.compile(r"[0-9]{1,4}")
_LINK_REL = "noreferrer nofollow"

# Formulas are marked by noncharacters, which Unicode guarantees never to assign.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_ALONE = re.compile(rf"\s*{_OPEN}[0-9]+{_CLOSE}\s*[.,;:]?\s*")
_UNWANTED = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]"
    r"|&#(?:[xX]0*[fF][dD][dD][01](?![0-9a-fA-F])|0*6497[67](?![0-9]));?"
)


class ShowFormula(Protocol):
    """Renders a formula as HTML; ``is_alone`` if it is alone in its paragraph."""

    def __call__(self, formula: LocatedFormula, is_alone: bool) -> str: ...


def escaped_text(text: str) -> str:
    """Text between tags, escaped."""
    return escape(text, quote=False)


def unlinked(formula: LocatedFormula, html: str) -> str:
    """A formula without a link."""
    return html


def no_document(name: str) -> str:
    """No address of another document."""
    return ""


def safe_html(
    markup: str,
    render_formula: ShowFormula,
    render_text: Callable[[str], str] = escaped_text,
    link_formula: Callable[[LocatedFormula, str], str] = unlinked,
    name: str = "a text",
    document_address: Callable[[str], str] = no_document,
) -> str:
    """The safe part of the markup, with its formulas rendered by ``render_formula``.

    ``render_text`` renders a stretch of text, for pages that highlight words. ``link_formula``
    makes a link of a formula's HTML, except within a link, since links cannot be nested.
    ``document_address`` is the address of another document that the text links to, if any. On an
    unexpected error the result is the plain text with a note, and the log gets the ``name``.
    """
    try:
        return _safe_html(markup, render_formula, render_text, link_formula, document_address)
    except PorismError:  # deliberate, such as a request's deadline
        raise
    except Exception as error:  # one text must not break the page
        log.warning("%s: shown as plain text (%s)", name, error_summary(error))
        return (
            f"{escaped_text(bare_text(markup))} <em>(shown as plain text because of an error)</em>"
        )


def _safe_html(
    markup: str,
    render_formula: ShowFormula,
    render_text: Callable[[str], str],
    link_formula: Callable[[LocatedFormula, str], str],
    document_address: Callable[[str], str],
) -> str:
    # The replacement keeps the characters around it from joining into an entity.
    markup = _UNWANTED.sub(lambda each: "" if len(each[0]) == 1 else "\ufffd", markup)
    formulas = find_formulas(markup)
    pieces: list[str] = []
    at = 0
    for number, formula in enumerate(formulas):
        pieces += (markup[at : formula.start], f"{_OPEN}{number}{_CLOSE}")
        at = formula.end
    pieces.append(markup[at:])
    writer = _HtmlWriter(formulas, render_formula, render_text, link_formula, document_address)
    for place, piece in enumerate(_TAG.split(_clean("".join(pieces)))):
        if place % 2:
            writer.tag(piece)
        else:
            writer.text(piece)
    return writer.html()


def _clean(markup: str) -> str:
    # No tag ends after the last ">", and a parser drops an unfinished one. Searching for its end
    # from each of many "<" would take quadratic time or worse.
    end = markup.rfind(">") + 1
    tags = with_few_attributes(_FORMATTING.sub(r"<\1>", markup[:end]))
    rest = _TAG_START.split(markup[end:], maxsplit=1)[0]
    return _CLEANER.clean((tags if _depth(tags) <= MAX_DEPTH else _ANY_TAG.sub("", tags)) + rest)


_TAG_START = re.compile(r"<[A-Za-z/!?]")

# A parser reopens formatting elements that were not closed in every following paragraph: at most
# three of equal ones, but all of those with different attributes.
_FORMATTING = re.compile(
    r"<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/][^>]*>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*)[^>]*>")
_SHALLOW = frozenset("p li dt dd td th tr br hr img input wbr meta link option".split())
"""Elements that end where the next one begins, and void elements."""


def _depth(markup: str) -> int:
    """The maximum number of open elements, if only their own end tags close them."""
    levels: Counter[str] = Counter()
    depth = deepest = 0
    for slash, spelled in _ANY_TAG.findall(markup):
        name = spelled.lower()
        if name in _SHALLOW:
            continue
        if not slash:
            levels[name] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif levels[name]:
            levels[name] -= 1
            depth -= 1
    return deepest


def _kept(element: str, attribute: str, value: str) -> str | None:
    """The attribute value to keep, if any: numbers where expected, and addresses without marks."""
    if attribute in _NUMBERS.get(element, ()):
        return value if _NUMBER.fullmatch(value) else None
    if attribute == "alt":
        return _MARK.sub("", value).strip()
    return None if _OPEN in value or not value.strip() else value.strip()


def _absolute(address: str) -> str | None:
    """A protocol-relative address with a scheme; addresses relative to the source site are lost."""
    return f"https:{address}" if address.startswith("//") else None


_CLEANER = nh3.Cleaner(
    tags={*PLAIN_TAGS, *HEADING_TAGS, "a", "img"},
    clean_content_tags=set(DROPPED_TAGS),
    attributes={"*": set(), **_NUMBERS, "a": {"href"}, "img": {"src", "alt"}},
    attribute_filter=_kept,
    url_schemes={"http", "https", "mailto", DOCUMENT_SCHEME.removesuffix(":")},
    url_relative=_absolute,
    link_rel=_LINK_REL,
)
# As nh3 writes them: values between double quotes, in which there are no angle brackets.
_TAG = re.compile(r"(<[^<>]*>)")
_NAME = re.compile(r"</?([a-z0-9]+)")
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')


class _HtmlWriter:
    """Writes the final HTML from left to right from the output of nh3."""

    def __init__(
        self,
        formulas: list[LocatedFormula],
        render_formula: ShowFormula,
        render_text: Callable[[str], str],
        link_formula: Callable[[LocatedFormula, str], str],
        document_address: Callable[[str], str],
    ) -> None:
        self._formulas = formulas
        self._render_formula = render_formula
        self._render_text = render_text
        self._link_formula = link_formula
        self._document_address = document_address
        self._out: list[str | int] = []  # a number is that of a formula
        self._in_links: set[int] = set()
        self._alone: set[int] = set()
        self._links: list[bool] = []  # for each open link, whether it has an address
        self._paragraph: list[str] | None = None  # the texts of the open paragraph, if any

    def text(self, markup: str) -> None:
        if self._paragraph is not None:
            self._paragraph.append(markup)
        for place, piece in enumerate(_MARK.split(markup)):
            if place % 2:
                number = int(piece)
                self._out.append(number)
                if any(self._links):
                    self._in_links.add(number)
            elif piece:
                self._out.append(self._render_text(unescape(piece)))

    def tag(self, tag: str) -> None:
        match = _NAME.match(tag)
        assert match is not None, tag
        name = match[1]
        if name == "a":
            self._link(tag)
        elif name == "img":
            self._picture(dict(_ATTRIBUTE.findall(tag)))
        elif name in HEADING_TAGS:
            self._out.append(tag.replace(name, HEADING_TAGS[name]))
        else:
            self._out.append(tag)
        if tag == "<p>":
            self._paragraph = []
        elif tag == "</p>":
            texts = "".join(self._paragraph or ())
            if _ALONE.fullmatch(texts):
                self._alone.update(map(int, _MARK.findall(texts)))
            self._paragraph = None

    def _link(self, tag: str) -> None:
        if tag != "</a>":
            tag = self._document_link(tag)
            has_address = ' href="' in tag
            self._links.append(has_address)
        else:
            has_address = self._links.pop()
        if has_address:
            self._out.append(tag)

    def _document_link(self, tag: str) -> str:
        """A link to another document with its address; other links unchanged."""
        target = unescape(dict(_ATTRIBUTE.findall(tag)).get("href", ""))
        if not target.lower().startswith(DOCUMENT_SCHEME):
            return tag
        address = self._document_address(unquote(target[len(DOCUMENT_SCHEME) :]))
        return f'<a href="{escape(address)}">' if address else "<a>"

    def _picture(self, values: dict[str, str]) -> None:
        """Write a link to a picture, so that opening the page loads nothing from other sites."""
        html = f"[{escaped_text(unescape(values.get('alt') or 'picture'))}]"
        address = values.get("src")
        if address and not any(self._links):
            html = f'<a href="{address}" rel="{_LINK_REL}">{html}</a>'
        if self._paragraph is not None:
            self._paragraph.append(html)
        self._out.append(html)

    def html(self) -> str:
        """The output, with the formulas rendered."""
        return "".join(
            piece if isinstance(piece, str) else self._formula(piece) for piece in self._out
        )

    def _formula(self, number: int) -> str:
        formula = self._formulas[number]
        html = self._render_formula(formula, number in self._alone)
        if not html or number in self._in_links:
            return html
        return self._link_formula(formula, html)
