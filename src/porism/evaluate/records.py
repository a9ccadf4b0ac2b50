"""What an evaluation says: plain records, of which tables, reports and comparisons are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from porism.model import TopicId

ByTopic = Mapping[TopicId, float]


@dataclass(frozen=True, slots=True)
class RunScores:
    """What one run is worth: for each measure, by its printed name, a value for each topic.

    Tasks 1 and 2 have every topic of the qrels, those that the run lacks as 0. Task 3 has the
    topics that the run answered.
    """

    run: str
    by_topic: Mapping[str, ByTopic]
    answered: frozenset[TopicId] = frozenset()

    def mean(self, measure: str, topics: Iterable[TopicId] | None = None) -> float:
        """The mean over the topics that have a value, or over those given, 0 for what they lack.

        >>> scores = RunScores("a", {"AR": {"A.1": 3.0, "A.2": 1.0}})
        >>> scores.mean("AR"), scores.mean("AR", ["A.1", "A.2", "A.3", "A.4"])
        (2.0, 1.0)
        """
        values = self.by_topic[measure]
        if topics is None:
            return fmean(values.values()) if values else 0.0
        return fmean([values.get(topic, 0.0) for topic in topics] or [0.0])

    def mean_of_known(self, measure: str, topics: Iterable[TopicId] | None = None) -> float | None:
        """The mean over those of the topics, or of all, that have a value; None if none has."""
        values = self.by_topic.get(measure, {})
        known = [
            values[topic] for topic in (values if topics is None else topics) if topic in values
        ]
        return fmean(known) if known else None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Runs scored on the same qrels by the same measures.

    ``topics`` are those of the qrels. ``ceilings`` has the highest mean that any run could reach
    on these qrels, of the measures for which there is one. ``notes`` are for people: what was left
    out, mapped or taken differently.
    """

    task: int
    measures: tuple[str, ...]
    topics: tuple[TopicId, ...]
    runs: tuple[RunScores, ...]
    ceilings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
