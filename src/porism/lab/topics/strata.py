"""Samples balanced over several factors at once, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Generic, TypeVar

Item = TypeVar("Item")
Levels = tuple[str, ...]
"""The level of an item for each factor, such as a tag and a band of reading ease."""


class Allocation(StrEnum):
    """The share of each level in a sample: equal, or proportional to its number of items."""

    EVEN = "even"
    PROPORTIONAL = "proportional"


@dataclass(frozen=True, slots=True)
class Strata(Generic[Item]):
    """Items by level, and how a sample is allocated to levels."""

    items: Mapping[Levels, Sequence[Item]]
    allocation: Allocation = Allocation.EVEN

    def draw(self, seed: int) -> Iterator[tuple[Item, Callable[[], None]]]:
        """Every item once, in an order whose every prefix is as balanced as possible.

        Each item comes with a function to call if it is taken: only taken items count. The next
        item is from the levels that are most under-represented, summed over all factors (for a
        single factor this is Sainte-Laguë's method); ties and items within levels are random.
        """
        random = Random(seed)
        left = {
            levels: random.sample(list(items), len(items)) for levels, items in self.items.items()
        }
        order = random.sample(list(left), len(left))
        shares = self._shares()
        taken: list[Counter[str]] = [Counter() for _ in shares]

        def representation(levels: Levels) -> float:
            return sum(
                (counts[level] + 0.5) / share[level]
                for counts, share, level in zip(taken, shares, levels, strict=True)
            )

        while order:
            levels = min(order, key=representation)
            item = left[levels].pop()

            def take(levels: Levels = levels) -> None:
                for counts, level in zip(taken, levels, strict=True):
                    counts[level] += 1

            yield item, take
            if not left[levels]:
                order.remove(levels)

    def _shares(self) -> list[dict[str, float]]:
        factors = len(next(iter(self.items), ()))
        sizes: list[Counter[str]] = [Counter() for _ in range(factors)]
        for levels, items in self.items.items():
            for counts, level in zip(sizes, levels, strict=True):
                counts[level] += len(items)
        if self.allocation is Allocation.EVEN:
            return [dict.fromkeys(counts, 1 / len(counts)) for counts in sizes]
        return [
            {level: number / counts.total() for level, number in counts.items()} for counts in sizes
        ]


def bands(values: Sequence[float | None]) -> list[str]:
    """The third of each value: low, medium or high; equal values share a third.

    Unknown values are a level of their own and do not affect the others.

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
    """The most common of each item's tags, which is its field; empty without tags.

    >>> broad_tags([("limits", "calculus"), ("calculus",), ("groups",), ()])
    ['calculus', 'calculus', 'groups', '']
    """
    counts = Counter(tag for each in tags for tag in each)
    return [min(each, key=lambda tag: (-counts[tag], tag), default="") for each in tags]
