"""A language model behind an endpoint: texts, limits and cancellation."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from porism.deadlines import Cancelled, Deadline, limited
from porism.generation import open_generator
from porism.generation.endpoint import EndpointGenerator, open_endpoint
from porism.generation.generator import GenerationError, Message, Role, Sampling
from porism.generation.settings import EndpointSettings, GeneratorSettings
from tests.generation.openai_server import (
    PATIENCE,
    Behaviour,
    Exchange,
    OpenAIServer,
    breaks_off,
    chunk,
    echoes_the_key,
    fails,
    fails_within,
    is_silent,
    never_answers,
    never_ends,
    says,
    says_at_once,
    sends,
    streams,
)

QUESTION = [
    Message(Role.SYSTEM, "Answer briefly."),
    Message(Role.USER, "What is $\\int x\\,dx$?"),
]
PATIENT = EndpointSettings(retries=0, chunk_seconds=PATIENCE, total_seconds=PATIENCE)


def generator(server: OpenAIServer, settings: EndpointSettings = PATIENT) -> EndpointGenerator:
    return open_endpoint(server.url, "test-model", settings)


def test_a_text_is_passed_on_in_pieces() -> None:
    pieces: list[str] = []
    with OpenAIServer(says("half ", "of ", "$x^2$")) as server:
        generation = generator(server).chat(QUESTION, Sampling(), pieces.append)
    assert pieces == ["half ", "of ", "$x^2$"]
    assert generation.text == "half of $x^2$"
    assert generation.is_complete
    assert (generation.prompt_tokens, generation.tokens) == (7, 3)


def test_the_request_has_the_chat_and_every_limit() -> None:
    with OpenAIServer(says("yes")) as server:
        generator(server).chat(QUESTION, Sampling(max_tokens=9, temperature=0.5, stop=("\n\n",)))
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "Answer briefly."},
            {"role": "user", "content": "What is $\\int x\\,dx$?"},
        ],
        "max_tokens": 9,
        "temperature": 0.5,
        "seed": 0,
        "stop": ["\n\n"],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert "authorization" not in request.headers


def test_an_answer_that_is_not_streamed_is_accepted() -> None:
    with OpenAIServer(says_at_once("<think>4?</think> Four.")) as server:
        generation = generator(server).chat(QUESTION, Sampling())
    assert generation.text == "Four."
    assert generation.tokens == 3


def test_an_answer_that_ends_at_a_limit_is_not_complete() -> None:
    with OpenAIServer(says("one two", reason="length")) as server:
        assert not generator(server).chat(QUESTION, Sampling()).is_complete


def test_reasoning_is_left_out() -> None:
    def reasons(exchange: Exchange) -> None:
        exchange.stream()
        exchange.event({"choices": [{"delta": {"reasoning_content": "hm", "content": None}}]})
        for piece in ("<th", "ink>2 + 2 ", "= 4</thi", "nk>\n", "\nFour."):
            exchange.piece(piece)
        exchange.finish()

    pieces: list[str] = []
    with OpenAIServer(reasons) as server:
        generator(server).chat(QUESTION, Sampling(), pieces.append)
    assert pieces == ["Four."]


def test_a_completion_continues_a_prompt() -> None:
    with OpenAIServer(says(" 4")) as server:
        assert generator(server).complete("2 + 2 =", Sampling()).text == " 4"
    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["prompt"] == "2 + 2 ="


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_completions_gets_a_chat_and_this_is_remembered(status: int) -> None:
    with OpenAIServer([fails(status), says("4"), says("5")]) as server:
        model = generator(server)
        assert model.complete("2 + 2 =", Sampling()).text == "4"
        assert model.complete("2 + 3 =", Sampling()).text == "5"
    assert [request.path for request in server.requests] == [
        "/v1/completions",
        "/v1/chat/completions",
        "/v1/chat/completions",
    ]
    assert server.requests[1].body["messages"] == [{"role": "user", "content": "2 + 2 ="}]


def test_an_unknown_model_is_an_error_of_completions_too() -> None:
    with (
        OpenAIServer(fails(404, "model 'test-model' not found")) as server,
        pytest.raises(GenerationError, match=r"'test-model' not found.*check the name"),
    ):
        generator(server).complete("2 + 2 =", Sampling())


def test_fields_that_a_server_refuses_are_left_out_from_then_on() -> None:
    refusal = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    script = [fails(400, refusal), fails(422, "seed: extra inputs"), says("a"), says("b")]
    with OpenAIServer(script) as server:
        model = generator(server)
        model.chat(QUESTION, Sampling(max_tokens=5))
        model.chat(QUESTION, Sampling(max_tokens=5))
    for request in server.requests[2:]:
        assert request.body["max_completion_tokens"] == 5
        assert not {"max_tokens", "seed"} & set(request.body)
    assert len(server.requests) == 4


def test_a_text_is_cut_off_at_the_most_characters_and_the_connection_closed() -> None:
    pieces: list[str] = []
    with OpenAIServer(never_ends("0123456789")) as server:
        generation = generator(server).chat(QUESTION, Sampling(max_characters=25), pieces.append)
        assert server.disconnections.acquire(timeout=PATIENCE)
    assert generation.text == "".join(pieces) == "0123456789012345678901234"[:25]
    assert not generation.is_complete


def test_a_text_of_ten_times_the_length_is_cut_off() -> None:
    with OpenAIServer(says_at_once("x" * 80_000)) as server:
        generation = generator(server).chat(QUESTION, Sampling())
    assert len(generation.text) == 8_000
    assert not generation.is_complete


def test_endless_reasoning_is_cut_off_by_bytes() -> None:
    def reasons(exchange: Exchange) -> None:
        exchange.stream()
        exchange.piece("<think>")
        while True:
            exchange.piece("hm " * 100)

    settings = EndpointSettings(max_bytes=50_000)
    with (
        OpenAIServer(reasons) as server,
        pytest.raises(GenerationError, match=r"sent more than 50,000 bytes"),
    ):
        generator(server, settings).chat(QUESTION, Sampling())


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (sends("<html>Welcome</html>", content_type="text/html"), "web page instead of JSON"),
        (sends("hello", content_type="text/plain"), "neither JSON nor events"),
        (sends(""), "answered with nothing"),
        (sends("{"), "not JSON: '{'"),
        (sends("[]"), "expected a JSON object"),
        (sends('{"choices": []}'), "no choices"),
        (sends('{"choices": [{"message": {"content": null}}]}'), "no text"),
        (sends('{"error": "busy"}'), "busy"),
        (streams("{}", "[DONE]"), "no choices"),
        (streams("what?"), "not JSON: 'what\\?'"),
        (streams('{"choices": [null, 3]}', "[DONE]"), "no choices"),
        (says(""), "no text"),
        (says(" \n"), "no text"),
        (says("<think>hm", reason="length"), "perhaps for reasoning"),
        (fails_within("so"), "out of memory.*after 2 characters"),
        (breaks_off("so", " far"), "ended before the answer was complete.*after 6 characters"),
        (fails(401, "no"), "status 401: no; it wants a key.*PORISM_API_KEY"),
        (fails(404, "unknown"), "404: unknown; check the name of the model"),
        (sends("<h1>404</h1>", 404), "status 404; check"),
        (fails(413), "fewer or shorter passages"),
        (fails(400, "context too long"), "status 400: context too long"),
        (fails(500), "status 500: something failed; the log"),
    ],
)
def test_failures_are_described(script: Behaviour, message: str) -> None:
    with OpenAIServer(script) as server:
        model = generator(server)
        with pytest.raises(GenerationError, match=message) as caught:
            model.chat(QUESTION, Sampling())
        assert server.url in str(caught.value)


def test_a_stream_that_ends_with_a_reason_needs_no_final_mark() -> None:
    def behave(exchange: Exchange) -> None:
        exchange.stream()
        exchange.piece("four")
        exchange.event(chunk("", is_chat=True, finish_reason="stop"))

    with OpenAIServer(behave) as server:
        assert generator(server).chat(QUESTION, Sampling()).text == "four"


def test_a_silent_server_is_an_error() -> None:
    settings = EndpointSettings(retries=0, chunk_seconds=0.05)
    for script in (never_answers, is_silent("so")):
        with (
            OpenAIServer(script) as server,
            pytest.raises(GenerationError, match=r"sent nothing for 0\.05 s"),
        ):
            generator(server, settings).chat(QUESTION, Sampling())


@pytest.mark.parametrize("script", [never_answers, is_silent(), is_silent("so")])
def test_a_cancelled_request_ends_the_connection(script: Behaviour) -> None:
    deadline = Deadline(None)
    is_received = threading.Event()

    def behave(exchange: Exchange) -> None:
        is_received.set()
        script(exchange)
        server.disconnections.release()

    with OpenAIServer(behave) as server, ThreadPoolExecutor(1) as pool:

        def chat() -> None:
            with limited(deadline):
                generator(server).chat(QUESTION, Sampling())

        running = pool.submit(chat)
        assert is_received.wait(PATIENCE)
        deadline.cancel()
        assert isinstance(running.exception(PATIENCE), Cancelled)
        assert server.disconnections.acquire(timeout=PATIENCE)


def test_what_the_receiver_raises_ends_the_connection() -> None:
    def refuse(piece: str) -> None:
        raise KeyboardInterrupt

    with OpenAIServer(never_ends()) as server:
        with pytest.raises(KeyboardInterrupt):
            generator(server).chat(QUESTION, Sampling(), refuse)
        assert server.disconnections.acquire(timeout=PATIENCE)


def test_threads_share_an_endpoint() -> None:
    everybody = threading.Barrier(8)

    def repeats_the_question(exchange: Exchange) -> None:
        question = exchange.request.body["messages"][-1]["content"]
        exchange.stream()
        everybody.wait(PATIENCE)  # all requests are open at once
        for letter in question:
            exchange.piece(letter)
        exchange.finish()

    questions = [f"What is {number} + {number}?" for number in range(8)]
    with OpenAIServer(repeats_the_question) as server, ThreadPoolExecutor(8) as pool:
        model = generator(server)
        texts = pool.map(
            lambda question: model.chat([Message(Role.USER, question)], Sampling()).text, questions
        )
        assert list(texts) == questions


def test_the_only_model_of_an_endpoint_needs_no_name() -> None:
    with OpenAIServer(says("yes")) as server:
        model = open_generator(GeneratorSettings(endpoint=server.url))
        assert model.name == "test-model"
        assert not model.is_demonstration
        assert model.context == 4096
        model.chat(QUESTION, Sampling())
        model.close()
    assert server.requests[0].body["model"] == "test-model"


def test_one_of_several_models_has_to_be_named() -> None:
    with OpenAIServer(says("yes"), models=("large", "small")) as server:
        with pytest.raises(GenerationError, match="has several models, name one: large, small"):
            open_generator(GeneratorSettings(endpoint=server.url))
        assert open_generator(GeneratorSettings("small", server.url)).name == "small"


def test_an_endpoint_without_models_is_an_error() -> None:
    with (
        OpenAIServer(says("yes"), models=()) as server,
        pytest.raises(GenerationError, match="lists no models"),
    ):
        open_generator(GeneratorSettings(endpoint=server.url))


def test_a_key_is_sent_and_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PORISM_API_KEY", "sk-very-secret")
    caplog.set_level("DEBUG")
    with OpenAIServer(echoes_the_key) as server:
        model = generator(server)
        with pytest.raises(GenerationError) as caught:
            model.chat(QUESTION, Sampling())
    assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret"
    assert "wrong key: Bearer [key]; it refuses the key in" in str(caught.value)
    assert "secret" not in f"{caught.value!r} {model!r} {model.name}"
    assert "sk-very-secret" not in caplog.text


@pytest.mark.parametrize("document", ["{} Bearer {}", '["{} Bearer {}"]'])
def test_no_part_of_a_key_is_in_an_error_that_is_cut(
    monkeypatch: pytest.MonkeyPatch, document: str
) -> None:
    monkeypatch.setenv("PORISM_API_KEY", "sk-very-secret")
    for length in (60, 66, 240, 290):
        with (
            OpenAIServer(streams(document.format("x" * length, "sk-very-secret"))) as server,
            pytest.raises(GenerationError) as caught,
        ):
            generator(server).chat(QUESTION, Sampling())
        assert "sk-" not in str(caught.value)


def test_the_variable_of_the_key_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", " other \n")
    with OpenAIServer(says("yes")) as server:
        generator(server, EndpointSettings(key_variable="OTHER_KEY")).chat(QUESTION, Sampling())
    assert server.requests[0].headers["authorization"] == "Bearer other"


def test_a_key_with_impossible_characters_is_refused_without_repeating_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PORISM_API_KEY", "secret\r\nX-Other: 1")
    with pytest.raises(GenerationError, match="PORISM_API_KEY has characters") as caught:
        open_endpoint("http://localhost:1/v1", "m")
    assert "secret" not in str(caught.value)


def test_redirects_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORISM_API_KEY", "sk-very-secret")
    with OpenAIServer(says("stolen")) as other:
        location = other.url.replace("//", "//user:pass@") + "/chat/completions?key=1"
        with (
            OpenAIServer(fails(307, "moved", {"Location": location})) as server,
            pytest.raises(GenerationError, match="redirects are not followed") as caught,
        ):
            generator(server).chat(QUESTION, Sampling())
        assert other.requests == []
    assert other.url in str(caught.value)
    assert "pass@" not in str(caught.value)
    assert "key=1" not in str(caught.value)


def test_proxies_of_the_environment_are_not_used_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with OpenAIServer(says("from the proxy")) as proxy, OpenAIServer(says("direct")) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert generator(server).chat(QUESTION, Sampling()).text == "direct"
        assert proxy.requests == []
