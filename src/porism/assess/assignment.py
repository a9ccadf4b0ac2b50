"""Who judges what: topics by the wishes of assessors, evenly, and topics that others have judged.

A wish is a number from 3, most of all, to 0, not at all. Who said nothing of any topic takes them
all alike, at 1; who said something of some takes no others gladly, so these count as 0.
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
"""What the wish of somebody counts who said none for a topic: as much as "if need be"."""


@dataclass(frozen=True, slots=True)
class AssessorRoster:
    """Who shall judge, what they wish, and how many candidates each has already."""

    assessors: Sequence[str]
    wishes: Iterable[TopicWish] = ()
    loads: Mapping[str, int] | None = None


def assignments_by_wish(
    sizes: Mapping[TopicId, int], staff: AssessorRoster, seed: int = 0
) -> dict[TopicId, str]:
    """Give each topic, by its number of candidates, to one assessor; topics stand as they came.

    Nobody gets a topic that they do not want, unless nobody wants it. Nobody has more candidates
    than somebody else by more than the largest topic has, unless that one wants nothing of theirs.
    Within these bounds the strongest wish decides, and chance by the seed where wishes are equal.
    """
    giving = _Allotment(sizes, staff, seed)
    # What few want is given first, while there is room with them; then what is large.
    order = sorted(
        sizes,
        key=lambda topic_id: (
            len(giving.takers[topic_id]),
            -sizes[topic_id],
            seeded_key(seed, "topic", topic_id),
        ),
    )
    for topic_id in order:
        giving.give(topic_id)
    giving.even_out()
    return {topic_id: giving.given[topic_id] for topic_id in sizes}


class _Allotment:
    """Topics as they are given, and what each assessor has by then."""

    def __init__(self, sizes: Mapping[TopicId, int], staff: AssessorRoster, seed: int) -> None:
        names = tuple(dict.fromkeys(staff.assessors))
        if not names:
            raise PorismError("there is nobody to give topics to: add assessors first")
        self._sizes = sizes
        self._seed = seed
        self._largest = max(sizes.values(), default=0)
        self._wishes = _strengths(staff, names, sizes)
        self._loads = {name: (staff.loads or {}).get(name, 0) for name in names}
        self.given: dict[TopicId, str] = {}
        self.takers = {
            topic_id: tuple(name for name in names if self._wishes[name, topic_id] > 0) or names
            for topic_id in sizes
        }

    def give(self, topic_id: TopicId) -> None:
        takers = self.takers[topic_id]
        most = min(self._loads[name] for name in takers) + self._largest - self._sizes[topic_id]
        chosen = min(
            (name for name in takers if self._loads[name] <= most),
            key=lambda name: (
                -self._wishes[name, topic_id],
                self._loads[name],
                seeded_key(self._seed, "assessor", topic_id, name),
            ),
        )
        self.given[topic_id] = chosen
        self._loads[chosen] += self._sizes[topic_id]

    def even_out(self) -> None:
        """Hand topics on, from who has too much to who would take them, until there are none."""
        # Each move brings two loads closer together, so this ends.
        while (move := self._needed_move()) is not None:
            topic_id, taker = move
            self._loads[self.given[topic_id]] -= self._sizes[topic_id]
            self._loads[taker] += self._sizes[topic_id]
            self.given[topic_id] = taker

    def _needed_move(self) -> tuple[TopicId, str] | None:
        moves = [
            (topic_id, taker)
            for topic_id, giver in self.given.items()
            for taker in self.takers[topic_id]
            if self._loads[giver] - self._loads[taker] > self._largest and self._sizes[topic_id]
        ]
        if not moves:
            return None

        def worth(move: tuple[TopicId, str]) -> tuple[int, int, bytes]:
            topic_id, taker = move
            gained = self._wishes[taker, topic_id] - self._wishes[self.given[topic_id], topic_id]
            return gained, -self._loads[taker], seeded_key(self._seed, "move", topic_id, taker)

        return max(moves, key=worth)


def _strengths(
    staff: AssessorRoster, names: Sequence[str], topic_ids: Iterable[TopicId]
) -> dict[tuple[str, TopicId], int]:
    said: dict[str, dict[TopicId, int]] = {}
    for wish in staff.wishes:
        said.setdefault(wish.assessor, {})[wish.topic_id] = wish.wish
    return {
        (name, topic_id): said.get(name, {}).get(topic_id, INDIFFERENT)
        for topic_id in topic_ids
        for name in names
    }


def second_assignments(
    judged_by: Mapping[TopicId, Collection[str]],
    assessors: Sequence[str],
    each: int,
    seed: int = 0,
) -> tuple[tuple[TopicId, str], ...]:
    """Give each assessor so many topics that others have judged, as S1 4.4 does for agreement.

    An assessor's topics are of different others, and each topic is given to as few as may be, as
    far as there are enough. Who has judged everything gets nothing. The seed decides who reads
    after whom.
    """
    if each < 1:
        raise PorismError(f"found {each} topics for each to judge again: expected at least 1")
    times: Counter[TopicId] = Counter(
        {topic_id: len(names) - 1 for topic_id, names in judged_by.items()}
    )
    met: Counter[tuple[str, str]] = Counter()
    given: list[tuple[TopicId, str]] = []
    names = sorted(dict.fromkeys(assessors), key=lambda name: seeded_key(seed, "second", name))
    places = {name: place for place, name in enumerate(names)}

    def distance(name: str, topic_id: TopicId) -> int:
        """How far after somebody those stand who judged a topic: so all read after one another."""
        others = (places.get(other, 0) for other in judged_by[topic_id])
        return min((other - places[name] - 1) % len(names) for other in others)

    for _ in range(each):
        for name in names:
            worths = {
                topic_id: (
                    max(met[name, other] for other in have),
                    times[topic_id],
                    distance(name, topic_id),
                    seeded_key(seed, "second", topic_id, name),
                )
                for topic_id, have in judged_by.items()
                if have and name not in have and (topic_id, name) not in given
            }
            if worths:
                chosen = min(worths, key=worths.__getitem__)
                times[chosen] += 1
                met.update((name, other) for other in judged_by[chosen])
                given.append((chosen, name))
    return tuple(given)
