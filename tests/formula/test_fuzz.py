"""Random formulas that once broke the parser; ``make fuzz`` looks for more."""

import pytest

from fuzz.formulas import check_latex


@pytest.mark.parametrize(
    "source",
    [
        r"\def",
        r"\root&",
        r"\root\cr",
        r"}&\left \text{a}",
        r"'\begin0'A",
        "&" * 151 + "x",
        r"\def\R{\ef\R{\mathbb R}\newcommand{\norm}[rm}[1]{\left\|#1\right\|} \norm{x}_2 \in \R",
    ],
)
def test_past_failures_of_random_formulas_are_fixed(source: str) -> None:
    check_latex(source)
