"""HTML that anybody may have written, as HTML that can do no harm on a page of ours.

Elements and attributes are let through by name; of all others the text stays, and of those that
act, such as scripts, nothing. Formulas are taken out before the HTML is parsed and put back after,
so that their ``<`` and ``&`` never meet a parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Protocol

from lxml import etree

from porism.formats.markup import Found, find_formulas

PLAIN = frozenset(
    "p br hr em strong b i u s strike del ins sub sup small big tt var samp mark abbr cite dfn "
    "blockquote pre code kbd ul ol li dl dt dd table caption thead tbody tfoot tr td th "
    "figure figcaption".split()
)
"""Elements that stay; of their attributes only those in ``_NUMBERS``."""

HEADINGS = {"h1": "h4", "h2": "h5", "h3": "h6", "h4": "h6", "h5": "h6", "h6": "h6"}
"""Headings within a post stand below those of the page."""

DROPPED = frozenset(
    "script style template iframe frame frameset object embed applet noscript noembed noframes "
    "head title meta link base form button select option input textarea svg math audio video "
    "canvas dialog".split()
)
"""Elements of which nothing stays, not even the text."""

_EMPTY = frozenset({"br", "hr"})
_NUMBERS = {"ol": ("start",), "td": ("colspan", "rowspan"), "th": ("colspan", "rowspan")}
_NUMBER = re.compile(r"[0-9]{1,4}")
_DOCUMENT_ENDS = re.compile(r"</(?:html|body)\b[^<>]*>", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?:)?//[^\s]|mailto:[^\s]", re.IGNORECASE)

# Formulas are marked by characters that Unicode promises never to give to any text.
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_ALONE = re.compile(rf"\s*{_OPEN}[0-9]+{_CLOSE}\s*[.,;:]?\s*")
_UNWANTED = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]"
)


class ShowFormula(Protocol):
    """Makes the HTML of a formula; ``is_alone`` if it is all that its paragraph has."""

    def __call__(self, formula: Found, is_alone: bool) -> str: ...


def safe_html(markup: str, show: ShowFormula) -> str:
    """The markup with what is harmless of it, and its formulas as ``show`` makes them."""
    markup = _UNWANTED.sub("", markup)
    formulas = find_formulas(markup)
    pieces: list[str] = []
    at = 0
    for number, formula in enumerate(formulas):
        pieces += (markup[at : formula.start], f"{_OPEN}{number}{_CLOSE}")
        at = formula.end
    pieces.append(markup[at:])
    # At such an end tag the parser would stop, and at 256 levels without huge_tree.
    text = _DOCUMENT_ENDS.sub("", "".join(pieces))
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_pis=True, huge_tree=True)
    root = etree.HTML(f"<div>{text}</div>".encode(), parser)
    return _serialised(root, lambda number, is_alone: show(formulas[number], is_alone))


def _serialised(root: etree._Element, show: Callable[[int, bool], str]) -> str:
    """What is harmless below ``root``; iterative, since people nest as deeply as they like."""
    out: list[str] = []
    dropped = 0  # elements around this place of which nothing stays
    alone = 0  # paragraphs around this place that hold one formula only

    def text(characters: str | None) -> None:
        if characters and not dropped:
            out.append(_text(characters, lambda number: show(number, alone > 0)))

    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "comment":
            text(element.tail)
            continue
        name = str(element.tag)
        if event == "start":
            dropped += name in DROPPED
            alone += _holds_one_formula(element)
            if not dropped:
                out.append(_opening(element))
                text(element.text)
        else:
            if not dropped:
                out.append(_closing(element))
            alone -= _holds_one_formula(element)
            dropped -= name in DROPPED
            text(element.tail)
    return "".join(out)


def _text(characters: str, show: Callable[[int], str]) -> str:
    pieces = _MARK.split(characters)
    shown = [
        show(int(piece)) if place % 2 else escape(piece.replace(_OPEN, "").replace(_CLOSE, ""))
        for place, piece in enumerate(pieces)
    ]
    return "".join(shown)


def _holds_one_formula(element: etree._Element) -> bool:
    return element.tag == "p" and _ALONE.fullmatch("".join(_texts(element))) is not None


def _texts(element: etree._Element) -> Iterator[str]:
    return (str(text) for text in element.itertext())


def _opening(element: etree._Element) -> str:
    name = str(element.tag)
    if name in PLAIN:
        numbers = "".join(
            f' {attribute}="{value}"'
            for attribute in _NUMBERS.get(name, ())
            if (value := str(element.get(attribute, ""))) and _NUMBER.fullmatch(value)
        )
        return f"<{name}{numbers}>"
    if name in HEADINGS:
        return f"<{HEADINGS[name]}>"
    if name == "a":
        address = _address(element, "href")
        return f'<a href="{address}" rel="noreferrer nofollow">' if address else ""
    if name == "img":
        # A picture would be fetched from elsewhere when the page is opened.
        address = _address(element, "src")
        told = escape(str(element.get("alt", "")).strip() or "picture")
        link = f'<a href="{address}" rel="noreferrer nofollow">[{told}]</a>'
        return f"[{told}]" if not address or _is_within_link(element) else link
    return ""


def _closing(element: etree._Element) -> str:
    name = str(element.tag)
    if name in PLAIN:
        return "" if name in _EMPTY else f"</{name}>"
    if name in HEADINGS:
        return f"</{HEADINGS[name]}>"
    return "</a>" if name == "a" and _address(element, "href") else ""


def _is_within_link(element: etree._Element) -> bool:
    return any(_address(above, "href") for above in element.iterancestors("a"))


def _address(element: etree._Element, attribute: str) -> str:
    """An address in another place of the web, ready to stand in an attribute; empty for others."""
    address = str(element.get(attribute, "")).strip()
    if not _ADDRESS.match(address) or _OPEN in address:
        return ""
    return escape(f"https:{address}" if address.startswith("//") else address)
