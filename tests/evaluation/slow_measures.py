"""The measures, implemented slowly from their definitions as a reference for tests.

Rankings are sorted as trec_eval documents it: by descending score as a 32-bit float, ties by
descending document id.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

Scores = Mapping[str, float]
Grades = Mapping[str, int]


def order(scores: Scores) -> list[str]:
    """The documents of a topic, best first."""
    left = list(scores)
    ordered = []
    while left:
        best = left[0]
        for document in left[1:]:
            if _key(document, scores) > _key(best, scores):
                best = document
        ordered.append(best)
        left.remove(best)
    return ordered


def _key(document: str, scores: Scores) -> tuple[float, bytes]:
    (rounded,) = struct.unpack("f", struct.pack("f", scores[document]))
    return rounded, document.encode()


def judged_only(scores: Scores, grades: Grades) -> dict[str, float]:
    return {document: score for document, score in scores.items() if document in grades}


def ndcg(scores: Scores, grades: Grades, cut: int = 1000) -> float:
    gained = 0.0
    for place, document in enumerate(order(scores)[:cut]):
        gained += grades.get(document, 0) / math.log2(place + 2)
    best = 0.0
    for place, grade in enumerate(sorted(grades.values(), reverse=True)[:cut]):
        best += grade / math.log2(place + 2)
    return gained / best if best else 0.0


def average_precision(scores: Scores, grades: Grades, cut: int = 1000) -> float:
    relevant = [document for document, grade in grades.items() if grade >= 2]
    hits = 0
    total = 0.0
    for place, document in enumerate(order(scores)[:cut]):
        if document in relevant:
            hits += 1
            total += hits / (place + 1)
    return total / len(relevant) if relevant else 0.0


def precision(scores: Scores, grades: Grades, cut: int = 10) -> float:
    return sum(grades.get(document, 0) >= 2 for document in order(scores)[:cut]) / cut


def bpref(scores: Scores, grades: Grades) -> float:
    relevant = sum(grade >= 2 for grade in grades.values())
    other = len(grades) - relevant
    if not relevant:
        return 0.0
    total = 0.0
    above = 0
    for document in order(judged_only(scores, grades)):
        if grades[document] < 2:
            above += 1
        elif above:
            total += 1 - min(above, relevant) / min(relevant, other)
        else:
            total += 1
    return total / relevant


def values(scores: Scores, grades: Grades) -> dict[str, float]:
    """Every measure of a topic, by its printed name."""
    primed = judged_only(scores, grades)
    return {
        "nDCG'": ndcg(primed, grades),
        "MAP'": average_precision(primed, grades),
        "P'@10": precision(primed, grades),
        "bpref": bpref(scores, grades),
        "nDCG": ndcg(scores, grades),
        "MAP": average_precision(scores, grades),
        "P@10": precision(scores, grades),
        "nDCG'@3": ndcg(primed, grades, 3),
        "P'@3": precision(primed, grades, 3),
    }
