"""Training of encoders on pairs of texts: epochs, validation, checkpoints, and the finished folder.

A training writes its checkpoints to ``MODEL.partial`` and, when it is done, renames that folder's
model to ``MODEL``: there is never half a model. One that was interrupted continues from its last
checkpoint, and ends with the weights of one that was not. On one processor the same seed gives the
same weights.

Of all epochs, and the model before the first, the one with the best validation is kept, unless the
last is asked for.

Importing this loads PyTorch and transformers, of the extra ``train``.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from porism import __version__
from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.lab.training.encoders.curves import CURVES_FILE, TrainingCurve, curves_svg
from porism.lab.training.encoders.networks import (
    BiEncoderLoss,
    BiEncoderNetwork,
    CrossEncoderNetwork,
    TrainedNetwork,
    NetworkSettings,
    Places,
)
from porism.lab.training.encoders.records import TrainingSet
from porism.locking import ProcessLock

RECORD_FILE = "training.json"
CHECKPOINT, SETTINGS, LOCK, FINISHED = "checkpoint.pt", "settings.json", "training.lock", "model"


class FinalEpoch(StrEnum):
    """Which epoch of a training becomes the model."""

    BEST = "best"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class EncoderTraining:
    """How an encoder is trained; the defaults are those of most published bi-encoders.

    ``rate`` rises over the share ``warm_up`` of all steps, and then falls to 0.
    ``checkpoint_steps`` does not change the result.
    """

    epochs: int = 1
    batch: int = 32
    rate: float = 2e-5
    max_tokens: int = 128
    seed: int = 0
    warm_up: float = 0.1
    decay: float = 0.01
    longest_gradient: float = 1.0
    keep: FinalEpoch = FinalEpoch.BEST
    checkpoint_steps: int = 200


@dataclass(frozen=True, slots=True)
class TrainingPlaces:
    """Where a training starts from and writes to; ``source`` describes the collection and pairs."""

    base: Path
    base_name: str
    output: Path
    source: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a training found: validation before and after each epoch, the best, and the one kept.

    Epoch 0 is the model before training.
    """

    curve: TrainingCurve
    best_epoch: int
    kept_epoch: int
    device: str

    @property
    def has_improved(self) -> bool:
        """Whether any epoch was better than the model before training."""
        return self.best_epoch > 0

    @property
    def before(self) -> float:
        """Validation before training."""
        return self.curve.validation[0]

    @property
    def after(self) -> float:
        """Validation of the model that was kept."""
        return self.curve.validation[self.kept_epoch]


def train_bi_encoder(
    data: TrainingSet,
    training: EncoderTraining,
    places: TrainingPlaces,
    watch: Watch,
    device: str = "auto",
    resume: bool = False,
    loss: BiEncoderLoss | None = None,
) -> TrainingResult:
    """Train a bi-encoder, and write it to a new folder, which ``open_encoder`` opens."""
    chosen = loss or BiEncoderLoss()

    def network(settings: NetworkSettings) -> TrainedNetwork:
        return BiEncoderNetwork(places.base, data, settings, chosen)

    kind = {"kind": "bi-encoder", "loss": asdict(chosen)}
    return _train(network, kind, data, training, places, watch, _device(device), resume)


def train_cross_encoder(
    data: TrainingSet,
    training: EncoderTraining,
    places: TrainingPlaces,
    watch: Watch,
    device: str = "auto",
    resume: bool = False,
) -> TrainingResult:
    """Train a cross-encoder, and write it to a new folder, which ``open_cross_encoder`` opens."""

    def network(settings: NetworkSettings) -> TrainedNetwork:
        return CrossEncoderNetwork(places.base, data, settings)

    kind = {"kind": "cross-encoder"}
    return _train(network, kind, data, training, places, watch, _device(device), resume)


@dataclass(slots=True)
class _State:
    """How far a training has come."""

    step: int
    curve: TrainingCurve
    best_epoch: int


