"""The judging guidelines: choices with their keys and definitions, and the rules of a task."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from porism.assess import choice_definitions
from porism.assess.records import Choice, Instructions, VisualMatchRule
from porism.model import Task
from porism.web.assessment.authentication import store_of


@dataclass(frozen=True, slots=True)
class ChoiceGuideline:
    """A choice: its label, its keys, and when to choose it."""

    choice: Choice
    label: str
    keys: tuple[str, ...]
    definition: str


@dataclass(frozen=True, slots=True)
class JudgingGuidelines:
    """The question that a judgment answers, the choices, and the rules."""

    question: str
    choices: tuple[ChoiceGuideline, ...]
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
"""Choices that mean little without a comment, which is requested and never required."""

_FOR_ANSWERS = (
    "Judge how useful it is to an expert, such as a teacher, who wants to help the asker.",
    "Judge what the answer itself says. Threads are context for the answer and the question.",
    "Pages that it links to outside the collection are not part of the answer.",
)
_FOR_FORMULAS = (
    "Imagine the asker searching for the marked formula: would finding this one help?",
    "Judge the formula, not the post: the post shows what the formula means.",
    "Judge each occurrence on its own, even if the formulas are visually identical.",
)


def judging_guidelines(task: int, rule: VisualMatchRule) -> JudgingGuidelines:
    """The guidelines of a task."""
    choices = tuple(
        ChoiceGuideline(choice, choice_label(choice), _KEYS[choice], definition)
        for choice, definition in choice_definitions.choice_definitions(task).items()
    )
    if task == Task.FORMULAS:
        question = "How useful is this formula to somebody searching for the marked one?"
        return JudgingGuidelines(
            question, choices, (*_FOR_FORMULAS, choice_definitions.VISUAL_MATCH_RULES[rule])
        )
    return JudgingGuidelines("How well does this answer the question?", choices, _FOR_ANSWERS)


def choice_label(choice: Choice | None) -> str:
    """The name of a choice; None is a withdrawn one."""
    return "Withdrawn" if choice is None else choice_definitions.CHOICE_NAMES[choice]


def current_instructions(request: Request) -> Instructions:
    """The instructions that assessors have now."""
    return store_of(request).instructions()[-1]
