"""The epochs of a training with PyTorch: steps, rates of learning, validation, and what is kept.

Whatever is trained, a training that was interrupted continues from its last checkpoint, and ends
with the weights of one that was not. On one processor the same seed gives the same weights. Of all
epochs, and the model before the first, the one with the best validation is kept, unless the last is
asked for.

Importing this loads PyTorch, of the extra ``train``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from porism import __version__
from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.lab.training.checkpoints import (
    TrainingState,
    best_weights,
    loaded_tensors,
    remove_old_best,
    restored,
    save_tensors,
    write_checkpoint,
)
from porism.lab.training.curves import TrainingCurve, ValidationMeasure

RECORD_FILE = "training.json"

EXHAUSTED = ("out of memory", "not enough memory", "can't allocate memory")
"""What PyTorch says of memory, in errors that have no type of their own."""

Places = NDArray[np.int64]
"""Places of pairs in a training set."""


class FinalEpoch(StrEnum):
    """Which epoch of a training becomes the model."""

    BEST = "best"
    LAST = "last"


class RateFall(StrEnum):
    """How the rate of learning falls to 0 after its highest: in a line, or as half a cosine."""

    LINEAR = "linear"
    COSINE = "cosine"


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a network is trained; the defaults are those of most published bi-encoders.

    ``rate`` rises over the share ``warm_up`` of all steps, and then falls to 0.
    ``checkpoint_steps`` does not change the result.
    """

    epochs: int = 1
    batch: int = 32
    rate: float = 2e-5
    max_tokens: int = 128
    seed: int = 0
    warm_up: float = 0.1
    fall: RateFall = RateFall.LINEAR
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


class TrainedNetwork(Protocol):
    """A model in training."""

    model: torch.nn.Module

    def loss_parts(self, places: Places) -> Iterator[torch.Tensor]:
        """The loss of a batch of pairs, in parts that add up to it.

        The gradient of a part is computed before the next part, so that a batch may be larger than
        what fits into memory.
        """

    def validation(self) -> float:
        """How good the model is, by texts that it does not learn from."""


Network = TypeVar("Network", bound=TrainedNetwork, covariant=True)


@dataclass(frozen=True, slots=True)
class TrainingJob(Generic[Network]):
    """A network, the number of pairs it learns from, and how.

    ``memory_advice`` says which options to change if memory is exhausted.
    """

    make: Callable[[], Network]
    pairs: int
    settings: TrainingSettings
    measure: ValidationMeasure
    device: str
    memory_advice: str


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


def run_training(
    job: TrainingJob[Network], folder: Path, watch: Watch
) -> tuple[Network, TrainingResult]:
    """Train with checkpoints in a folder; the network that is returned has the weights to keep."""
    settings = job.settings
    torch.manual_seed(settings.seed)
    with _memory_errors(job):
        network = job.make()
        state = _trained(network, job, folder, watch)
        kept = settings.epochs if settings.keep is FinalEpoch.LAST else state.best_epoch
        if 0 < kept < settings.epochs:
            network.model.load_state_dict(loaded_tensors(best_weights(folder, kept), job.device))
        elif kept == 0:
            torch.manual_seed(settings.seed)  # as at first: some layers may be random
            network = job.make()
    return network, TrainingResult(state.curve, state.best_epoch, kept, job.device)


def result_record(
    result: TrainingResult,
    settings: Mapping[str, object],
    pairs: Mapping[str, int],
    validation: Mapping[str, object],
    **more: object,
) -> dict[str, object]:
    """All that is to be known about a trained model, for JSON."""
    curve = result.curve
    return {
        "porism": __version__,
        "torch": str(torch.__version__),
        "transformers": transformers.__version__,
        "device": result.device,
        "settings": dict(settings),
        "pairs": dict(pairs),
        "validation": {
            **validation,
            "by_epoch": list(curve.validation),
            "best_epoch": result.best_epoch,
            "kept_epoch": result.kept_epoch,
            "improved": result.has_improved,
        },
        "loss": {"steps": curve.steps, "by_step": [round(each, 5) for each in curve.losses]},
        **more,
    }


