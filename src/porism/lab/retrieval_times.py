"""Retrieval times of systems, as in S1 Table 3 and S4 section 5."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean, pstdev

from porism.errors import FormatError
from porism.model import TopicId


@dataclass(frozen=True, slots=True)
class RetrievalTimes:
    """The seconds that one system took: fastest and slowest topic, mean and deviation.

    ``deviation`` is that of the population of topics, not of a sample; None if not published.
    """

    system: str
    source: str
    minimum: float
    minimum_topic: str
    maximum: float
    maximum_topic: str
    mean: float
    deviation: float | None = None


PAPER = (
    RetrievalTimes("TF-IDF (Terrier)", "S1", 0.316, "A.42", 1.278, "A.1", 0.733, 0.168),
    RetrievalTimes("Tangent-S", "S1", 0.152, "A.72", 160.436, "A.60", 6.002, 18.496),
    RetrievalTimes("TF-IDF + Tangent-S", "S1", 0.795, "A.72", 161.166, "A.60", 6.740, 18.483),
    RetrievalTimes("Approach0", "S1", 0.007, "A.3", 91.719, "A.5", 17.743, 18.789),
    RetrievalTimes("primary", "S4", 0.34, "A.264", 6.39, "A.221", 1.90),
    RetrievalTimes("holisticSearch", "S4", 2.37, "A.264", 24.5, "A.221", 7.77),
    RetrievalTimes("duplicateTerms", "S4", 0.30, "A.264", 6.04, "A.272", 1.92),
    RetrievalTimes("formulaBase", "S4", 0.22, "B.244", 3.79, "B.270", 1.16),
    RetrievalTimes("docBase", "S4", 16.5, "B.209", 122.0, "B.221", 56.5),
)
"""S1 Table 3 (Task 1 of 2020, a server with 528 GB) and S4 section 5 (2021, a machine with 24 GB).

The runs of S4 for Task 2 used rankings of Task 1, which took another 1.94 s per topic.
"""


def summarised(system: str, source: str, milliseconds: Mapping[TopicId, float]) -> RetrievalTimes:
    """A summary of the times of one or more topics, in seconds.

    >>> times = summarised("l8", "here", {"A.1": 20.0, "A.2": 40.0})
    >>> times.minimum_topic, times.maximum, times.mean, times.deviation
    ('A.1', 0.04, 0.03, 0.01)
    """
    seconds = {topic: value / 1000 for topic, value in milliseconds.items()}
    fastest = min(seconds, key=seconds.__getitem__)
    slowest = max(seconds, key=seconds.__getitem__)
    return RetrievalTimes(
        system,
        source,
        seconds[fastest],
        fastest,
        seconds[slowest],
        slowest,
        fmean(seconds.values()),
        pstdev(seconds.values()),
    )


def read_times(path: Path) -> RetrievalTimes:
    """The times of a run, from its sidecar file ``RUN.json``; the path may be of either."""
    sidecar = path if path.suffix == ".json" else path.with_name(f"{path.name}.json")
    try:
        record = json.loads(sidecar.read_text("utf-8"))
        name, by_topic = str(record["run"]), dict(record["milliseconds"]["topics"])
        times = {TopicId(str(topic)): float(value) for topic, value in by_topic.items()}
    except (ValueError, KeyError, TypeError):
        raise FormatError(str(sidecar), 1, f"found no times: {_EXPECTED}") from None
    if not times or not all(isfinite(value) and value >= 0 for value in times.values()):
        raise FormatError(str(sidecar), 1, f"found no times, or impossible ones: {_EXPECTED}")
    return summarised(name, sidecar.name, times)


_EXPECTED = "expected RUN.json as porism run writes it, with the milliseconds of each topic"
