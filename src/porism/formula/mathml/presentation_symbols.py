"""Token elements of Presentation MathML: the symbols of ``mi``, ``mo``, ``mn`` and texts."""

import html
import re
from collections.abc import Callable

from lxml import etree

from porism.formula.fonts import styled, unstyled, upright
from porism.formula.symbols import INVISIBLE, NEGATED, symbol_label
from porism.formula.tree import Node

VARIANTS = {
    "bold": "boldsymbol", "bold-italic": "boldsymbol", "script": "script", "bold-script": "script",
    "fraktur": "fraktur", "bold-fraktur": "fraktur", "double-struck": "blackboard",
    "sans-serif": "sans", "bold-sans-serif": "sans", "sans-serif-italic": "sans",
    "sans-serif-bold-italic": "sans", "monospace": "typewriter",
}  # fmt: skip
"""Values of ``mathvariant``, each with the style of ``fonts``; all others are plain."""

_SYMBOL = re.compile(r":=|\.\.\.|\d+(?:\.\d+)?|\.\d+|[^\W\d_]+|.\u0338?", re.DOTALL)
_TYPED_QUESTION = re.compile(r"qvar_(missing|.*)", re.DOTALL)
_INVISIBLE = {ord(char): None for char in INVISIBLE}
_LARGE = dict(zip("⊕⊗⊙⊎⊔∪∩∨∧", "⨁⨂⨀⨄⨆⋃⋂⋁⋀", strict=True))


def text_of(element: etree._Element) -> str:
    """The text of an element, decoded once more where the ARQMath files are escaped twice."""
    text = "".join(str(piece) for piece in element.itertext())
    return html.unescape(text) if "&" in text else text


def symbols(element: etree._Element, name: str, style: str) -> list[Node]:
    """The symbols of an ``mi``, ``mo`` or ``mn``: usually one, none if it is only space.

    LaTeXML writes ``1\\,2\\,3`` as one number and ``||`` as one operator.
    """
    pieces = text_of(element).translate(_INVISIBLE).split()
    text = styled(upright("".join(pieces)), style)
    if not text:
        return []
    if text[0].isalpha() and name != "mn":
        question = _TYPED_QUESTION.fullmatch(text)
        return _typed_question(question[1]) if question else [Node(symbol_label(text))]
    if name == "mi" and len(text) > 1 and any(map(str.isalnum, text)) and not text.isdecimal():
        return [Node(text if text[0] == "?" else "V!" + text)]
    if name == "mn" and len(pieces) > 1:
        return [_symbol(part) for piece in pieces for part in _SYMBOL.findall(piece)]
    if text in _LARGE and _is_large(element):
        return [Node(_LARGE[text])]
    return [_symbol(part) for part in _SYMBOL.findall(text)]


def written_symbols(element: etree._Element, name: str, style: str) -> list[Node]:
    """The symbol of an ``mi``, ``mo`` or ``mn``, typed by its element; none if only space."""
    text = "".join("".join(map(str, element.itertext())).translate(_INVISIBLE).split())
    return [Node(_TYPES[name] + styled(text, style))] if text else []


_TYPES = {"mi": "V!", "mn": "N!", "mo": ""}

Labelling = Callable[[etree._Element, str, str], list[Node]]
"""A function from a token element, its name and its style to its symbols."""


def _is_large(element: etree._Element) -> bool:
    """Whether an operator is a big one, although its character is that of the small one."""
    if element.get("largeop") == "true":
        return True
    return element.get("movablelimits") is not None and element.get("mathsize") is not None


def _symbol(text: str) -> Node:
    if text == "...":
        return Node("V!…")
    if text[-1] == "\u0338" and len(text) == 2:
        label = symbol_label(text[0])
        return Node(NEGATED.get(label, label + "\u0338"))
    return Node(symbol_label(text))


def _typed_question(name: str) -> list[Node]:
    """A question mark that the ARQMath files turned into a query variable, and its name."""
    following = "" if name == "missing" else name.replace("$", "")
    return [Node("?"), *(Node(symbol_label(char)) for char in following)]


def query_variable(element: etree._Element) -> Node:
    """``mws:qvar``, the wildcard of NTCIR's topics."""
    name = re.sub(r"\W", "", element.get("name") or text_of(element))
    return Node("?" + (name or "x"))


def words(element: etree._Element) -> list[Node]:
    """The text of an ``mtext``, without style; none if it is only space."""
    text = "".join(unstyled(char)[0] for char in " ".join(text_of(element).split()))
    return [Node("T!" + text)] if text else []
