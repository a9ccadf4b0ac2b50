"""Scores by what kind of question a topic is, as S4 Table 7 breaks them down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from porism.errors import PorismError
from porism.evaluate.records import Evaluation
from porism.formats.qrels import TopicInformation
from porism.model import TopicId


class Category(StrEnum):
    """What the assessors said of a topic."""

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
"""The words of 2022, in the order of S4 Table 7; what else a file says comes behind."""

Groups = Mapping[str, tuple[TopicId, ...]]


class GroupScores(NamedTuple):
    """The means of one run over the topics of one group, None where none has a value."""

    run: str
    category: str
    group: str
    topics: int
    means: Mapping[str, float | None]


def groups(
    information: Iterable[TopicInformation], category: Category, topics: Sequence[TopicId]
) -> dict[str, tuple[TopicId, ...]]:
    """The topics of each group, in the order of the papers; a topic of two types is in both.

    Topics of Task 2 are those of Task 1 with another letter, so ``B.5`` is what ``A.5`` is.
    Topics of which nothing is said are in no group; if that is all of them, it is an error.
    """
    told = {_number(each.topic_id): _word(each, category) for each in information}
    found: dict[str, list[TopicId]] = {word: [] for word in _ORDER[category]}
    for topic in topics:
        for word in told.get(_number(topic), "").split("&"):
            if word.strip():
                found.setdefault(word.strip(), []).append(topic)
    if not any(found.values()):
        raise PorismError(
            f"the topic information does not tell the {category} of any of the judged topics: "
            "is it of the same year?"
        )
    return {word: tuple(of) for word, of in found.items() if of}


def breakdown(evaluation: Evaluation, category: Category, by: Groups) -> list[GroupScores]:
    """The means of every run over the topics of each group."""
    return [
        GroupScores(
            run.run,
            category.value,
            group,
            len(topics),
            # Task 3 has no value for topics that the run did not answer.
            {measure: run.mean_of_known(measure, topics) for measure in evaluation.measures},
        )
        for run in evaluation.runs
        for group, topics in by.items()
    ]


def _number(topic: TopicId) -> str:
    return topic.partition(".")[2] or topic


def _word(each: TopicInformation, category: Category) -> str:
    return {
        Category.DEPENDENCY: each.dependency,
        Category.TYPE: each.category,
        Category.DIFFICULTY: each.difficulty,
        Category.MULTI_PART: each.multi_part,
    }[category]
