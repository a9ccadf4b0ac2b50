"""Balanced samples."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from porism.lab.topics.strata import Allocation, Levels, Strata, bands, broad_tags


def drawn(strata: Strata[str], number: int, seed: int = 0) -> list[str]:
    taken: list[str] = []
    for item, take in strata.draw(seed):
        if len(taken) == number:
            break
        take()
        taken.append(item)
    return taken


def letters(sizes: dict[str, int]) -> dict[Levels, list[str]]:
    return {(name,): [f"{name}{place}" for place in range(size)] for name, size in sizes.items()}


def test_even_allocation_gives_equal_shares() -> None:
    taken = drawn(Strata(letters({"a": 50, "b": 50, "c": 2})), 12)
    assert Counter(name[0] for name in taken) == {"a": 5, "b": 5, "c": 2}


def test_proportional_allocation_is_sainte_lague() -> None:
    # 53, 24 and 23 of 100, seven seats: quotients 53 17.7 10.6 7.6; 24 8; 23 7.67.
    strata = Strata(letters({"a": 53, "b": 24, "c": 23}), Allocation.PROPORTIONAL)
    assert Counter(name[0] for name in drawn(strata, 6)) == {"a": 3, "b": 2, "c": 1}
    assert Counter(name[0] for name in drawn(strata, 7)) == {"a": 3, "b": 2, "c": 2}


def test_two_factors_are_balanced_at_once() -> None:
    # Two thirds are of algebra and two thirds hard, and yet each gets about half.
    items: dict[Levels, list[str]] = {
        ("algebra", "easy"): [f"ae{place}" for place in range(40)],
        ("algebra", "hard"): [f"ah{place}" for place in range(40)],
        ("analysis", "hard"): [f"nh{place}" for place in range(40)],
        ("analysis", "easy"): ["ne0"],
    }
    taken = drawn(Strata(items), 20)
    assert abs(sum(name[0] == "a" for name in taken) - 10) <= 1
    assert abs(sum(name[1] == "e" for name in taken) - 10) <= 1


def test_skipped_items_do_not_count() -> None:
    order = []
    for item, take in Strata(letters({"a": 4, "b": 4})).draw(seed=3):
        if item[0] == "a":
            take()
        order.append(item[0])
    # While no b is taken, b is behind as soon as there is one a.
    assert "".join(order).lstrip("b").startswith("a")
    assert "".join(order).endswith("aaa")


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xy")),
        st.lists(st.integers().map(str), min_size=1, max_size=5),
    ),
    st.sampled_from(Allocation),
    st.integers(0, 5),
)
def test_every_item_comes_once_in_the_order_of_the_seed(
    items: dict[Levels, list[str]], allocation: Allocation, seed: int
) -> None:
    strata = Strata(items, allocation)
    everything = [item for group in items.values() for item in group]
    taken = drawn(strata, len(everything), seed)
    assert sorted(taken) == sorted(everything)
    assert drawn(strata, len(everything), seed) == taken


@given(st.lists(st.integers(0, 9)))
def test_bands_are_monotone(values: list[float]) -> None:
    levels = bands(values)
    order = ["low", "medium", "high"]
    pairs = sorted(zip(values, levels, strict=True))
    assert [order.index(band) for _, band in pairs] == sorted(order.index(b) for _, b in pairs)
    assert len({(value, band) for value, band in pairs}) == len(set(values))


def test_a_field_is_the_most_common_tag() -> None:
    assert broad_tags([("b", "a"), ("c",)]) == ["a", "c"]


def test_unknown_values_are_a_level_of_their_own() -> None:
    assert bands([None, 1.0, None]) == ["unknown", "low", "unknown"]
    # Were it 0, it would be in the middle of these.
    known = [-9.0, -5.0, -2.0, 3.0, 5.0, 9.0]
    assert bands([*known, None]) == [*bands(known), "unknown"]
    assert bands([None]) == ["unknown"]
    assert bands([]) == []
