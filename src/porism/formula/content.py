"""Content MathML in and out: the form in which operator trees travel.

Reads what LaTeXML writes (pragmatic elements, ``csymbol``s of its own and ambiguous ones), and the
faults of the files that carry it: no namespaces, entities escaped twice, ``share`` elements that
point nowhere or were dropped. What is read comes out as ``operator_tree`` would have it: a-b as a
sum with a signed term, symbols under one name. Writing and reading gives the same tree back; a
label that MathML has no element for is a ``csymbol`` of our own.
"""

from __future__ import annotations

import re
from html import unescape
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from porism.formula.content_names import (
    CLOSURES,
    COLLECTIONS,
    CSYMBOLS,
    ELEMENTS,
    QUALIFIERS,
    identifier,
    plain,
)
from porism.formula.operators import bounded
from porism.formula.operators_symbols import IMPLICATIONS, RELATIONS, SIGNS
from porism.formula.operators_words import applied, small
from porism.formula.tree import BLANK, Node, Parsed, Problem, Tree, operator

_LINKS = frozenset(RELATIONS.values()) | frozenset(IMPLICATIONS.values())
_SHARE = Node("<share>")


def read_content(mathml: str) -> Parsed:
    """The operator tree of Content MathML, of the first formula in it; the empty tree if none.

    Presentation beside the content is passed over. What is not understood is kept under a name of
    its own and reported; only XML that cannot be read at all gives the empty tree.
    """
    problems: list[Problem] = []
    root = _parsed(mathml, problems)
    if root is None:
        return Parsed(Tree("opt", ()), (*problems, Problem(0, "no Content MathML here")))
    tree = _Reader(problems).tree(root)
    if tree is None:
        return Parsed(Tree("opt", ()), (*problems, Problem(0, "the formula is empty")))
    return Parsed(Tree("opt", (bounded(tree),)), tuple(problems))


