"""The tables of an assessment as LaTeX for a paper, with booktabs."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.statistics_tables import StatisticsTable
from porism.formats.latex_tables import latex_escaped, tabular_lines


def latex_table(table: StatisticsTable) -> str:
    """One table with its caption and the label ``tab:assessment-NAME``."""
    alignment = "".join("l" if place < table.words else "r" for place in range(len(table.columns)))
    head, *body = (map(latex_escaped, row) for row in (table.columns, *table.rows))
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{latex_escaped(table.title)}}}",
        f"\\label{{tab:assessment-{table.name}}}",
        *tabular_lines(alignment, [head], body),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def latex_document(tables: Iterable[StatisticsTable], notes: Iterable[str] = ()) -> str:
    """All tables with notes, to be included in a paper that uses the package booktabs."""
    paragraphs = "".join(f"\\paragraph{{Note.}} {latex_escaped(note)}\n\n" for note in notes)
    return (
        "% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.\n"
        "% Names in other scripts than Latin need XeLaTeX or LuaLaTeX, with a font that has them.\n"
        + paragraphs
        + "\n".join(map(latex_table, tables))
    )
