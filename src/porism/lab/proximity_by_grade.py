"""Whether the terms of a question stand nearer to each other in better answers (S4, Table 4).

Every measure of proximity is averaged over the judged answers of each grade, and the averages of
two grades are compared. Smaller is nearer, so a measure that tells grades apart has negative
differences throughout.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import isfinite
from statistics import fmean

from porism.index import keys
from porism.index.keys import Keys
from porism.model import DocId, Qrels, Topic, TopicId
from porism.rank.proximity import ProximityMeasure, proximity, term_positions
from porism.rank.query_builder import QueryBuilder

GRADES = {3: "HR", 2: "R", 1: "PR", 0: "NR"}
"""Highly relevant, relevant, partially relevant, not relevant; other grades are no judgments."""

PAIRS = ((3, 2), (2, 1), (1, 0), (2, 0), (3, 0))
"""The grades that are compared, as the columns of the paper."""

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
"""What S4 found on ARQMath-1: the differences of ``PAIRS`` in percent."""


class AverageOver(StrEnum):
    """Over what the mean of a grade is taken; S4 says only that it is one over documents."""

    DOCUMENTS = "documents"
    """Over all documents of the grade, whatever their topics."""
    TOPICS = "topics"
    """Over the topics' own means, so that a topic with many documents counts as any other."""


@dataclass(frozen=True, slots=True)
class GradeMeans:
    """One measure: for each grade that has any document with a finite value, the mean of these.

    ``infinite`` is how many documents of each grade were left out, because too few terms match.
    """

    kind: ProximityVariant
    means: Mapping[int, float]
    infinite: Mapping[int, int]

    def difference(self, first: int, second: int) -> float | None:
        """How much larger one grade's mean is, relative to the middle of both; None without both.

        >>> GradeMeans(PROXIMITY_VARIANTS[0], {3: 3.0, 2: 5.0}, {}).difference(3, 2)
        -0.5
        """
        if first not in self.means or second not in self.means:
            return None
        middle = 0.5 * (self.means[first] + self.means[second])
        return (self.means[first] - self.means[second]) / middle


@dataclass(frozen=True, slots=True)
class ProximityByGrade:
    """All measures, and what they were taken of.

    ``documents`` are the judged documents of each grade that were read; ``absent`` those that the
    collection does not have, ``ungraded`` those whose grade is none of ``GRADES``.
    """

    measures: Sequence[GradeMeans]
    topics: int
    documents: Mapping[int, int]
    absent: int
    ungraded: int


def proximity_by_grade(
    topics: Iterable[Topic],
    qrels: Qrels,
    asking: QueryBuilder,
    text: Callable[[DocId], Keys | None],
    average: AverageOver = AverageOver.DOCUMENTS,
) -> ProximityByGrade:
    """The mean proximity of each grade by every measure, over the topics that have judgments.

    ``text`` gives the tokens of a document in the order of reading, None if it is not there; a
    document that is judged for two topics counts twice, since other terms are asked for.
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
        asked = keys(term.token for clause in asking(topic) for term in clause.terms)
        for doc_id, grade in judged.items():
            if grade not in GRADES:
                ungraded += 1
                continue
            tokens = text(doc_id)
            if tokens is None:
                absent += 1
                continue
            read[grade] += 1
            found = term_positions(tokens, asked)
            for kind in PROXIMITY_VARIANTS:
                value = proximity(kind[0], found, by_length=kind[1])
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