def _train(
    make: Callable[[NetworkSettings], TrainedNetwork],
    kind: Mapping[str, object],
    data: TrainingSet,
    training: EncoderTraining,
    places: TrainingPlaces,
    watch: Watch,
    device: str,
    resume: bool,
) -> TrainingResult:
    settings = {
        **kind,
        "base": places.base_name,
        **asdict(replace(training, checkpoint_steps=0)),
        **places.source,
        "data": _digest(data),
    }
    with _partial_folder(places.output, settings, resume) as folder:
        torch.manual_seed(training.seed)
        with _memory_errors(device, training):
            network = make(NetworkSettings(training.max_tokens, device))
            state = _trained(network, len(data.pairs), training, folder, watch, device)
            kept = training.epochs if training.keep is FinalEpoch.LAST else state.best_epoch
            if 0 < kept < training.epochs:
                network.model.load_state_dict(_loaded(folder / _best(kept), device))
            elif kept == 0:
                torch.manual_seed(training.seed)  # as at first: some layers may be random
                network = make(NetworkSettings(training.max_tokens, device))
        result = TrainingResult(state.curve, state.best_epoch, kept, device)
        finished = folder / FINISHED
        shutil.rmtree(finished, ignore_errors=True)  # of an attempt that was killed while it wrote
        finished.mkdir()
        network.model.to("cpu")
        network.save(finished)
        (finished / CURVES_FILE).write_text(curves_svg(state.curve), encoding="utf-8")
        record = training_record(result, settings, data)
        text = json.dumps(record, indent=1, ensure_ascii=False)
        (finished / RECORD_FILE).write_text(text + "\n", encoding="utf-8")
        _sync(finished)
        finished.rename(places.output)
        shutil.rmtree(folder)
    return result


def training_record(
    result: TrainingResult, settings: Mapping[str, object], data: TrainingSet
) -> dict[str, object]:
    """All that is to be known about a trained model, for JSON."""
    curve = result.curve
    return {
        "porism": __version__,
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
        "device": result.device,
        "settings": dict(settings),
        "pairs": dict(data.counts),
        "texts": len(data.texts),
        "validation": {
            "measure": "MAP",
            "relevant": data.validation_kind,
            "topics": len(data.validation),
            "candidates": sum(len(topic.candidates) for topic in data.validation),
            "by_epoch": list(curve.validation),
            "best_epoch": result.best_epoch,
            "kept_epoch": result.kept_epoch,
            "improved": result.has_improved,
        },
        "loss": {"steps": curve.steps, "by_step": [round(each, 5) for each in curve.losses]},
        "notes": list(data.notes),
        "contamination": {name: list(topics) for name, topics in data.judged.items()},
    }


def _trained(
    network: TrainedNetwork,
    pairs: int,
    training: EncoderTraining,
    folder: Path,
    watch: Watch,
    device: str,
) -> _State:
    """Train from the beginning, or from the checkpoint in the folder."""
    model = network.model
    optimizer = torch.optim.AdamW(_groups(model, training.decay), lr=training.rate)
    steps = math.ceil(pairs / training.batch)
    state = _restored(folder, model, optimizer, device)
    if state is None:
        watch(StepProgress("validation before training", 0, 1, 0))
        state = _State(0, TrainingCurve((), (network.validation(),), steps), 0)
        _write_checkpoint(folder, state, model, optimizer, device)
    while state.step < training.epochs * steps:
        epoch, at = divmod(state.step, steps)
        batches = _batches(pairs, training, epoch)
        losses = list(state.curve.losses)
        for batch in batches[at:]:
            for group in optimizer.param_groups:
                group["lr"] = _rate(training, state.step, training.epochs * steps)
            losses.append(_step(network, optimizer, batch, training, state.step))
            state.step += 1
            watch(
                StepProgress("steps of training", state.step, training.epochs * steps, state.step)
            )
            if state.step % training.checkpoint_steps == 0 and state.step % steps:
                state.curve = replace(state.curve, losses=tuple(losses))
                _write_checkpoint(folder, state, model, optimizer, device)
        value = network.validation()
        state.curve = TrainingCurve(tuple(losses), (*state.curve.validation, value), steps)
        if value > state.curve.validation[state.best_epoch]:
            state.best_epoch = epoch + 1
            _save_tensors(folder / _best(epoch + 1), model.state_dict())
        _write_checkpoint(folder, state, model, optimizer, device)
        _remove_old_best(folder, state.best_epoch)
    return state


def _step(
    network: TrainedNetwork,
    optimizer: torch.optim.Optimizer,
    batch: Places,
    training: EncoderTraining,
    step: int,
) -> float:
    loss = network.loss(batch)
    value = float(loss.detach())
    if not math.isfinite(value):
        raise PorismError(
            f"training diverged: the loss of step {step + 1} is {value}; use a lower "
            f"--learning-rate than {training.rate:g}"
        )
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.model.parameters(), training.longest_gradient)
    optimizer.step()
    return value


def _groups(model: torch.nn.Module, decay: float) -> list[dict[str, Any]]:
    """The weights with decay; biases and normalisations have none."""
    named = list(model.named_parameters())
    return [
        {"params": [each for _, each in named if each.ndim > 1], "weight_decay": decay},
        {"params": [each for _, each in named if each.ndim <= 1], "weight_decay": 0.0},
    ]


