"""The language model of a system that cannot do without one."""

from __future__ import annotations

from porism.answer.answerer import AnswerTools
from porism.errors import PorismError
from porism.generation.generator import TextGenerator


def required_generator(system: str, tools: AnswerTools) -> TextGenerator:
    """Return the language model that the user named; PorismError, with what to do, if none."""
    if tools.generator is None:
        raise PorismError(
            f"{system} needs a language model: name an endpoint (--endpoint URL --model NAME), or "
            "a file (--model FILE.gguf); --model smollm2 is a small one for demonstration"
        )
    return tools.generator
