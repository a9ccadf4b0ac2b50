"""``gpt3-prompt`` and ``tu-dbs-generate``: a language model that answers without sources.

The first is the lab's baseline on any model: its prompt, and its rule to try again until a model
ends its answer by itself within 1,200 characters (S3 section 6.2). The second is a model of
``porism train generator``, which learned that prompt from the posts of a collection.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter

from porism.answer.answerer import AnswererFactory, AnswerTools
from porism.answer.generated.generated_text import within_limit
from porism.answer.generated.language_model import (
    CHARACTERS_PER_TOKEN,
    notes_on_text,
    required_generator,
)
from porism.answer.short_answer import (
    MAX_ANSWER_LENGTH,
    SILENT,
    AnswerKind,
    AnswerListener,
    ShortAnswer,
    Timings,
)
from porism.generation.generator import Sampling, TextGenerator, ignore_text
from porism.generation.prompts import fitted_prompt, question_prompt
from porism.inverted import Filter
from porism.model import Topic, plain_text
from porism.rank.ranker import Maker
from porism.searchindex.index_folder import SearchIndex

BASELINE = "gpt3-prompt"
FINE_TUNED = "tu-dbs-generate"

ATTEMPTS = 10
"""Answers that are sampled at most. The lab tried without end."""

BASELINE_SAMPLING = Sampling(max_tokens=570, temperature=0.7, stop=("\nQ:",))
"""As in the lab, and an end where a model goes on with a question of its own."""

FINE_TUNED_SAMPLING = Sampling(max_tokens=400, temperature=0.0, stop=("\nQ:",))
"""The likeliest answer: the team's runs differ in how they sample, and none is much better."""

WITHOUT_SOURCES = "written by a language model without sources"

MAX_PROMPT_SHARE = 0.5
"""The share of the context that a question may take."""


@dataclass(frozen=True, slots=True)
class PromptedAnswer:
    """What a model writes after a question.

    With several ``attempts`` one must be complete and short enough. With one, it is cut.
    """

    name: str
    generator: TextGenerator = field(repr=False)
    model: str
    sampling: Sampling
    attempts: int = 1
    limit: int = MAX_ANSWER_LENGTH

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        start = perf_counter()
        prompt = self._prompt(topic)
        text = ""
        notes: tuple[str, ...] = (WITHOUT_SOURCES,)
        # Of several attempts, most are dropped.
        receive = listener.text if self.attempts == 1 else ignore_text
        for attempt in range(self.attempts):
            seed = (self.sampling.seed or 0) + attempt
            made = self.generator.complete(prompt, replace(self.sampling, seed=seed), receive)
            written = made.text.strip().removeprefix("A:").strip()
            if self.attempts == 1 or (made.is_complete and len(written) <= self.limit):
                text = within_limit(written, self.limit)
            if text:
                notes += notes_on_text(self.generator, is_complete=made.is_complete)
                break
        times = Timings(generate=1000 * (perf_counter() - start))
        return ShortAnswer(
            text,
            AnswerKind.GENERATED,
            self.name,
            model=self.model,
            reason="" if text else self._reason(),
            notes=notes,
            timings=times,
        )

    def _reason(self) -> str:
        """Return why there is no answer."""
        if self.attempts == 1:
            return "the model wrote nothing"
        return f"the model ended none of {self.attempts} answers within {self.limit:,} characters"

    def _prompt(self, topic: Topic) -> str:
        """Return the prompt, with the question's body cut at its front if it is too long."""
        title, body = plain_text(topic.title), plain_text(topic.body)
        room = int(MAX_PROMPT_SHARE * CHARACTERS_PER_TOKEN * self.generator.context)
        prompt = fitted_prompt(title, body, lambda prompt: len(prompt) <= room)
        return question_prompt(title[:room], "") if prompt is None else prompt


def gpt3_prompt(search_index: SearchIndex) -> AnswererFactory:
    """The lab's baseline on the model that the user names."""

    def factory(tools: AnswerTools) -> PromptedAnswer:
        generator = required_generator(BASELINE, tools)
        return PromptedAnswer(BASELINE, generator, generator.name, BASELINE_SAMPLING, ATTEMPTS)

    return factory


def tu_dbs_generate(search_index: SearchIndex) -> AnswererFactory:
    """The model of ``porism train generator`` that the user names."""

    def factory(tools: AnswerTools) -> PromptedAnswer:
        generator = required_generator(FINE_TUNED, tools)
        return PromptedAnswer(FINE_TUNED, generator, generator.name, FINE_TUNED_SAMPLING)

    return factory


GPT3_PROMPT = Maker(gpt3_prompt)
TU_DBS_GENERATE = Maker(tu_dbs_generate)
