"""Tables of scores as text, TSV, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from porism.formats.latex_tables import latex_escaped, tabular_lines


class Absent(NamedTuple):
    """No value, and why not, which TSV and JSON leave out."""

    reason: str


Cell = str | float | int | Absent | None
"""A float, which is rounded, an integer, a word, or nothing."""


@dataclass(frozen=True, slots=True)
class OutputTable:
    """Columns with headings; those with numbers are right-aligned, those of words left-aligned.

    ``footer`` is a last row of another kind, such as the highest reachable values. ``best`` are the
    columns whose highest number is highlighted.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    footer: tuple[Cell, ...] = ()
    best: frozenset[str] = frozenset()

    @property
    def lines(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows, and the footer if there is one."""
        return (*self.rows, self.footer) if self.footer else self.rows


def text_lines(table: OutputTable, digits: int = 4) -> list[str]:
    """The table as aligned text.

    >>> table = OutputTable(("run", "topics", "MAP'"), (("a", 77, 0.25), ("bb", 7, None)))
    >>> print("\\n".join(text_lines(table)))
    run  topics    MAP'
    a        77  0.2500
    bb        7       -
    """
    cells = [[_cell_text(cell, digits) for cell in row] for row in table.lines]
    widths = [max(map(len, column)) for column in zip(table.columns, *cells, strict=True)]
    words = _word_columns(table)
    lines = [table.title] if table.title else []
    for row in (list(table.columns), *cells):
        padded = (
            cell.ljust(width) if is_word else cell.rjust(width)
            for cell, width, is_word in zip(row, widths, words, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return lines


def _word_columns(table: OutputTable) -> list[bool]:
    columns: list[tuple[Cell, ...]] = list(zip(*table.lines, strict=True))
    if not columns:
        return [True] * len(table.columns)
    return [
        any(isinstance(cell, str) for cell in column)
        and not any(isinstance(cell, int | float) for cell in column)
        for column in columns
    ]


def _cell_text(cell: Cell, digits: int) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, Absent):
        return cell.reason
    return f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)


def tsv_lines(table: OutputTable) -> list[str]:
    """The table as TSV: a header line, numbers with all digits, missing values empty.

    >>> tsv_lines(OutputTable(("run", "MAP'"), (("a", 1 / 3), ("b", None))))
    ["run\\tMAP'", 'a\\t0.3333333333333333', 'b\\t']
    """
    rows: list[Sequence[Cell]] = [table.columns, *table.lines]
    return ["\t".join(map(_flat, row)) for row in rows]


def _flat(cell: Cell) -> str:
    if cell is None or isinstance(cell, Absent):
        return ""
    return " ".join(cell.split()) if isinstance(cell, str) else repr(cell)


def records(table: OutputTable) -> list[dict[str, Cell]]:
    """The rows by heading, for JSON."""
    return [
        {
            column: None if isinstance(cell, Absent) else cell
            for column, cell in zip(table.columns, row, strict=True)
        }
        for row in table.lines
    ]


def markdown_lines(table: OutputTable, digits: int = 4) -> list[str]:
    """The table as Markdown.

    >>> markdown_lines(OutputTable(("run", "MAP'"), (("a|b", 0.25),)))
    ["| run | MAP' |", '|---|---|', '| a\\\\|b | 0.2500 |']
    """
    rows = [table.columns, *([_cell_text(cell, digits) for cell in row] for row in table.lines)]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return [lines[0], "|" + "---|" * len(table.columns), *lines[1:]]


def latex_lines(table: OutputTable, digits: int = 3) -> list[str]:
    """The table as LaTeX with the rules of booktabs; best values are bold.

    >>> best = frozenset({"P'@10"})
    >>> table = OutputTable(("run", "P'@10"), (("a_1", 0.25), ("b", 0.5)), best=best)
    >>> print("\\n".join(latex_lines(table)))
    \\begin{tabular}{lr}
    \\toprule
    run & P$'$@10 \\\\
    \\midrule
    a\\_1 & 0.250 \\\\
    b & \\textbf{0.500} \\\\
    \\bottomrule
    \\end{tabular}
    """
    words = _word_columns(table)
    best = [
        _best(column) if name in table.best else None
        for name, column in zip(table.columns, zip(*table.rows, strict=True), strict=True)
    ]
    rows = (
        [
            f"\\textbf{{{_cell_text(cell, digits)}}}"
            if isinstance(cell, float) and cell == top
            else _latex(_cell_text(cell, digits))
            for cell, top in zip(row, best, strict=True)
        ]
        for row in table.rows
    )
    footer = [_latex(_cell_text(cell, digits)) for cell in table.footer]
    alignment = "".join("l" if is_word else "r" for is_word in words)
    parts = [[map(_latex, table.columns)], rows, *([[footer]] if footer else [])]
    return tabular_lines(alignment, *parts)


def _best(column: tuple[Cell, ...]) -> float | None:
    """The highest of several numbers; None for a single one."""
    numbers = [cell for cell in column if isinstance(cell, float)]
    return max(numbers) if len(numbers) > 1 else None


def _latex(text: str) -> str:
    """Text for LaTeX, with the primes of measures in math mode."""
    return latex_escaped(text).replace("'", "$'$")
