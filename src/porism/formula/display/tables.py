"""Environments and other tables: matrices, cases, aligned equations, arrays, with tags."""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formula.display.atoms import NEUTRAL, Atom, Elements, Kind, elements_of
from porism.formula.display.delimiters import fenced_xml
from porism.formula.display.grammar import DisplayParser, Size
from porism.formula.display.values import em, length_in_em
from porism.formula.latex.environments import ENVIRONMENTS
from porism.formula.latex.macros import group_end


class TableLine(NamedTuple):
    """A line of a table: cells, rules above it, extra space below, and its tag."""

    cells: list[Elements]
    rules: int = 0
    gap: float = 0.0
    tag: str = ""


_ALIGNED = frozenset(
    "align aligned alignat alignedat flalign split xalignat eqarray IEEEeqnarray".split()
)
_CENTRED = frozenset("gather gathered multline multlined displaymath equation math dmath".split())
_DISPLAYED = _ALIGNED | _CENTRED | {"dcases", "drcases", "eqnarray", "darray"}
_CASES = frozenset("cases dcases rcases drcases numcases".split())
_SMALL = frozenset("smallmatrix psmallmatrix bsmallmatrix subarray".split())
_WITH_ARGUMENT = frozenset("alignat alignedat xalignat numcases".split())
_WITH_COLUMNS = frozenset("array darray tabular subarray".split())
_FENCES = {"": ("", ""), "{": ("{", ""), ".}": ("", "}"), "∥∥": ("‖", "‖")}

MOST_CELLS = 5_000


