"""Candidates shown together: the instances of a formula, or a single document."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.records import Candidate
from porism.model import TopicId

VisualGroupKey = tuple[TopicId, str]
"""A topic and the group key of candidates (see ``Candidate.group_key``)."""


def visual_groups(candidates: Iterable[Candidate]) -> dict[VisualGroupKey, list[Candidate]]:
    """The candidates by topic and group key, in the order of the first of each.

    >>> candidates = [Candidate("B.1", name, visual_id=visual_id) for name, visual_id in
    ...               (("a", "1"), ("b", "2"), ("c", "1"))]
    >>> [[each.doc_id for each in group] for group in visual_groups(candidates).values()]
    [['a', 'c'], ['b']]
    """
    groups: dict[VisualGroupKey, list[Candidate]] = {}
    for each in candidates:
        groups.setdefault((each.topic_id, each.group_key), []).append(each)
    return groups