_DOUBLY_ESCAPED = re.compile(r"&amp;(?=(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_PROLOG = re.compile(r"\s*<\?xml[^>]*\?>")


def _parsed(mathml: str, problems: list[Problem]) -> etree._Element | None:
    """The element that holds the content: inside its annotation, if there is one."""
    text = _PROLOG.sub("", _DOUBLY_ESCAPED.sub("&", mathml), count=1)
    # Recovering, because one unknown entity must not cost the formula.
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(f"<math>{text}</math>".encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        problems.append(Problem(0, f"not XML: {error.msg}"))
        return None
    for fault in parser.error_log:
        if "Namespace prefix" not in fault.message:
            problems.append(Problem(max(0, fault.column - len("<math>")), f"XML: {fault.message}"))
    if root is None:
        return None
    for element in root.iter("{*}annotation-xml"):
        if "Content" in element.get("encoding", ""):
            return element
    return root


def _name(element: etree._Element) -> str:
    """The element's name without namespace or undeclared prefix; "" for entities and the like."""
    if not isinstance(element.tag, str):
        return ""
    return element.tag.rpartition("}")[2].rpartition(":")[2]


class _Reader:
    """Builds a tree from the inside out, so that depth costs no Python stack."""

    def __init__(self, problems: list[Problem]) -> None:
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
            name = _name(element)
            if name in ("math", "semantics", "annotation-xml"):
                path[-1] += children[:1]
                continue
            node = self._node(name, element, children)
            if node is None:
                continue
            path[-1].append(node)
            identity = element.get("id") or element.get("{http://www.w3.org/XML/1998/namespace}id")
            if identity:
                self.by_id[identity] = node
        return path[0][0] if path[0] else None

    def _node(self, name: str, element: etree._Element, children: list[Node]) -> Node | None:
        """What an element stands for; None for one that is part of its parent or says nothing."""
        if name == "apply":
            return self._apply(element, children)
        if name == "ci":
            return children[0] if children else identifier(_text(element))
        if name == "cn":
            return _number(element)
        if name in ("mtext", "text", "cs"):
            return Node("T!" + plain(" ".join(_text(element).split()))) if not children else None
        if name == "csymbol":
            return self._csymbol(element)
        if name in ("share", "ref"):
            return self.by_id.get((element.get("href") or "").lstrip("#"), _SHARE)
        if name == "cerror":
            return self._error(children)
        if name == "qvar":
            return Node("?" + (element.get("name") or _text(element).strip("*") or "x"))
        if name == "interval":
            label = CLOSURES.get(element.get("closure", "closed"), CLOSURES["closed"])
            return operator(label, *children)
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
            return operator("<piece>", *children, *([BLANK] if name == "otherwise" else []))
        if name in QUALIFIERS:
            return operator(f"<{name}>", *children)
        if name in ELEMENTS:
            return Node(ELEMENTS[name])
        return self._unknown(name, element, children)

    def _unknown(self, name: str, element: etree._Element, children: list[Node]) -> Node | None:
        if not name or name in ("annotation", "sep", "mrow", "mi", "mo", "mn", "mspace"):
            return children[0] if len(children) == 1 else None
        self.problems.append(Problem(0, f"unknown element {name}"))
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
        self.problems.append(Problem(0, "the converter that wrote this could not parse it"))
        return operator("E!", *children)

    def _apply(self, element: etree._Element, children: list[Node]) -> Node:
        if not children:
            return BLANK
        head, operands = children[0], children[1:]
        if element[0].get("cd") == "porism":
            return operator(head.label, *operands)
        if any(operand.label[:1] == "<" for operand in operands):
            head, operands = _qualified(head, operands)
        if head.label[:2] in ("V!", "T!") and not head.parts:
            head = Node("F!" + head.label[2:])
        if head.label == "O!power":
            head = Node("O!SUP")
        if not operands:
            return head
        if head.label == "O!root" and len(operands) == 1:
            operands.append(_TWO)
        if head.label == "U!and":
            return _linked(operands)
        if head.label in SIGNS:
            return _signed(head, operands, element)
        return applied(head, *operands)


_TWO = Node("N!2")


def _qualified(head: Node, operands: list[Node]) -> tuple[Node, list[Node]]:
    """An operator with its bound variable, limits, base or degree, as scripts would give them."""
    found = {
        operand.label[1:-1]: operand.operands[0]
        for operand in operands
        if operand.label[:1] == "<" and operand.operands
    }
    rest = [operand for operand in operands if operand.label[:1] != "<"]
    variable, low = found.get("bvar"), found.get("lowlimit") or found.get("condition")
    if "degree" in found and head.label == "O!root":
        return head, [*rest, found["degree"]]
    if head.label == "O!int" and variable is not None and rest:
        rest = [operator("U!times", *rest, operator("F!d", variable))]
    elif head.label == "O!limit" and variable is not None and low is not None:
        low = operator("F!→", variable, low)
    elif variable is not None and "lowlimit" in found:
        low = operator("U!eq", variable, found["lowlimit"])
    elif variable is not None:
        rest.insert(0, variable)
    below = found.get("logbase") or low or found.get("domainofapplication")
    if below is not None:
        head = operator("O!SUB", head, below)
    above = found.get("uplimit") or found.get("degree")
    return (operator("O!SUP", head, above) if above is not None else head), rest


def _linked(links: list[Node]) -> Node:
    """A conjunction, where a link without left operand takes the right one of the link before.

    LaTeXML writes a = b = c as a = b and (share b) = c; in the ARQMath files of 2021 the share
    elements are missing, elsewhere what they point to is.
    """
    restored = [links[0]]
    for link in links[1:]:
        before, skip = restored[-1], 1 if link.label[:2] == "+!" else 0
        operands = link.operands[skip:]
        if link.label.removeprefix("+!") in _LINKS and before.label.removeprefix("+!") in _LINKS:
            if operands[:1] == (_SHARE,):
                operands = operands[1:]
            if len(operands) == 1:
                left = before.operands[-1] if small(before.operands[-1]) else BLANK
                link = operator(link.label, *link.operands[:skip], left, *operands)
        restored.append(link)
    return operator("U!and", *restored)


def _signed(head: Node, operands: list[Node], element: etree._Element) -> Node:
    """A sum of signed terms; LaTeXML nests a-b+c to the left, which is undone here."""
    if len(operands) == 1:
        return applied(head, *operands)
    first, rest = operands[0], operands[1:]
    signed = rest if head.label == "U!plus" else [operator(head.label, term) for term in rest]
    if first.label == "U!plus" and _sign(element[1]) not in ("", _sign(element)):
        return operator("U!plus", *first.operands, *signed)
    return operator("U!plus", first, *signed)


def _sign(element: etree._Element) -> str:
    """The operator by which an ``apply`` joins several operands, else ""."""
    if _name(element) != "apply" or len(element) < 3:
        return ""
    return _name(element[0]) + _text(element[0])


def _text(element: etree._Element) -> str:
    """The text of a leaf, entities read, of whatever it encloses."""
    text = "".join(map(str, element.itertext()))
    return unescape(text).strip() if "&" in text else text.strip()


def _number(element: etree._Element) -> Node:
    parts = ["".join(str(text).split()) for text in element.itertext()]
    if element.get("type") == "rational" and len(parts) == 2:
        return operator("O!divide", Node("N!" + parts[0]), Node("N!" + parts[1]))
    # LaTeXML takes the full stop of the sentence into a number that ends it.
    number = unescape("".join(parts))
    return Node("N!" + (number.rstrip(".") or number))


# Writing


_ELEMENT_NAMES = {label: name for name, label in reversed(ELEMENTS.items())}
_CSYMBOL_NAMES = {label: name for name, label in reversed(CSYMBOLS.items())} | {"W!": "absent"}
_CLOSURE_NAMES = {label: name for name, label in CLOSURES.items()}
_COLLECTION_NAMES = {label: name for name, label in COLLECTIONS.items()}
_UNWRITABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def content_mathml(tree: Tree) -> str:
    """Content MathML of an operator tree, on one line; ``read_content`` gives the tree back.

    Characters that XML cannot hold are replaced.
    """
    body = "".join(_written(node) for node in tree.row)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


def _written(node: Node) -> str:
    if not node.parts:
        return _leaf_element(node.label)
    operands = node.operands
    inside = "".join(map(_written, operands))
    if _is_collection(node):
        return _container(node.label, inside)
    if node.label == "O!root" and len(operands) == 2:
        if operands[1] == _TWO:
            return f"<apply><root/>{_written(operands[0])}</apply>"
        degree = _written(operands[1])
        return f"<apply><root/><degree>{degree}</degree>{_written(operands[0])}</apply>"
    if node.label[:2] == "+!" and applied(operands[0], *operands[1:]) == node and operands[1:]:
        return f"<apply>{inside}</apply>"
    return f"<apply>{_head_element(node)}{inside}</apply>"


def _head_element(node: Node) -> str:
    """The operator of an application; by our own name where reading would change the node."""
    label, operands = node.label, node.operands
    changed = (
        (label in SIGNS and label != "U!plus" and len(operands) > 1)
        or (label == "U!and" and _linked(list(operands)) != node)
        or label[:2] in ("V!", "T!", "C!", "W!", "+!", "N!", "E!")
        or label in ("O!root", "O!power")
    )
    if changed:
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


def _container(label: str, inside: str) -> str:
    if label in _CLOSURE_NAMES:
        return f'<interval closure="{_CLOSURE_NAMES[label]}">{inside}</interval>'
    name = _COLLECTION_NAMES.get(label[:4]) or ("matrixrow" if label == "M!R!" else "matrix")
    return f"<{name}>{inside}</{name}>"


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
    if mark == "T!" and text == plain(" ".join(text.split())) and "&" not in text:
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
    # By number, because a reader takes &amp;lt; for an entity that was escaped twice.
    name = quoteattr(_writable(label)).replace("&amp;", "&#38;")
    return f'<csymbol cd="porism" name={name}/>'


def _xml(text: str) -> str:
    return escape(_writable(text))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
