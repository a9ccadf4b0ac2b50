"""What every system can do, and the one way in which systems are cut short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from porism.index import Filter
from porism.model import Ranking, Topic


class Ranker(Protocol):
    """A system with all its parameters; printed, it describes itself in full."""

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        """The best ``k`` for a topic, fewer if fewer match, of all or those of ``where``."""
        ...


@dataclass(frozen=True, slots=True)
class Cut:
    """No more than the first ``depth`` of a ranker, whatever is asked of it."""

    ranker: Ranker
    depth: int

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        return self.ranker.rank(topic, min(k, self.depth), where)
