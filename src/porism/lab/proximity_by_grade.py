"""Whether the terms of a question are closer to each other in better answers (S4, Table 4).

Every proximity measure is averaged over the judged answers of each grade, and the averages of pairs
of grades are compared. Smaller values are closer, so a measure that separates grades has only
negative differences.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import isfinite
from statistics import fmean

from porism.inverted import keys
from porism.inverted.keys import Keys
from porism.model import DocId, Qrels, Topic, TopicId
from porism.rank.proximity import ProximityMeasure, proximity, term_positions
from porism.rank.query_builder import QueryBuilder

GRADES = {3: "HR", 2: "R", 1: "PR", 0: "NR"}
"""Highly relevant, relevant, partially relevant, not relevant; others are not judgments."""

PAIRS = ((3, 2), (2, 1), (1, 0), (2, 0), (3, 0))
"""The pairs of grades that are compared, the columns of the paper."""

ProximityVariant = tuple[ProximityMeasure, bool]
"""A measure, and whether it is divided by the length of the document."""

PROXIMITY_VARIANTS: tuple[ProximityVariant, ...] = tuple(product(ProximityMeasure, (False, True)))

PAPER: Mapping[ProximityVariant, tuple[int, int, int, int, int]] = {
    (ProximityMeasure.SPAN, False): (7, 8, 3, 10, 18),
    (ProximityMeasure.SPAN, True): (0, 1, 5, 5, 5),
    (ProximityMeasure.NORMALISED_SPAN, False): (-5, -6, -62, -67, -72),
    (ProximityMeasure.NORMALISED_SPAN, True): (-20, -13, -64, -76, -92),
    (ProximityMeasure.MIN_SPAN, False): (9, 7, 6, 13, 21),
    (ProximityMeasure.MIN_SPAN, True): (-1, 2, 8, 11, 10),
    (ProximityMeasure.NORMALISED_MIN_SPAN, False): (2, 1, -39, -38, -36),
    (ProximityMeasure.NORMALISED_MIN_SPAN, True): (-11, -3, -40, -43, -53),
    (ProximityMeasure.MIN_DISTANCE, False): (1, -2, -89, -90, -89),
    (ProximityMeasure.MIN_DISTANCE, True): (-10, -9, -104, -111, -117),
    (ProximityMeasure.AVERAGE_DISTANCE, False): (4, 3, -16, -14, -10),
    (ProximityMeasure.AVERAGE_DISTANCE, True): (-7, -2, -15, -17, -24),
    (ProximityMeasure.MAX_DISTANCE, False): (9, 7, 6, 13, 21),
    (ProximityMeasure.MAX_DISTANCE, True): (-1, 2, 9, 11, 10),
}
"""The results of S4 on ARQMath-1: the differences of ``PAIRS`` in percent."""


class AverageOver(StrEnum):
    """How the mean of a grade is computed; S4 says only that it is over documents."""

    DOCUMENTS = "documents"
    """Over all documents of the grade."""
    TOPICS = "topics"
    """Over the means of topics, so that all topics have the same weight."""


@dataclass(frozen=True, slots=True)
class GradeMeans:
    """The means of one measure by grade, over the documents with finite values.

    ``infinite`` counts the other documents by grade, in which too few terms match.
    """

    kind: ProximityVariant
    means: Mapping[int, float]
    infinite: Mapping[int, int]

    def difference(self, first: int, second: int) -> float | None:
        """The difference of two means relative to their average; None if either is missing.

        >>> GradeMeans(PROXIMITY_VARIANTS[0], {3: 3.0, 2: 5.0}, {}).difference(3, 2)
        -0.5
        """
        if first not in self.means or second not in self.means:
            return None
        middle = 0.5 * (self.means[first] + self.means[second])
        return (self.means[first] - self.means[second]) / middle


@dataclass(frozen=True, slots=True)
class ProximityByGrade:
    """The means of all measures, and the numbers of topics and documents.

    ``documents`` counts the judged documents read, by grade; ``absent`` those that the collection
    lacks, ``ungraded`` those with a grade that is not in ``GRADES``.
    """

    measures: Sequence[GradeMeans]
    topics: int
    documents: Mapping[int, int]
    absent: int
    ungraded: int


def proximity_by_grade(
    topics: Iterable[Topic],
    qrels: Qrels,
    query_builder: QueryBuilder,
    text: Callable[[DocId], Keys | None],
    average: AverageOver = AverageOver.DOCUMENTS,
) -> ProximityByGrade:
    """The mean proximity of each grade by every measure, over the judged topics.

    ``text`` returns the tokens of a document in reading order, or None if it is missing. A document
    judged for two topics counts twice, since the query terms differ.
    """
    values: dict[ProximityVariant, dict[int, dict[TopicId, list[float]]]]
    values = {kind: defaultdict(lambda: defaultdict(list)) for kind in PROXIMITY_VARIANTS}
    infinite: dict[ProximityVariant, Counter[int]] = {
        kind: Counter() for kind in PROXIMITY_VARIANTS
    }
    read: Counter[int] = Counter()
    absent = ungraded = judged_topics = 0
    for topic in topics:
        judged = qrels.grades.get(topic.id, {})
        judged_topics += bool(judged)
        terms = keys(term.token for clause in query_builder(topic) for term in clause.terms)
        for doc_id, grade in judged.items():
            if grade not in GRADES:
                ungraded += 1
                continue
            tokens = text(doc_id)
            if tokens is None:
                absent += 1
                continue
            read[grade] += 1
            positions = term_positions(tokens, terms)
            for kind in PROXIMITY_VARIANTS:
                value = proximity(kind[0], positions, by_length=kind[1])
                if isfinite(value):
                    values[kind][grade][topic.id].append(value)
                else:
                    infinite[kind][grade] += 1
    measures = tuple(
        GradeMeans(
            kind,
            {grade: _mean(values[kind][grade], average) for grade in GRADES if values[kind][grade]},
            infinite[kind],
        )
        for kind in PROXIMITY_VARIANTS
    )
    return ProximityByGrade(measures, judged_topics, read, absent, ungraded)


def _mean(by_topic: Mapping[TopicId, list[float]], average: AverageOver) -> float:
    if average is AverageOver.TOPICS:
        return fmean(fmean(values) for values in by_topic.values())
    return fmean(value for values in by_topic.values() for value in values)
