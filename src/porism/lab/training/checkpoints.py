"""Checkpoints of a training, in a folder beside what it will write.

A training works in ``MODEL.partial`` until it is done, alone and always with the same settings. A
checkpoint replaces the one before in one step, so a process that is killed leaves the older or the
newer one.

Importing this loads PyTorch, of the extra ``train``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from porism.errors import PorismError
from porism.lab.training.curves import TrainingCurve
from porism.locking import ProcessLock

CHECKPOINT, SETTINGS, LOCK = "checkpoint.pt", "settings.json", "training.lock"


@dataclass(slots=True)
class TrainingState:
    """How far a training has come."""

    step: int
    curve: TrainingCurve
    best_epoch: int


@contextmanager
def partial_folder(output: Path, settings: Mapping[str, object], resume: bool) -> Iterator[Path]:
    """The folder of an unfinished training, locked; an error where it does not fit."""
    if output.exists():
        raise PorismError(f"{output} already exists; use a new name or remove it first")
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


def best_weights(folder: Path, epoch: int) -> Path:
    """The file of the weights after an epoch that was the best until then."""
    return folder / f"best-{epoch}.pt"


def remove_old_best(folder: Path, best_epoch: int) -> None:
    for path in folder.glob("best-*.pt"):
        if path != best_weights(folder, best_epoch):
            path.unlink()


def write_checkpoint(
    folder: Path,
    state: TrainingState,
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
    save_tensors(folder / CHECKPOINT, content)


def restored(
    folder: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, device: str
) -> TrainingState | None:
    """The state of the checkpoint, with the model and the optimizer as they were; None without."""
    if not (folder / CHECKPOINT).exists():
        return None
    content = loaded_tensors(folder / CHECKPOINT, device)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    torch.set_rng_state(content["random"][0].cpu())
    if device.startswith("cuda") and len(content["random"]) > 1:
        torch.cuda.set_rng_state(content["random"][1].cpu(), device)
    curve = TrainingCurve(tuple(content["losses"]), tuple(content["validation"]), content["steps"])
    return TrainingState(content["step"], curve, content["best_epoch"])


def save_tensors(path: Path, content: object) -> None:
    """Replace a file by tensors, durably."""
    new = path.with_name(path.name + ".new")
    with new.open("wb") as file:
        torch.save(content, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def loaded_tensors(path: Path, device: str) -> Any:  # Any: whatever was saved, without code
    return torch.load(path, map_location=device, weights_only=True)


def _write_text(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text + "\n", encoding="utf-8")
    new.replace(path)


def sync(folder: Path) -> None:
    """Wait until all files of a folder are on disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
