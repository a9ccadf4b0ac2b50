"""Training of encoders: determinism, resuming, what is kept, and folders that open."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.collection.progress import StepProgress
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.lab.training.encoders.pairs import (
    PairOptions,
    bi_encoder_pairs,
    cross_encoder_pairs,
)
from porism.lab.training.encoders.records import TrainingSet
from porism.lab.training.encoders.validation import ValidationSize
from tests.lab.training.encoders.tiny_encoder import write_tiny_encoder

needs_torch = pytest.mark.train("torch", "transformers")
SIZE = ValidationSize(topics=4, others=12)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Let PyTorch use one thread: the threads of tests that run at once wait for each other."""
    if find_spec("torch") is not None:
        import_module("torch").set_num_threads(1)


@pytest.fixture
def _model_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep exported models out of the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def ignore(progress: StepProgress) -> None:
    """Watch nothing."""


@pytest.fixture(scope="module")
def bi_data(sample_collection: Path) -> TrainingSet:
    with open_collection(sample_collection) as collection:
        return bi_encoder_pairs(collection, PairOptions(validation=SIZE), ignore)


@pytest.fixture(scope="module")
def cross_data(sample_collection: Path) -> TrainingSet:
    size = ValidationSize(topics=4, others=8, sharing_tags=True)
    with open_collection(sample_collection) as collection:
        data = cross_encoder_pairs(collection, PairOptions(validation=size), ignore, wrong=2)
    # The tokenizers package also assembles all that is cut off, which takes most of the time.
    return replace(data, texts=tuple(text[:150] for text in data.texts))


@pytest.fixture(scope="module")
def base(bi_data: TrainingSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_encoder(tmp_path_factory.mktemp("base") / "tiny", bi_data.texts)


Train = Callable[..., Any]  # Any: the module needs PyTorch


@pytest.fixture
def train_bi(bi_data: TrainingSet, base: Path) -> Train:
    def train(output: Path, **changes: Any) -> Any:
        from porism.lab.training import epochs
        from porism.lab.training.encoders import training

        options = {
            name: changes.pop(name) for name in ("watch", "resume", "device") if name in changes
        }
        data = changes.pop("data", bi_data)
        settings = {"epochs": 2, "batch": 16, "rate": 5e-3, "max_tokens": 32, **changes}
        return training.train_bi_encoder(
            data,
            epochs.TrainingSettings(**settings),
            epochs.TrainingPlaces(base, "tiny", output),
            options.pop("watch", ignore),
            **{"device": "cpu", **options},
        )

    return train


def weights(folder: Path) -> dict[str, Any]:
    return dict(import_module("safetensors.numpy").load_file(folder / "model.safetensors"))


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(one[each], other[each]) for each in one
    )


@needs_torch
def test_the_seed_decides_and_the_loss_falls(tmp_path: Path, train_bi: Train) -> None:
    result = train_bi(tmp_path / "one", keep="last")
    train_bi(tmp_path / "again", keep="last")
    train_bi(tmp_path / "other", keep="last", seed=1)
    losses = result.curve.losses
    assert len(losses) == 2 * result.curve.steps
    assert np.mean(losses[-3:]) < np.mean(losses[:3])
    assert len(result.curve.validation) == 3
    assert equal(weights(tmp_path / "one"), weights(tmp_path / "again"))
    assert not equal(weights(tmp_path / "one"), weights(tmp_path / "other"))
    assert (tmp_path / "one" / "curves.svg").read_text(encoding="utf-8").startswith("<?xml")


@needs_torch
@pytest.mark.usefixtures("_model_cache")
def test_the_folder_opens_as_an_encoder_with_the_vectors_of_training(
    tmp_path: Path, train_bi: Train, bi_data: TrainingSet
) -> None:
    pytest.importorskip("onnxruntime")
    from porism.embed import open_encoder
    from porism.lab.training.encoders.networks import (
        BiEncoderLoss,
        BiEncoderNetwork,
        NetworkSettings,
    )

    train_bi(tmp_path / "model", keep="last")
    encoder = open_encoder(str(tmp_path / "model"), "float32")
    network = BiEncoderNetwork(
        tmp_path / "model", bi_data, NetworkSettings(40, "cpu"), BiEncoderLoss()
    )
    network.model.eval()
    ours = encoder.encode(bi_data.texts[:20])
    theirs = network._vectors(np.arange(20)).detach().numpy()
    assert ours == pytest.approx(theirs, abs=1e-4)


