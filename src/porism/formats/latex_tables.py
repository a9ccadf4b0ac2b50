"""Tables in LaTeX for papers, with the rules of the package booktabs."""

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
    """Text escaped for LaTeX, on one line and without unprintable characters.

    >>> print(latex_escaped("R&D_1 50 %"))
    R\\&D\\_1 50 \\%
    """
    in_one_line = " ".join(text.split())
    return "".join(_SPECIAL.get(char, char) for char in in_one_line if char.isprintable())


def tabular_lines(alignment: str, *parts: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table whose cells are LaTeX already, with a rule between its parts.

    ``alignment`` has a letter for each column. The first part is the header.

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
    lines = [f"\\begin{{tabular}}{{{alignment}}}"]
    rule = "\\toprule"
    for rows in parts:
        lines += [rule, *map(_row, rows)]
        rule = "\\midrule"
    return [*lines, "\\bottomrule", "\\end{tabular}"]


def _row(cells: Iterable[str]) -> str:
    # A bracket or star at the start of a row would be read as an argument of the preceding \\.
    guarded = (f"{{}}{cell}" if cell.startswith(("[", "*")) else cell for cell in cells)
    return " & ".join(guarded) + " \\\\"