def _rate(training: EncoderTraining, step: int, total: int) -> float:
    """The rate of learning of a step: it rises from 0, then falls to 0, both in a line."""
    rising = max(1, round(training.warm_up * total))
    if step < rising:
        return training.rate * (step + 1) / rising
    return training.rate * (total - step) / max(1, total - rising)


def _batches(pairs: int, training: EncoderTraining, epoch: int) -> list[Places]:
    """The batches of an epoch, in an order of its own that only the seed decides."""
    order = np.random.default_rng([training.seed, epoch]).permutation(pairs)
    return [order[start : start + training.batch] for start in range(0, pairs, training.batch)]


def _device(name: str) -> str:
    """The device that is named, or the best there is."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise PorismError(f"PyTorch cannot compute on {name!r} here: {reason}") from None
    return name


@contextmanager
def _memory_errors(device: str, training: EncoderTraining) -> Iterator[None]:
    """Turn an exhausted memory into an error that names the options to change."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        message = str(error)
        is_exhausted = isinstance(error, MemoryError | torch.OutOfMemoryError) or any(
            words in message for words in ("out of memory", "not enough memory")
        )
        if not is_exhausted:
            raise
        raise PorismError(
            f"the memory of {device} is exhausted: use a smaller --batch than {training.batch}, or "
            f"fewer --max-tokens than {training.max_tokens}"
        ) from error


@contextmanager
def _partial_folder(output: Path, settings: Mapping[str, object], resume: bool) -> Iterator[Path]:
    """The folder of an unfinished training, locked; an error where it does not fit."""
    if output.exists():
        raise PorismError(f"{output} already exists; name a new folder or remove it first")
    if not output.absolute().parent.is_dir():
        raise PorismError(f"{output}: there is no folder {output.absolute().parent} to write to")
    folder = output.with_name(output.name + ".partial")
    if folder.exists() and not resume:
        raise PorismError(
            f"{folder} has an unfinished training: continue it with --resume, or remove the folder"
        )
    folder.mkdir(exist_ok=True)
    with ProcessLock(folder / LOCK, f"{folder}: another process is training this model"):
        path = folder / SETTINGS
        if path.exists():
            _check_settings(path, settings)
        else:
            _write_text(path, json.dumps(settings, indent=1, default=str))
        yield folder


def _check_settings(path: Path, settings: Mapping[str, object]) -> None:
    """Refuse to continue a training with other settings, or on other pairs."""
    then = json.loads(path.read_text(encoding="utf-8"))
    now = json.loads(json.dumps(settings, default=str))
    changed = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if changed:
        listed = ", ".join(f"{name} {then.get(name)} (now {now.get(name)})" for name in changed)
        raise PorismError(
            f"{path.parent}: the unfinished training has other settings: {listed}; continue it "
            "with the same, or remove the folder"
        )


def _digest(data: TrainingSet) -> str:
    """A hash of all that is trained on."""
    digest = hashlib.sha256()
    for part in (data.texts, data.pairs, sorted(data.linked), data.validation):
        for each in part:
            digest.update(repr(each).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def _best(epoch: int) -> str:
    return f"best-{epoch}.pt"


def _remove_old_best(folder: Path, best_epoch: int) -> None:
    for path in folder.glob("best-*.pt"):
        if path.name != _best(best_epoch):
            path.unlink()


def _write_checkpoint(
    folder: Path,
    state: _State,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    device: str,
) -> None:
    random = [torch.get_rng_state()]
    if device.startswith("cuda"):
        random.append(torch.cuda.get_rng_state(device))
    content = {
        "step": state.step,
        "losses": list(state.curve.losses),
        "validation": list(state.curve.validation),
        "steps": state.curve.steps,
        "best_epoch": state.best_epoch,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "random": random,
    }
    _save_tensors(folder / CHECKPOINT, content)


def _restored(
    folder: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, device: str
) -> _State | None:
    """The state of the checkpoint, with the model and the optimizer as they were; None without."""
    if not (folder / CHECKPOINT).exists():
        return None
    content = _loaded(folder / CHECKPOINT, device)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    torch.set_rng_state(content["random"][0].cpu())
    if device.startswith("cuda") and len(content["random"]) > 1:
        torch.cuda.set_rng_state(content["random"][1].cpu(), device)
    curve = TrainingCurve(tuple(content["losses"]), tuple(content["validation"]), content["steps"])
    return _State(content["step"], curve, content["best_epoch"])


def _save_tensors(path: Path, content: object) -> None:
    """Replace a file by tensors, durably."""
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        torch.save(content, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _loaded(path: Path, device: str) -> Any:  # Any: whatever was saved, without code
    return torch.load(path, map_location=device, weights_only=True)


def _write_text(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)


def _sync(folder: Path) -> None:
    """Wait until all files of a folder are on disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
