"""``gpt3-prompt`` and ``tu-dbs-generate``: a language model that answers without sources."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from porism import catalog
from porism.answer.answerer import AnswerTools
from porism.answer.generated.prompted import (
    ATTEMPTS,
    BASELINE_SAMPLING,
    FINE_TUNED_SAMPLING,
    PromptedAnswer,
)
from porism.answer.short_answer import AnswerKind, ShortAnswer
from porism.errors import PorismError
from porism.generation.generator import Generation, GenerationError
from porism.model import Formula, Topic, TopicId
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.answer.scripted_generator import ScriptedGenerator

TOPIC = Topic(
    TopicId("A.1"),
    ("Limit of ", Formula("q_1", r"\frac1n")),
    ("What is\n", Formula("q_2", "\\lim_{n\\to\\infty}\n\\frac1n"), "?"),
)
PROMPT = "Q: Limit of $\\frac1n$\n\nWhat is\n$\\lim_{n\\to\\infty} \\frac1n$?\n\nA:"  # as in S3 6.2
CUT = Generation("It goes on and", is_complete=False)


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def answered(
    search_index: SearchIndex, system: str, generator: ScriptedGenerator, topic: Topic = TOPIC
) -> ShortAnswer:
    return catalog.answerer(system, search_index, AnswerTools(generator)).answer(topic)


# gpt3-prompt


def test_the_prompt_is_that_of_the_lab(search_index: SearchIndex) -> None:
    generator = ScriptedGenerator(["It is $0$."])
    found = answered(search_index, "gpt3-prompt", generator)
    assert generator.prompts == [PROMPT]
    assert not generator.chats
    (sampling,) = generator.samplings
    assert sampling == BASELINE_SAMPLING
    assert (sampling.max_tokens, sampling.temperature, sampling.stop) == (570, 0.7, ("\nQ:",))
    assert found.text == "It is $0$."
    assert (found.kind, found.system, found.model) == (
        AnswerKind.GENERATED,
        "gpt3-prompt",
        "scripted",
    )
    assert found.sources == ()
    assert found.notes == ("written by a language model without sources",)
    assert found.timings.search == found.timings.extract == 0


def test_answers_are_sampled_until_one_is_complete_and_short_enough(
    search_index: SearchIndex,
) -> None:
    generator = ScriptedGenerator([CUT, "x" * 1_201, "", "A: " + "y" * 1_200, "never read"])
    found = answered(search_index, "gpt3-prompt", generator)
    assert found.text == "y" * 1_200
    assert found.reason == ""
    assert [each.seed for each in generator.samplings] == [0, 1, 2, 3]
    assert set(generator.prompts) == {PROMPT}


@pytest.mark.parametrize("text", [CUT, "x" * 1_201, " \n ", "\u200b"])
def test_the_attempts_end_with_a_reason(search_index: SearchIndex, text: str | Generation) -> None:
    generator = ScriptedGenerator([text])
    found = answered(search_index, "gpt3-prompt", generator)
    assert found.text == ""
    assert found.reason == "the model ended none of 10 answers within 1,200 characters"
    assert ATTEMPTS == 10
    assert len({each.seed for each in generator.samplings}) == ATTEMPTS


@pytest.mark.parametrize(
    ("system", "received"), [("gpt3-prompt", ""), ("tu-dbs-generate", "It is $0$.")]
)
def test_a_text_is_passed_on_as_it_is_written_if_it_is_the_only_attempt(
    search_index: SearchIndex, system: str, received: str
) -> None:
    pieces: list[str] = []

    class Listener:
        def sources(self, sources: object) -> None:
            raise AssertionError("there are no sources")

        def text(self, piece: str) -> None:
            pieces.append(piece)

    tools = AnswerTools(ScriptedGenerator(["It is $0$."]))
    catalog.answerer(system, search_index, tools).answer(TOPIC, None, Listener())
    assert "".join(pieces).strip() == received


def test_a_long_question_leaves_room_for_its_answer(search_index: SearchIndex) -> None:
    topic = Topic(TopicId("A.2"), ("Title",), ("word " * 5_000,))
    generator = ScriptedGenerator(["Yes."], context=1_000)
    answered(search_index, "gpt3-prompt", generator, topic)
    (prompt,) = generator.prompts
    assert prompt.startswith("Q: Title\n\nword word")
    assert prompt.endswith("\n\nA:")
    assert 1_240 < len(prompt) <= 1_250


# tu-dbs-generate


def test_the_model_of_a_team_writes_one_answer(search_index: SearchIndex) -> None:
    generator = ScriptedGenerator([Generation("A: By \\(a=b\\) it holds. And", is_complete=False)])
    found = answered(search_index, "tu-dbs-generate", generator)
    assert generator.prompts == [PROMPT]
    assert generator.samplings == [FINE_TUNED_SAMPLING]
    assert found.text == "By $a=b$ it holds. And"
    assert found.system == "tu-dbs-generate"
    assert found.notes[1:] == ("the text was cut where the model reached its limit",)


def test_a_long_answer_is_cut_between_sentences(search_index: SearchIndex) -> None:
    sentence = "It is seen that $x + y = z$ holds."
    generator = ScriptedGenerator([" ".join([sentence] * 100)])
    found = answered(search_index, "tu-dbs-generate", generator)
    assert found.text == " ".join([sentence] * (1_201 // (len(sentence) + 1)))
    assert 1_200 - len(sentence) <= len(found.text) <= 1_200


def test_nothing_written_gives_a_reason(search_index: SearchIndex) -> None:
    found = answered(search_index, "tu-dbs-generate", ScriptedGenerator([" A: "]))
    assert (found.text, found.reason) == ("", "the model wrote nothing")


# Both


@pytest.mark.parametrize("system", ["gpt3-prompt", "tu-dbs-generate"])
def test_a_model_is_required(search_index: SearchIndex, system: str) -> None:
    with pytest.raises(PorismError, match=rf"^{system} needs a language model: .*--model smollm2"):
        catalog.answerer(system, search_index)


@pytest.mark.parametrize("system", ["gpt3-prompt", "tu-dbs-generate"])
def test_hidden_characters_and_delimiters_are_replaced(
    search_index: SearchIndex, system: str
) -> None:
    generator = ScriptedGenerator(["By \x1b[2J\u202e\\(a=b\\) it\x00 holds."])
    assert answered(search_index, system, generator).text == "By [2J$a=b$ it holds."


@pytest.mark.parametrize("system", ["gpt3-prompt", "tu-dbs-generate"])
def test_a_model_for_demonstration_has_a_note(search_index: SearchIndex, system: str) -> None:
    generator = ScriptedGenerator(["It is $0$."], name="tiny", is_demonstration=True)
    without, about = answered(search_index, system, generator).notes
    assert without == "written by a language model without sources"
    assert about.startswith("tiny is a small model for demonstration")


@pytest.mark.parametrize("system", ["gpt3-prompt", "tu-dbs-generate"])
def test_a_failure_of_the_model_is_raised(search_index: SearchIndex, system: str) -> None:
    generator = ScriptedGenerator([GenerationError("the server is down")])
    with pytest.raises(GenerationError, match="the server is down"):
        answered(search_index, system, generator)
    assert len(generator.samplings) == 1


@pytest.mark.parametrize("system", ["gpt3-prompt", "tu-dbs-generate"])
def test_no_index_is_searched(search_index: SearchIndex, system: str) -> None:
    assert catalog.system(system).needs == ()
    answerer = catalog.answerer(system, search_index, AnswerTools(ScriptedGenerator(["Yes."])))
    assert isinstance(answerer, PromptedAnswer)
    assert repr(answerer).startswith(f"PromptedAnswer(name='{system}', model='scripted'")
