"""Runs: a system ranks topics one after another, and each is timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

from porism.model import Ranking, Topic, TopicId
from porism.rank.ranker import Ranker

Progress = Callable[[Iterable[Topic]], Iterable[Topic]]
"""Passes topics on one by one, and reports how far it is."""


@dataclass(frozen=True, slots=True)
class TopicRankings:
    """The ranking of each topic, and the milliseconds that it took."""

    rankings: dict[TopicId, Ranking]
    milliseconds: dict[TopicId, float]


def run_topics(
    ranker: Ranker,
    topics: Sequence[Topic],
    k: int,
    progress: Progress = lambda topics: topics,
    *,
    warm_up: bool = True,
) -> TopicRankings:
    """Rank all topics, with at most ``k`` results each.

    The first topic is ranked once before, so that no time includes the loading of compiled code;
    ``warm_up`` is false where times do not matter.
    """
    if warm_up and topics:
        ranker.rank(topics[0], 1)
    rankings: dict[TopicId, Ranking] = {}
    milliseconds: dict[TopicId, float] = {}
    for topic in progress(topics):
        start = perf_counter()
        rankings[topic.id] = ranker.rank(topic, k)
        milliseconds[topic.id] = round(1000 * (perf_counter() - start), 3)
    return TopicRankings(rankings, milliseconds)
