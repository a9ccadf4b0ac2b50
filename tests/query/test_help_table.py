"""The examples of the help are read as it says, and the documentation has all of them."""

from pathlib import Path

import pytest

from porism.query.help_table import EXAMPLES, Example
from porism.query.interpretation import PartKind, interpret

DOCS = Path(__file__).parent.parent.parent / "docs" / "query.md"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.typed)
def test_each_example_is_read_as_the_help_says(example: Example) -> None:
    parts = [part for part in interpret(example.typed).parts if part.kind is not PartKind.WORDS]
    read = [(part.kind, part.value, part.syntax) for part in parts]
    expected = (example.kind, example.value, example.syntax)
    assert read == ([] if example.kind is PartKind.WORDS else [expected])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.typed)
def test_the_documentation_has_each_example(example: Example) -> None:
    assert f"| {example.meaning} |" in DOCS.read_text("utf-8")
