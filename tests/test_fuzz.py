"""The properties of ``make fuzz``, with few values, and those that it once found to break one."""

import pytest
from hypothesis import HealthCheck, given, settings

from fuzz import formulas, html_texts, notebooks, notes, runs, topics
from fuzz.properties import Property

EXAMPLES = 60

PROPERTIES = [
    pytest.param(each, id=f"{module.__name__.removeprefix('fuzz.')}-{each.name}")
    for module in (formulas, html_texts, notebooks, notes, runs, topics)
    for each in module.PROPERTIES
]


@pytest.mark.parametrize("one", PROPERTIES)
def test_property_holds(one: Property) -> None:
    few = settings(
        max_examples=EXAMPLES,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    few(given(one.strategy)(one.check))()
