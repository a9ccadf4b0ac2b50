"""Parameter values on the command line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.cli.options.parameter_values import named_values
from porism.errors import PorismError
from porism.lab.parameters import ParameterValue


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a=1", [1]),
        ("a=0.5, 2", [0.5, 2]),
        ("a=0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("a=0.1:0.7:0.2", [0.1, 0.3, 0.5, 0.7]),
        ("a=0:1:0.3", [0, 0.3, 0.6, 0.9]),
        ("a=2:2:1", [2]),
        ("a=1e3,.5", [1000, 0.5]),
        ("a=True,false", [True, False]),
    ],
)
def test_lists_and_ranges(text: str, values: list[ParameterValue]) -> None:
    assert named_values(text) == ("a", values)
    assert list(map(type, named_values(text)[1])) == list(map(type, values))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "expected PARAMETER=V1"),
        ("a=", "expected PARAMETER=V1"),
        ("=1", "expected PARAMETER=V1"),
        ("a=1,", "found '' in 'a=1,'"),
        ("a=much", "found 'much'"),
        ("a=nan", "found 'nan'"),
        ("a=inf", "found 'inf'"),
        ("a=0:1", "found '0:1'"),
        ("a=0:inf:1", "found '0:inf:1'"),
        ("a=0:1:0", "a step above 0"),
        ("a=1:0:1", "LOW up to HIGH"),
        ("a=0:1:1e-9", "at most 1,000 values"),
    ],
)
def test_other_values_are_refused(text: str, message: str) -> None:
    with pytest.raises(PorismError, match=message):
        named_values(text)


@given(st.text(max_size=20))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        name, values = named_values(text)
    except PorismError:
        return
    assert name
    assert values
