"""Content MathML as operator trees, in particular that of LaTeXML and its damaged files.

Pragmatic elements, LaTeXML's own ``csymbol``s and ambiguous ones are read; so are formulas without
namespaces, with entities escaped twice, with ``share`` elements that are dangling or were dropped.
The result is like that of ``operator_tree``: a-b is a sum with a signed term, and each symbol has
one name.
"""

from __future__ import annotations

import re
from html import unescape

from lxml import etree

from porism.formula.mathml.content_names import (
    CLOSURES,
    COLLECTIONS,
    CSYMBOLS,
    ELEMENTS,
    QUALIFIERS,
    identifier,
    plain_letters,
)
from porism.formula.mathml.markup import local_name, read_markup
from porism.formula.operators import bounded
from porism.formula.operators.parts_of_speech import IMPLICATIONS, RELATIONS, SIGNS
from porism.formula.operators.translated_rows import applied, is_repeatable
from porism.formula.tree import BLANK, Node, ParsedTree, ParseProblem, Tree, operator

_LINKS = frozenset(RELATIONS.values()) | frozenset(IMPLICATIONS.values())
_INTERNAL = "\0"
"""Begins the labels of parts of their parent; XML cannot contain it, so no other label does."""

_SHARE = Node(_INTERNAL + "share")


def read_content(mathml: str) -> ParsedTree:
    """The operator tree of the first formula in Content MathML; the empty tree if there is none.

    Presentation MathML beside the content is skipped. Unknown elements are kept under their own
    names and reported; only XML that cannot be read at all gives the empty tree.
    """
    problems: list[ParseProblem] = []
    root = _content(mathml, problems)
    if root is None:
        return ParsedTree(Tree("opt", ()), (*problems, ParseProblem(0, "no Content MathML here")))
    tree = _Reader(problems).tree(root)
    if tree is None:
        return ParsedTree(Tree("opt", ()), (*problems, ParseProblem(0, "the formula is empty")))
    tree = bounded(tree)
    if any(node.label[:1] == _INTERNAL for node in Tree("opt", (tree,)).nodes()):
        tree = _without_internal(tree)
    return ParsedTree(Tree("opt", (tree,)), tuple(problems))


def _without_internal(tree: Node) -> Node:
    """``tree`` without internal labels: a qualifier becomes its content, a share a blank."""
    while tree.label[:1] == _INTERNAL:
        tree = tree.operands[0] if tree.parts else BLANK
    return operator(tree.label, *map(_without_internal, tree.operands)) if tree.parts else tree


