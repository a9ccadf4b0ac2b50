"""What assessors read: the names of the choices, and their definitions for answers and formulas.

Pages, tables and Turkle tasks all use these, so that all assessors read the same.
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
    Choice.HIGH: "Answers the whole question by itself.",
    Choice.MEDIUM: (
        "Gets part of the way to a solution: it makes the question clearer, or gives steps towards "
        "an answer."
    ),
    Choice.LOW: (
        "Does not get there, but may help to find or understand an answer, or to understand the "
        "question."
    ),
    Choice.NOT_RELEVANT: (
        "Says nothing about the question or its answers. This includes restating the question."
    ),
}

_OF_FORMULAS = {
    Choice.HIGH: "Finding it is as good as finding the query formula itself.",
    Choice.MEDIUM: "Finding it is useful, but less so than finding the query formula itself.",
    Choice.LOW: "Its context may contain something useful, but that is not certain.",
    Choice.NOT_RELEVANT: "Nothing useful is to be expected from it.",
}

_NO_GRADES = {
    Choice.SYSTEM_FAILURE: (
        "Cannot be judged as shown: it is missing, formulas cannot be read, or a thread that is "
        "needed does not open. Say in a comment what is wrong."
    ),
    Choice.DO_NOT_KNOW: (
        "You cannot decide, even after reading everything available. Say in a comment what you "
        "would need to know."
    ),
}


def choice_definitions(task: int) -> Mapping[Choice, str]:
    """When to choose each choice, in display order.

    The grades are those of S1, table 4, and S3, table 2, in our words. Short answers are judged
    like answers.
    """
    return (_OF_FORMULAS if task == Task.FORMULAS else _OF_ANSWERS) | _NO_GRADES


VISUAL_MATCH_RULES = {
    VisualMatchRule.ALWAYS_HIGH: (
        "A formula visually identical to the query formula is always High, whatever its context."
    ),
    VisualMatchRule.BY_CONTEXT: (
        "A formula visually identical to the query formula may be less than High, or not relevant "
        "at all, if its context shows that it means something else."
    ),
}
"""The rule for formulas visually identical to the query, as assessors read it."""


def instruction_notes(
    task: int, given: Sequence[Instructions], judgments: Iterable[Judgment]
) -> tuple[str, ...]:
    """The instructions under which the judgments were made, for readers of the judgments.

    If they changed, each has its number of judgments. Without judgments, the current ones.
    """
    by_number = Counter(each.instructions for each in judgments if not each.is_adjudication)
    counts: dict[str, int] = {}
    for each in given:
        if by_number[each.number] or (not by_number and each == given[-1]):
            note = _note(task, each)
            counts[note] = counts.get(note, 0) + by_number[each.number]
    if len(counts) == 1:
        return tuple(counts)
    return tuple(f"{note} (judgments: {count:,})" for note, count in counts.items())


def _note(task: int, each: Instructions) -> str:
    if task == Task.FORMULAS:
        return f"visually identical formulas: {each.same_look}"
    requested = "yes" if each.asks_annotations else "no"
    return f"machine-generated and unrelated answers annotated: {requested}"
