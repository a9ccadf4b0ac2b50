"""What an assessor has at hand: the choices with their keys and meanings, and the rules."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from porism.assess import choice_definitions
from porism.assess.records import Choice, Instructions, VisualMatchRule
from porism.model import Task
from porism.web.assessment.authentication import store_of


@dataclass(frozen=True, slots=True)
class ChoiceGuideline:
    """A choice: what its button says, its keys, and when to take it."""

    choice: Choice
    label: str
    keys: tuple[str, ...]
    when: str


@dataclass(frozen=True, slots=True)
class JudgingGuidelines:
    """All that an assessor should have at hand while judging."""

    asked: str
    meanings: tuple[ChoiceGuideline, ...]
    rules: tuple[str, ...]


_KEYS = {
    Choice.HIGH: ("1", "h"),
    Choice.MEDIUM: ("2", "m"),
    Choice.LOW: ("3", "l"),
    Choice.NOT_RELEVANT: ("4", "n"),
    Choice.SYSTEM_FAILURE: ("s",),
    Choice.DO_NOT_KNOW: ("d",),
}

NEEDS_COMMENT = frozenset({Choice.SYSTEM_FAILURE, Choice.DO_NOT_KNOW})
"""Choices that say something only with a comment, which is asked for and never demanded."""

_FOR_ANSWERS = (
    "Judge by how useful it is to an expert, such as a teacher, who wants to help whoever asked.",
    "Judge what the answer itself says. The threads are there to understand it, and the question.",
    "What links outside the collection lead to is no part of the answer.",
)
_FOR_FORMULAS = (
    "Think of whoever asked the question and searches for the marked formula: would finding this "
    "one help?",
    "Judge the formula where it stands, and not the post: the post shows what the formula means.",
    "Each place is judged apart, even if the formula looks the same in all.",
)


def judging_guidelines(task: int, rule: VisualMatchRule) -> JudgingGuidelines:
    """The definitions of a task."""
    meanings = tuple(
        ChoiceGuideline(choice, choice_label(choice), _KEYS[choice], when)
        for choice, when in choice_definitions.choice_definitions(task).items()
    )
    if task == Task.FORMULAS:
        asked = "How useful is this formula to somebody who searches for the marked one?"
        return JudgingGuidelines(
            asked, meanings, (*_FOR_FORMULAS, choice_definitions.VISUAL_MATCH_RULES[rule])
        )
    return JudgingGuidelines("How far does this answer the question?", meanings, _FOR_ANSWERS)


def choice_label(choice: Choice | None) -> str:
    """What a choice is called; taking one back is called that."""
    return "Taken back" if choice is None else choice_definitions.CHOICE_NAMES[choice]


def current_instructions(request: Request) -> Instructions:
    """What assessors are told and asked now."""
    return store_of(request).instructions()[-1]
