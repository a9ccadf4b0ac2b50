"""Rows of MathML: attaching scripts to symbols, and repairing faults of real files."""

import html

from porism.formula.layout import LIMIT_EDGES, attached
from porism.formula.symbols import (
    LIMIT_LABELS,
    OVER_ACCENTS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    symbol_label,
)
from porism.formula.tree import BLANK, Edge, Node, Row

_PRIMES = {"″": 2, "‴": 3, "⁗": 4}
_MARKS = {
    "\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0305": "¯", "\u20d7": "→", "\u0307": "˙",
    "\u0308": "¨", "\u030c": "ˇ", "\u0306": "˘", "\u0301": "´", "\u0300": "`", "\u030a": "˚",
    "\u20db": "˙˙˙", "\u20dc": "˙˙˙˙", "\u0332": "¯", "_": "¯", "―": "¯", "⎯": "¯", "-": "¯",
    ".": "˙", "∼": "~", "︷": "⏞", "︸": "⏟", "⎺": "¯", "⎽": "¯",
}  # fmt: skip
_MARKS |= {"V!" + char: char for char in OVER_ACCENTS.values() if char.isalpha()}
"""Accents as some converters write them, each as it is in the tree."""


def attach(row: list[Node], edge: Edge, content: Row) -> None:
    """Attach ``content`` to the last symbol, or to a group around it if the edge is taken."""
    if not content:
        return
    if not row:
        row.append(BLANK)
    if len(content) == 1 and not content[0].parts:
        content = _marks(content[0].label, edge) or content
    base = row[-1]
    place = LIMIT_EDGES.get(edge, edge) if base.label in LIMIT_LABELS else edge
    taken = base.row(place)
    if taken and any(node.label != "′" for node in taken):
        base = Node("M!1x1", ((Edge.WITHIN, (base,)),))
    row[-1] = attached(base, edge, content)


def _marks(label: str, edge: Edge) -> Row:
    """The marks that replace one character; empty if it stays."""
    if edge is Edge.ABOVE:
        return (Node("′"),) * _PRIMES.get(label, 0)
    if edge is Edge.OVER or edge is Edge.UNDER:
        return tuple(Node(char) for char in _MARKS.get(label, ""))
    return ()


def corrected(row: list[Node]) -> list[Node]:
    """The row with superscript digits, and entities typeset letter by letter, repaired."""
    if not any(node.label in _FAULTY for node in row):
        return row
    out: list[Node] = []
    place = 0
    while place < len(row):
        node = row[place]
        char, length = _typeset_entity(row, place)
        place += length
        if char == "'":
            attach(out, Edge.ABOVE, (Node("′"),))
        elif char:
            out.append(Node(symbol_label(char), row[place - 1].parts))
        elif node.label in _RAISED:
            edge, raised = _RAISED[node.label]
            attach(out, edge, (raised,))
        else:
            out.append(node)
    return out


_RAISED = {
    symbol_label(char): (edge, Node(symbol_label(plain)))
    for table_of, edge in ((SUPERSCRIPTS, Edge.ABOVE), (SUBSCRIPTS, Edge.BELOW))
    for char, plain in table_of.items()
}
_FAULTY = frozenset(("&", *_RAISED))


def _typeset_entity(row: list[Node], place: int) -> tuple[str, int]:
    """The character of an entity that begins at ``place``, or "", and its number of symbols."""
    if row[place].label == "&":
        labels = [node.label for node in row[place + 1 : place + 9]]
        end = labels.index(";") if ";" in labels else 0
        name = "".join(label[2:] if label[1:2] == "!" else label for label in labels[:end])
        char = html.unescape(f"&{name};")
        if len(char) == 1:
            return char, end + 2
    return "", 1
