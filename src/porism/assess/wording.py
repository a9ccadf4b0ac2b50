"""What assessors read: the names of the choices, and what they mean for answers and formulas."""

from __future__ import annotations

from collections.abc import Mapping

from porism.assess.records import Choice

CHOICE_NAMES = {
    Choice.HIGH: "High",
    Choice.MEDIUM: "Medium",
    Choice.LOW: "Low",
    Choice.NOT_RELEVANT: "Not relevant",
    Choice.SYSTEM_FAILURE: "System failure",
    Choice.DO_NOT_KNOW: "Do not know",
}

_OF_ANSWERS = {
    Choice.HIGH: "answers the whole question by itself",
    Choice.MEDIUM: "leads part of the way: it clears up the question or names steps of a solution",
    Choice.LOW: "may help to find or understand an answer, or to understand the question",
    Choice.NOT_RELEVANT: "says nothing that helps, or only repeats the question",
}

_OF_FORMULAS = {
    Choice.HIGH: "as good to find as the query formula itself",
    Choice.MEDIUM: "useful, but less so than the query formula",
    Choice.LOW: "might lead to something useful",
    Choice.NOT_RELEVANT: "not expected to be useful",
}

_NO_GRADES = {
    Choice.SYSTEM_FAILURE: "it is not shown as it should be; say in a comment what is wrong",
    Choice.DO_NOT_KNOW: "you cannot decide; say in a comment why",
}


def definitions(task: int) -> Mapping[Choice, str]:
    """What each choice means, as S1's table 4 has it, in the order in which choices are shown."""
    return (_OF_FORMULAS if task == 2 else _OF_ANSWERS) | _NO_GRADES
