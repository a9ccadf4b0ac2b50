"""Training of encoders on pairs of texts, up to the finished folder.

A training writes its checkpoints to ``MODEL.partial`` and, when it is done, renames that folder's
model to ``MODEL``: there is never half a model.

Importing this loads PyTorch and transformers, of the extra ``train``.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace

from porism.collection.progress import Watch
from porism.lab.training.checkpoints import partial_folder, sync
from porism.lab.training.curves import CURVES_FILE, MEAN_AVERAGE_PRECISION, curves_svg
from porism.lab.training.encoders.networks import (
    BiEncoderLoss,
    BiEncoderNetwork,
    CrossEncoderNetwork,
    EncoderNetwork,
    NetworkSettings,
)
from porism.lab.training.encoders.records import TrainingSet
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

FINISHED = "model"


def train_bi_encoder(
    data: TrainingSet,
    training: TrainingSettings,
    places: TrainingPlaces,
    watch: Watch,
    device: str = "auto",
    resume: bool = False,
    loss: BiEncoderLoss | None = None,
) -> TrainingResult:
    """Train a bi-encoder, and write it to a new folder, which ``open_encoder`` opens."""
    chosen = loss or BiEncoderLoss()

    def network(settings: NetworkSettings) -> EncoderNetwork:
        return BiEncoderNetwork(places.base, data, settings, chosen)

    kind = {"kind": "bi-encoder", "loss": asdict(chosen)}
    return _train(network, kind, data, training, places, watch, available_device(device), resume)


def train_cross_encoder(
    data: TrainingSet,
    training: TrainingSettings,
    places: TrainingPlaces,
    watch: Watch,
    device: str = "auto",
    resume: bool = False,
) -> TrainingResult:
    """Train a cross-encoder, and write it to a new folder, which ``open_cross_encoder`` opens."""

    def network(settings: NetworkSettings) -> EncoderNetwork:
        return CrossEncoderNetwork(places.base, data, settings)

    kind = {"kind": "cross-encoder"}
    return _train(network, kind, data, training, places, watch, available_device(device), resume)


def _train(
    make: Callable[[NetworkSettings], EncoderNetwork],
    kind: Mapping[str, object],
    data: TrainingSet,
    training: TrainingSettings,
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

    def made() -> EncoderNetwork:
        return make(NetworkSettings(training.max_tokens, device))

    job = TrainingJob(
        made,
        len(data.pairs),
        training,
        MEAN_AVERAGE_PRECISION,
        device,
        f"use a smaller --batch than {training.batch}, or fewer --max-tokens than "
        f"{training.max_tokens}",
    )
    with partial_folder(places.output, settings, resume) as folder:
        network, result = run_training(job, folder, watch)
        finished = folder / FINISHED
        shutil.rmtree(finished, ignore_errors=True)  # of an attempt that was killed while it wrote
        finished.mkdir()
        network.model.to("cpu")
        network.save(finished)
        (finished / CURVES_FILE).write_text(
            curves_svg(result.curve, MEAN_AVERAGE_PRECISION), encoding="utf-8"
        )
        text = json.dumps(training_record(result, settings, data), indent=1, ensure_ascii=False)
        (finished / RECORD_FILE).write_text(text + "\n", encoding="utf-8")
        sync(finished)
        finished.rename(places.output)
        shutil.rmtree(folder)
    return result


def training_record(
    result: TrainingResult, settings: Mapping[str, object], data: TrainingSet
) -> dict[str, object]:
    """All that is to be known about a trained encoder, for JSON."""
    validation = {
        "measure": MEAN_AVERAGE_PRECISION.name,
        "relevant": data.validation_kind,
        "topics": len(data.validation),
        "candidates": sum(len(topic.candidates) for topic in data.validation),
    }
    return result_record(
        result,
        settings,
        data.counts,
        validation,
        texts=len(data.texts),
        notes=list(data.notes),
        contamination={name: list(topics) for name, topics in data.judged.items()},
    )


def _digest(data: TrainingSet) -> str:
    """A hash of all that is trained on."""
    digest = hashlib.sha256()
    for part in (data.texts, data.pairs, sorted(data.linked), data.validation):
        for each in part:
            digest.update(repr(each).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
