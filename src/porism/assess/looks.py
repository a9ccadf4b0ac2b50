"""Candidates that are shown together: the instances of a formula, or a document alone."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.records import Candidate
from porism.model import TopicId

LookKey = tuple[TopicId, str]
"""A look of a topic, by what its instances share (see ``Candidate.shown_with``)."""


def shown_together(candidates: Iterable[Candidate]) -> dict[LookKey, list[Candidate]]:
    """The candidates of each look of each topic, in the order of the first of each.

    >>> same = [Candidate("B.1", name, visual_id=look) for name, look in
    ...         (("a", "1"), ("b", "2"), ("c", "1"))]
    >>> [[each.doc_id for each in alike] for alike in shown_together(same).values()]
    [['a', 'c'], ['b']]
    """
    together: dict[LookKey, list[Candidate]] = {}
    for each in candidates:
        together.setdefault((each.topic_id, each.shown_with), []).append(each)
    return together
