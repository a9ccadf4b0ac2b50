"""The cache of exported models: used again, repaired, and done without."""

import logging
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from porism.embed import open_encoder
from tests.embed.tiny_models import write_model


@pytest.fixture
def model(tmp_path: Path) -> str:
    write_model(tmp_path / "tiny", "bert")
    return str(tmp_path / "tiny")


def refuse_export(*_: object) -> bytes:
    raise AssertionError("was exported again")


def test_a_model_is_exported_once(
    model: str, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_encoder(model).encode(["a b"])
    assert len(list(model_cache.iterdir())) == 1
    monkeypatch.setattr("porism.embed.network.write_graph", refuse_export)
    np.testing.assert_array_equal(open_encoder(model).encode(["a b"]), first)


@pytest.mark.parametrize("content", [b"", b"damaged", b"\0" * 1000])
def test_a_damaged_file_is_replaced(
    model: str, model_cache: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    first = open_encoder(model).encode(["a b"])
    (path,) = model_cache.iterdir()
    good = path.read_bytes()
    path.write_bytes(content)
    np.testing.assert_array_equal(open_encoder(model).encode(["a b"]), first)
    assert path.read_bytes() == good
    assert "exported again" in caplog.text


def test_half_of_a_file_is_replaced(model: str, model_cache: Path) -> None:
    first = open_encoder(model).encode(["a b"])
    (path,) = model_cache.iterdir()
    good = path.read_bytes()
    path.write_bytes(good[: len(good) // 2])
    np.testing.assert_array_equal(open_encoder(model).encode(["a b"]), first)
    assert path.read_bytes() == good


def test_a_full_disk_leaves_nothing_and_the_model_works(
    model: str,
    model_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("porism.embed.graph_cache.os.replace", full)
    assert open_encoder(model).encode(["a b"]).any()
    assert list(model_cache.iterdir()) == []
    assert "cannot be cached (No space left on device)" in caplog.text


def test_a_cache_that_others_can_write_is_not_used(
    model: str, model_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model_cache.mkdir(parents=True)
    model_cache.chmod(stat.S_IRWXU | stat.S_IRWXO)
    with caplog.at_level(logging.WARNING):
        assert open_encoder(model).encode(["a b"]).any()
    assert list(model_cache.iterdir()) == []
    assert "no private cache folder" in caplog.text


def test_without_a_home_the_model_is_exported_to_memory(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert open_encoder(model).encode(["a b"]).any()


def test_a_model_may_be_opened_by_several_at_once(model: str, model_cache: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(lambda _: open_encoder(model).encode(["a b"]), range(4))
    assert all(np.array_equal(first, other) for other in others)
    assert len(list(model_cache.iterdir())) == 1
