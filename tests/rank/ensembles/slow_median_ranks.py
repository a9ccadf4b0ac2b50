"""Median ranks as the definition has them, one document at a time."""

from collections.abc import Sequence


def slow_median_order(runs: Sequence[Sequence[str]], depth: int) -> list[tuple[str, float]]:
    """Return documents with their scores, best first; a run is a list of ids, best first."""
    documents = sorted({doc_id for run in runs for doc_id in run[:depth]})
    rows = []
    for number, doc_id in enumerate(documents):
        of_each = [run[:depth].index(doc_id) if doc_id in run[:depth] else None for run in runs]
        known = [place for place in of_each if place is not None]
        places = sorted(depth if place is None else place for place in of_each)
        middle = len(places) // 2
        median = places[middle] if len(places) % 2 else (places[middle - 1] + places[middle]) / 2
        score = (depth - median) / depth
        rows.append((-score, -len(known), known[number % len(known)], doc_id, score))
    # Of documents that are equal in everything the larger id comes first, as in any ranking.
    rows.sort(key=lambda row: row[3], reverse=True)
    rows.sort(key=lambda row: row[:3])
    return [(row[3], row[4]) for row in rows]
