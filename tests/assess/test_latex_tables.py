"""The tables of an assessment as LaTeX."""

from porism.assess.latex_tables import latex_document, latex_table
from porism.assess.statistics_tables import StatisticsTable

TABLE = StatisticsTable(
    "times", "Seconds & more", ("assessor", "mean"), (("a_1", "12.3"), ("[b]", "–"))
)


def test_a_table_uses_booktabs() -> None:
    assert latex_table(TABLE).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{Seconds \& more}",
        r"\label{tab:assessment-times}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"assessor & mean \\",
        r"\midrule",
        r"a\_1 & 12.3 \\",
        r"{}[b] & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_a_document_has_all_tables_and_names_the_package() -> None:
    document = latex_document([TABLE, TABLE])
    assert document.startswith(r"% Needs \usepackage{booktabs}")
    assert document.count(r"\begin{table}") == 2