def begin(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\begin{name} ... \\end{name}``."""
    mark = parser.mark_of(command)
    name = parser.raw_argument().strip()
    plain = name.rstrip("*")
    if parser.tokens[parser.at] == "[":
        parser.option()
    is_wrapped = _skip_wrapping_brace(parser, name)
    columns = ""
    if plain in _WITH_ARGUMENT and parser.tokens[parser.at] == "{":
        parser.raw_argument()
    if plain in _WITH_COLUMNS and parser.tokens[parser.at] == "{":
        columns = parser.raw_argument()
    size = Size.DISPLAY if plain in _DISPLAYED else Size.TEXT
    if plain in _SMALL:
        size = Size.SCRIPT
    lines = read_lines(parser, r"\end", size, plain in _ALIGNED)
    if parser.tokens[parser.at] == r"\end":
        parser.at += 1
        parser.raw_argument()
    parser.at += is_wrapped and parser.tokens[parser.at] == "}"
    row.append(table(parser, lines, plain, columns, mark))


def _skip_wrapping_brace(parser: DisplayParser, name: str) -> bool:
    """Skip a brace that closes after the ``\\end``, as LaTeXML writes plain TeX's matrices."""
    tokens, at = parser.tokens, parser.at
    if tokens[at] != "{":
        return False
    end = group_end(tokens, at)
    if "".join(tokens[max(at, end - len(name) - 3) : end]) != f"\\end{{{name}}}":
        return False
    parser.at += 1
    return True


def read_lines(
    parser: DisplayParser, ending: str, size: Size, is_aligned: bool = False
) -> list[TableLine]:
    """The lines up to the token ``ending``, which is not consumed, or the formula's end.

    In aligned equations every second cell begins with an empty symbol, so that a relation there has
    its space.
    """
    settings = parser.font, parser.style, parser.size, parser.tag
    parser.style, parser.size, parser.tag = "", size, ""
    lines: list[TableLine] = []
    cells: list[Elements] = []
    rules = _rules(parser)
    count = 0
    if ending:
        parser.awaited[ending] += 1
    while True:
        cells.append(_cell(parser, is_aligned and len(cells) % 2 == 1))
        parser.font, parser.style, parser.size = settings[0], "", size
        count += 1
        token = parser.tokens[parser.at]
        if token == "&" and count < MOST_CELLS:
            parser.at += 1
            continue
        gap = 0.0
        is_last = not token or token in parser.awaited
        if not is_last:
            parser.at += 1
            gap = length_in_em(token) or 0.0
        lines.append(TableLine(cells, rules, gap, parser.tag))
        parser.tag, cells = "", []
        if is_last:
            break
        rules = _rules(parser)
    if ending:
        parser.awaited[ending] -= 1
    parser.font, parser.style, parser.size, parser.tag = settings
    last = lines[-1]
    if len(lines) > 1 and not last.tag and not any(cell.plain for cell in last.cells):
        lines.pop()
        if last.rules:
            lines.append(TableLine([], last.rules))
    return lines


def _rules(parser: DisplayParser) -> int:
    """The number of ``\\hline`` here, which are consumed."""
    count = 0
    while parser.tokens[parser.at] in (r"\hline", r"\cline", r"\hdashline"):
        parser.at += 1
        if parser.tokens[parser.at - 1] == r"\cline":
            parser.raw_argument()
        count += 1
    return count


def _cell(parser: DisplayParser, has_symbol: bool) -> Elements:
    atoms = parser.atoms()
    token = parser.tokens[parser.at]
    while token in parser.awaited and token and not parser.awaited[token]:
        parser.at += 1
        if token == r"\end":
            parser.raw_argument()
        atoms += parser.atoms()
        token = parser.tokens[parser.at]
    return parser.elements([Atom(""), *atoms] if has_symbol and atoms else atoms)


_COLUMN = re.compile(r"[lcr|]|[pmb]\{[^{}]*\}|[@!>]\{[^{}]*\}|\*\{(\d{1,2})\}\{([lcr|]*)\}")


class ColumnLayout(NamedTuple):
    """The alignment of each column, and the columns with a rule before them."""

    alignments: list[str]
    rules: set[int]


def column_layout(text: str) -> ColumnLayout:
    """The columns of an array's argument.

    >>> column_layout("l|c@{}r")
    ColumnLayout(alignments=['l', 'c', 'r'], rules={1})
    """
    alignments: list[str] = []
    rules: set[int] = set()
    text = _COLUMN.sub(lambda match: match[2] * int(match[1]) if match[1] else match[0], text)
    for match in _COLUMN.finditer(text):
        kind = match[0][0]
        if kind == "|":
            rules.add(len(alignments))
        elif kind not in "@!>*":
            alignments.append(kind if kind in "lcr" else "l")
    return ColumnLayout(alignments, rules)


def table(
    parser: DisplayParser, lines: list[TableLine], name: str, columns: str, mark: int | None
) -> Atom:
    """A table as an atom; a single cell without fences or tag is an ordinary row."""
    width = max((len(line.cells) for line in lines), default=0)
    fences = ENVIRONMENTS.get(name, "")
    has_tags = any(line.tag for line in lines)
    parts = [cell for line in lines for cell in line.cells]
    if width == len(lines) == 1 and not fences and not has_tags:
        return _single(parser, lines[0].cells[0], mark, name in _DISPLAYED)
    layout = column_layout(columns)
    kind = _kind(name, width)
    style = ' displaystyle="true"' if name in _DISPLAYED else ""

    def write(whole: bool) -> str:
        rows = "".join(
            _line(line, place, width, layout, whole, kind, has_tags)
            for place, line in enumerate(lines)
            if line.cells
        )
        is_ruled = bool(lines) and not lines[-1].cells
        kinds = f"{kind} ruled".strip() if is_ruled else kind
        if has_tags:
            kinds = f"{kinds} tagged".strip()
        attribute = f' class="{kinds}"' if kinds else ""
        xml = f"<mtable{attribute}{style}>{rows}</mtable>"
        if name in _SMALL:
            xml = f'<mstyle scriptlevel="1">{xml}</mstyle>'
        opening, closing = _FENCES.get(fences) or (fences[0], fences[1])
        return fenced_xml(opening, xml, closing) if fences else xml

    own = mark if fences else NEUTRAL
    return parser.built(write, parts, own, Kind.INNER if fences else Kind.ORD)


def _single(parser: DisplayParser, cell: Elements, mark: int | None, is_displayed: bool) -> Atom:
    if is_displayed and parser.size is not Size.DISPLAY:
        return parser.built(
            lambda whole: (
                f'<mstyle displaystyle="true" scriptlevel="0">{cell.inside(whole)}</mstyle>'
            ),
            (cell,),
        )
    return parser.built(cell.one, (cell,))


def _kind(name: str, width: int) -> str:
    if name in _ALIGNED:
        return "aligned"
    if name == "eqnarray":
        return "equations"
    if name in _CENTRED:
        return "gathered"
    if name in _CASES:
        return "cases"
    if name in _SMALL or name == "substack":
        return "tight"
    return "" if name in _WITH_COLUMNS else "matrix"


def _line(
    line: TableLine,
    place: int,
    width: int,
    layout: ColumnLayout,
    whole: bool,
    kind: str,
    has_tags: bool,
) -> str:
    cells = []
    for column in range(width):
        cell = line.cells[column].inside(whole) if column < len(line.cells) else ""
        if not column and line.gap > 0:
            cell += f'<mspace width="0" depth="{em(line.gap + 0.7)}"/>'
        kinds = _cell_kinds(line, place, column, width, layout)
        cells.append(f'<mtd class="{kinds}">{cell}</mtd>' if kinds else f"<mtd>{cell}</mtd>")
    if has_tags:
        label = f"<mtext>({line.tag})</mtext>" if line.tag else ""
        cells.insert(0, "<mtd></mtd>")
        cells.append(f'<mtd class="tag">{label}</mtd>')
    return f"<mtr>{''.join(cells)}</mtr>"


_ALIGNMENT = {"l": "left", "r": "right"}


def _cell_kinds(line: TableLine, place: int, column: int, width: int, layout: ColumnLayout) -> str:
    kinds = []
    if column < len(layout.alignments) and layout.alignments[column] in _ALIGNMENT:
        kinds.append(_ALIGNMENT[layout.alignments[column]])
    if column in layout.rules:
        kinds.append("line-before")
    if column == width - 1 and width in layout.rules:
        kinds.append("line-after")
    if line.rules:
        kinds.append("line-above")
    return " ".join(kinds)


def substack(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\substack{a\\\\b}`` and plain TeX's ``\\matrix{...}`` and ``\\cases{...}``."""
    mark = parser.mark_of(command)
    if parser.tokens[parser.at] != "{":
        row += parser.argument()
        return
    parser.at += 1
    is_small = command in (r"\substack", r"\shortstack")
    lines = read_lines(parser, "}", parser.size if is_small else Size.TEXT)
    parser.at += parser.tokens[parser.at] == "}"
    name = {r"\eqalign": "aligned", r"\displaylines": "gathered"}.get(command, command[1:])
    row.append(table(parser, lines, name, "", mark))


def eqnarray(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\@@eqnarray``, with which LaTeXML begins an array that nothing ends."""
    lines = read_lines(parser, "}", Size.DISPLAY)
    row.append(table(parser, lines, "eqnarray", "", parser.mark_of(command)))


def whole_formula(parser: DisplayParser) -> Elements:
    """All tokens as a row, or as a table if there are line breaks or alignment marks outside."""
    size = parser.size
    lines = read_lines(parser, "", size, is_aligned=True)
    has_tags = any(line.tag for line in lines) or parser.tag
    if len(lines) == 1 and len(lines[0].cells) == 1 and not has_tags:
        return lines[0].cells[0]
    name = "aligned" if any(len(line.cells) > 1 for line in lines) else "gathered"
    atom = table(parser, lines, name, "", NEUTRAL)
    return elements_of([atom], False)
