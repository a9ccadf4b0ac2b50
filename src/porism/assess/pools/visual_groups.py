"""Candidates that are shown together: the instances of a formula, or a document alone."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.records import Candidate
from porism.model import TopicId

VisualGroupKey = tuple[TopicId, str]
"""A look of a topic, by what its instances share (see ``Candidate.shown_with``)."""


def visual_groups(candidates: Iterable[Candidate]) -> dict[VisualGroupKey, list[Candidate]]:
    """The candidates of each look of each topic, in the order of the first of each.

    >>> same = [Candidate("B.1", name, visual_id=look) for name, look in
    ...         (("a", "1"), ("b", "2"), ("c", "1"))]
    >>> [[each.doc_id for each in alike] for alike in visual_groups(same).values()]
    [['a', 'c'], ['b']]
    """
    together: dict[VisualGroupKey, list[Candidate]] = {}
    for each in candidates:
        together.setdefault((each.topic_id, each.group_key), []).append(each)
    return together