def _trained(
    network: TrainedNetwork, job: TrainingJob[TrainedNetwork], folder: Path, watch: Watch
) -> TrainingState:
    """Train from the beginning, or from the checkpoint in the folder."""
    settings, model, device = job.settings, network.model, job.device
    optimizer = torch.optim.AdamW(_groups(model, settings.decay), lr=settings.rate)
    steps = math.ceil(job.pairs / settings.batch)
    total = settings.epochs * steps
    state = restored(folder, model, optimizer, device)
    if state is None:
        watch(StepProgress("validation before training", 0, 1, 0))
        state = TrainingState(0, TrainingCurve((), (network.validation(),), steps), 0)
        write_checkpoint(folder, state, model, optimizer, device)
    while state.step < total:
        epoch, at = divmod(state.step, steps)
        losses = list(state.curve.losses)
        for batch in _batches(job.pairs, settings, epoch)[at:]:
            for group in optimizer.param_groups:
                group["lr"] = rate_of_step(settings, state.step, total)
            losses.append(_step(network, optimizer, batch, settings, state.step))
            state.step += 1
            watch(StepProgress("steps of training", state.step, total, state.step))
            if state.step % settings.checkpoint_steps == 0 and state.step % steps:
                state.curve = replace(state.curve, losses=tuple(losses))
                write_checkpoint(folder, state, model, optimizer, device)
        value = network.validation()
        best = state.curve.validation[state.best_epoch]
        state.curve = TrainingCurve(tuple(losses), (*state.curve.validation, value), steps)
        if job.measure.is_better(value, best):
            state.best_epoch = epoch + 1
            save_tensors(best_weights(folder, epoch + 1), model.state_dict())
        write_checkpoint(folder, state, model, optimizer, device)
        remove_old_best(folder, state.best_epoch)
    return state


def _step(
    network: TrainedNetwork,
    optimizer: torch.optim.Optimizer,
    batch: Places,
    settings: TrainingSettings,
    step: int,
) -> float:
    optimizer.zero_grad()
    value = 0.0
    for part in network.loss_parts(batch):
        value += float(part.detach())
        if not math.isfinite(value):
            raise PorismError(
                f"training diverged: the loss of step {step + 1} is {value}; use a lower "
                f"--learning-rate than {settings.rate:g}"
            )
        part.backward()
    torch.nn.utils.clip_grad_norm_(network.model.parameters(), settings.longest_gradient)
    optimizer.step()
    return value


def _groups(model: torch.nn.Module, decay: float) -> list[dict[str, Any]]:
    """The weights with decay; biases and normalisations have none."""
    named = list(model.named_parameters())
    return [
        {"params": [each for _, each in named if each.ndim > 1], "weight_decay": decay},
        {"params": [each for _, each in named if each.ndim <= 1], "weight_decay": 0.0},
    ]


def rate_of_step(settings: TrainingSettings, step: int, total: int) -> float:
    """The rate of learning of a step, from 0: it rises in a line, then falls to 0."""
    rising = max(1, round(settings.warm_up * total))
    if step < rising:
        return settings.rate * (step + 1) / rising
    left = (total - step) / max(1, total - rising)
    if settings.fall is RateFall.COSINE:
        return settings.rate * (1 - math.cos(math.pi * left)) / 2
    return settings.rate * left


def _batches(pairs: int, settings: TrainingSettings, epoch: int) -> list[Places]:
    """The batches of an epoch, in an order of its own that only the seed decides."""
    order = np.random.default_rng([settings.seed, epoch]).permutation(pairs)
    return [order[start : start + settings.batch] for start in range(0, pairs, settings.batch)]


@contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off in a block."""
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train()


def available_device(name: str) -> str:
    """The device that is named, or for ``auto`` the best there is."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise PorismError(f"PyTorch cannot compute on {name!r} here: {reason}") from None
    return name


@contextmanager
def _memory_errors(job: TrainingJob[TrainedNetwork]) -> Iterator[None]:
    """Turn an exhausted memory into an error that names the options to change."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        is_exhausted = isinstance(error, MemoryError | torch.OutOfMemoryError) or any(
            words in str(error) for words in EXHAUSTED
        )
        if not is_exhausted:
            raise
        raise PorismError(
            f"the memory of {job.device} is exhausted: {job.memory_advice}"
        ) from error
