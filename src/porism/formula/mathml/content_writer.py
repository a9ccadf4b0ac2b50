"""Operator trees as Content MathML.

A tree reads back equal; a label without an element in MathML is a ``csymbol`` of our own.
"""

from __future__ import annotations

import re
from html import escape

from porism.formula.mathml.content_names import (
    CLOSURES,
    COLLECTIONS,
    CSYMBOLS,
    ELEMENTS,
    identifier,
    plain_letters,
)
from porism.formula.mathml.content_reader import TWO, conjunction
from porism.formula.operators.parts_of_speech import SIGNS
from porism.formula.operators.translated_rows import applied
from porism.formula.tree import Node, Tree

_ELEMENT_NAMES = {label: name for name, label in reversed(ELEMENTS.items())}
_CSYMBOL_NAMES = {label: name for name, label in reversed(CSYMBOLS.items())} | {"W!": "absent"}
_CLOSURE_NAMES = {label: name for name, label in CLOSURES.items()}
_COLLECTION_NAMES = {label: name for name, label in COLLECTIONS.items()}
_IN_ATTRIBUTE = str.maketrans(
    # An ampersand by number, because readers take &amp;lt; for an entity that was escaped twice.
    {"&": "&#38;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_INVALID = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def content_mathml(tree: Tree) -> str:
    """Content MathML of an operator tree, on one line; ``read_content`` is the inverse.

    Characters that XML cannot hold are replaced.
    """
    body = "".join(_element(node) for node in tree.row)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


def _element(node: Node) -> str:
    if not node.parts:
        return _leaf_element(node.label)
    operands = node.operands
    elements = [_element(operand) for operand in operands]
    content = "".join(elements)
    if _is_collection(node):
        return _container(node.label, content)
    if node.label == "O!root" and len(operands) == 2:
        degree = "" if operands[1] == TWO else f"<degree>{elements[1]}</degree>"
        return f"<apply><root/>{degree}{elements[0]}</apply>"
    if node.label[:2] == "+!" and operands[1:] and applied(*operands) == node:
        return f"<apply>{content}</apply>"
    return f"<apply>{_head_element(node)}{content}</apply>"


def _head_element(node: Node) -> str:
    """The operator of an application, under our own name if reading would change the node."""
    label, operands = node.label, node.operands
    would_change = (
        (label in SIGNS and label != "U!plus" and len(operands) > 1)
        or (label == "U!and" and conjunction(list(operands)) != node)
        or label[:2] in ("V!", "T!", "C!", "W!", "+!", "N!", "E!")
        or label in ("O!root", "O!power")
    )
    if would_change:
        return _own(label)
    if label[:2] == "F!" and label not in _ELEMENT_NAMES and label not in _CSYMBOL_NAMES:
        read = identifier(label[2:])
        if read.label in ("V!" + label[2:], label):
            return f"<ci>{escape(label[2:])}</ci>"
    return _leaf_element(label)


def _is_collection(node: Node) -> bool:
    label, count = node.label, len(node.operands)
    if label[:4] in _COLLECTION_NAMES:
        return label[4:] == str(count)
    if label[:4] == "M!M-" and all(row.label == "M!R!" and row.parts for row in node.operands):
        return label == f"M!M-{count}x{max(len(row.operands) for row in node.operands)}"
    return label == "M!R!" or label in _CLOSURE_NAMES


def _container(label: str, content: str) -> str:
    if label in _CLOSURE_NAMES:
        return f'<interval closure="{_CLOSURE_NAMES[label]}">{content}</interval>'
    name = _COLLECTION_NAMES.get(label[:4]) or ("matrixrow" if label == "M!R!" else "matrix")
    return f"<{name}>{content}</{name}>"


def _leaf_element(label: str) -> str:
    mark, text = label[:2], label[2:]
    if label in _ELEMENT_NAMES:
        return f"<{_ELEMENT_NAMES[label]}/>"
    if label in _CSYMBOL_NAMES:
        return _csymbol(_CSYMBOL_NAMES[label])
    if mark == "V!" and identifier(text).label == label and text == text.strip():
        return f"<ci>{_xml(text)}</ci>"
    if mark == "N!" and re.fullmatch(r"[^\s&]*[^\s&.]", text):
        return f"<cn>{_xml(text)}</cn>"
    if mark == "T!" and text == plain_letters(" ".join(text.split())) and "&" not in text:
        return f"<ci><mtext>{_xml(text)}</mtext></ci>"
    if label[:1] == "?" and re.fullmatch(r"\w+", label[1:]):
        return f'<csymbol cd="mws" name="qvar">{label[1:]}</csymbol>'
    if mark == "O!" and re.fullmatch(r"[a-z]+(?:-[a-z]+)*", text) and text not in CSYMBOLS:
        return _csymbol(text)
    if label[:4] == "M!D-" and text == text.strip() and "&" not in text:
        return _csymbol("delimited-" + label[4:])
    return _own(label)


def _csymbol(name: str) -> str:
    dictionary = "ambiguous" if name in ("superscript", "subscript") else "latexml"
    return f'<csymbol cd="{dictionary}">{_xml(name)}</csymbol>'


def _own(label: str) -> str:
    name = _writable(label).translate(_IN_ATTRIBUTE)
    return f'<csymbol cd="porism" name="{name}"/>'


def _xml(text: str) -> str:
    return escape(_writable(text), quote=False)


def _writable(text: str) -> str:
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", text)
