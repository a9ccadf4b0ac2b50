"""What the choices are called and mean, wherever assessors read it."""

import re
from importlib.resources import files

import pytest

from porism.assess import choice_definitions
from porism.assess.records import Choice, VisualMatchRule
from porism.web.assessment.guidelines import choice_label, judging_guidelines

SCRIPT = files("porism.web") / "static" / "assess_sending.js"


def test_the_script_calls_the_choices_as_everything_else_does() -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    labels = re.search(r"const LABELS = \{(.*?)\};", script, flags=re.DOTALL)
    assert labels is not None
    told = dict(re.findall(r'(\w+): "([^"]*)"', labels[1]))
    assert told == {str(choice): name for choice, name in choice_definitions.CHOICE_NAMES.items()}
    assert f'?? "{choice_label(None)}"' in script


@pytest.mark.parametrize("task", [1, 2, 3])
def test_pages_say_what_tasks_for_turkle_do(task: int) -> None:
    meanings = judging_guidelines(task, VisualMatchRule.ALWAYS_HIGH).meanings
    assert [each.choice for each in meanings] == list(Choice)
    assert {each.choice: each.label for each in meanings} == choice_definitions.CHOICE_NAMES
    assert {each.choice: each.when for each in meanings} == choice_definitions.choice_definitions(
        task
    )


def test_no_key_is_of_two_choices() -> None:
    meanings = judging_guidelines(1, VisualMatchRule.ALWAYS_HIGH).meanings
    keys = [key for each in meanings for key in each.keys]
    assert len(set(keys)) == len(keys)
