"""HTML that anybody may have written, as HTML that can do no harm on a page of ours.

What harms is taken out by nh3, which parses as browsers do and lets elements and attributes through
by name: of all others the text stays, and of those that act, such as scripts, nothing. Formulas are
taken out before, so that their ``<`` and ``&`` never meet a parser. They are put back in a pass
over what nh3 wrote, which is always well-formed; there pictures become links and headings smaller.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable
from html import escape, unescape
from typing import Protocol

import nh3

from porism.errors import PorismError, error_summary
from porism.formats.markup import LocatedFormula, bare_text, find_formulas
from porism.formats.markup.html_syntax import with_few_attributes

log = logging.getLogger(__name__)

PLAIN_TAGS = frozenset(
    "p br hr em strong b i u s strike del ins sub sup small big tt var samp mark abbr cite dfn "
    "blockquote pre code kbd ul ol li dl dt dd table caption thead tbody tfoot tr td th "
    "figure figcaption".split()
)
"""Elements that stay; of their attributes only those in ``_NUMBERS``."""

HEADING_TAGS = {"h1": "h4", "h2": "h5", "h3": "h6", "h4": "h6", "h5": "h6", "h6": "h6"}
"""Headings within a post stand below those of the page."""

DROPPED_TAGS = frozenset(
    "script style template iframe frame frameset object embed applet noscript noembed noframes "
    "head title meta link base form button select option input textarea svg math audio video "
    "canvas dialog".split()
)
"""Elements of which nothing stays, not even the text."""

MAX_DEPTH = 1_000
"""Elements within elements; of what is nested more deeply only the text stays.

