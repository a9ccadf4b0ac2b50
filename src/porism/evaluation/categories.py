"""Scores by category of topic, as in S4 Table 7."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from porism.errors import PorismError
from porism.evaluation.records import Evaluation
from porism.formats.qrels import TopicInformation
from porism.model import TopicId


class Category(StrEnum):
    """The properties that assessors assigned to topics."""

    DEPENDENCY = "dependency"
    TYPE = "type"
    DIFFICULTY = "difficulty"
    MULTI_PART = "multi-part"


_ORDER = {
    Category.DEPENDENCY: ("Text", "Formula", "Both"),
    Category.TYPE: ("Computation", "Concept", "Proof"),
    Category.DIFFICULTY: ("Low", "Medium", "High"),
    Category.MULTI_PART: ("Yes", "No"),
}
"""The groups of 2022, in the order of S4 Table 7; any others in a file come last."""

Groups = Mapping[str, tuple[TopicId, ...]]


class GroupScores(NamedTuple):
    """The means of one run over the topics of one group; None if no topic has a value."""

    run: str
    category: str
    group: str
    topics: int
    means: Mapping[str, float | None]


def groups(
    information: Iterable[TopicInformation], category: Category, topics: Sequence[TopicId]
) -> dict[str, tuple[TopicId, ...]]:
    """The topics of each group, in the order of the papers; a topic of two types is in both.

    Topics of Task 2 are those of Task 1 with another letter, so ``B.5`` has the groups of ``A.5``.
    Topics without information are in no group; if no topic has any, that is an error.
    """
    values = {_number(each.topic_id): _value(each, category) for each in information}
    by_group: dict[str, list[TopicId]] = {group: [] for group in _ORDER[category]}
    for topic in topics:
        for group in values.get(_number(topic), "").split("&"):
            if group.strip():
                by_group.setdefault(group.strip(), []).append(topic)
    if not any(by_group.values()):
        raise PorismError(
            f"the topic information has no {category} for any of the judged topics: "
            "are they of the same year?"
        )
    return {group: tuple(members) for group, members in by_group.items() if members}


def breakdown(evaluation: Evaluation, category: Category, by: Groups) -> list[GroupScores]:
    """The means of every run over the topics of each group."""
    return [
        GroupScores(
            run.run,
            category.value,
            group,
            len(topics),
            # A run of Task 3 has no value for topics that it did not answer.
            {measure: run.mean_of_known(measure, topics) for measure in evaluation.measures},
        )
        for run in evaluation.runs
        for group, topics in by.items()
    ]


def _number(topic: TopicId) -> str:
    return topic.partition(".")[2] or topic


def _value(each: TopicInformation, category: Category) -> str:
    return {
        Category.DEPENDENCY: each.dependency,
        Category.TYPE: each.category,
        Category.DIFFICULTY: each.difficulty,
        Category.MULTI_PART: each.multi_part,
    }[category]
