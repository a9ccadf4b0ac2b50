"""Scores by category of topic."""

from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.evaluation.categories import Category, breakdown, groups
from porism.evaluation.records import Evaluation, RunScores
from porism.formats.qrels import TopicInformation, read_topic_information
from porism.model import TopicId

TOPICS = tuple(TopicId(f"A.{number}") for number in range(1, 5))
INFORMATION = [
    TopicInformation(TopicId("A.1"), "Proof", "Low", "Text", "Yes"),
    TopicInformation(TopicId("A.2"), "Proof & Concept", "High", "Both", "No"),
    TopicInformation(TopicId("A.3"), "Computation", "Low", "Formula", ""),
]


def test_groups_are_in_the_order_of_the_papers() -> None:
    assert groups(INFORMATION, Category.TYPE, TOPICS) == {
        "Computation": ("A.3",),
        "Concept": ("A.2",),
        "Proof": ("A.1", "A.2"),
    }
    assert list(groups(INFORMATION, Category.DIFFICULTY, TOPICS)) == ["Low", "High"]
    assert groups(INFORMATION, Category.MULTI_PART, TOPICS) == {"Yes": ("A.1",), "No": ("A.2",)}


def test_topics_of_task_2_are_those_of_task_1_with_another_letter() -> None:
    assert groups(INFORMATION, Category.DEPENDENCY, [TopicId("B.3"), TopicId("B.4")]) == {
        "Formula": ("B.3",)
    }


def test_information_of_another_year_is_refused() -> None:
    with pytest.raises(PorismError, match="same year"):
        groups(INFORMATION, Category.TYPE, [TopicId("A.301")])


def test_means_are_over_the_topics_of_a_group() -> None:
    values = dict(zip(TOPICS, (1.0, 0.5, 0.0, 0.7), strict=True))
    evaluation = Evaluation(1, ("MAP'",), TOPICS, (RunScores("r", {"MAP'": values}),))
    scores = breakdown(evaluation, Category.TYPE, groups(INFORMATION, Category.TYPE, TOPICS))
    assert [(each.group, each.topics, each.means["MAP'"]) for each in scores] == [
        ("Computation", 1, 0.0),
        ("Concept", 1, 0.5),
        ("Proof", 2, 0.75),
    ]


def test_task_3_means_are_over_answered_topics() -> None:
    evaluation = Evaluation(3, ("AR",), TOPICS, (RunScores("r", {"AR": {TOPICS[0]: 2.0}}),))
    scores = breakdown(evaluation, Category.TYPE, groups(INFORMATION, Category.TYPE, TOPICS))
    assert [each.means["AR"] for each in scores] == [None, None, 2.0]


def test_the_topics_of_2021_are_grouped_as_in_s4_table_7(shared: Path) -> None:
    information = list(
        read_topic_information(shared / "data/qrels/Task1_ARQMath2_Topic_Information.csv")
    )
    topics = [each.topic_id for each in information]
    counts = [
        {group: len(members) for group, members in groups(information, category, topics).items()}
        for category in (Category.DEPENDENCY, Category.TYPE, Category.DIFFICULTY)
    ]
    assert counts == [
        {"Text": 10, "Formula": 21, "Both": 40},
        {"Computation": 25, "Concept": 19, "Proof": 27},
        {"Low": 32, "Medium": 20, "High": 19},
    ]
