"""The results of an evaluation as plain records, for tables, reports and comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from porism.model import TopicId

ByTopic = Mapping[TopicId, float]


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of a run: for each measure, by its printed name, a value for each topic.

    Tasks 1 and 2 have every topic of the qrels, 0 for those that the run lacks. Task 3 has the
    topics that the run answered.
    """

    run: str
    by_topic: Mapping[str, ByTopic]
    answered: frozenset[TopicId] = frozenset()

    def mean(self, measure: str, topics: Iterable[TopicId] | None = None) -> float:
        """The mean over the topics with a value, or over the given ones, missing values as 0.

        >>> scores = RunScores("a", {"AR": {"A.1": 3.0, "A.2": 1.0}})
        >>> scores.mean("AR"), scores.mean("AR", ["A.1", "A.2", "A.3", "A.4"])
        (2.0, 1.0)
        """
        values = self.by_topic[measure]
        if topics is None:
            return fmean(values.values()) if values else 0.0
        return fmean([values.get(topic, 0.0) for topic in topics] or [0.0])

    def mean_of_known(self, measure: str, topics: Iterable[TopicId] | None = None) -> float | None:
        """The mean over those of the topics (default: all) that have a value; None if none has."""
        values = self.by_topic.get(measure, {})
        known = [
            values[topic] for topic in (values if topics is None else topics) if topic in values
        ]
        return fmean(known) if known else None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Runs scored on the same qrels by the same measures.

    ``topics`` are those of the qrels. ``ceilings`` has the highest possible mean on the qrels, for
    the measures that have one. ``notes`` tell the user what was omitted, mapped or assumed.
    """

    task: int
    measures: tuple[str, ...]
    topics: tuple[TopicId, ...]
    runs: tuple[RunScores, ...]
    ceilings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
