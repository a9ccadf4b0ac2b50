"""Tables as LaTeX for a paper, with the rules of the package booktabs."""

from __future__ import annotations

from collections.abc import Iterable

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


def latex_escaped(text: str) -> str:
    """Text that LaTeX sets as it stands; line ends are blanks, and what cannot be seen is gone.

    >>> print(latex_escaped("R&D_1 50 %"))
    R\\&D\\_1 50 \\%
    """
    in_one_line = " ".join(text.split())
    return "".join(_SPECIAL.get(char, char) for char in in_one_line if char.isprintable())


def tabular_lines(places: str, *parts: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table of cells that are LaTeX already, with a rule between its parts.

    ``places`` has a letter for each column. The first part is the row of headings.

    >>> print("\\n".join(tabular_lines("lr", [["run", "score"]], [["a", "0.25"], ["[b]", "--"]])))
    \\begin{tabular}{lr}
    \\toprule
    run & score \\\\
    \\midrule
    a & 0.25 \\\\
    {}[b] & -- \\\\
    \\bottomrule
    \\end{tabular}
    """
    lines = [f"\\begin{{tabular}}{{{places}}}"]
    rule = "\\toprule"
    for rows in parts:
        lines += [rule, *map(_row, rows)]
        rule = "\\midrule"
    return [*lines, "\\bottomrule", "\\end{tabular}"]


def _row(cells: Iterable[str]) -> str:
    # A bracket or star that begins a row would be read as an argument of the line end before it.
    shown = (f"{{}}{cell}" if cell.startswith(("[", "*")) else cell for cell in cells)
    return " & ".join(shown) + " \\\\"
