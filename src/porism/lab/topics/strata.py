"""Samples that are balanced in several respects at once, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Generic, TypeVar

Item = TypeVar("Item")
Levels = tuple[str, ...]
"""Where an item stands in each respect, such as a tag and a band of reading ease."""


class Allocation(StrEnum):
    """How much of a sample each level gets: as much as every other, or by how many items it has."""

    EVEN = "even"
    PROPORTIONAL = "proportional"


@dataclass(frozen=True, slots=True)
class Strata(Generic[Item]):
    """Items by their levels, and how a sample is shared out among these."""

    items: Mapping[Levels, Sequence[Item]]
    allocation: Allocation = Allocation.EVEN

    def draw(self, seed: int) -> Iterator[tuple[Item, Callable[[], None]]]:
        """Every item once, in an order whose every beginning is as balanced as can be.

        With each comes what to call if it is taken: only what was taken counts. The next item is
        from where the sample falls behind most, summed over all respects (in one respect alone
        that is Sainte-Laguë's method); within that, and among equals, chance decides.
        """
        random = Random(seed)
        left = {
            levels: random.sample(list(found), len(found)) for levels, found in self.items.items()
        }
        order = random.sample(list(left), len(left))
        shares = self._shares()
        taken: list[Counter[str]] = [Counter() for _ in shares]

        def behind(levels: Levels) -> float:
            return sum(
                (counts[level] + 0.5) / share[level]
                for counts, share, level in zip(taken, shares, levels, strict=True)
            )

        while order:
            levels = min(order, key=behind)
            item = left[levels].pop()

            def take(levels: Levels = levels) -> None:
                for counts, level in zip(taken, levels, strict=True):
                    counts[level] += 1

            yield item, take
            if not left[levels]:
                order.remove(levels)

    def _shares(self) -> list[dict[str, float]]:
        respects = len(next(iter(self.items), ()))
        sizes: list[Counter[str]] = [Counter() for _ in range(respects)]
        for levels, found in self.items.items():
            for counts, level in zip(sizes, levels, strict=True):
                counts[level] += len(found)
        if self.allocation is Allocation.EVEN:
            return [dict.fromkeys(counts, 1 / len(counts)) for counts in sizes]
        return [
            {level: number / counts.total() for level, number in counts.items()} for counts in sizes
        ]


def bands(values: Sequence[float | None]) -> list[str]:
    """For each value whether it is in the low, medium or high third; equal values share a third.

    What is not known is a level of its own, and moves no other.

    >>> bands([5, 1, 9, None, 1, 7, 8])
    ['medium', 'low', 'high', 'unknown', 'low', 'medium', 'high']
    """
    ordered = sorted(value for value in values if value is not None)
    ends = [ordered[(len(ordered) * third - 1) // 3] for third in (1, 2)] if ordered else []
    return [
        "unknown" if value is None else _THIRDS[sum(value > end for end in ends)]
        for value in values
    ]


_THIRDS = ("low", "medium", "high")


def broad_tags(tags: Sequence[tuple[str, ...]]) -> list[str]:
    """The tag of each item that most items have, which is its field; empty without any tag.

    >>> broad_tags([("limits", "calculus"), ("calculus",), ("groups",), ()])
    ['calculus', 'calculus', 'groups', '']
    """
    counts = Counter(tag for each in tags for tag in each)
    return [min(each, key=lambda tag: (-counts[tag], tag), default="") for each in tags]
