"""What every system can do, and how it is made for an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from porism.index import Filter
from porism.model import Ranking, Topic
from porism.searchindex.index_folder import IndexPlan, SearchIndex


class Ranker(Protocol):
    """A system with all its parameters; printed, it describes itself in full."""

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        """The best ``k`` for a topic, fewer if fewer match, of all or those of ``where``."""
        ...


EMPTY_PLAN = IndexPlan()


@dataclass(frozen=True, slots=True)
class Maker:
    """How a system is made for one task, and what it needs of an index."""

    make: Callable[[SearchIndex], Ranker]
    needs: IndexPlan = EMPTY_PLAN
