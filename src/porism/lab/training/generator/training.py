"""Training of a language model on answers, up to the finished GGUF file.

The checkpoints are in ``MODEL.partial``; the model, ``MODEL``, appears by one rename when it is
done, after the record of its training and the curves, which have its name and an ending of theirs.

Importing this loads PyTorch, transformers and gguf, of the extra ``train``.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.lab.training.checkpoints import partial_folder, sync
from porism.lab.training.curves import CURVES_FILE, TOKEN_LOSS, curves_svg
from porism.lab.training.epochs import (
    RECORD_FILE,
    TrainingJob,
    TrainingPlaces,
    TrainingResult,
    TrainingSettings,
    available_device,
    result_record,
    run_training,
)
from porism.lab.training.generator.llama_files import (
    LlamaFile,
    LlamaShape,
    TensorType,
    open_llama,
    write_llama,
)
from porism.lab.training.generator.llama_tokenizer import LlamaTokenizer, llama_tokenizer
from porism.lab.training.generator.network import AnswerNetwork
from porism.lab.training.generator.pairs import AnswerSet, QuestionAnswer, TokenPair, token_pair
from porism.packaged_models import sha256

BYTES_OF_WEIGHT = 16
"""What a weight takes in training: itself, its gradient and two moments of Adam, in 32 bits."""

_MEMORY_FACTS = Path("/proc/meminfo")


@dataclass(frozen=True, slots=True)
class GeneratorTraining:
    """How a language model is trained: ``part`` pairs of a batch are computed at a time."""

    settings: TrainingSettings
    part: int = 1
    tensors: TensorType = TensorType.Q8_0


@dataclass(frozen=True, slots=True)
class TrainedGenerator:
    """What a training found; ``counts`` says how many answers it learned from and left out.

    ``held_out`` is the number of answers that validation read.
    """

    training: TrainingResult
    counts: Mapping[str, int]
    held_out: int


@dataclass(frozen=True, slots=True)
class _TokenSet:
    """The pairs as tokens, and how many to learn from were refused because they have too many."""

    pairs: tuple[TokenPair, ...]
    held_out: tuple[TokenPair, ...]
    refused: int


def train_generator(
    data: AnswerSet,
    training: GeneratorTraining,
    places: TrainingPlaces,
    watch: Watch,
    device: str = "auto",
    resume: bool = False,
) -> TrainedGenerator:
    """Train a model on answers, and write it to a new GGUF file."""
    base = open_llama(places.base)
    tokenizer = llama_tokenizer(base.value, base.path)
    chosen, settings = available_device(device), training.settings
    _check_size(base, settings, chosen)
    tokens = _tokens(data, tokenizer, settings.max_tokens, watch)
    described = {
        "kind": "generator",
        "base": places.base_name,
        "base_sha256": sha256(base.path),
        "tokens": _digest(tokens),
        **asdict(replace(settings, checkpoint_steps=0)),
        "micro_batch": training.part,
        "tensor_type": training.tensors,
        **places.source,
    }
    job = TrainingJob(
        lambda: AnswerNetwork(base, tokens.pairs, tokens.held_out, training.part, chosen),
        len(tokens.pairs),
        settings,
        TOKEN_LOSS,
        chosen,
        f"use a smaller --micro-batch than {training.part}, or fewer --max-tokens than "
        f"{settings.max_tokens}",
    )
    counts = {**data.counts, "answers": len(tokens.pairs), "too_many_tokens": tokens.refused}
    with partial_folder(places.output, described, resume) as folder:
        network, result = run_training(job, folder, watch)
        record = _record(result, described, data, tokens, counts)
        _write(base, network, result, record, training.tensors, folder, places.output)
        shutil.rmtree(folder)
    return TrainedGenerator(result, counts, len(tokens.held_out))


def companion(output: Path, name: str) -> Path:
    """The file beside a model that describes it: ``model.training.json`` for ``model.gguf``."""
    return output.with_name(f"{output.name.removesuffix('.gguf')}.{name}")


def _write(
    base: LlamaFile,
    network: AnswerNetwork,
    result: TrainingResult,
    record: Mapping[str, object],
    kind: TensorType,
    folder: Path,
    output: Path,
) -> None:
    """Write all files in the folder first; the model is renamed last, so it is there with them."""
    finished = folder / "model"
    shutil.rmtree(finished, ignore_errors=True)  # of an attempt that was killed while it wrote
    finished.mkdir()
    write_llama(base, network.weights(), finished / "model.gguf", kind)
    curves = curves_svg(result.curve, TOKEN_LOSS)
    (finished / CURVES_FILE).write_text(curves, encoding="utf-8")
    text = json.dumps(record, indent=1, ensure_ascii=False)
    (finished / RECORD_FILE).write_text(text + "\n", encoding="utf-8")
    sync(finished)
    for name in (CURVES_FILE, RECORD_FILE):
        (finished / name).replace(companion(output, name))
    (finished / "model.gguf").rename(output)


def _record(
    result: TrainingResult,
    settings: Mapping[str, object],
    data: AnswerSet,
    tokens: _TokenSet,
    counts: Mapping[str, int],
) -> dict[str, object]:
    validation = {
        "measure": TOKEN_LOSS.name,
        "pairs": len(tokens.held_out),
        "questions": sorted({pair.question_id for pair in data.validation}, key=int),
    }
    sizes = {
        "prompts": sum(len(pair.prompt) for pair in tokens.pairs),
        "answers": sum(len(pair.answer) for pair in tokens.pairs),
    }
    return result_record(result, settings, counts, validation, tokens=sizes, notes=list(data.notes))


def _tokens(data: AnswerSet, tokenizer: LlamaTokenizer, most: int, watch: Watch) -> _TokenSet:
    pairs = _fitting(data.pairs, tokenizer, most, watch)
    held_out = _fitting(data.validation, tokenizer, most, watch)
    if not pairs or not held_out:
        raise PorismError(
            f"no question with its answer has at most {most} tokens: use more --max-tokens"
        )
    return _TokenSet(pairs, held_out, len(data.pairs) - len(pairs))


def _fitting(
    pairs: Sequence[QuestionAnswer],
    tokenizer: LlamaTokenizer,
    most: int,
    watch: Watch,
) -> tuple[TokenPair, ...]:
    """The pairs that fit, as tokens."""
    made = []
    for done, pair in enumerate(pairs, start=1):
        tokens = token_pair(pair, tokenizer.prompt, tokenizer.ending, most)
        if tokens is not None:
            made.append(tokens)
        watch(StepProgress("answers to tokens", done, len(pairs), done))
    return tuple(made)


def _check_size(base: LlamaFile, settings: TrainingSettings, device: str) -> None:
    """Refuse a model that reads too few tokens, or whose training does not fit into memory."""
    if settings.max_tokens > base.shape.context:
        raise PorismError(
            f"{base.path}: the model reads at most {base.shape.context} tokens, fewer than "
            f"--max-tokens {settings.max_tokens}"
        )
    free = _free_memory() if device == "cpu" else None
    needed = needed_memory(base.shape)
    if free is not None and needed > free:
        raise PorismError(
            f"training {base.path} needs at least {needed / 2**30:.1f} GiB of memory for its "
            f"{base.shape.weights:,} weights, and {free / 2**30:.1f} GiB are free: use a smaller "
            "model, or a machine with more memory"
        )


def needed_memory(shape: LlamaShape) -> int:
    """The bytes that weights take in training; a batch takes more."""
    return BYTES_OF_WEIGHT * shape.weights


def _free_memory() -> int | None:
    """The bytes of memory that are available; None where the system does not say."""
    try:
        facts = _MEMORY_FACTS.read_text(encoding="ascii")
    except OSError:
        return None
    line = next((line for line in facts.splitlines() if line.startswith("MemAvailable:")), None)
    return None if line is None else 1024 * int(line.split()[1])


def _digest(tokens: _TokenSet) -> str:
    """A hash of all that is trained on and validated with."""
    digest = hashlib.sha256()
    for pairs in (tokens.pairs, tokens.held_out):
        digest.update(repr(pairs).encode("ascii"))
    return digest.hexdigest()[:16]
