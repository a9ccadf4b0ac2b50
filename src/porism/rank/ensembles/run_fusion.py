"""Runs fused topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from porism.errors import PorismError
from porism.model import Ranking, Run

FuseRankings = Callable[[Sequence[Ranking]], Ranking]
"""Makes one ranking of those of one topic."""


def fused_run(runs: Sequence[Run], name: str, fuse: FuseRankings, depth: int = 1000) -> Run:
    """Return one run of several: the best ``depth`` documents of each topic that any of them has.

    The first ``depth`` documents of each ranking count. Runs without any common topic are refused:
    they are of different tasks or years.
    """
    topics = dict.fromkeys(topic for run in runs for topic in run.rankings)
    if not set.intersection(*(set(run.rankings) for run in runs)):
        raise PorismError(
            f"{', '.join(run.name for run in runs)} have no topic in common: expected runs for the "
            "same topics"
        )
    return Run(
        name,
        {
            topic: fuse([run.rankings.get(topic, ())[:depth] for run in runs])[:depth]
            for topic in topics
        },
    )
