"""The overlap of rankings, and what each run adds to the pool of all.

``comparison`` tells which run is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from porism.evaluation.measures import RELEVANT
from porism.evaluation.scoring import judged_grades
from porism.model import DocId, Qrels, Run, TopicId

DEPTH = 10
PERSISTENCE = 0.9
"""The probability that a reader of a ranking continues from one hit to the next."""


@dataclass(frozen=True, slots=True)
class RunOverlap:
    """The overlap of the first hits of two runs.

    All values are means over the topics that at least one of the two has, from 0 to 1. ``shared``
    is the number of common documents divided by the length of the longer ranking, ``jaccard`` by
    the number of documents in either, and ``rank_biased`` gives early ranks more weight.
    """

    first: str
    second: str
    shared: float
    jaccard: float
    rank_biased: float


def overlap(
    runs: Sequence[Run], depth: int = DEPTH, topics: Iterable[TopicId] | None = None
) -> tuple[RunOverlap, ...]:
    """Every pair of runs, by the first ``depth`` hits of each topic, or of the given topics."""
    if topics is None:
        topics = {topic: None for run in runs for topic in run.rankings}
    topic_ids = list(topics)
    return tuple(
        _pair_overlap(first, second, depth, topic_ids) for first, second in combinations(runs, 2)
    )


def _pair_overlap(first: Run, second: Run, depth: int, topics: Iterable[TopicId]) -> RunOverlap:
    shared, jaccard, rank_biased = [], [], []
    for topic in topics:
        ours, theirs = _top(first, topic, depth), _top(second, topic, depth)
        if not ours and not theirs:
            continue
        common = len(set(ours) & set(theirs))
        shared.append(common / max(len(ours), len(theirs)))
        jaccard.append(common / (len(ours) + len(theirs) - common))
        rank_biased.append(rank_biased_overlap(ours, theirs))
    return RunOverlap(
        first.name, second.name, *(fmean(each or [0.0]) for each in (shared, jaccard, rank_biased))
    )


def _top(run: Run, topic: TopicId, depth: int) -> list[DocId]:
    return [hit.doc_id for hit in run.rankings.get(topic, ())[:depth]]


def rank_biased_overlap(
    first: Sequence[DocId], second: Sequence[DocId], persistence: float = PERSISTENCE
) -> float:
    """The expected agreement of two rankings for a reader who may stop at any rank.

    Agreement at a depth is the share of common documents up to it, weighted by the probability that
    a reader stops there. Below the end of a ranking, agreement is extrapolated: RBO_ext of Webber,
    Moffat and Zobel (2010), equation 32, which allows for rankings of different lengths.

    >>> round(rank_biased_overlap(["a", "b", "c"], ["a", "c", "b"]), 3)  # 1, 1/2, then always 1
    0.955
    """
    short, long = sorted((first, second), key=len)
    if not short:
        return 0.0
    seen: Counter[DocId] = Counter()
    common = common_of_short = 0
    agreement = total = 0.0
    weight = 1 - persistence
    for depth in range(1, len(long) + 1):
        for document in (*short[depth - 1 : depth], long[depth - 1]):
            seen[document] += 1
            common += seen[document] == 2
        if depth <= len(short):
            common_of_short = common
        # The missing hits of the short ranking are assumed to agree as often as its actual hits.
        extrapolated = common_of_short * max(0, depth - len(short)) / len(short)
        agreement = (common + extrapolated) / depth
        total += weight * agreement
        weight *= persistence
    return total + agreement * persistence ** len(long)


@dataclass(frozen=True, slots=True)
class UniqueContribution:
    """The number of documents that a run adds to a pool, and of those that no other run adds.

    ``unique_relevant`` counts the latter that are judged relevant; None without qrels.
    """

    run: str
    documents: int
    unique: int
    unique_relevant: int | None


@dataclass(frozen=True, slots=True)
class RunPool:
    """The documents among the first ``depth`` hits of any run, and how many are judged.

    ``sizes`` has their number by topic. ``judged`` and ``relevant`` are totals over all topics;
    both are None without qrels.
    """

    depth: int
    sizes: dict[TopicId, int]
    contributions: tuple[UniqueContribution, ...]
    judged: int | None = None
    relevant: int | None = None

    @property
    def documents(self) -> int:
        """The number of documents; one in two topics counts twice."""
        return sum(self.sizes.values())

    @property
    def mean_size(self) -> float:
        """The mean number of documents per topic."""
        return fmean(self.sizes.values()) if self.sizes else 0.0

    @property
    def judged_share(self) -> float | None:
        return _share(self.judged, self.documents)

    @property
    def relevant_share(self) -> float | None:
        """The share of relevant documents among the judged ones."""
        return None if self.judged is None else _share(self.relevant, self.judged)


def _share(part: int | None, whole: int) -> float | None:
    return None if part is None else part / whole if whole else 0.0


def common_pool(runs: Sequence[Run], depth: int = DEPTH, qrels: Qrels | None = None) -> RunPool:
    """The pool of all runs at a depth, and what each run adds to it.

    With qrels, it covers their topics and counts judged and relevant documents (grade 2 or more;
    the lab's codes are not judgments). Without, it covers all topics of the runs.
    """
    grades = judged_grades(qrels) if qrels else {t: {} for run in runs for t in run.rankings}
    documents, unique, unique_relevant = Counter[int](), Counter[int](), Counter[int]()
    sizes: dict[TopicId, int] = {}
    judged = relevant = 0
    for topic, topic_grades in grades.items():
        contributors: dict[DocId, list[int]] = {}
        for place, run in enumerate(runs):
            for document in _top(run, topic, depth):
                contributors.setdefault(document, []).append(place)
        topic_judged = contributors.keys() & topic_grades
        topic_relevant = {each for each in topic_judged if topic_grades[each] >= RELEVANT}
        sizes[topic] = len(contributors)
        judged += len(topic_judged)
        relevant += len(topic_relevant)
        for document, places in contributors.items():
            documents.update(places)
            if len(places) == 1:
                unique[places[0]] += 1
                unique_relevant[places[0]] += document in topic_relevant
    contributions = tuple(
        UniqueContribution(
            run.name, documents[place], unique[place], unique_relevant[place] if qrels else None
        )
        for place, run in enumerate(runs)
    )
    if qrels is None:
        return RunPool(depth, sizes, contributions)
    return RunPool(depth, sizes, contributions, judged, relevant)