_DOUBLY_ESCAPED = re.compile(r"&amp;(?=(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_WRAPPER = "<math>"


def _content(mathml: str, problems: list[ParseProblem]) -> etree._Element | None:
    """The element with the content: its annotation, if there is one."""
    text = _DOUBLY_ESCAPED.sub("&", mathml)
    root, faults = read_markup(f"{_WRAPPER}{text}</math>")
    problems += (ParseProblem(max(0, at - len(_WRAPPER)), message) for at, message in faults)
    if root is None:
        return None
    for element in root.iter("{*}annotation-xml"):
        if "Content" in element.get("encoding", ""):
            return element
    return root


class _Reader:
    """Builds a tree bottom-up, so that depth costs no Python stack."""

    def __init__(self, problems: list[ParseProblem]) -> None:
        self.problems = problems
        self.by_id: dict[str, Node] = {}

    def tree(self, root: etree._Element) -> Node | None:
        path: list[list[Node]] = [[]]
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                path.append([])
                continue
            children = path.pop()
            if element is root:
                path[-1] += children
                continue
            name = local_name(element)
            if name in ("math", "semantics", "annotation-xml"):
                path[-1] += children if name == "math" else children[:1]
                continue
            node = self._node(name, element, children)
            if node is None:
                continue
            path[-1].append(node)
            identity = element.get("id") or element.get("{http://www.w3.org/XML/1998/namespace}id")
            if identity:
                self.by_id[identity] = node
        if len(path[0]) > 1:
            return operator("O!row", *path[0])
        return path[0][0] if path[0] else None

    def _node(self, name: str, element: etree._Element, children: list[Node]) -> Node | None:
        """The node of an element; None for one that is part of its parent or has no meaning."""
        if name == "apply":
            return self._apply(element, children)
        if name == "ci":
            return children[0] if children else identifier(_text(element))
        if name == "cn":
            return _number(element)
        if name in ("mtext", "text", "cs"):
            return (
                Node("T!" + plain_letters(" ".join(_text(element).split())))
                if not children
                else None
            )
        if name == "csymbol":
            return self._csymbol(element)
        if name in ("share", "ref"):
            shared = self.by_id.get((element.get("href") or "").lstrip("#"), _SHARE)
            return (
                shared if is_repeatable(shared) else _SHARE
            )  # shares of shares would grow without bound
        if name == "cerror":
            return self._error(children)
        if name == "qvar":
            return Node("?" + (element.get("name") or _text(element).strip("*") or "x"))
        if name == "interval":
            label = CLOSURES.get(element.get("closure", "closed"), CLOSURES["closed"])
            return operator(label, *children)
        if name == "set" and any(map(_is_qualifier, children)):
            return operator("O!conditional-set", *_bound_first(children))
        if name in COLLECTIONS:
            return operator(f"{COLLECTIONS[name]}{len(children)}", *children)
        if name == "matrix":
            columns = max((len(row.operands) for row in children), default=0)
            return operator(f"M!M-{len(children)}x{columns}", *children)
        if name == "matrixrow":
            return operator("M!R!", *children)
        if name == "piecewise":
            return operator("O!cases", *(part for piece in children for part in piece.operands))
        if name in ("piece", "otherwise"):
            return operator(
                _INTERNAL + "piece", *children, *([BLANK] if name == "otherwise" else [])
            )
        if name in QUALIFIERS:
            return operator(_INTERNAL + name, *children)
        if name in ELEMENTS:
            return operator(ELEMENTS[name], *children)
        return self._unknown(name, element, children)

    def _unknown(self, name: str, element: etree._Element, children: list[Node]) -> Node | None:
        if name in ("annotation", "sep") or name in _PRESENTATION:
            return children[0] if len(children) == 1 else None
        self.problems.append(ParseProblem(0, f"unknown element {name}"))
        return operator("O!" + name, *children)

    def _csymbol(self, element: etree._Element) -> Node:
        text, dictionary = _text(element), element.get("cd", "")
        if dictionary == "porism":
            return Node(element.get("name", text))
        if dictionary == "mws" or element.get("name") == "qvar":
            # LaTeXML with NTCIR's macros turns a typed question mark into a nameless variable.
            return Node("V!?" if text in ("", "qvar_$", "$") else "?" + text.removeprefix("qvar_"))
        if dictionary == "unknown":
            return identifier(text)
        if text in CSYMBOLS:
            return BLANK if CSYMBOLS[text] == "W!" else Node(CSYMBOLS[text])
        if text.startswith("delimited-"):
            return Node("M!D-" + text.removeprefix("delimited-"))
        return Node("O!" + text)

    def _error(self, children: list[Node]) -> Node:
        if not children or children == [BLANK]:
            return BLANK
        self.problems.append(ParseProblem(0, "the converter that wrote this could not parse it"))
        return operator("E!", *children)

    def _apply(self, element: etree._Element, children: list[Node]) -> Node:
        if not children:
            return BLANK
        head, operands = children[0], children[1:]
        if element[0].get("cd") == "porism":
            return operator(head.label, *operands)
        if any(map(_is_qualifier, operands)):
            head, operands = _qualified(head, operands)
        if head.label[:2] in ("V!", "T!") and not head.parts:
            head = Node("F!" + head.label[2:])
        if head.label == "O!power":
            head = Node("O!SUP")
        if not operands:
            return head
        if head.label == "O!root" and len(operands) == 1:
            operands.append(TWO)
        if head.label == "U!and":
            return conjunction(operands)
        if head.label in SIGNS:
            return _signed(head, operands, element)
        return applied(head, *operands)


TWO = Node("N!2")


_PRESENTATION = frozenset(
    """
    mi mo mn ms mspace mrow mstyle mpadded mphantom mfrac msqrt mroot msub msup msubsup munder
    mover munderover mmultiscripts mprescripts none mtable mtr mlabeledtr mtd mfenced menclose
    merror maction mglyph
    """.split()
)
"""Elements of Presentation MathML in a name inside ``ci``; only their text is used."""


def _bound_first(children: list[Node]) -> list[Node]:
    """The members of a set and then the condition; without members, the bound variable."""
    rest = [child for child in children if not _is_qualifier(child)]
    bound = [child.operands[0] for child in children if child.label == _INTERNAL + "bvar"]
    conditions = [
        child.operands[0]
        for child in children
        if _is_qualifier(child) and child.label != _INTERNAL + "bvar"
    ]
    return [*(rest or bound), *conditions]


def _is_qualifier(node: Node) -> bool:
    return node.label[:1] == _INTERNAL and bool(node.parts)


def _qualified(head: Node, operands: list[Node]) -> tuple[Node, list[Node]]:
    """An operator with its bound variable, limits, base or degree, as from scripts."""
    qualifiers = {
        operand.label[1:]: operand.operands[0] for operand in operands if _is_qualifier(operand)
    }
    variables = [_bound(operand) for operand in operands if operand.label == _INTERNAL + "bvar"]
    rest = [operand for operand in operands if not _is_qualifier(operand)]
    low = qualifiers.get("lowlimit") or qualifiers.get("condition")
    if "degree" in qualifiers and head.label == "O!root":
        return head, [*rest, qualifiers["degree"]]
    if head.label == "O!int" and variables and rest:
        rest = [operator("U!times", *rest, *(operator("F!d", name) for name in variables))]
    elif head.label == "O!limit" and variables and low is not None:
        low = operator("F!→", variables[0], low)
    elif variables and "lowlimit" in qualifiers:
        low = operator("U!eq", variables[0], qualifiers["lowlimit"])
    else:
        rest = variables + rest
    below = qualifiers.get("logbase") or low or qualifiers.get("domainofapplication")
    if below is not None:
        head = operator("O!SUB", head, below)
    above = qualifiers.get("uplimit") or qualifiers.get("degree")
    return (operator("O!SUP", head, above) if above is not None else head), rest


def _bound(qualifier: Node) -> Node:
    """The variable of a ``bvar``, raised to its degree, if it has one."""
    variable, *degrees = qualifier.operands
    return operator("O!SUP", variable, degrees[0].operands[0]) if degrees else variable


def conjunction(links: list[Node]) -> Node:
    """A conjunction in which a link without left operand gets the right one of the previous link.

    LaTeXML writes a = b = c as a = b and (share b) = c; in the ARQMath files of 2021 the share
    elements are missing, in others their targets are.
    """
    restored = [links[0]]
    for link in links[1:]:
        before, skip = restored[-1], 1 if link.label[:2] == "+!" else 0
        operands = link.operands[skip:]
        if link.label.removeprefix("+!") in _LINKS and before.label.removeprefix("+!") in _LINKS:
            if operands[:1] == (_SHARE,):
                operands = operands[1:]
            if len(operands) == 1:
                left = before.operands[-1] if is_repeatable(before.operands[-1]) else BLANK
                link = operator(link.label, *link.operands[:skip], left, *operands)
        restored.append(link)
    return operator("U!and", *restored)


def _signed(head: Node, operands: list[Node], element: etree._Element) -> Node:
    """A sum of signed terms; LaTeXML nests a-b+c to the left, which is flattened here."""
    if len(operands) == 1:
        return applied(head, *operands)
    first, rest = operands[0], operands[1:]
    signed = rest if head.label == "U!plus" else [operator(head.label, term) for term in rest]
    if first.label == "U!plus" and _sign(element[1]) not in ("", _sign(element)):
        return operator("U!plus", *first.operands, *signed)
    return operator("U!plus", first, *signed)


def _sign(element: etree._Element) -> str:
    """The operator by which an ``apply`` joins several operands, else ""."""
    if local_name(element) != "apply" or len(element) < 3:
        return ""
    return local_name(element[0]) + _text(element[0])


def _text(element: etree._Element) -> str:
    """The text of a leaf and its descendants, with entities decoded."""
    text = "".join(map(str, element.itertext()))
    return unescape(text).strip() if "&" in text else text.strip()


def _number(element: etree._Element) -> Node:
    parts = ["".join(str(text).split()) for text in element.itertext()]
    if element.get("type") == "rational" and len(parts) == 2:
        return operator("O!divide", Node("N!" + parts[0]), Node("N!" + parts[1]))
    if element.get("type") == "e-notation" and len(parts) == 2:
        parts.insert(1, "e")
    if element.get("type") == "complex-cartesian" and len(parts) == 2:
        imaginary = operator("U!times", Node("N!" + parts[1]), Node("V!i"))
        return operator("U!plus", Node("N!" + parts[0]), imaginary)
    # LaTeXML includes the full stop of a sentence in a number before it.
    number = unescape("".join(parts))
    return Node("N!" + (number.rstrip(".") or number))
