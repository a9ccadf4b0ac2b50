"""Coverage and agreement on real formulas, as the documentation states them."""

import re
from pathlib import Path

import pytest

from bench.formulas import agreement, troubled_share
from bench.shared_data import mini_formulas, real_formulas, topic_formulas
from porism.formula.latex import parse_latex

pytestmark = [pytest.mark.real_data, pytest.mark.slow]


def test_no_real_formula_raises_or_loses_its_string_form(shared: Path) -> None:
    for formula in real_formulas(shared)[::3]:
        tree, _ = parse_latex(formula)
        assert bool(str(tree)) == bool(tree.row)


def test_at_most_half_a_percent_of_the_mini_collection_has_a_problem(shared: Path) -> None:
    assert troubled_share(set(mini_formulas(shared, "latex").values())) <= 0.005


def test_at_most_two_in_a_thousand_topic_formulas_have_a_problem(shared: Path) -> None:
    assert troubled_share(topic_formulas(shared)) <= 0.002


def test_layout_agrees_with_latexml_by_the_external_measure(shared: Path) -> None:
    report = agreement(shared)
    equal = re.search(r"equal ([\d.]+)%", report)
    assert equal is not None
    assert float(equal[1]) >= 98.7, report
    assert "failed 0.00%" in report
