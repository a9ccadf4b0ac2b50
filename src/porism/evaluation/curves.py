"""Recall-precision and gain curves over judged hits only, like the primed measures.

As with all scores, means are over the topics of the qrels, a topic that a run lacks counts 0, and
the lab's codes are not judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from porism.evaluation.measures import RELEVANT
from porism.evaluation.scoring import judged_grades
from porism.model import DocId, Qrels, Ranking, Run

RECALL_LEVELS = tuple(tenth / 10 for tenth in range(11))
"""The levels of recall at which precision is interpolated."""

DEPTH = 1000
"""The last rank of the lab's runs."""

_Grades = Mapping[DocId, int]
_Values = npt.NDArray[np.float64]


def recall_precision_curve(run: Run, qrels: Qrels) -> tuple[float, ...]:
    """The interpolated precision at each of ``RECALL_LEVELS``, as a mean over topics.

    This is the highest precision at any rank with at least that recall, and 0 if there is none.
    """
    return _mean(
        (
            _interpolated(_judged(run.rankings.get(topic, ()), grades), grades)
            for topic, grades in judged_grades(qrels).items()
        ),
        len(RECALL_LEVELS),
    )


def gain_curve(run: Run, qrels: Qrels, depth: int = DEPTH) -> tuple[float, ...]:
    """nDCG'@k for each k from 1 to ``depth``, as a mean over topics.

    The ideal ranking is cut at the same k. At the lab's depth, the last value is the lab's nDCG'.
    """
    return _mean(
        (
            _normalised_gain(_judged(run.rankings.get(topic, ()), grades), grades, depth)
            for topic, grades in judged_grades(qrels).items()
        ),
        depth,
    )


def _mean(curves: Iterable[_Values], length: int) -> tuple[float, ...]:
    total, count = np.zeros(length), 0
    for curve in curves:
        total += curve
        count += 1
    return tuple((total / max(count, 1)).tolist())


def _judged(ranking: Ranking, grades: _Grades) -> npt.NDArray[np.int64]:
    """The grades of the judged hits, best hit first."""
    judged = [grades[hit.doc_id] for hit in ranking if hit.doc_id in grades]
    return np.array(judged, dtype=np.int64)


def _interpolated(judged: npt.NDArray[np.int64], grades: _Grades) -> _Values:
    total = sum(grade >= RELEVANT for grade in grades.values())
    ranks = np.flatnonzero(judged >= RELEVANT) + 1
    if not len(ranks):
        return np.zeros(len(RECALL_LEVELS))
    precisions = np.arange(1, len(ranks) + 1) / ranks
    highest = np.maximum.accumulate(precisions[::-1])[::-1]  # at this rank or below
    # The number of hits needed, in integers: 0.7 * 10 is more than 7 in floating point.
    needed = [max(-(-tenth * total // 10), 1) for tenth in range(11)]
    return np.array([highest[count - 1] if count <= len(ranks) else 0.0 for count in needed])


def _normalised_gain(judged: npt.NDArray[np.int64], grades: _Grades, depth: int) -> _Values:
    ideal = np.sort(np.fromiter(grades.values(), dtype=np.int64, count=len(grades)))[::-1]
    highest = _cumulated_gain(ideal, depth)
    gain = _cumulated_gain(judged, depth)
    return np.divide(gain, highest, out=np.zeros(depth), where=highest > 0)


def _cumulated_gain(grades: npt.NDArray[np.int64], depth: int) -> _Values:
    gains = np.zeros(depth)
    first = np.maximum(grades[:depth], 0)
    gains[: len(first)] = first / np.log2(np.arange(2, len(first) + 2))
    return np.cumsum(gains)
