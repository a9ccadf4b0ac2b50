"""The XML of MathML in real files as a tree of elements.

Real files omit namespaces, use HTML entities without declaring them, have XML declarations in the
middle of a table, or are truncated. The reader recovers from all of that; only what is dangerous or
too large is rejected, with ``FormatError``. Nothing is ever fetched or expanded.
"""

import html
import re

from lxml import etree

from porism.errors import FormatError
from porism.formula.tree import ParseProblem

MAX_LENGTH = 2_000_000
"""Characters that the MathML of one formula may have: twenty times the limit of LaTeX."""

_DECLARATION = re.compile(r"<\?xml[^>]*\?>|<!DOCTYPE[^\[>]*>")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_AMPERSAND = re.compile(r"&(?:#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|(\w{1,40});)?")
_OWN_ENTITIES = frozenset(("lt", "gt", "amp", "quot", "apos"))
_TOO_DEEP = etree.ErrorTypes.ERR_RESOURCE_LIMIT


def local_name(element: etree._Element) -> str:
    """The element's name without its namespace, or without a prefix that was never declared."""
    name = str(element.tag)
    return name[max(name.rfind("}"), name.rfind(":")) + 1 :]


def read_markup(text: str) -> tuple[etree._Element | None, list[ParseProblem]]:
    """The outermost element, None if there is none, and the problems recovered from.

    Comments and processing instructions are left out. Raises ``FormatError`` for a document type
    with declarations, for more than 256 levels of elements and for more than ``MAX_LENGTH``
    characters.
    """
    if len(text) > MAX_LENGTH:
        why = f"MathML of {len(text):,} characters; the limit is {MAX_LENGTH:,}"
        raise FormatError("MathML", 1, why)
    problems = []
    unreadable = _NO_XML.search(text)
    if unreadable:
        problems.append(
            ParseProblem(unreadable.start(), "removed characters that XML does not allow")
        )
        text = _NO_XML.sub("", text)
    text = _DECLARATION.sub("", text)
    declared = text.find("<!DOCTYPE")
    if declared >= 0:
        line = text.count("\n", 0, declared) + 1
        raise FormatError("MathML", line, "a document type that declares entities is not allowed")
    text = _AMPERSAND.sub(_known_entity, text)
    start = text.find("<")
    if start < 0:
        if text.strip():
            problems.append(ParseProblem(0, "text without any MathML element"))
        return None, problems
    root, faults = _parsed(text[start:])
    return root, problems + [ParseProblem(start + at, message) for at, message in faults]


def _known_entity(match: re.Match[str]) -> str:
    """An entity that XML predefines, or the character; a single & is escaped."""
    name = match[1]
    if name is None:
        return match[0] if len(match[0]) > 1 else "&amp;"
    if name in _OWN_ENTITIES:
        return match[0]
    char = html.unescape(match[0])
    return html.escape(char) if char != match[0] else f"&amp;{name};"


def _parsed(text: str) -> tuple[etree._Element | None, list[ParseProblem]]:
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    root = etree.fromstring(text.encode(), parser)
    problems = []
    for fault in parser.error_log:
        if fault.domain == etree.ErrorDomains.NAMESPACE:
            continue
        if fault.type == _TOO_DEEP:
            raise FormatError("MathML", fault.line, f"rejected: {fault.message}")
        problems.append(
            ParseProblem(_offset(text, fault.line, fault.column), f"XML: {fault.message}")
        )
    return root, problems


def _offset(text: str, line: int, column: int) -> int:
    """The approximate offset of a line and column of libxml2, whose columns count bytes."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return min(len(text), start + max(0, column - 1))
