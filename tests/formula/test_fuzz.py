"""Random formulas for a bounded time; ``make fuzz`` goes on for longer."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.checks import check_latex, check_markup
from fuzz.strategies import markup, nested, noise, soup, spoilt

EXAMPLES = 400
"""For each kind of formula: a few seconds."""


@pytest.mark.parametrize(
    ("strategy", "check"),
    [
        pytest.param(noise(), check_latex, id="noise"),
        pytest.param(soup(), check_latex, id="soup"),
        pytest.param(spoilt(), check_latex, id="spoilt"),
        pytest.param(nested(), check_latex, id="nested"),
        pytest.param(markup(), check_markup, id="markup"),
    ],
)
def test_every_string_gives_a_tree_or_is_refused(
    strategy: st.SearchStrategy[str], check: Callable[[str], None]
) -> None:
    bounded = settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,  # the same formulas each time, so that nobody's change fails by chance
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    bounded(given(strategy)(check))()


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
def test_what_random_formulas_once_broke_holds(source: str) -> None:
    check_latex(source)
