"""The tokens that are one symbol by themselves, with their nodes, plain and in every style.

Most tokens of most formulas are in these tables, and their nodes are made once, which makes the
parser fast.
"""

from porism.formula.fences import FENCE_LABELS
from porism.formula.fonts import STYLES, WORD_STYLES
from porism.formula.symbols import (
    BIG,
    LETTERS,
    LIMIT_NAMES,
    LIMIT_WORDS,
    OPERATORS,
    WORDS,
    symbol_label,
)
from porism.formula.tree import Edge, Node


def _leaf_table() -> dict[str, Node]:
    """Every token that is one symbol by itself, with its node, fences included."""
    table = {char: Node(symbol_label(char)) for char in map(chr, range(33, 127))}
    for char in "\\{}^_&$'~%#?\"":
        table.pop(char)
    table |= {char: Node(char) for char in '#?"'}
    for names in (LETTERS, OPERATORS, BIG):
        table |= {"\\" + name: Node(symbol_label(char)) for name, char in names.items()}
    for word in (*WORDS, *LIMIT_WORDS, *LIMIT_NAMES):
        table["\\" + word] = Node(symbol_label(word))
    table |= {str(number): Node(f"N!{number}") for number in range(1000)}
    table |= {"\\" + char: Node(char) for char in "#$%&_"}
    table |= {
        r"\{": Node("{"),
        r"\}": Node("}"),
        r"\|": Node("∥"),
        "...": Node("V!…"),
        ":=": Node(":="),
    }
    sides = {"lvert": "l|", "rvert": "r|", "lVert": "l∥", "rVert": "r∥"}
    table |= {"\\" + name: Node(label) for name, label in sides.items()}
    table |= {
        r"\bmod": Node("mod"),
        r"\mod": Node("mod"),
        r"\LaTeX": Node("T!LaTeX"),
        r"\TeX": Node("T!TeX"),
    }
    for name, edge, mark in (
        ("varlimsup", Edge.OVER, "¯"),
        ("varliminf", Edge.UNDER, "¯"),
        ("varinjlim", Edge.UNDER, "→"),
        ("varprojlim", Edge.UNDER, "←"),
    ):
        table["\\" + name] = Node("lim", ((edge, (Node(mark),)),))
    return table


_SYMBOLS = _leaf_table()
FENCE_LEAVES = {token: node for token, node in _SYMBOLS.items() if node.label in FENCE_LABELS}
LEAVES = {token: node for token, node in _SYMBOLS.items() if token not in FENCE_LEAVES}


def _styled_leaves(style: str) -> dict[str, Node]:
    """The leaves in a style; letters that form words are left to the parser."""
    letters = STYLES.get(style, {})
    table = dict(LEAVES)
    for token, node in LEAVES.items():
        text = node.label[2:]
        if node.label[:2] in ("V!", "N!") and (len(text) == 1 or text.isdigit()):
            table[token] = Node(node.label[:2] + "".join(letters.get(char, char) for char in text))
    if style in WORD_STYLES:
        for char in map(chr, range(33, 127)):
            if char.isalpha():
                del table[char]
    return table


STYLED_LEAVES = {style: _styled_leaves(style) for style in (*STYLES, "roman")} | {"": LEAVES}
