"""The tables of an assessment as LaTeX."""

import re

from hypothesis import given
from hypothesis import strategies as st

from porism.assess.latex import escaped, latex_document, latex_table
from porism.assess.statistics_tables import StatisticsTable

TABLE = StatisticsTable(
    "times", "Seconds & more", ("assessor", "mean"), (("a_1", "12.3"), ("[b]", "–"))
)


def test_a_table_with_the_rules_of_booktabs() -> None:
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


def test_all_tables_and_the_package_they_need() -> None:
    document = latex_document([TABLE, TABLE])
    assert document.startswith(r"% Needs \usepackage{booktabs}")
    assert document.count(r"\begin{table}") == 2


@given(st.text())
def test_no_text_gets_out_of_its_cell(text: str) -> None:
    shown = escaped(text)
    assert shown.isprintable()
    for command in (
        r"\\text[a-z]+\{\}",
        r"\\[&%$#_{}]",
    ):
        shown = re.sub(command, "", shown)
    assert not re.search(r"[&%$#_{}\\~^]", shown)
