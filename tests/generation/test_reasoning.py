"""Reasoning at the start of a text is removed, however the text is split."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.generation.reasoning import ReasoningFilter


def filtered(*pieces: str) -> str:
    reasoning = ReasoningFilter()
    return "".join([*(reasoning.feed(piece) for piece in pieces), reasoning.end()])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>Is it 4? Yes.</think>\n\nFour.", "Four."),
        ("\n<think>\n</think>\n Four.", "Four."),
        ("Four, I <think>so</think>.", "Four, I <think>so</think>."),
        ("<think>never ends", ""),
        ("<think>a</think>", ""),
        ("<think>a</think>b</think>c", "b</think>c"),
        ("<thin", "<thin"),
        ("  x", "  x"),
        ("", ""),
        ("<thinking>", "<thinking>"),
    ],
)
def test_only_reasoning_at_the_start_is_removed(text: str, answer: str) -> None:
    assert filtered(text) == answer


def test_text_is_passed_on_as_soon_as_it_cannot_be_a_tag() -> None:
    reasoning = ReasoningFilter()
    assert reasoning.feed("<thi") == ""
    assert reasoning.feed("s") == "<this"
    assert reasoning.feed("<think>") == "<think>"


PARTS = st.sampled_from(["<think>", "</think>", "<th", "ink>", "</", "think>", " ", "\n", "a", "<"])


@given(st.lists(PARTS), st.lists(st.integers(0, 60)))
@example(["<think>", "a", "</think>", " ", "b"], [1, 3, 9, 17])
def test_the_answer_does_not_depend_on_how_the_text_is_split(
    parts: list[str], places: list[int]
) -> None:
    text = "".join(parts)
    cuts = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    assert filtered(*pieces) == filtered(*text) == filtered(text)
