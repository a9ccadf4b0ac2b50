"""The tables of an assessment as LaTeX for a paper, with the rules of booktabs."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.statistics_tables import StatisticsTable

_SPECIAL = {char: f"\\{char}" for char in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "–": "--",
}


def escaped(text: str) -> str:
    """Text that LaTeX sets as it stands; line ends are blanks, and what cannot be seen is gone.

    >>> print(escaped("R&D_1 50 %"))
    R\\&D\\_1 50 \\%
    """
    in_one_line = " ".join(text.split())
    return "".join(_SPECIAL.get(char, char) for char in in_one_line if char.isprintable())


def latex_table(table: StatisticsTable) -> str:
    """One table with its caption and the label ``tab:assessment-`` and its name."""
    places = "".join("l" if place < table.words else "r" for place in range(len(table.columns)))
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{escaped(table.title)}}}",
        f"\\label{{tab:assessment-{table.name}}}",
        f"\\begin{{tabular}}{{{places}}}",
        "\\toprule",
        _row(table.columns),
        "\\midrule",
        *(_row(row) for row in table.rows),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    # A bracket or star that begins a row would be read as an argument of the line end before it.
    shown = (f"{{}}{cell}" if cell.startswith(("[", "*")) else cell for cell in map(escaped, cells))
    return " & ".join(shown) + " \\\\"


def latex_document(tables: Iterable[StatisticsTable]) -> str:
    """All tables, to be included in a paper that uses the package booktabs."""
    return "% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n" + "\n".join(
        map(latex_table, tables)
    )
