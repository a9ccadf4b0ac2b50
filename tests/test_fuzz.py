"""The properties of ``make fuzz`` with few values, the same in every run."""

import pytest

from fuzz import formulas, html_texts, notebooks, notes, runs, topics
from fuzz.properties import Property, check_examples

EXAMPLES = 50

PROPERTIES = [
    pytest.param(each, id=f"{module.__name__.removeprefix('fuzz.')}-{each.name}")
    for module in (formulas, html_texts, notebooks, notes, runs, topics)
    for each in module.PROPERTIES
    if not each.name.endswith("repeated")  # these are about cost, which tests do not measure
]


@pytest.mark.parametrize("one", PROPERTIES)
def test_property_holds(one: Property) -> None:
    check_examples(one, EXAMPLES)
