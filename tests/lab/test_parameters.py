"""The parameters of a system by path."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis import FieldSpec
from porism.errors import PorismError, UnknownName
from porism.lab.parameters import ParameterValue, parameters, with_parameters

RECIPE = FieldSpec("text", k1=1.2)


@dataclass(frozen=True, slots=True)
class Builder:
    keywords: frozenset[str] = field(repr=False, default=frozenset())
    recipe: FieldSpec = RECIPE
    alpha: float = 0.25
    counts_repeats: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    builder: Builder = Builder()
    depth: int = 1000


@dataclass(frozen=True, slots=True)
class Whole:
    index: object = field(repr=False, default=None)
    parts: tuple[Part, ...] = (Part(), Part(Builder(alpha=0.5), depth=10))
    weights: tuple[float, ...] = (0.7, 0.3)
    name: str = "whole"


PATHS = {
    "parts.0.builder.alpha": 0.25,
    "parts.0.builder.counts_repeats": True,
    "parts.0.depth": 1000,
    "parts.1.builder.alpha": 0.5,
    "parts.1.builder.counts_repeats": True,
    "parts.1.depth": 10,
    "weights.0": 0.7,
    "weights.1": 0.3,
}


def test_paths_go_through_dataclasses_and_tuples_but_not_index_settings() -> None:
    assert parameters(Whole()) == PATHS
    assert list(parameters(Whole())) == list(PATHS)


def test_only_named_parameters_change() -> None:
    index = object()
    changed = with_parameters(
        Whole(index), {"parts.1.builder.alpha": 0.9, "weights.0": 1, "parts.0.depth": 5}
    )
    assert parameters(changed) == PATHS | {
        "parts.1.builder.alpha": 0.9,
        "weights.0": 1.0,
        "parts.0.depth": 5,
    }
    assert isinstance(changed.weights[0], float)
    assert changed.index is index
    assert Whole(index) == Whole(index, Whole().parts, (0.7, 0.3))


KINDS = {
    bool: st.booleans(),
    int: st.integers(0, 10**6),
    float: st.floats(0, 10**6),
}


@given(st.fixed_dictionaries({path: KINDS[type(own)] for path, own in PATHS.items()}))
def test_changed_values_read_back(values: dict[str, ParameterValue]) -> None:
    changed = with_parameters(Whole(), values)
    assert parameters(changed) == values
    assert repr(with_parameters(changed, PATHS)) == repr(Whole())


def test_an_unambiguous_end_of_a_path_is_accepted() -> None:
    assert with_parameters(Part(), {"alpha": 0.5}).builder.alpha == 0.5
    assert with_parameters(Whole(), {"1.depth": 7}).parts[1].depth == 7
    with pytest.raises(
        UnknownName, match=r"ambiguous: name one of parts\.0\.builder\.alpha, parts\.1\.builder\.al"
    ):
        with_parameters(Whole(), {"alpha": 0.5})


def test_a_full_path_takes_precedence_over_longer_ones() -> None:
    @dataclass(frozen=True)
    class Two:
        inner: Part = Part()
        depth: int = 3

    assert with_parameters(Two(), {"depth": 4}) == Two(depth=4)


def test_unknown_names_are_refused_with_similar_ones() -> None:
    with pytest.raises(UnknownName, match=r"no parameter 'alhpa'; did you mean builder\.alpha\?"):
        with_parameters(Part(), {"alhpa": 0.5})
    with pytest.raises(
        UnknownName, match=r"there are builder\.alpha, builder\.counts_repeats, depth"
    ):
        with_parameters(Part(), {"zzz": 0.5})
    with pytest.raises(UnknownName, match="this system has none"):
        with_parameters("no system", {"alpha": 0.5})


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("alpha", True, "a number"),
        ("alpha", -0.1, "a number, not negative"),
        ("alpha", float("nan"), "a number"),
        ("alpha", float("inf"), "a number"),
        ("depth", 1.5, "a whole number"),
        ("counts_repeats", 1, "true or false"),
    ],
)
def test_values_of_another_type_are_refused(
    name: str, value: ParameterValue, expected: str
) -> None:
    with pytest.raises(PorismError, match=f"{name} is .* cannot be .*: expected {expected}"):
        with_parameters(Part(), {name: value})


def test_two_names_of_one_parameter_are_refused() -> None:
    with pytest.raises(PorismError, match=r"the same parameter: alpha, builder\.alpha"):
        with_parameters(Part(), {"alpha": 0.1, "builder.alpha": 0.2})
