"""What assessors read: the names of the choices, and what they mean for answers and formulas.

Pages, tables and tasks for Turkle all take them from here, so that all assessors read the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from porism.assess.records import Choice, Instructions, Judgment, VisualMatchRule
from porism.model import Task

CHOICE_NAMES = {
    Choice.HIGH: "High",
    Choice.MEDIUM: "Medium",
    Choice.LOW: "Low",
    Choice.NOT_RELEVANT: "Not relevant",
    Choice.SYSTEM_FAILURE: "System failure",
    Choice.DO_NOT_KNOW: "Do not know",
}

_OF_ANSWERS = {
    Choice.HIGH: "By itself it answers the whole question.",
    Choice.MEDIUM: (
        "It leads some way to a solution: it makes the question clearer, or gives steps towards "
        "an answer."
    ),
    Choice.LOW: (
        "It does not lead there, but what it says may help to find or understand an answer, or to "
        "understand the question."
    ),
    Choice.NOT_RELEVANT: (
        "It says nothing about the question or its answers. This is also so if it only repeats "
        "the question."
    ),
}

_OF_FORMULAS = {
    Choice.HIGH: "Finding it is as good as finding the very formula that was searched for.",
    Choice.MEDIUM: "Finding it is useful, though less than finding the formula itself.",
    Choice.LOW: "There may be something useful where it stands, but that is not certain.",
    Choice.NOT_RELEVANT: "Nothing useful is to be expected of it.",
}

_NO_GRADES = {
    Choice.SYSTEM_FAILURE: (
        "It cannot be judged as it is shown: it is missing, formulas cannot be read, or a thread "
        "that is needed does not open. Say in a comment what is wrong."
    ),
    Choice.DO_NOT_KNOW: (
        "You cannot decide, even after reading all there is. Say in a comment what you would need "
        "to know."
    ),
}


def choice_definitions(task: int) -> Mapping[Choice, str]:
    """When to take each choice, in the order in which choices are shown.

    The grades are those of S1, table 4, and S3, table 2, in our words. Short answers are judged as
    answers are.
    """
    return (_OF_FORMULAS if task == Task.FORMULAS else _OF_ANSWERS) | _NO_GRADES


VISUAL_MATCH_RULES = {
    VisualMatchRule.ALWAYS_HIGH: (
        "A formula that looks the same as the one searched for is always High, wherever it stands."
    ),
    VisualMatchRule.BY_CONTEXT: (
        "A formula that looks the same as the one searched for may be less than High, or not "
        "relevant at all, where its context shows that it means something else."
    ),
}
"""The rule for formulas that look alike, as assessors are told it."""


def instruction_notes(
    task: int, given: Sequence[Instructions], judgments: Iterable[Judgment]
) -> tuple[str, ...]:
    """What assessors were told or asked when they judged, for who reads their judgments.

    Where that was not always the same it is told how many judgments were made by what. Where
    nothing is judged it is what they are told now.
    """
    by_number = Counter(each.instructions for each in judgments if not each.is_adjudication)
    counts: dict[str, int] = {}
    for each in given:
        if by_number[each.number] or (not by_number and each == given[-1]):
            told = _told(task, each)
            counts[told] = counts.get(told, 0) + by_number[each.number]
    if len(counts) == 1:
        return tuple(counts)
    return tuple(f"{told} (judgments: {count:,})" for told, count in counts.items())


def _told(task: int, each: Instructions) -> str:
    if task == Task.FORMULAS:
        return f"formulas that look the same: {each.same_look}"
    asked = "yes" if each.asks_annotations else "no"
    return f"asked whether a machine made answers, and whether they stray: {asked}"
