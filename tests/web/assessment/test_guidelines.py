"""The names and definitions of choices are the same everywhere."""

import re
from importlib.resources import files

import pytest

from porism.assess import choice_definitions
from porism.assess.records import Choice, VisualMatchRule
from porism.web.assessment.guidelines import choice_label, judging_guidelines

SCRIPT = files("porism.web") / "static" / "assess_outbox.js"


def test_the_script_uses_the_same_labels() -> None:
    script = SCRIPT.read_text(encoding="utf-8")
    labels = re.search(r"const LABELS = \{(.*?)\};", script, flags=re.DOTALL)
    assert labels is not None
    names = dict(re.findall(r'(\w+): "([^"]*)"', labels[1]))
    assert names == {str(choice): name for choice, name in choice_definitions.CHOICE_NAMES.items()}
    assert f'?? "{choice_label(None)}"' in script


@pytest.mark.parametrize("task", [1, 2, 3])
def test_pages_have_the_same_definitions_as_turkle_tasks(task: int) -> None:
    choices = judging_guidelines(task, VisualMatchRule.ALWAYS_HIGH).choices
    assert [each.choice for each in choices] == list(Choice)
    assert {each.choice: each.label for each in choices} == choice_definitions.CHOICE_NAMES
    assert {
        each.choice: each.definition for each in choices
    } == choice_definitions.choice_definitions(task)


def test_keys_of_choices_are_unique() -> None:
    choices = judging_guidelines(1, VisualMatchRule.ALWAYS_HIGH).choices
    keys = [key for each in choices for key in each.keys]
    assert len(set(keys)) == len(keys)