@needs_torch
def test_a_resumed_training_ends_with_the_weights_of_one_that_was_not_interrupted(
    tmp_path: Path, train_bi: Train
) -> None:
    train_bi(tmp_path / "whole", keep="last")
    for stop in (3, 7):  # within the first epoch, and after it

        def interrupt(progress: StepProgress, stop: int = stop) -> None:
            if progress.step == "steps of training" and progress.done == stop:
                raise KeyboardInterrupt

        output = tmp_path / f"stopped-{stop}"
        with pytest.raises(KeyboardInterrupt):
            train_bi(output, keep="last", checkpoint_steps=2, watch=interrupt)
        assert not output.exists()
        partial = output.with_name(output.name + ".partial")
        assert (partial / "checkpoint.pt").is_file()
        with pytest.raises(PorismError, match="continue it with --resume, or remove"):
            train_bi(output, keep="last")
        with pytest.raises(PorismError, match=r"other settings: rate 0.005 \(now 0.01\)"):
            train_bi(output, keep="last", resume=True, rate=0.01)
        train_bi(output, keep="last", resume=True)
        assert equal(weights(tmp_path / "whole"), weights(output))
        assert not partial.exists()


@needs_torch
def test_the_best_epoch_is_kept_also_after_resuming(
    tmp_path: Path, train_bi: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.encoders.networks import BiEncoderNetwork

    train_bi(tmp_path / "first", keep="last", epochs=2)
    scores = iter([0.5, 0.4, 0.6, 0.3])
    monkeypatch.setattr(BiEncoderNetwork, "validation", lambda self: next(scores))

    def interrupt(progress: StepProgress) -> None:
        if progress.step == "steps of training" and progress.done == progress.total - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_bi(tmp_path / "best", epochs=3, watch=interrupt)
    result = train_bi(tmp_path / "best", epochs=3, resume=True)
    assert result.curve.validation == (0.5, 0.4, 0.6, 0.3)
    assert (result.best_epoch, result.kept_epoch, result.after) == (2, 2, 0.6)
    record = json.loads((tmp_path / "best" / "training.json").read_text(encoding="utf-8"))
    assert record["validation"]["best_epoch"] == 2
    assert record["settings"]["epochs"] == 3
    assert not equal(weights(tmp_path / "best"), weights(tmp_path / "first"))


@needs_torch
def test_a_training_that_does_not_help_keeps_the_start_model(
    tmp_path: Path, train_bi: Train, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.encoders.networks import BiEncoderNetwork

    scores = iter([0.5, 0.5, 0.2])
    monkeypatch.setattr(BiEncoderNetwork, "validation", lambda self: next(scores))
    result = train_bi(tmp_path / "model")
    assert not result.has_improved
    assert equal(weights(tmp_path / "model"), weights(base))


@needs_torch
def test_votes_as_targets_train(tmp_path: Path, base: Path, sample_collection: Path) -> None:
    from porism.lab.training import epochs
    from porism.lab.training.encoders import training
    from porism.lab.training.encoders.networks import BiEncoderLoss

    with open_collection(sample_collection) as collection:
        data = bi_encoder_pairs(collection, PairOptions(validation=SIZE), ignore, uses_votes=True)
    settings = epochs.TrainingSettings(epochs=3, batch=16, rate=5e-3, max_tokens=32)
    places = epochs.TrainingPlaces(base, "tiny", tmp_path / "model")
    loss = BiEncoderLoss(uses_votes=True)
    result = training.train_bi_encoder(data, settings, places, ignore, "cpu", loss=loss)
    assert np.mean(result.curve.losses[-3:]) < np.mean(result.curve.losses[:3])


@needs_torch
def test_texts_of_the_same_or_linked_threads_are_no_wrong_pairs(
    base: Path, bi_data: TrainingSet
) -> None:
    from porism.lab.training.encoders.networks import (
        BiEncoderLoss,
        BiEncoderNetwork,
        NetworkSettings,
    )

    network = BiEncoderNetwork(base, bi_data, NetworkSettings(16, "cpu"), BiEncoderLoss())
    places = np.arange(len(bi_data.pairs))
    same = network.same_threads(places)
    for row, one in enumerate(bi_data.pairs):
        for column, other in enumerate(bi_data.pairs):
            expected = (
                one.threads[0] == other.threads[0]
                or other.threads[1] in one.threads
                or any((each, other.threads[1]) in bi_data.linked for each in one.threads)
            )
            assert same[row, column] == expected


@needs_torch
@pytest.mark.usefixtures("_model_cache")
def test_a_cross_encoder_learns_and_opens(
    tmp_path: Path, base: Path, cross_data: TrainingSet
) -> None:
    pytest.importorskip("onnxruntime")
    from porism.embed import open_cross_encoder
    from porism.lab.training import epochs
    from porism.lab.training.encoders import training
    from porism.lab.training.encoders.networks import CrossEncoderNetwork, NetworkSettings

    settings = epochs.TrainingSettings(
        epochs=3, batch=16, rate=1e-2, max_tokens=32, keep=epochs.FinalEpoch.LAST
    )
    folders = [tmp_path / name for name in ("one", "again")]
    for folder in folders:
        places = epochs.TrainingPlaces(base, "tiny", folder)
        result = training.train_cross_encoder(cross_data, settings, places, ignore, "cpu")
    assert equal(weights(folders[0]), weights(folders[1]))
    assert np.mean(result.curve.losses[-3:]) < np.mean(result.curve.losses[:3])
    pairs = [(pair.first, pair.second) for pair in cross_data.pairs[:10]]
    texts = [(cross_data.texts[first], cross_data.texts[second]) for first, second in pairs]
    network = CrossEncoderNetwork(folders[0], cross_data, NetworkSettings(32, "cpu"))
    network.model.eval()
    theirs = network._outputs(np.arange(10)).detach().numpy()
    ours = open_cross_encoder(str(folders[0]), "float32").scores(texts)
    assert ours == pytest.approx(theirs, abs=1e-2)


@needs_torch
def test_exhausted_memory_names_the_options(
    tmp_path: Path, train_bi: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from porism.lab.training.encoders.networks import BiEncoderNetwork

    def exhausted(self: object, places: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(BiEncoderNetwork, "loss", exhausted)
    with pytest.raises(PorismError, match="smaller --batch than 16, or fewer --max-tokens than 32"):
        train_bi(tmp_path / "model")
    assert not (tmp_path / "model").exists()


@needs_torch
def test_a_loss_that_is_no_number_ends_the_training(
    tmp_path: Path, train_bi: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    from porism.lab.training.encoders.networks import BiEncoderNetwork

    monkeypatch.setattr(BiEncoderNetwork, "loss", lambda self, places: torch.tensor(float("nan")))
    with pytest.raises(PorismError, match=r"diverged.*lower --learning-rate than 0.005"):
        train_bi(tmp_path / "model")


@needs_torch
def test_what_does_not_fit_is_refused(tmp_path: Path, train_bi: Train) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(PorismError, match="already exists"):
        train_bi(tmp_path / "there")
    with pytest.raises(PorismError, match="there is no folder"):
        train_bi(tmp_path / "absent" / "model")
    with pytest.raises(PorismError, match="PyTorch cannot compute on 'abacus' here"):
        train_bi(tmp_path / "model", device="abacus")
    with pytest.raises(PorismError, match="at most 40 tokens, fewer than --max-tokens 64"):
        train_bi(tmp_path / "model", max_tokens=64)


def train(*arguments: object) -> Result:
    return CliRunner().invoke(porism, ["train", *map(str, arguments)])


@needs_torch
def test_the_commands_train_and_report(tmp_path: Path, sample_collection: Path, base: Path) -> None:
    small: tuple[object, ...] = (
        "--base", base, "--epochs", 1, "--batch", 16, "--max-tokens", 32, "--validation", 3,
        "--device", "cpu", "--learning-rate", 0.01, "--keep", "last",
    )  # fmt: skip
    result = train("bi-encoder", sample_collection, "-o", tmp_path / "bi", *small, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["pairs"]["answers"] > 20
    assert len(record["validation"]["by_epoch"]) == 2
    result = train(
        "bi-encoder", sample_collection, "-o", tmp_path / "prefix", *small, "--formulas", "prefix",
        "--pairs", "answers",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "bi-encoder trained on" in result.stdout
    result = train(
        "cross-encoder", sample_collection, "-o", tmp_path / "cross", *small, "--wrong", 1,
        "--negatives", sample_collection / "index", "--limit", 20,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "cross" / "training.json").read_text(encoding="utf-8"))
    assert record["settings"]["negatives"] == "index"
    assert record["pairs"]["wrong"] == 20


@needs_torch
def test_judged_topics_are_reported_as_contaminated(
    tmp_path: Path, sample_collection: Path, base: Path
) -> None:
    from porism.collection.sample import sample_qrels, sample_topics

    result = train(
        "bi-encoder", sample_collection, "-o", tmp_path / "bi", "--base", base, "--batch", 16,
        "--max-tokens", 16, "--topics", sample_topics(1), "--qrels", sample_qrels(1),
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "are contaminated" in result.stderr
    record = json.loads((tmp_path / "bi" / "training.json").read_text(encoding="utf-8"))
    assert record["pairs"]["judgments"] > 0
    assert all(topics for topics in record["contamination"].values())


@needs_torch
def test_an_interrupted_command_names_the_option_that_continues_it(
    tmp_path: Path, sample_collection: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training.encoders.networks import BiEncoderNetwork

    def interrupted(self: object, places: object) -> None:
        raise KeyboardInterrupt

    arguments: tuple[object, ...] = (
        "bi-encoder", sample_collection, "-o", tmp_path / "bi", "--base", base,
        "--max-tokens", 16, "--batch", 16,
    )  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(BiEncoderNetwork, "loss", interrupted)
        result = train(*arguments)
    assert result.exit_code == 1
    assert "the same command with --resume continues" in result.stderr
    assert not (tmp_path / "bi").exists()
    assert train(*arguments, "--resume").exit_code == 0


@needs_torch
def test_the_command_refuses_what_cannot_be_trained(
    tmp_path: Path, sample_collection: Path, base: Path
) -> None:
    model = tmp_path / "model"
    for arguments, message in (
        (("--base", "wordllama"), "no network that can be trained"),
        (("--base", tmp_path / "absent"), "there is no folder"),
        (("--base", tmp_path), "found no config.json"),
        (("--base", base, "--pairs", "answers,comments"), "expected some of answers"),
    ):
        result = train("bi-encoder", sample_collection, "-o", model, *arguments)
        assert result.exit_code != 0
        assert message in result.output
        assert not model.exists()
    (tmp_path / "there").mkdir()
    result = train("cross-encoder", sample_collection, "-o", tmp_path / "there")
    assert "already exists" in result.output
    links = tmp_path / "links.tsv"
    links.write_text("900001\t900002\n", encoding="utf-8")
    result = train(
        "bi-encoder", sample_collection, "-o", model, "--base", base, "--without-links", links
    )
    assert "none of its 2 questions is in" in result.output


@pytest.fixture
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("porism.lab.training.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)


@pytest.mark.usefixtures("_without_torch")
@pytest.mark.parametrize("kind", ["bi-encoder", "cross-encoder"])
def test_missing_packages_are_named_with_the_command_that_installs_them(
    kind: str, tmp_path: Path, sample_collection: Path
) -> None:
    result = train(kind, sample_collection, "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert "needs the package torch" in result.output
    assert "pip install 'porism[train]'" in result.output
    assert not list(tmp_path.iterdir())
