"""Normalises operator trees before ours and LaTeXML's are compared.

It only merges notations of one meaning; ``folded`` lists them.
"""

import unicodedata
from itertools import pairwise

from porism.formula.mathml.content_names import ELEMENTS
from porism.formula.operators.parts_of_speech import IMPLICATIONS, RELATIONS
from porism.formula.tree import BLANK, Node, operator

_SAME_LABELS = {
    "F!⇒": "O!implies",
    "F!⟹": "O!implies",
    "F!⇔": "U!iff",
    "F!⟺": "U!iff",
    "F!↔": "U!iff",
    "F!⟸": "F!⇐",
    "F!⟶": "F!→",
    "F!⟵": "F!←",
    "V!⋯": "V!…",
}
_LINKS = frozenset(RELATIONS.values()) | frozenset(IMPLICATIONS.values())
_IMPLICATIONS = frozenset(_SAME_LABELS.get(label, label) for label in IMPLICATIONS.values())
_STANDARD = frozenset(label[2:] for label in ELEMENTS.values() if label[:2] == "F!") | {
    *("pmod", "d", "deg", "dim", "ker", "hom", "Pr", "lg", "arg"),
}
"""Functions that LaTeXML applies by itself."""


def folded(node: Node) -> Node:
    """``node`` with notations of one meaning merged.

    Nested sums, products, divisions and sequences are flat. Application of a letter or an
    unknown word is a product, and a power of it a power of its argument, as LaTeXML has them; so
    is a differential. A chain of relations lists its operands once, and an implication in it
    divides it. Subscripts come before superscripts. A matrix of one cell is that cell; cases
    list their values and conditions, blank ones left out; bars around a matrix are its
    determinant. Arrows of different length, dots of different height, a word as name or as text,
    and bold and plain digits are the same.
    """
    if not node.parts:
        return _folded_leaf(node.label)
    return _folded(node.label, [folded(operand) for operand in node.operands], node)


def _folded_leaf(label: str) -> Node:
    label = _SAME_LABELS.get(label, label)
    if label[:2] in ("V!", "F!") or (label[:2] == "T!" and label[2:].isalpha()):
        name = "".join(_upright(char) for char in label[2:])
        return Node(("F!" if name in _STANDARD else "V!") + name)
    return Node(unicodedata.normalize("NFKC", label) if label[:2] == "N!" else label)


def _upright(char: str) -> str:
    """Bold italic letters as bold ones: LaTeX has one bold for a letter, LaTeXML two."""
    code = ord(char)
    if 0x1D468 <= code <= 0x1D49B:
        return chr(code - 0x1D468 + 0x1D400)
    if 0x1D71C <= code <= 0x1D755:
        return chr(code - 0x1D71C + 0x1D6A8)
    return char


def _folded(label: str, operands: list[Node], node: Node) -> Node:
    label = _SAME_LABELS.get(label, label)
    if label in ("U!plus", "U!times", "O!form-seq", "U!or", "U!union", "U!intersect"):
        return _flat(label, operands)
    if label == "O!divide" and operands[0].label == "O!divide":
        return operator(label, *operands[0].operands, *operands[1:])
    if label == "U!and":
        return _chain(operands)
    if label == "O!SUB" and operands[0].label == "O!SUP":
        base, above = operands[0].operands
        return operator("O!SUP", operator("O!SUB", base, operands[1]), above)
    if label in ("O!SUP", "O!SUB", "O!factorial") and _is_application(node.operands[0]):
        inner = node.operands[0]
        head, argument = _application(inner.label, [folded(part) for part in inner.operands])
        return _flat("U!times", [head, operator(label, argument, *operands[1:])])
    if _is_application(node):
        return _flat("U!times", list(_application(label, operands)))
    if label == "M!M-1x1":
        return operands[0].operands[0] if operands[0].parts else operands[0]
    if label == "O!cases":
        return _cases(operands)
    if label == "F!abs" and operands[0].label.startswith("M!M-"):
        return operator("F!det", *operands)
    return operator(label, *operands)


def _flat(label: str, operands: list[Node]) -> Node:
    flat: list[Node] = []
    for operand in operands:
        flat += (
            operand.operands if operand.label == label and len(operand.operands) > 1 else [operand]
        )
    if label == "U!times" and Node("O!not") in flat:
        at = flat.index(Node("O!not"))
        if at + 1 < len(flat):
            flat[at:] = [operator("O!not", _flat(label, flat[at + 1 :]))]
    return flat[0] if len(flat) == 1 and label != "U!plus" else operator(label, *flat)


def _is_application(node: Node) -> bool:
    label = node.label.removeprefix("+!")
    if not node.parts or label[:2] != "F!":
        return False
    return label == "F!d" or (label[2:].isalpha() and label[2:] not in _STANDARD)


def _application(label: str, operands: list[Node]) -> tuple[Node, Node]:
    """The function and its argument, several of them as a pair or tuple."""
    if label[:2] == "+!":
        head, *operands = operands
    else:
        head = _folded_leaf("V!" + label[2:])
    if len(operands) == 1:
        return head, operands[0]
    group = "O!interval(O-O)" if len(operands) == 2 else f"M!V-{len(operands)}"
    return head, operator(group, *operands)


def _chain(links: list[Node]) -> Node:
    """Operands and relations in turn, divided where an implication joins two formulas."""
    if not _is_chain(links):
        return _flat("U!and", links)
    sides: list[list[Node]] = []
    joints: list[Node] = []
    side: list[Node] = []
    for link in links:
        composed = link.label[:2] == "+!"
        head = link.operands[0] if composed else Node(link.label)
        left, *rest = link.operands[1 if composed else 0 :]
        right = rest[-1] if rest else BLANK
        if not side:
            side = [left]
        if link.label.removeprefix("+!") in _IMPLICATIONS:
            sides.append(side)
            joints.append(head)
            side = [right]
        else:
            side += [head, right]
    sides.append(side)
    formulas = [_side(side) for side in sides]
    if not joints:
        return formulas[0]
    turns = [formulas[0]]
    for joint, formula in zip(joints, formulas[1:], strict=True):
        turns += [joint, formula]
    return _side(turns)


def _is_chain(links: list[Node]) -> bool:
    """Whether each link begins with the end of the previous one, or omits it."""
    if not all(link.label.removeprefix("+!") in _LINKS for link in links):
        return False
    for before, link in pairwise(links):
        left = link.operands[1 if link.label[:2] == "+!" else 0]
        if left not in (before.operands[-1], BLANK):
            return False
    return True


def _side(turns: list[Node]) -> Node:
    if len(turns) == 1:
        return turns[0]
    if len(turns) == 3:
        label = "+!" if turns[1].parts else turns[1].label
        return operator(label, *([turns[1]] if turns[1].parts else []), turns[0], turns[2])
    return operator("chain", *turns)


def _cases(operands: list[Node]) -> Node:
    cells = operands
    if len(operands) == 1 and operands[0].label.startswith("M!M-"):
        cells = [cell for row in operands[0].operands for cell in row.operands]
    values = [cell for cell in cells if cell not in (BLANK, Node("V!otherwise"))]
    return operator("O!cases", *values)
