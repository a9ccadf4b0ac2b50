"""Assignment of topics to assessors, evenly and by their wishes, and of second assessments.

A wish is a number from 3 (most of all) to 0 (not at all); a topic without a wish counts as 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from porism.assess.records import TopicWish
from porism.assess.seeded_keys import seeded_key
from porism.errors import PorismError
from porism.model import TopicId

INDIFFERENT = 1
"""The strength of a missing wish, the same as "if need be"."""


@dataclass(frozen=True, slots=True)
class AssessorRoster:
    """The available assessors, their wishes, and the number of candidates each already has."""

    assessors: Sequence[str]
    wishes: Iterable[TopicWish] = ()
    loads: Mapping[str, int] | None = None


def assignments_by_wish(
    sizes: Mapping[TopicId, int], roster: AssessorRoster, seed: int = 0
) -> dict[TopicId, str]:
    """Assign each topic, with its number of candidates, to one assessor; topics stay in order.

    Nobody gets an unwanted topic unless nobody wants it. Two loads differ by at most the size of
    the largest topic, unless the assessor with less wants none of the other's topics. Within these
    bounds the strongest wish decides, and the seed breaks ties.
    """
    allotment = _Allotment(sizes, roster, seed)
    # Topics that few want come first, while these have room; then large ones.
    order = sorted(
        sizes,
        key=lambda topic_id: (
            len(allotment.takers[topic_id]),
            -sizes[topic_id],
            seeded_key(seed, "topic", topic_id),
        ),
    )
    for topic_id in order:
        allotment.assign(topic_id)
    allotment.even_out()
    return {topic_id: allotment.assigned[topic_id] for topic_id in sizes}


class _Allotment:
    """The topics assigned so far, and the load of each assessor."""

    def __init__(self, sizes: Mapping[TopicId, int], roster: AssessorRoster, seed: int) -> None:
        names = tuple(dict.fromkeys(roster.assessors))
        if not names:
            raise PorismError("there are no assessors to assign topics to: add assessors first")
        self._sizes = sizes
        self._seed = seed
        self._largest = max(sizes.values(), default=0)
        self._wishes = _strengths(roster, names, sizes)
        self._loads = {name: (roster.loads or {}).get(name, 0) for name in names}
        self.assigned: dict[TopicId, str] = {}
        self.takers = {
            topic_id: tuple(name for name in names if self._wishes[name, topic_id] > 0) or names
            for topic_id in sizes
        }

    def assign(self, topic_id: TopicId) -> None:
        takers = self.takers[topic_id]
        limit = min(self._loads[name] for name in takers) + self._largest - self._sizes[topic_id]
        chosen = min(
            (name for name in takers if self._loads[name] <= limit),
            key=lambda name: (
                -self._wishes[name, topic_id],
                self._loads[name],
                seeded_key(self._seed, "assessor", topic_id, name),
            ),
        )
        self.assigned[topic_id] = chosen
        self._loads[chosen] += self._sizes[topic_id]

    def even_out(self) -> None:
        """Move topics from assessors with too much to others who would take them."""
        # Each move brings two loads closer together, so this ends.
        while (move := self._needed_move()) is not None:
            topic_id, taker = move
            self._loads[self.assigned[topic_id]] -= self._sizes[topic_id]
            self._loads[taker] += self._sizes[topic_id]
            self.assigned[topic_id] = taker

    def _needed_move(self) -> tuple[TopicId, str] | None:
        moves = [
            (topic_id, taker)
            for topic_id, giver in self.assigned.items()
            for taker in self.takers[topic_id]
            if self._loads[giver] - self._loads[taker] > self._largest and self._sizes[topic_id]
        ]
        if not moves:
            return None

        def worth(move: tuple[TopicId, str]) -> tuple[int, int, bytes]:
            topic_id, taker = move
            gained = self._wishes[taker, topic_id] - self._wishes[self.assigned[topic_id], topic_id]
            return gained, -self._loads[taker], seeded_key(self._seed, "move", topic_id, taker)

        return max(moves, key=worth)


def _strengths(
    roster: AssessorRoster, names: Sequence[str], topic_ids: Iterable[TopicId]
) -> dict[tuple[str, TopicId], int]:
    wishes: dict[str, dict[TopicId, int]] = {}
    for wish in roster.wishes:
        wishes.setdefault(wish.assessor, {})[wish.topic_id] = wish.wish
    return {
        (name, topic_id): wishes.get(name, {}).get(topic_id, INDIFFERENT)
        for topic_id in topic_ids
        for name in names
    }


def second_assignments(
    judged_by: Mapping[TopicId, Collection[str]],
    assessors: Sequence[str],
    count: int,
    seed: int = 0,
) -> tuple[tuple[TopicId, str], ...]:
    """Assign ``count`` topics that others have judged to each assessor, to measure agreement.

    As in S1 4.4. As far as possible, an assessor's topics are from different others, and each topic
    goes to as few as possible. An assessor who has judged everything gets nothing. The seed decides
    who follows whom.
    """
    if count < 1:
        raise PorismError(f"found {count} topics per assessor to judge again: expected at least 1")
    times: Counter[TopicId] = Counter(
        {topic_id: len(names) - 1 for topic_id, names in judged_by.items()}
    )
    paired: Counter[tuple[str, str]] = Counter()
    assigned: list[tuple[TopicId, str]] = []
    names = sorted(dict.fromkeys(assessors), key=lambda name: seeded_key(seed, "second", name))
    places = {name: place for place, name in enumerate(names)}

    def distance(name: str, topic_id: TopicId) -> int:
        """The distance in a circle of names to those who judged a topic, so that all follow all."""
        others = (places.get(other, 0) for other in judged_by[topic_id])
        return min((other - places[name] - 1) % len(names) for other in others)

    for _ in range(count):
        for name in names:
            worths = {
                topic_id: (
                    max(paired[name, other] for other in judges),
                    times[topic_id],
                    distance(name, topic_id),
                    seeded_key(seed, "second", topic_id, name),
                )
                for topic_id, judges in judged_by.items()
                if judges and name not in judges and (topic_id, name) not in assigned
            }
            if worths:
                chosen = min(worths, key=worths.__getitem__)
                times[chosen] += 1
                paired.update((name, other) for other in judged_by[chosen])
                assigned.append((chosen, name))
    return tuple(assigned)
