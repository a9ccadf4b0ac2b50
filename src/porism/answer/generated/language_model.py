"""The language model of a system that cannot do without one, and notes on what it writes."""

from __future__ import annotations

from porism.answer.answerer import AnswerTools
from porism.errors import PorismError
from porism.generation.generator import TextGenerator

CHARACTERS_PER_TOKEN = 2.5
"""Of LaTeX, whose tokens are shorter than those of prose."""


def required_generator(system: str, tools: AnswerTools) -> TextGenerator:
    """Return the language model that the user named; PorismError, with what to do, if none."""
    if tools.generator is None:
        raise PorismError(
            f"{system} needs a language model: name an endpoint (--endpoint URL --model NAME), or "
            "a file (--model FILE.gguf); --model smollm2 is a small one for demonstration"
        )
    return tools.generator


def notes_on_text(generator: TextGenerator, *, is_complete: bool) -> tuple[str, ...]:
    """Return what readers of a text should know of the model, and of where the text ends."""
    notes = []
    if generator.is_demonstration:
        notes.append(
            f"{generator.name} is a small model for demonstration: it cannot do mathematics, and "
            "what it writes is often wrong"
        )
    if not is_complete:
        notes.append("the text was cut where the model reached its limit")
    return tuple(notes)