Where elements may end is looked for in all that are open, so 100,000 levels would take nh3 half a
minute. Browsers show no more than some 500.
"""

_NUMBERS = {"ol": {"start"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
_NUMBER = re.compile(r"[0-9]{1,4}")
_TO_THE_WEB = "noreferrer nofollow"

# Formulas are marked by characters that Unicode promises never to give to any text.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_ALONE = re.compile(rf"\s*{_OPEN}[0-9]+{_CLOSE}\s*[.,;:]?\s*")
_UNWANTED = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]"
    r"|&#(?:[xX]0*[fF][dD][dD][01](?![0-9a-fA-F])|0*6497[67](?![0-9]));?"
)


class ShowFormula(Protocol):
    """Makes the HTML of a formula; ``is_alone`` if it is all that its paragraph has."""

    def __call__(self, formula: LocatedFormula, is_alone: bool) -> str: ...


def escaped_text(text: str) -> str:
    """Text between tags, as it is."""
    return escape(text, quote=False)


def unlinked(formula: LocatedFormula, html: str) -> str:
    """A formula that leads nowhere."""
    return html


def safe_html(
    markup: str,
    show: ShowFormula,
    said: Callable[[str], str] = escaped_text,
    linked: Callable[[LocatedFormula, str], str] = unlinked,
    name: str = "a text",
) -> str:
    """The markup with what is harmless of it, and its formulas as ``show`` makes them.

    ``said`` makes the HTML of a stretch of text, for pages that mark words. ``linked`` makes
    a link of a formula's HTML; within a link of the text, where no other may be, it is not asked.
    Should all that fail, the page has the plain text and a note, and the log the ``name``.
    """
    try:
        return _safe_html(markup, show, said, linked)
    except PorismError:  # a decision, such as the end of a request's time
        raise
    except Exception as error:  # one text must not keep a page from being shown
        log.warning("%s: shown as plain text (%s)", name, error_summary(error))
        return (
            f"{escaped_text(bare_text(markup))} <em>(shown as plain text because of an error)</em>"
        )


def _safe_html(
    markup: str,
    show: ShowFormula,
    said: Callable[[str], str],
    linked: Callable[[LocatedFormula, str], str],
) -> str:
    # What replaces them keeps what is around from joining to an entity.
    markup = _UNWANTED.sub(lambda each: "" if len(each[0]) == 1 else "\ufffd", markup)
    formulas = find_formulas(markup)
    pieces: list[str] = []
    at = 0
    for number, formula in enumerate(formulas):
        pieces += (markup[at : formula.start], f"{_OPEN}{number}{_CLOSE}")
        at = formula.end
    pieces.append(markup[at:])
    writing = _HtmlWriter(formulas, show, said, linked)
    for place, piece in enumerate(_TAG.split(_clean("".join(pieces)))):
        if place % 2:
            writing.tag(piece)
        else:
            writing.text(piece)
    return writing.html()


def _clean(markup: str) -> str:
    # No tag ends behind the last ">", and a parser drops one that does not end. To look for its
    # end from each of many "<" would take as long as their number squared, or worse.
    end = markup.rfind(">") + 1
    tags = with_few_attributes(_FORMATTING.sub(r"<\1>", markup[:end]))
    rest = _TAG_START.split(markup[end:], maxsplit=1)[0]
    return _CLEANER.clean((tags if _depth(tags) <= MAX_DEPTH else _ANY_TAG.sub("", tags)) + rest)


_TAG_START = re.compile(r"<[A-Za-z/!?]")

# A parser opens such elements anew in every paragraph after the one in which they were not closed:
# of those alike it opens three, but of those with different attributes all, however many.
_FORMATTING = re.compile(
    r"<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/][^>]*>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*)[^>]*>")
_SHALLOW = frozenset("p li dt dd td th tr br hr img input wbr meta link option".split())
"""Elements that end where the next one begins, and those that have no content."""


def _depth(markup: str) -> int:
    """How many elements are open at once, if they end by end tags of their names alone."""
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
    """What of a value stays: numbers only where they are expected, and addresses without marks."""
    if attribute in _NUMBERS.get(element, ()):
        return value if _NUMBER.fullmatch(value) else None
    if attribute == "alt":
        return _MARK.sub("", value).strip()
    return None if _OPEN in value or not value.strip() else value.strip()


def _absolute(address: str) -> str | None:
    """An address in another place of the web; one within the site that the text is from is lost."""
    return f"https:{address}" if address.startswith("//") else None


_CLEANER = nh3.Cleaner(
    tags={*PLAIN_TAGS, *HEADING_TAGS, "a", "img"},
    clean_content_tags=set(DROPPED_TAGS),
    attributes={"*": set(), **_NUMBERS, "a": {"href"}, "img": {"src", "alt"}},
    attribute_filter=_kept,
    url_schemes={"http", "https", "mailto"},
    url_relative=_absolute,
    link_rel=_TO_THE_WEB,
)
# As nh3 writes them: values between double quotes, in which there are no angle brackets.
_TAG = re.compile(r"(<[^<>]*>)")
_NAME = re.compile(r"</?([a-z0-9]+)")
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')


class _HtmlWriter:
    """The page's HTML, written from left to right out of what nh3 let through."""

    def __init__(
        self,
        formulas: list[LocatedFormula],
        show: ShowFormula,
        said: Callable[[str], str],
        linked: Callable[[LocatedFormula, str], str],
    ) -> None:
        self._formulas = formulas
        self._show = show
        self._said = said
        self._link_formula = linked
        self._out: list[str | int] = []  # a number is that of a formula
        self._in_links: set[int] = set()
        self._alone: set[int] = set()
        self._links: list[bool] = []  # the links around this place, and whether they lead anywhere
        self._paragraph: list[str] | None = None  # the texts of the paragraph, if in one

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
                self._out.append(self._said(unescape(piece)))

    def tag(self, tag: str) -> None:
        found = _NAME.match(tag)
        assert found is not None, tag
        name = found[1]
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
            leads = ' href="' in tag
            self._links.append(leads)
        else:
            leads = self._links.pop()
        if leads:
            self._out.append(tag)

    def _picture(self, values: dict[str, str]) -> None:
        """A picture would be fetched from elsewhere when the page is opened: a link does not."""
        told = f"[{escaped_text(unescape(values.get('alt') or 'picture'))}]"
        address = values.get("src")
        if address and not any(self._links):
            told = f'<a href="{address}" rel="{_TO_THE_WEB}">{told}</a>'
        if self._paragraph is not None:
            self._paragraph.append(told)
        self._out.append(told)

    def html(self) -> str:
        """All that was written, with the formulas in their places."""
        return "".join(
            piece if isinstance(piece, str) else self._formula(piece) for piece in self._out
        )

    def _formula(self, number: int) -> str:
        formula = self._formulas[number]
        shown = self._show(formula, number in self._alone)
        if not shown or number in self._in_links:
            return shown
        return self._link_formula(formula, shown)
