"""Topics given to assessors: each once, as they wish, and evenly where wishes allow."""

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
        for name, said in of_names.items()
        for topic_id, number in said.items()
    ]


def loads_of(given_to: dict[TopicId, str], sizes: dict[TopicId, int]) -> Counter[str]:
    loads: Counter[str] = Counter()
    for topic_id, name in given_to.items():
        loads[name] += sizes[topic_id]
    return loads


def test_the_strongest_wish_gets_a_topic() -> None:
    said = wishes(Ann={A1: 1, A2: 3}, Ben={A1: 3, A2: 1})
    assert assignments_by_wish({A1: 10, A2: 10}, AssessorRoster(("Ann", "Ben"), said)) == {
        A1: "Ben",
        A2: "Ann",
    }


def test_a_wish_does_not_make_somebody_do_everything() -> None:
    eager = wishes(Ann={A1: 3, A2: 3, A3: 3, A4: 3})
    sizes = dict.fromkeys((A1, A2, A3, A4), 5)
    given_to = assignments_by_wish(sizes, AssessorRoster(("Ann", "Ben"), eager))
    assert sorted(Counter(given_to.values()).values()) in ([1, 3], [2, 2])


def test_what_nobody_wants_is_given_all_the_same() -> None:
    said = wishes(Ann={A1: 0, A2: 2}, Ben={A1: 0, A2: 2})
    given_to = assignments_by_wish({A1: 5, A2: 5}, AssessorRoster(("Ann", "Ben"), said))
    assert set(given_to.values()) == {"Ann", "Ben"}


def test_what_somebody_did_not_ask_for_goes_to_who_said_nothing() -> None:
    said = wishes(Ann={A1: 3})
    sizes = {A1: 5, A2: 5, A3: 5}
    assert assignments_by_wish(sizes, AssessorRoster(("Ann", "Ben"), said)) == {
        A1: "Ann",
        A2: "Ben",
        A3: "Ben",
    }


def test_who_has_much_already_gets_less() -> None:
    staff = AssessorRoster(("Ann", "Ben"), loads={"Ann": 100})
    assert set(assignments_by_wish({A1: 10, A2: 10, A3: 10}, staff).values()) == {"Ben"}


def test_nobody_to_give_topics_to_is_told() -> None:
    with pytest.raises(PorismError, match="add assessors"):
        assignments_by_wish({A1: 10}, AssessorRoster(()))


def test_another_seed_may_give_otherwise_and_the_same_does_not() -> None:
    sizes = {TopicId(f"A.{number}"): 10 for number in range(12)}
    found = [assignments_by_wish(sizes, AssessorRoster(NAMES), seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


@given(sizes_of_topics, some_names, st.integers(0, 5), st.data())
def test_every_topic_is_given_once_and_evenly_where_wishes_allow(
    sizes: dict[TopicId, int], names: list[str], seed: int, data: st.DataObject
) -> None:
    strengths = {
        name: {
            topic_id: data.draw(st.integers(0, 3), label=f"{name}, {topic_id}")
            for topic_id in sizes
        }
        for name in names
    }
    given_to = assignments_by_wish(sizes, AssessorRoster(names, wishes(**strengths)), seed)
    assert list(given_to) == list(sizes)
    assert set(given_to.values()) <= set(names)
    loads = loads_of(given_to, sizes)
    for topic_id, holder in given_to.items():
        wanted_by = [name for name in names if strengths[name][topic_id]]
        assert not wanted_by or holder in wanted_by
        for other in wanted_by or names:
            # An empty topic helps nobody.
            assert not sizes[topic_id] or loads[holder] - loads[other] <= max(sizes.values())


@given(sizes_of_topics.filter(bool), some_names, st.integers(0, 5), st.data())
def test_loads_differ_by_one_topic_at_most_if_all_would_take_all(
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
def test_the_order_of_names_and_topics_changes_nothing(
    sizes: dict[TopicId, int], names: list[str]
) -> None:
    turned = dict(reversed(list(sizes.items())))
    assert assignments_by_wish(turned, AssessorRoster(names)) == assignments_by_wish(
        sizes, AssessorRoster(NAMES)
    )


@pytest.mark.parametrize("seed", range(5))
def test_each_judges_two_topics_of_two_others_again(seed: int) -> None:
    judged = {
        TopicId(f"A.{number}"): (NAMES[number % 4],) for number in range(8)
    }  # two of each, as in the lab's first year
    given_to = second_assignments(judged, NAMES, 2, seed)
    assert Counter(name for _, name in given_to) == dict.fromkeys(NAMES, 2)
    for name in NAMES:
        first_readers = [judged[topic_id][0] for topic_id, other in given_to if other == name]
        assert name not in first_readers
        assert len(set(first_readers)) == 2
    assert max(Counter(topic_id for topic_id, _ in given_to).values()) == 1


def test_nobody_judges_their_own_topic_again() -> None:
    assert second_assignments({A1: ("Ann",)}, ("Ann",), 2) == ()
    assert second_assignments({A1: ("Ann",)}, ("Ann", "Ben"), 2) == ((A1, "Ben"),)


def test_topics_that_were_judged_twice_wait() -> None:
    judged = {A1: ("Ann", "Ben"), A2: ("Ann",)}
    assert second_assignments(judged, ("Cleo",), 1) == ((A2, "Cleo"),)


def test_no_second_readings_are_refused() -> None:
    with pytest.raises(PorismError, match="at least 1"):
        second_assignments({A1: ("Ann",)}, NAMES, 0)
