"""Encoders of model folders: pooling, limits and ready ONNX models."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from porism.embed import open_encoder
from porism.embed.network import open_network
from porism.errors import PorismError
from tests.embed.tiny_models import WIDTH, letters_tokenizer, write_model


def write_modules(folder: Path, pooling: dict[str, object], more: tuple[str, ...] = ()) -> None:
    """Write the files of sentence-transformers that say how vectors are pooled."""
    modules = [{"path": "", "type": "sentence_transformers.models.Transformer"}]
    modules += [{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
    modules += [{"path": name, "type": f"sentence_transformers.models.{name}"} for name in more]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")


@pytest.mark.parametrize(
    ("settings", "pooling"),
    [
        (None, "mean"),
        ({"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, "mean"),
        ({"pooling_mode_mean_sqrt_len_tokens": True}, "mean"),
        ({"pooling_mode_cls_token": True}, "cls"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode": "cls"}, "cls"),
    ],
)
def test_pooling_is_that_of_the_folder(
    tmp_path: Path, settings: dict[str, object] | None, pooling: str
) -> None:
    write_model(tmp_path, "bert")
    if settings is not None:
        write_modules(tmp_path, settings, ("Normalize",))
    encoder = open_encoder(str(tmp_path), "float32")
    assert encoder.identity.pooling == pooling
    states = open_network(tmp_path, "float32").states(np.array([[2, 4, 5, 3]]))[0]
    pooled = {"mean": states.mean(axis=0), "cls": states[0], "max": states.max(axis=0)}[pooling]
    expected = pooled / np.linalg.norm(pooled)
    np.testing.assert_allclose(encoder.encode(["a b"])[0], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "more", "message"),
    [
        ({"pooling_mode_lasttoken": True}, (), "found the pooling lasttoken"),
        ({}, (), "found the pooling none"),
        (
            {"pooling_mode_cls_token": True, "pooling_mode_max_tokens": True},
            (),
            "found the pooling cls, max",
        ),
        ({"pooling_mode": "mean"}, ("Dense",), "found a module of type 'Dense'"),
    ],
)
def test_other_modules_are_refused(
    tmp_path: Path, settings: dict[str, object], more: tuple[str, ...], message: str
) -> None:
    write_model(tmp_path, "bert")
    write_modules(tmp_path, settings, more)
    with pytest.raises(PorismError, match=message):
        open_encoder(str(tmp_path))


def test_a_module_outside_the_folder_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    modules = [{"path": "../..", "type": "sentence_transformers.models.Pooling"}]
    (tmp_path / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(PorismError, match="names a folder outside the model"):
        open_encoder(str(tmp_path))


@pytest.mark.parametrize("content", ["", "3", '["x"]'])
def test_invalid_modules_are_refused(tmp_path: Path, content: str) -> None:
    write_model(tmp_path, "bert")
    (tmp_path / "modules.json").write_text(content, encoding="utf-8")
    with pytest.raises(PorismError, match=r"modules\.json"):
        open_encoder(str(tmp_path))


def test_limit_and_case_are_those_of_the_folder(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    settings = {"max_seq_length": 5, "do_lower_case": True}
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps(settings), encoding="utf-8")
    encoder = open_encoder(str(tmp_path), "float32")
    assert encoder.max_tokens == 3
    vectors = encoder.encode(["a b c", "A B C d e", "a b"])
    np.testing.assert_array_equal(vectors[0], vectors[1])
    assert not np.array_equal(vectors[0], vectors[2])


def test_identity_changes_with_weights_and_settings(tmp_path: Path) -> None:
    for name in ("one", "same", "weights", "limit", "pooling"):
        write_model(tmp_path / name, "bert", seed=int(name == "weights"))
    settings = json.dumps({"max_seq_length": 5})
    (tmp_path / "limit" / "sentence_bert_config.json").write_text(settings, encoding="utf-8")
    write_modules(tmp_path / "pooling", {"pooling_mode": "cls"})
    digests = {
        folder.name: open_encoder(str(folder), "float32").identity.digest
        for folder in tmp_path.iterdir()
    }
    assert digests["one"] == digests["same"]
    assert len(set(digests.values())) == 4
    identity = open_encoder(str(tmp_path / "one")).identity
    assert (identity.name, identity.dimension, identity.precision) == ("one", WIDTH, "int8")


def ready_model(folder: Path, model_cache: Path, path: str) -> Path:
    """A folder with an ONNX model and a tokenizer only, which gives the vectors of ``folder``."""
    write_model(folder, "bert")
    open_encoder(str(folder), "float32")
    (exported,) = model_cache.glob("*.onnx")
    ready = folder.parent / "ready"
    (ready / path).parent.mkdir(parents=True)
    shutil.copy(exported, ready / path)
    letters_tokenizer().save(str(ready / "tokenizer.json"))
    return ready


@pytest.mark.parametrize("path", ["model.onnx", "onnx/model.onnx"])
def test_a_ready_onnx_model_needs_no_weights(tmp_path: Path, model_cache: Path, path: str) -> None:
    ready = ready_model(tmp_path / "weights", model_cache, path)
    encoder = open_encoder(str(ready))
    assert (encoder.identity.precision, encoder.identity.dimension) == ("onnx", WIDTH)
    expected = open_encoder(str(tmp_path / "weights"), "float32").encode(["a b", "c"])
    np.testing.assert_allclose(encoder.encode(["a b", "c"]), expected, rtol=0, atol=1e-6)


def test_weights_of_another_kind_leave_the_ready_model(tmp_path: Path, model_cache: Path) -> None:
    ready = ready_model(tmp_path / "weights", model_cache, "model.onnx")
    shutil.copy(tmp_path / "weights" / "model.safetensors", ready)
    (ready / "config.json").write_text('{"model_type": "other"}', encoding="utf-8")
    assert open_encoder(str(ready)).identity.precision == "onnx"


def test_a_ready_model_of_another_size_is_refused(tmp_path: Path, model_cache: Path) -> None:
    ready = ready_model(tmp_path / "weights", model_cache, "model.onnx")
    tokenizer = letters_tokenizer()
    tokenizer.add_tokens([f"more{number}" for number in range(5)])
    tokenizer.save(str(ready / "tokenizer.json"))
    with pytest.raises(PorismError, match=r"not an encoder that fits tokenizer\.json"):
        open_encoder(str(ready))


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x08\x09"])
def test_an_invalid_onnx_file_is_refused(tmp_path: Path, content: bytes) -> None:
    letters_tokenizer().save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(PorismError, match=r"model\.onnx"):
        open_encoder(str(tmp_path))
