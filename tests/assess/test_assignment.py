"""Topics are assigned once each, by wishes, and evenly if wishes allow."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.assess.assignment import AssessorRoster, assignments_by_wish, second_assignments
from porism.assess.records import TopicWish
from porism.errors import PorismError
from porism.model import TopicId

A1, A2, A3, A4 = (TopicId(f"A.{number}") for number in range(1, 5))
NAMES = ("Ann", "Ben", "Cleo", "Dan")

sizes_of_topics = st.dictionaries(
    st.integers(1, 40).map(lambda number: TopicId(f"A.{number}")), st.integers(0, 60), max_size=12
)
some_names = st.lists(st.sampled_from(NAMES), min_size=1, unique=True)


def wishes(**of_names: dict[TopicId, int]) -> list[TopicWish]:
    return [
        TopicWish("main", topic_id, name, number)
        for name, wished in of_names.items()
        for topic_id, number in wished.items()
    ]


def loads_of(assigned: dict[TopicId, str], sizes: dict[TopicId, int]) -> Counter[str]:
    loads: Counter[str] = Counter()
    for topic_id, name in assigned.items():
        loads[name] += sizes[topic_id]
    return loads


def test_the_strongest_wish_wins_a_topic() -> None:
    wished = wishes(Ann={A1: 1, A2: 3}, Ben={A1: 3, A2: 1})
    assert assignments_by_wish({A1: 10, A2: 10}, AssessorRoster(("Ann", "Ben"), wished)) == {
        A1: "Ben",
        A2: "Ann",
    }


def test_loads_stay_even_if_one_assessor_wants_everything() -> None:
    eager = wishes(Ann={A1: 3, A2: 3, A3: 3, A4: 3})
    sizes = dict.fromkeys((A1, A2, A3, A4), 5)
    assigned = assignments_by_wish(sizes, AssessorRoster(("Ann", "Ben"), eager))
    assert sorted(Counter(assigned.values()).values()) in ([1, 3], [2, 2])


def test_unwanted_topics_are_assigned() -> None:
    wished = wishes(Ann={A1: 0, A2: 2}, Ben={A1: 0, A2: 2})
    assigned = assignments_by_wish({A1: 5, A2: 5}, AssessorRoster(("Ann", "Ben"), wished))
    assert set(assigned.values()) == {"Ann", "Ben"}


def test_unwanted_topics_go_to_assessors_without_wishes() -> None:
    wished = wishes(Ann={A1: 3})
    sizes = {A1: 5, A2: 5, A3: 5}
    assert assignments_by_wish(sizes, AssessorRoster(("Ann", "Ben"), wished)) == {
        A1: "Ann",
        A2: "Ben",
        A3: "Ben",
    }


def test_assessors_with_a_load_get_less() -> None:
    staff = AssessorRoster(("Ann", "Ben"), loads={"Ann": 100})
    assert set(assignments_by_wish({A1: 10, A2: 10, A3: 10}, staff).values()) == {"Ben"}


def test_no_assessors_is_an_error() -> None:
    with pytest.raises(PorismError, match="add assessors"):
        assignments_by_wish({A1: 10}, AssessorRoster(()))


def test_the_seed_decides_assignments() -> None:
    sizes = {TopicId(f"A.{number}"): 10 for number in range(12)}
    assigned = [assignments_by_wish(sizes, AssessorRoster(NAMES), seed) for seed in (1, 1, 2)]
    assert assigned[0] == assigned[1] != assigned[2]


@given(sizes_of_topics, some_names, st.integers(0, 5), st.data())
def test_every_topic_is_assigned_once_and_evenly_if_wishes_allow(
    sizes: dict[TopicId, int], names: list[str], seed: int, data: st.DataObject
) -> None:
    strengths = {
        name: {
            topic_id: data.draw(st.integers(0, 3), label=f"{name}, {topic_id}")
            for topic_id in sizes
        }
        for name in names
    }
    assigned = assignments_by_wish(sizes, AssessorRoster(names, wishes(**strengths)), seed)
    assert list(assigned) == list(sizes)
    assert set(assigned.values()) <= set(names)
    loads = loads_of(assigned, sizes)
    for topic_id, holder in assigned.items():
        wanted_by = [name for name in names if strengths[name][topic_id]]
        assert not wanted_by or holder in wanted_by
        for other in wanted_by or names:
            # An empty topic does not change loads.
            assert not sizes[topic_id] or loads[holder] - loads[other] <= max(sizes.values())


@given(sizes_of_topics.filter(bool), some_names, st.integers(0, 5), st.data())
def test_loads_differ_by_at_most_one_topic_if_all_take_all(
    sizes: dict[TopicId, int], names: list[str], seed: int, data: st.DataObject
) -> None:
    strengths = {
        name: {topic_id: data.draw(st.integers(1, 3)) for topic_id in sizes} for name in names
    }
    loads = loads_of(
        assignments_by_wish(sizes, AssessorRoster(names, wishes(**strengths)), seed), sizes
    )
    all_loads = [loads[name] for name in names]
    assert max(all_loads) - min(all_loads) <= max(sizes.values())


@given(sizes_of_topics, st.permutations(NAMES))
def test_the_order_of_names_and_topics_does_not_matter(
    sizes: dict[TopicId, int], names: list[str]
) -> None:
    turned = dict(reversed(list(sizes.items())))
    assert assignments_by_wish(turned, AssessorRoster(names)) == assignments_by_wish(
        sizes, AssessorRoster(NAMES)
    )


@pytest.mark.parametrize("seed", range(5))
def test_second_assignments_are_from_two_different_others(seed: int) -> None:
    judged = {
        TopicId(f"A.{number}"): (NAMES[number % 4],) for number in range(8)
    }  # two of each, as in the lab's first year
    assigned = second_assignments(judged, NAMES, 2, seed)
    assert Counter(name for _, name in assigned) == dict.fromkeys(NAMES, 2)
    for name in NAMES:
        first_readers = [judged[topic_id][0] for topic_id, other in assigned if other == name]
        assert name not in first_readers
        assert len(set(first_readers)) == 2
    assert max(Counter(topic_id for topic_id, _ in assigned).values()) == 1


def test_nobody_gets_their_own_topic_again() -> None:
    assert second_assignments({A1: ("Ann",)}, ("Ann",), 2) == ()
    assert second_assignments({A1: ("Ann",)}, ("Ann", "Ben"), 2) == ((A1, "Ben"),)


def test_topics_judged_once_come_before_topics_judged_twice() -> None:
    judged = {A1: ("Ann", "Ben"), A2: ("Ann",)}
    assert second_assignments(judged, ("Cleo",), 1) == ((A2, "Cleo"),)


def test_zero_second_assignments_are_refused() -> None:
    with pytest.raises(PorismError, match="at least 1"):
        second_assignments({A1: ("Ann",)}, NAMES, 0)
