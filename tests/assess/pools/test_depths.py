"""Depths: parsed, and as chosen by the lab."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.pools.depths import PoolDepths, parse_depths, pooling_preset
from porism.assess.pools.instances import InstancePolicy
from porism.assess.records import RunKind
from porism.errors import PorismError


@given(st.builds(PoolDepths, *[st.none() | st.integers(0, 1_000_000)] * 4).filter(str))
def test_printed_depths_parse_back(depths: PoolDepths) -> None:
    assert parse_depths(str(depths)) == depths


@pytest.mark.parametrize(
    "text", ["", "primary", "primary=", "primary=-1", "primary=5,primary=6", "main=5", "primary=²"]
)
def test_invalid_depths_are_refused(text: str) -> None:
    with pytest.raises(PorismError, match="among the depths"):
        parse_depths(text)


def test_specified_depths_override_the_preset() -> None:
    typed = parse_depths("alternate=5")
    assert typed.with_defaults(pooling_preset("2020", 1).depths) == PoolDepths(50, 5, 50, 50)


@pytest.mark.parametrize(
    ("year", "task", "kind", "is_manual", "depth"),
    [
        ("2020", 1, RunKind.PRIMARY, False, 50),
        ("2020", 1, RunKind.ALTERNATE, False, 20),
        ("2020", 1, RunKind.ALTERNATE, True, 50),
        ("2020", 1, RunKind.BASELINE, False, 50),
        ("2020", 2, RunKind.PRIMARY, False, 25),
        ("2020", 2, RunKind.BASELINE, False, 25),
        ("2020", 2, RunKind.ALTERNATE, False, 10),
        ("2022", 1, RunKind.PRIMARY, False, 45),
        ("2022", 1, RunKind.ALTERNATE, True, 20),
        ("2022", 1, RunKind.BASELINE, False, 20),
        ("2022", 2, RunKind.BASELINE, False, 25),
        ("2022", 2, RunKind.ALTERNATE, False, 15),
        ("2022", 3, RunKind.PRIMARY, False, 45),
    ],
)
def test_presets_have_the_depths_of_the_labs(
    year: str, task: int, kind: RunKind, is_manual: bool, depth: int
) -> None:
    assert pooling_preset(year, task).depths.for_run(kind, is_manual) == depth


def test_presets_have_the_instance_policies_of_the_labs() -> None:
    assert [
        (pooling_preset(year, 2).instances, pooling_preset(year, 2).policy)
        for year in ("2020", "2021")
    ] == [
        (5, InstancePolicy.RUNS),
        (5, InstancePolicy.RECIPROCAL_RANKS),
    ]
