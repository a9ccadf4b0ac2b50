"""Prompts that language models continue, the same in training and in answering."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORD_START = re.compile(r"(?<=\s)(?=\S)")


def question_prompt(title: str, body: str) -> str:
    r"""A question as a prompt that an answer continues after a blank, in the form of ARQMath's lab.

    >>> question_prompt("Sums", "What is $1+1$?")
    'Q: Sums\n\nWhat is $1+1$?\n\nA:'
    """
    return "Q: " + "\n\n".join(filter(None, (title.strip(), body.strip(), "A:")))


def fitted_prompt(title: str, body: str, fits: Callable[[str], bool]) -> str | None:
    r"""The prompt of a question that fits; None if not even that of the title does.

    A long body is cut at its front, because most questions are asked at the end, before a word and
    never inside a formula between dollars.

    >>> fitted_prompt("Sums", "I know $1 + 1$. And then?", lambda prompt: len(prompt) < 26)
    'Q: Sums\n\nAnd then?\n\nA:'
    """
    whole = question_prompt(title, body)
    if fits(whole):
        return whole
    starts = [each.start() for each in _WORD_START.finditer(body)]
    starts = [each for each in starts if body.count("$", 0, each) % 2 == 0]
    low, high = 0, len(starts)  # the first start that fits is in this range, or there is none
    while low < high:
        middle = (low + high) // 2
        if fits(question_prompt(title, body[starts[middle] :])):
            high = middle
        else:
            low = middle + 1
    prompt = question_prompt(title, body[starts[low] :] if low < len(starts) else "")
    return prompt if fits(prompt) else None
