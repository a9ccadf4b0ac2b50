"""Random formulas for a bounded time; ``make fuzz`` goes on for longer."""

import pytest
from fuzz.checks import check
from fuzz.strategies import nested, noise, soup, spoilt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EXAMPLES = 400
"""For each kind of formula: a few seconds."""


@pytest.mark.parametrize(
    "strategy", [noise(), soup(), spoilt(), nested()], ids=["noise", "soup", "spoilt", "nested"]
)
def test_every_string_gives_a_tree_or_a_latex_error(strategy: st.SearchStrategy[str]) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(strategy)
    def holds(source: str) -> None:
        check(source)

    holds()
